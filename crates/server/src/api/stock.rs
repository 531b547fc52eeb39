//! Stock: what there is of each variant; units that came in, were counted or written off.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use shop::{CountStock, ReceiveStock, StockOf, WriteOffStock};
use store::StockLevel;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::auth::{Caller, Operator, Viewer};
use super::deeds;
use super::input::{Body, Named, Params};
use super::page::{self, Page};
use super::problems::{Bodies, Conflicts, OutOfRange, Refusals};
use crate::App;
use crate::problem::Problem;

/// Variants looked through for one page; a page may then have fewer items and still a next one.
const LOOK_THROUGH: u32 = 2_000;

/// No stock is larger: what is more is no number of units.
const MAX_UNITS: u32 = i32::MAX as u32;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Filter {
    /// A part of the sku or the title.
    q: Option<String>,
    /// Only those of which fewer are available.
    #[param(maximum = 2_147_483_647)]
    low_than: Option<u32>,
    /// At most 200; 50 if not given.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// The `next` of the last page.
    after: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct Level {
    sku: String,
    /// Null if it is no longer in the catalogue.
    title: Option<String>,
    /// For sale.
    available: u32,
    /// Promised to orders.
    reserved: u32,
    /// Gone with their orders.
    sold: u32,
}

/// The stock of a variant after something was done to it.
#[derive(Serialize, Deserialize, ToSchema)]
pub(super) struct Units {
    sku: String,
    available: u32,
    reserved: u32,
    sold: u32,
    /// All of them.
    on_hand: u64,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Moved {
    units: u32,
    /// Made by the caller, the same when it asks again: then it is done once.
    client_id: Option<Uuid>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Counted {
    /// Units for sale; units promised to orders lie apart.
    available: u32,
    /// Made by the caller, the same when it asks again: then it is done once.
    client_id: Option<Uuid>,
}

#[utoipa::path(get, path = "/stock", tag = "shop", operation_id = "list_stock",
    security(("key" = ["viewer"])), params(Filter),
    responses((status = 200, body = Page<Level>), Refusals, OutOfRange))]
/// Stock of every variant, by sku
pub(super) async fn list(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Params(filter): Params<Filter>,
) -> Result<Json<Page<Level>>, Problem> {
    let limit = page::limit(filter.limit)?;
    if filter.low_than.is_some_and(|low| low > MAX_UNITS) {
        return Err(Problem::BadRequest(format!("`low_than` is at most {MAX_UNITS}")));
    }
    let after: Option<String> = page::place(filter.after.as_deref())?;
    let words = filter.q.map(|text| text.to_lowercase());
    let wanted = |level: &StockLevel| {
        let has = |text: &str, words: &str| text.to_lowercase().contains(words);
        let named = words.as_deref().is_none_or(|words| {
            has(&level.stock.sku, words)
                || level.title.as_deref().is_some_and(|title| has(title, words))
        });
        named && filter.low_than.is_none_or(|low| level.stock.available < low)
    };
    let store = app.store();
    let rows = store.stock_levels(caller.workspace, after.as_deref(), LOOK_THROUGH).await?;
    Ok(Json(Page::filtered(rows, limit, LOOK_THROUGH, wanted, |row| row.stock.sku.clone(), level)))
}

#[utoipa::path(post, path = "/stock/{sku}/receive", tag = "shop", operation_id = "receive_stock",
    security(("key" = ["operator"])), params(("sku" = String, Path, description = "The variant")),
    request_body = Moved, responses((status = 200, body = Units), Refusals, Bodies, Conflicts))]
/// Units came in
pub(super) async fn receive(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(sku): Named<String>,
    Body(wish): Body<Moved>,
) -> Result<Json<Units>, Problem> {
    let deed = ReceiveStock { sku: known(&app, &caller, &sku).await?, units: wish.units };
    let act = ("stock.receive", sku.as_str());
    deeds::perform(&app, &caller, act, wish.client_id, deed).await.map(Json)
}

#[utoipa::path(post, path = "/stock/{sku}/count", tag = "shop", operation_id = "count_stock",
    security(("key" = ["operator"])), params(("sku" = String, Path, description = "The variant")),
    request_body = Counted, responses((status = 200, body = Units), Refusals, Bodies, Conflicts))]
/// Somebody counted what is for sale
pub(super) async fn count(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(sku): Named<String>,
    Body(wish): Body<Counted>,
) -> Result<Json<Units>, Problem> {
    let deed = CountStock { sku: known(&app, &caller, &sku).await?, available: wish.available };
    let act = ("stock.count", sku.as_str());
    deeds::perform(&app, &caller, act, wish.client_id, deed).await.map(Json)
}

#[utoipa::path(post, path = "/stock/{sku}/write_off", tag = "shop", operation_id = "write_off_stock",
    security(("key" = ["operator"])), params(("sku" = String, Path, description = "The variant")),
    request_body = Moved, responses((status = 200, body = Units), Refusals, Bodies, Conflicts))]
/// Units for sale are broken, lost or miscounted
pub(super) async fn write_off(
    State(app): State<App>,
    Operator(caller): Operator,
    Named(sku): Named<String>,
    Body(wish): Body<Moved>,
) -> Result<Json<Units>, Problem> {
    let deed = WriteOffStock { sku: known(&app, &caller, &sku).await?, units: wish.units };
    let act = ("stock.write_off", sku.as_str());
    deeds::perform(&app, &caller, act, wish.client_id, deed).await.map(Json)
}

/// The sku, if this workspace sells or sold it.
async fn known(app: &App, caller: &Caller, sku: &str) -> Result<String, Problem> {
    let sku = sku.to_owned();
    let found: Option<Units> = deeds::consult(app, caller, StockOf { sku: sku.clone() }).await?;
    let missing = || Problem::NotFound("there is no such variant".to_owned());
    found.map(|_| sku).ok_or_else(missing)
}

fn level(row: StockLevel) -> Level {
    Level {
        sku: row.stock.sku,
        title: row.title,
        available: row.stock.available,
        reserved: row.stock.reserved,
        sold: row.stock.sold,
    }
}
