//! Orders: the list, one of them, and how far it has come.

use std::str::FromStr;

use axum::Json;
use axum::extract::State;
use domain::{ContactId, ConversationId, Money, Order, money_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shop::{SetOrderStatus, order_code, order_number};
use store::OrderFilter;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::{Caller, Operator, Viewer};
use super::deeds;
use super::input::{Body, Named, Params};
use super::page::{self, Page};
use super::problems::{Bodies, Conflicts, Refusals};
use super::words::{OrderWord, time};
use crate::App;
use crate::problem::Problem;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Filter {
    status: Option<OrderWord>,
    contact: Option<Uuid>,
    conversation: Option<Uuid>,
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct OrderCard {
    id: Uuid,
    number: u32,
    /// The number as people write it, such as `ORD-00042`.
    code: String,
    contact: Uuid,
    conversation: Uuid,
    status: OrderWord,
    lines: Vec<OrderLineCard>,
    currency: String,
    /// Exact.
    total: String,
    /// As people read it, such as `$2.500`.
    total_text: String,
    /// Other data of the order: where to deliver, whom to ask for.
    #[schema(value_type = Object)]
    data: Value,
    created_at: String,
    updated_at: String,
}

#[derive(Serialize, ToSchema)]
pub(super) struct OrderLineCard {
    sku: String,
    title: String,
    quantity: u32,
    unit_price: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewStatus {
    status: OrderWord,
    /// Made by the caller, the same when it asks again: then it is done once.
    client_id: Option<Uuid>,
}

/// An order's number, however it is written.
#[derive(Clone, Copy)]
pub(super) struct Number(u32);

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        order_number(text).map(Self)
    }
}

#[utoipa::path(get, path = "/orders", tag = "shop", operation_id = "list_orders",
    security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<OrderCard>), Refusals))]
/// Orders, newest first
pub(super) async fn list(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<OrderCard>>, Problem> {
    let limit = page::limit(filter.limit)?;
    let wanted = OrderFilter {
        conversation: filter.conversation.map(ConversationId),
        contact: filter.contact.map(ContactId),
        status: filter.status.map(Into::into),
        before: page::place(filter.after.as_deref())?,
        limit: limit + 1,
    };
    let rows = app.store().orders(caller.workspace, &wanted).await?;
    Ok(Json(Page::of(rows, limit, |row| row.number, card)))
}

#[utoipa::path(get, path = "/orders/{number}", tag = "shop", operation_id = "get_order",
    security(("key" = ["viewer"])),
    params(("number" = String, Path, description = "The order's number: `42` or `ORD-00042`")),
    responses((status = 200, body = OrderCard), Refusals))]
/// Read an order
pub(super) async fn get(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Named(number): Named<Number>,
) -> Result<Json<OrderCard>, Problem> {
    read(&app, &caller, number).await.map(Json)
}

#[utoipa::path(post, path = "/orders/{number}/status", tag = "shop",
    operation_id = "set_order_status", security(("key" = ["operator"])),
    params(("number" = String, Path, description = "The order's number: `42` or `ORD-00042`")),
    request_body = NewStatus,
    responses((status = 200, body = OrderCard), Refusals, Bodies, Conflicts))]
/// Say how far an order has come; its stock goes with it
pub(super) async fn set_status(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(number): Named<Number>,
    Body(wish): Body<NewStatus>,
) -> Result<Json<OrderCard>, Problem> {
    let before = read(&app, &caller, number).await?;
    let deed = SetOrderStatus { number: number.0, status: wish.status.into() };
    let status = domain::OrderStatus::from(wish.status).as_str();
    let act = (format!("order.{status}"), before.code);
    let _: Value = deeds::perform(&app, &caller, (&act.0, &act.1), wish.client_id, deed).await?;
    read(&app, &caller, number).await.map(Json)
}

async fn read(app: &App, caller: &Caller, Number(number): Number) -> Result<OrderCard, Problem> {
    let order = app.store().order(caller.workspace, number).await?;
    let missing = || Problem::NotFound(format!("there is no order {}", order_code(number)));
    order.map(card).ok_or_else(missing)
}

pub(super) fn card(order: Order) -> OrderCard {
    let line = |line: domain::OrderLine| OrderLineCard {
        sku: line.product,
        title: line.title,
        quantity: line.quantity,
        unit_price: line.unit_price.normalize().to_string(),
    };
    OrderCard {
        id: order.id.0,
        number: order.number,
        code: order_code(order.number),
        contact: order.contact.0,
        conversation: order.conversation.0,
        status: order.status.into(),
        lines: order.lines.into_iter().map(line).collect(),
        currency: order.currency.to_string(),
        total: order.total.normalize().to_string(),
        total_text: money_text(Money::new(order.total, order.currency)),
        data: Value::Object(order.data),
        created_at: time(order.created_at),
        updated_at: time(order.updated_at),
    }
}
