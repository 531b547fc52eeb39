//! The shop with which a rehearsal begins: its catalogue, its profile, stock and orders from
//! before.

use std::collections::BTreeMap;

use domain::{
    ContactId, ConversationId, Item, Money, Order, OrderId, OrderLine, OrderStatus, Product,
    Reservation, Timestamp,
};
use futures::executor::block_on;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use pack::files::{Case, OrderBefore};
use pack::{Agent, FlowSpec, Pack, Source};
use rust_decimal::Decimal;
use shop::catalogue::ImportProducts;
use shop::search::index_terms;
use shop::{SetProfile, profile};
use store::{Deed, DeedError, MemoryRecords, Records};
use uuid::Uuid;

/// The records that the cases of a pack begin with.
#[derive(Clone, Default)]
pub struct Stage {
    /// By the file of the catalogue; the pack's own under no name.
    catalogues: BTreeMap<String, MemoryRecords>,
    /// Where the pack's clock hangs.
    zone: Option<TimeZone>,
}

impl Stage {
    /// Reads what the first agent of a pack sells, and the catalogues beside its tests.
    pub fn of(pack: &Pack, source: &Source) -> Result<Self, String> {
        let zone = TimeZone::get(&pack.manifest.time_zone).map_err(|error| error.to_string())?;
        let mut stage = Self { zone: Some(zone), ..Self::default() };
        let Some(Agent::Flow(flow)) = pack.agents.first().map(|agent| &agent.agent) else {
            return Ok(stage);
        };
        let own = flow.flow.shop.as_ref().and_then(|shop| shop.catalogue.as_deref());
        stage.add("", own, flow, source)?;
        for (path, _) in source.iter().filter(|(path, _)| is_catalogue(path)) {
            stage.add(path.trim_start_matches("tests/"), Some(path), flow, source)?;
        }
        Ok(stage)
    }

    fn add(
        &mut self,
        name: &str,
        path: Option<&str>,
        flow: &FlowSpec,
        source: &Source,
    ) -> Result<(), String> {
        let mut records = MemoryRecords::default();
        if let Some(commerce) = &flow.commerce {
            done(block_on(SetProfile(profile(commerce)).run(&mut records)))?;
        }
        let (path, text) = (path.unwrap_or_default(), path.and_then(|path| source.get(path)));
        let imports = text.map_or(Ok(Vec::new()), ImportProducts::batches);
        for import in imports.map_err(|reason| format!("{path}: {reason}"))? {
            done(block_on(import.run(&mut records)))?;
        }
        self.catalogues.insert(name.to_owned(), records);
        Ok(())
    }

    /// When a case begins.
    pub fn time(&self, case: &Case) -> Result<Option<Timestamp>, String> {
        let Some(now) = &case.now else { return Ok(None) };
        let local: DateTime = now.parse().map_err(|error| format!("`{now}`: {error}"))?;
        let zone = self.zone.clone().unwrap_or(TimeZone::UTC);
        let at = local.to_zoned(zone).map_err(|error| format!("`{now}`: {error}"))?;
        Ok(Some(Timestamp::from_millis(at.timestamp().as_millisecond())))
    }

    /// The records a case begins with.
    pub fn set(&self, case: &Case, now: Timestamp) -> Result<MemoryRecords, String> {
        let name = case.catalogue.as_deref().unwrap_or_default();
        let missing = || format!("there is no catalogue `tests/{name}`");
        let mut records = match (self.catalogues.get(name), name) {
            (Some(records), _) => records.clone(),
            (None, "") => MemoryRecords::default(),
            (None, _) => return Err(missing()),
        };
        records.set_now(now);
        block_on(async {
            for (sku, units) in &case.stock {
                stock(&mut records, sku, *units).await?;
            }
            for order in &case.orders_before {
                done(ordered(&mut records, order).await)?;
            }
            Ok(records)
        })
    }
}

/// Puts so many units of a variant on sale.
pub(crate) async fn stock(
    records: &mut MemoryRecords,
    sku: &str,
    units: u32,
) -> Result<(), String> {
    let stock = records.stock(&[sku.to_owned()]).await;
    let mut stock = stock.map_err(|error| error.to_string())?.remove(0);
    stock.available = units;
    records.put_stock(&stock).await.map_err(|error| error.to_string())
}

/// Gives a variant another price, in the currency it has.
pub(crate) async fn reprice(
    records: &mut MemoryRecords,
    sku: &str,
    price: u32,
) -> Result<(), String> {
    let all = records.products(None, u32::MAX).await.map_err(|error| error.to_string())?;
    let sells = |product: &Product| product.variants.iter().any(|variant| variant.sku == sku);
    let Some(mut product) = all.into_iter().find(sells) else {
        return Err(format!("`{sku}` is not in the catalogue"));
    };
    for variant in product.variants.iter_mut().filter(|variant| variant.sku == sku) {
        variant.price = Money::new(price.into(), variant.price.currency);
    }
    let terms = index_terms(&product);
    records.put_product(&product, &terms).await.map_err(|error| error.to_string())
}

fn is_catalogue(path: &str) -> bool {
    path.starts_with("tests/") && path.ends_with(".csv")
}

fn done<T>(result: Result<T, DeedError>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

/// Writes an order from before down, with what it holds of the stock.
async fn ordered(records: &mut MemoryRecords, before: &OrderBefore) -> Result<(), DeedError> {
    let status = OrderStatus::parse(&before.status).unwrap_or(OrderStatus::Confirmed);
    let skus: Vec<String> = before.lines.iter().map(|line| line.sku.clone()).collect();
    let items = records.items(&skus).await?;
    let mut lines = Vec::new();
    let mut reserved = Vec::new();
    for line in &before.lines {
        let Some(item) = items.iter().find(|item| item.sku == line.sku) else {
            return DeedError::refused(format!("`{}` is not in the catalogue", line.sku));
        };
        lines.push(order_line(item, line.quantity));
        reserved.push(Reservation { sku: line.sku.clone(), quantity: line.quantity });
    }
    for held in reserved.iter().filter(|_| status != OrderStatus::Cancelled) {
        let mut stock = records.stock(std::slice::from_ref(&held.sku)).await?.remove(0);
        // Earlier orders are not taken from the present stock.
        let kept = stock.receive(held.quantity)
            && stock.reserve(held.quantity)
            && (status.holds_stock() || stock.sell(held.quantity));
        if !kept {
            return DeedError::refused(format!("there is not enough of `{}`", held.sku));
        }
        records.put_stock(&stock).await?;
    }
    let number = records.take_number("order").await?;
    let total = lines.iter().map(|line| line.unit_price * Decimal::from(line.quantity)).sum();
    let currency = items.first().map(|item| item.price.currency);
    let Some(currency) = currency else { return DeedError::refused("an order has lines") };
    let id = OrderId(Uuid::from_u128(u128::from(number.unsigned_abs())));
    let order = Order {
        id,
        number: u32::try_from(number).unwrap_or_default(),
        contact: ContactId(Uuid::nil()),
        conversation: ConversationId(Uuid::nil()),
        status,
        lines,
        currency,
        total,
        data: Default::default(),
        created_at: records.now(),
        updated_at: records.now(),
    };
    records.put_order(&order).await?;
    if status.holds_stock() {
        records.put_reservations(id, &reserved).await?;
    }
    Ok(())
}

fn order_line(item: &Item, quantity: u32) -> OrderLine {
    OrderLine {
        product: item.sku.clone(),
        title: item.title(),
        quantity,
        unit_price: item.price.amount,
    }
}
