//! `GET /customers/{contact}`: who a customer is, what they bought and owe.

use async_trait::async_trait;
use axum::Json;
use axum::extract::State;
use domain::{Account, ContactId, Money, money_text};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Deed, DeedError, OrderFilter, Records};
use utoipa::ToSchema;
use uuid::Uuid;

use super::auth::Viewer;
use super::deeds;
use super::input::Named;
use super::orders::{self, OrderCard};
use super::problems::Refusals;
use crate::App;
use crate::problem::Problem;

/// The last orders shown with a customer.
const LAST_ORDERS: u32 = 20;

#[derive(Serialize, ToSchema)]
pub(super) struct Customer {
    id: Uuid,
    name: Option<String>,
    phone: Option<String>,
    /// Other known data, by the name of the field.
    #[schema(value_type = Object)]
    data: Value,
    /// An account for each currency.
    accounts: Vec<AccountCard>,
    /// The last ones, newest first.
    orders: Vec<OrderCard>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct AccountCard {
    currency: String,
    /// Orders the customer said yes to and nobody cancelled.
    orders: u32,
    spent: String,
    paid: String,
    debt: String,
    /// As people read it, such as `$2.500`.
    debt_text: String,
}

#[utoipa::path(get, path = "/customers/{contact}", tag = "shop", operation_id = "get_customer",
    security(("key" = ["viewer"])), params(("contact" = Uuid, Path, description = "The contact")),
    responses((status = 200, body = Customer), Refusals))]
/// A customer with their account and last orders
pub(super) async fn get(
    State(app): State<App>,
    Viewer(caller): Viewer,
    Named(contact): Named<ContactId>,
) -> Result<Json<Customer>, Problem> {
    let found: Option<Known> = deeds::consult(&app, &caller, Ledger { contact }).await?;
    let missing = || Problem::NotFound("there is no such customer".to_owned());
    let Known { contact: known, accounts } = found.ok_or_else(missing)?;
    let filter = OrderFilter { contact: Some(contact), ..OrderFilter::newest(LAST_ORDERS) };
    let last = app.store().orders(caller.workspace, &filter).await?;
    Ok(Json(Customer {
        id: known.id.0,
        name: known.name.map(domain::Pii::into_revealed),
        phone: known.phone.map(domain::Pii::into_revealed),
        data: Value::Object(known.data),
        accounts: accounts.into_iter().map(account).collect(),
        orders: last.into_iter().map(orders::card).collect(),
    }))
}

/// The records of a contact.
#[derive(Deserialize)]
struct Known {
    contact: domain::Contact,
    accounts: Vec<Account>,
}

struct Ledger {
    contact: ContactId,
}

#[async_trait]
impl Deed for Ledger {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Some(contact) = records.contact(self.contact).await? else { return Ok(Value::Null) };
        let accounts = records.accounts(self.contact).await?;
        Ok(json!({ "contact": contact, "accounts": accounts }))
    }
}

fn account(account: Account) -> AccountCard {
    let exact = |amount: Decimal| amount.normalize().to_string();
    AccountCard {
        currency: account.currency.to_string(),
        orders: account.orders,
        spent: exact(account.spent),
        paid: exact(account.paid),
        debt: exact(account.debt()),
        debt_text: money_text(Money::new(account.debt(), account.currency)),
    }
}
