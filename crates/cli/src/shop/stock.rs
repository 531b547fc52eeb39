//! `recado stock`: what there is, and what comes in, is counted or written off.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;
use shop::{CountStock, ReceiveStock, WriteOffStock};
use store::{Deed, StockLevel};

use super::{Act, open, perform};
use crate::args::{Desk, StockCommand};
use crate::exit::Outcome;
use crate::output::{print, table};

/// How many variants are read at once.
const PAGE: u32 = 1000;

pub(crate) async fn stock(command: StockCommand) -> Outcome {
    match command {
        StockCommand::List { below, desk } => list(&desk, below).await?,
        StockCommand::Receive { sku, units, desk } => {
            act(&desk, "stock.receive", &sku.clone(), ReceiveStock { sku, units }).await?;
        }
        StockCommand::Count { sku, available, desk } => {
            act(&desk, "stock.count", &sku.clone(), CountStock { sku, available }).await?;
        }
        StockCommand::WriteOff { sku, units, desk } => {
            act(&desk, "stock.write_off", &sku.clone(), WriteOffStock { sku, units }).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn act(desk: &Desk, action: &str, sku: &str, deed: impl Deed + 'static) -> Result<()> {
    let office = open(desk).await?;
    let answer = perform(&office, desk, Act { action, subject: sku }, deed).await?;
    print(desk.json, &answer, |answer: &Value| {
        format!(
            "{sku}: {} for sale, {} promised to orders",
            answer["available"], answer["reserved"]
        )
    })
}

async fn list(desk: &Desk, below: Option<u32>) -> Result<()> {
    let office = open(desk).await?;
    let mut levels: Vec<StockLevel> = Vec::new();
    loop {
        let after = levels.last().map(|level| level.stock.sku.clone());
        let some = office.store.stock_levels(office.workspace.id, after.as_deref(), PAGE).await?;
        if some.is_empty() {
            break;
        }
        levels.extend(some);
    }
    levels.retain(|level| below.is_none_or(|below| level.stock.available < below));
    print(desk.json, &levels, |levels| {
        if levels.is_empty() {
            return "No stock to show: fill the shop with `recado catalog import`.".to_owned();
        }
        let rows: Vec<_> = levels.iter().map(row).collect();
        table(&["SKU", "TITLE", "FOR SALE", "PROMISED", "SOLD"], &rows)
    })
}

fn row(level: &StockLevel) -> Vec<String> {
    let stock = &level.stock;
    let title = level.title.clone().unwrap_or_else(|| "–".to_owned());
    let units = [stock.available, stock.reserved, stock.sold].map(|units| units.to_string());
    [stock.sku.clone(), title].into_iter().chain(units).collect()
}
