//! The customer who is writing: what is known of them, what they owe, what they ordered.

use async_trait::async_trait;
use domain::{Account, Contact, ContactId, Money, Pii};
use nlu::{Country, DocumentKind, FieldType, validate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};

use crate::Request;
use crate::view;

/// How many orders are told of where nothing else is said.
const TOLD: u32 = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Info {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The number of their identity card: 7 or 8 digits.
    #[schemars(length(min = 1, max = 20))]
    dni: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    first_name: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    last_name: Option<String>,
    #[schemars(regex(pattern = r"^\s*\+?[0-9][0-9 ().-]{5,24}$"))]
    phone: Option<String>,
    #[schemars(length(min = 1, max = 500))]
    shipping_address: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Debt {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u32>,
}

#[async_trait]
impl Deed for Request<Info> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let contact = records.contact(self.caller.contact).await?;
        let accounts = records.accounts(self.caller.contact).await?;
        let mut view = card(contact.as_ref());
        let orders: u32 = accounts.iter().map(|account| account.orders).sum();
        view.insert("total_orders".to_owned(), json!(orders));
        view.insert("accounts".to_owned(), json!(accounts.iter().map(account).collect::<Vec<_>>()));
        Ok(Value::Object(view))
    }
}

#[async_trait]
impl Deed for Request<Update> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let known = records.contact(self.caller.contact).await?;
        let mut contact = known.unwrap_or_else(|| unknown(self.caller.contact));
        if self.input.write(&mut contact)? == 0 {
            return DeedError::refused("nothing is said of the customer");
        }
        records.put_contact(&contact).await?;
        Ok(Value::Object(card(Some(&contact))))
    }
}

impl Update {
    /// How many data were written.
    fn write(&self, contact: &mut Contact) -> Result<usize, DeedError> {
        let dni = self.dni.as_deref().map(valid_dni).transpose()?;
        let data = [
            ("dni", dni.as_deref()),
            ("first_name", self.first_name.as_deref()),
            ("last_name", self.last_name.as_deref()),
            ("shipping_address", self.shipping_address.as_deref()),
        ];
        let mut written = 0;
        for (name, text) in data.into_iter().filter_map(|(name, text)| Some((name, text?))) {
            contact.data.insert(name.to_owned(), json!(filled(name, text)?));
            written += 1;
        }
        if let Some(phone) = &self.phone {
            contact.phone = Some(Pii::from(filled("phone", phone)?));
            written += 1;
        }
        if self.first_name.is_some() || self.last_name.is_some() {
            let names = ["first_name", "last_name"].into_iter();
            let names: Vec<_> = names.filter_map(|name| datum(contact, name)).collect();
            contact.name = Some(Pii::from(names.join(" ").as_str()));
        }
        Ok(written)
    }
}

#[async_trait]
impl Deed for Request<Debt> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let accounts = records.accounts(self.caller.contact).await?;
        let owed = accounts.iter().filter(|account| !account.debt().is_zero());
        let owed: Vec<_> = owed
            .map(|account| domain::money_text(Money::new(account.debt(), account.currency)))
            .collect();
        Ok(json!({
            "owes": !owed.is_empty(),
            "debt_text": owed.join(" + "),
            "accounts": accounts.iter().map(account).collect::<Vec<_>>(),
        }))
    }
}

#[async_trait]
impl Deed for Request<History> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let limit = self.input.limit.unwrap_or(TOLD);
        let orders = records.orders_of(self.caller.contact, limit).await?;
        let orders = orders.iter().map(view::order).collect::<Result<Vec<_>, _>>()?;
        Ok(json!({ "orders": orders }))
    }
}

/// A datum that the contact gave; a blank text was not given.
pub(crate) fn datum<'a>(contact: &'a Contact, name: &str) -> Option<&'a str> {
    let text = contact.data.get(name)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

/// The person an order is for, as the customer has said it.
pub(crate) fn whom(contact: &Contact) -> Value {
    json!(["dni", "first_name", "last_name"].map(|name| datum(contact, name)))
}

/// The data that every order needs and the customer has not given.
pub(crate) fn missing(contact: Option<&Contact>) -> Vec<&'static str> {
    let said = |name| contact.and_then(|contact| datum(contact, name)).is_some();
    ["dni", "first_name"].into_iter().filter(|name| !said(name)).collect()
}

fn unknown(id: ContactId) -> Contact {
    Contact { id, name: None, phone: None, data: Map::new() }
}

fn card(contact: Option<&Contact>) -> Map<String, Value> {
    let mut view = Map::new();
    for name in ["dni", "first_name", "last_name", "shipping_address"] {
        let said = contact.and_then(|contact| datum(contact, name));
        view.insert(name.to_owned(), json!(said));
    }
    view.insert("name".to_owned(), json!(contact.and_then(|contact| contact.name.as_ref())));
    view.insert("phone".to_owned(), json!(contact.and_then(|contact| contact.phone.as_ref())));
    view.insert("missing".to_owned(), json!(missing(contact)));
    view
}

fn account(account: &Account) -> Value {
    let mut view = Map::new();
    view.insert("currency".to_owned(), json!(account.currency));
    view.insert("orders".to_owned(), json!(account.orders));
    for (name, amount) in
        [("spent", account.spent), ("paid", account.paid), ("debt", account.debt())]
    {
        view::put_money(&mut view, name, Money::new(amount, account.currency));
    }
    Value::Object(view)
}

fn valid_dni(text: &str) -> Result<String, DeedError> {
    match validate(FieldType::Document(DocumentKind::Dni), text, Country::AR) {
        Ok(valid) => Ok(valid.canonical),
        Err(_) => DeedError::refused("`dni` is not right: it has 7 or 8 digits"),
    }
}

fn filled<'a>(name: &str, text: &'a str) -> Result<&'a str, DeedError> {
    match text.trim() {
        "" => DeedError::refused(format!("`{name}` is blank")),
        text => Ok(text),
    }
}
