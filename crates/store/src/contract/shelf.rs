//! A shelf that many take from at once, as deeds, and the check that its stock adds up.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{
    Contact, ContactId, ConversationId, Order, OrderId, OrderLine, OrderStatus, Reservation, Stock,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{Deed, DeedError, Records};

/// Pseudo-random numbers, the same for the same seed.
#[derive(Clone, Copy, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Below `sides`.
    pub fn below(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(sides.max(1))) as u32
    }
}

/// The number of variants and orders.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    pub skus: u32,
    pub orders: u32,
}

impl Shelf {
    pub fn sku(n: u32) -> String {
        format!("sku-{n:04}")
    }

    pub fn order(n: u32) -> OrderId {
        OrderId(Uuid::from_u128(0x0dde_0000 + u128::from(n)))
    }

    /// A customer, out of ten.
    pub fn contact(n: u32) -> ContactId {
        ContactId(Uuid::from_u128(0xc0de_0000 + u128::from(n % 10)))
    }

    /// The next thing somebody does.
    pub fn act(self, dice: &mut Dice) -> Move {
        let sku = Self::sku(dice.below(self.skus));
        let order = dice.below(self.orders) + 1;
        match dice.below(12) {
            0..=1 => Move::Receive { sku, units: dice.below(20) + 1 },
            2 => Move::WriteOff { sku, units: dice.below(8) + 1 },
            3..=7 => {
                let count = dice.below(4) + 1;
                let mut line = || (Self::sku(dice.below(self.skus)), dice.below(5) + 1);
                Move::Confirm { order, lines: (0..count).map(|_| line()).collect() }
            }
            8..=9 => Move::Cancel { order },
            _ => Move::Complete { order },
        }
    }
}

/// The moves on a shelf. Each is refused where it does not apply, some after they have written.
#[derive(Clone, Debug)]
pub enum Move {
    Receive {
        sku: String,
        units: u32,
    },
    WriteOff {
        sku: String,
        units: u32,
    },
    /// Reserves the units of every line for the order, or no units at all.
    Confirm {
        order: u32,
        lines: Vec<(String, u32)>,
    },
    /// Frees the order's reserved units.
    Cancel {
        order: u32,
    },
    /// Counts the order's reserved units as sold.
    Complete {
        order: u32,
    },
}

#[async_trait]
impl Deed for Move {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        match self {
            Self::Receive { sku, units } => change(records, sku, *units, Stock::receive).await,
            Self::WriteOff { sku, units } => change(records, sku, *units, Stock::write_off).await,
            Self::Confirm { order, lines } => confirm(records, *order, lines).await,
            Self::Cancel { order } => {
                end(records, *order, OrderStatus::Cancelled, Stock::release).await
            }
            Self::Complete { order } => {
                end(records, *order, OrderStatus::Completed, Stock::sell).await
            }
        }
    }
}

type Change = fn(&mut Stock, u32) -> bool;

async fn change(
    records: &mut dyn Records,
    sku: &str,
    units: u32,
    how: Change,
) -> Result<Value, DeedError> {
    let mut levels = records.stock(&[sku.to_owned()]).await?;
    for stock in &mut levels {
        if !how(stock, units) {
            return DeedError::refused(format!("{units} of {sku} are not there"));
        }
        records.put_stock(stock).await?;
    }
    Ok(json!(levels))
}

async fn confirm(
    records: &mut dyn Records,
    number: u32,
    lines: &[(String, u32)],
) -> Result<Value, DeedError> {
    let id = Shelf::order(number);
    let known = records.order(id).await?;
    if known.is_some_and(|order| order.status.holds_stock()) {
        return DeedError::refused(format!("order {number} is open"));
    }
    let mut wanted: BTreeMap<&str, u32> = BTreeMap::new();
    for (sku, units) in lines {
        *wanted.entry(sku).or_default() += units;
    }
    let skus: Vec<_> = wanted.keys().map(|sku| (*sku).to_owned()).collect();
    for mut stock in records.stock(&skus).await? {
        let units = wanted[stock.sku.as_str()];
        if !stock.reserve(units) {
            let Stock { sku, available, .. } = stock;
            return DeedError::refused(format!("there are only {available} of {sku}"));
        }
        records.put_stock(&stock).await?;
    }
    let contact = Shelf::contact(number);
    if records.contact(contact).await?.is_none() {
        let new = Contact { id: contact, name: None, phone: None, data: Map::new() };
        records.put_contact(&new).await?;
    }
    let held: Vec<_> = wanted
        .into_iter()
        .map(|(sku, quantity)| Reservation { sku: sku.to_owned(), quantity })
        .collect();
    records.put_reservations(id, &held).await?;
    records.put_order(&confirmed(records, number, lines)).await?;
    Ok(json!(held))
}

fn confirmed(records: &dyn Records, number: u32, lines: &[(String, u32)]) -> Order {
    let line = |(sku, units): &(String, u32)| OrderLine {
        product: sku.clone(),
        title: sku.clone(),
        quantity: *units,
        unit_price: 100.into(),
    };
    Order {
        id: Shelf::order(number),
        number,
        contact: Shelf::contact(number),
        conversation: ConversationId(Uuid::from_u128(u128::from(number))),
        status: OrderStatus::Confirmed,
        lines: lines.iter().map(line).collect(),
        currency: "ARS".parse().expect("a currency"),
        total: lines.iter().map(|(_, units)| units * 100).sum::<u32>().into(),
        data: Map::new(),
        created_at: records.now(),
        updated_at: records.now(),
    }
}

async fn end(
    records: &mut dyn Records,
    number: u32,
    status: OrderStatus,
    how: Change,
) -> Result<Value, DeedError> {
    let id = Shelf::order(number);
    let found = records.order(id).await?;
    let Some(order) = found.filter(|order| order.status.may_become(status)) else {
        return DeedError::refused(format!("order {number} cannot become {}", status.as_str()));
    };
    let held = records.reservations(id).await?;
    let units: BTreeMap<_, _> = held.iter().map(|one| (one.sku.as_str(), one.quantity)).collect();
    let skus: Vec<_> = held.iter().map(|one| one.sku.clone()).collect();
    for mut stock in records.stock(&skus).await? {
        let held = units[stock.sku.as_str()];
        if !how(&mut stock, held) {
            return DeedError::refused(format!("{held} of {} were not held", stock.sku));
        }
        records.put_stock(&stock).await?;
    }
    records.put_reservations(id, &[]).await?;
    let updated_at = records.now();
    records.put_order(&Order { status, updated_at, ..order }).await?;
    Ok(json!(status))
}

/// Lists the variants whose reserved units differ from those that orders hold.
#[async_trait]
impl Deed for Shelf {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut held: BTreeMap<String, u32> = BTreeMap::new();
        for order in 1..=self.orders {
            for Reservation { sku, quantity } in records.reservations(Self::order(order)).await? {
                *held.entry(sku).or_default() += quantity;
            }
        }
        let skus: Vec<_> = (0..self.skus).map(Self::sku).collect();
        let levels = records.stock(&skus).await?;
        let wrong = levels
            .iter()
            .filter(|stock| stock.reserved != held.get(&stock.sku).copied().unwrap_or_default());
        Ok(json!(wrong.collect::<Vec<_>>()))
    }
}
