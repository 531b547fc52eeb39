//! `recado order`: orders as operators see them, their status and their payments.

use std::process::ExitCode;

use anyhow::Result;
use domain::{Money, Order, OrderStatus, money_text};
use serde_json::Value;
use shop::{RecordPayment, SetOrderStatus, order_code};
use store::{Deed, OrderFilter, StoreError};

use super::{Act, Office, open, perform};
use crate::args::{Desk, OrderCommand};
use crate::exit::Outcome;
use crate::output::{print, short, table};

pub(crate) async fn orders(command: OrderCommand) -> Outcome {
    match command {
        OrderCommand::List { status, limit, desk } => list(&desk, status, limit).await?,
        OrderCommand::Show { number, desk } => show(&desk, number).await?,
        OrderCommand::Status { number, status, desk } => {
            let answer =
                act(&desk, "order.status", number, SetOrderStatus { number, status }).await?;
            let code = order_code(number);
            print(desk.json, &answer, |_| format!("{code} is {}", status.as_str()))?;
        }
        OrderCommand::Pay { number, amount, method, desk } => {
            let deed = RecordPayment { number, amount, method };
            let answer = act(&desk, "order.pay", number, deed).await?;
            print(desk.json, &answer, |answer| {
                let text = |name: &str| answer[name].as_str().unwrap_or_default();
                format!("{}: {} by {}", text("code"), text("amount_text"), text("method"))
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn act(desk: &Desk, action: &str, number: u32, deed: impl Deed + 'static) -> Result<Value> {
    let office = open(desk).await?;
    find(&office, number).await?;
    perform(&office, desk, Act { action, subject: &order_code(number) }, deed).await
}

async fn find(office: &Office, number: u32) -> Result<Order> {
    let order = office.store.order(office.workspace.id, number).await?;
    Ok(order.ok_or(StoreError::NotFound("order"))?)
}

async fn list(desk: &Desk, status: Option<OrderStatus>, limit: u32) -> Result<()> {
    let office = open(desk).await?;
    let filter = OrderFilter { status, ..OrderFilter::newest(limit) };
    let orders = office.store.orders(office.workspace.id, &filter).await?;
    print(desk.json, &orders, |orders| {
        if orders.is_empty() {
            return "No orders.".to_owned();
        }
        let rows: Vec<_> = orders.iter().map(row).collect();
        table(&["ORDER", "AT", "STATUS", "TOTAL", "WHAT"], &rows)
    })
}

fn row(order: &Order) -> Vec<String> {
    let lines = order.lines.iter().map(|line| format!("{}x {}", line.quantity, line.title));
    vec![
        order_code(order.number),
        order.created_at.to_string(),
        order.status.as_str().to_owned(),
        money_text(Money::new(order.total, order.currency)),
        short(&lines.collect::<Vec<_>>().join(", ")),
    ]
}

async fn show(desk: &Desk, number: u32) -> Result<()> {
    let order = find(&open(desk).await?, number).await?;
    print(desk.json, &order, in_words)
}

fn in_words(order: &Order) -> String {
    let money = |amount| money_text(Money::new(amount, order.currency));
    let mut text = format!("{}  {}\n", order_code(order.number), order.status.as_str());
    text += &format!("contact {}, conversation {}\n", order.contact, order.conversation);
    text += &format!("made {}, changed {}\n", order.created_at, order.updated_at);
    for line in &order.lines {
        let (price, code) = (money(line.unit_price), &line.product);
        text += &format!("{:>4} x {}  {price} each  ({code})\n", line.quantity, line.title);
    }
    text += &format!("total {}\n", money(order.total));
    for (name, value) in &order.data {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text += &format!("{name}: {value}\n");
    }
    text
}
