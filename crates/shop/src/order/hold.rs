//! The units an order holds: what is reserved for it, and the stock that was reserved from, moved
//! together so that the one always adds up to the other.

use std::collections::BTreeMap;

use domain::{OrderId, OrderLine, Reservation, Stock};
use store::{DeedError, Records, StoreError};

use crate::cart::shortage;

/// Locked until the commit.
pub(crate) struct Held {
    order: OrderId,
    units: BTreeMap<String, u32>,
    stock: BTreeMap<String, Stock>,
}

impl Held {
    /// Locks the units an order holds now, and the stock of these variants beside.
    pub(crate) async fn lock<'a>(
        records: &mut dyn Records,
        order: OrderId,
        more: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, DeedError> {
        let reserved = records.reservations(order).await?;
        let units: BTreeMap<_, _> =
            reserved.into_iter().map(|one| (one.sku, one.quantity)).collect();
        let skus = units.keys().cloned().chain(more.into_iter().map(str::to_owned));
        let stock = records.stock(&skus.collect::<Vec<_>>()).await?;
        let stock = stock.into_iter().map(|stock| (stock.sku.clone(), stock)).collect();
        Ok(Self { order, units, stock })
    }

    /// Holds exactly these units. All that there is too little of is refused at once.
    pub(crate) fn become_units(&mut self, wanted: BTreeMap<String, u32>) -> Result<(), DeedError> {
        let mut short = Vec::new();
        for (sku, stock) in &mut self.stock {
            let (held, wanted) = (units_of(&self.units, sku), units_of(&wanted, sku));
            let there = stock.available.saturating_add(held);
            if wanted > held && !stock.reserve(wanted - held) {
                short.push(shortage(sku, there));
            }
            if wanted < held && !stock.release(held - wanted) {
                return unbalanced(sku);
            }
        }
        if !short.is_empty() {
            return DeedError::refused(short.join("; "));
        }
        self.units = wanted.into_iter().filter(|(_, units)| *units > 0).collect();
        Ok(())
    }

    /// The order ends with its units.
    pub(crate) fn sell(&mut self) -> Result<(), DeedError> {
        for (sku, units) in std::mem::take(&mut self.units) {
            let sold = self.stock.get_mut(&sku).is_some_and(|stock| stock.sell(units));
            if !sold {
                return unbalanced(&sku);
            }
        }
        Ok(())
    }

    /// The order ends without its units.
    pub(crate) fn release(&mut self) -> Result<(), DeedError> {
        self.become_units(BTreeMap::new())
    }

    pub(crate) async fn put(self, records: &mut dyn Records) -> Result<(), DeedError> {
        for stock in self.stock.values() {
            records.put_stock(stock).await?;
        }
        let reservations: Vec<_> =
            self.units.into_iter().map(|(sku, quantity)| Reservation { sku, quantity }).collect();
        records.put_reservations(self.order, &reservations).await?;
        Ok(())
    }
}

/// The units that an order's lines come to.
pub(super) fn units(lines: &[OrderLine]) -> BTreeMap<String, u32> {
    let mut units: BTreeMap<String, u32> = BTreeMap::new();
    for line in lines {
        *units.entry(line.product.clone()).or_default() += line.quantity;
    }
    units
}

fn units_of(units: &BTreeMap<String, u32>, sku: &str) -> u32 {
    units.get(sku).copied().unwrap_or_default()
}

fn unbalanced<T>(sku: &str) -> Result<T, DeedError> {
    let text = format!("less of `{sku}` is reserved than orders hold: count its stock");
    Err(StoreError::Unusable(text).into())
}
