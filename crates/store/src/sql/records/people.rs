//! Contacts, their purchases and their payments.

use std::collections::BTreeMap;

use domain::{Account, Contact, ContactId, Currency, OrderStatus, Payment};
use rust_decimal::Decimal;

use super::{Lockable, SqlRecords, lockable};
use crate::sql::{Param, Row, Sql, Tx, terms};
use crate::{StoreError, StoreResult, statement};

// The contact's row is locked, because a contact may be on two channels, and so in two lanes at
// once.
const CONTACT: Lockable =
    lockable!("SELECT id, name, phone, data FROM contacts WHERE workspace_id = ?1 AND id = ?2");

// Each database names its own key.
macro_rules! put_contact {
    ($key:literal) => {
        concat!(
            "INSERT INTO contacts (workspace_id, id, name, phone, data, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT ",
            $key,
            " DO UPDATE SET name = excluded.name, phone = excluded.phone, data = excluded.data"
        )
    };
}
const PUT_CONTACT: Sql =
    Sql { sqlite: put_contact!("(workspace_id, id)"), postgres: put_contact!("(id)"), each: false };

// Sorted as the index is, because SQLite would otherwise read all orders of the workspace.
const BOUGHT: Sql = Sql::both(
    "SELECT currency, CAST(total AS text), status FROM orders \
     WHERE workspace_id = ?1 AND contact_id = ?2 ORDER BY created_at, number",
);

const PAID: Sql = Sql::both(
    "SELECT currency, CAST(amount AS text) FROM payments \
     WHERE workspace_id = ?1 AND contact_id = ?2 ORDER BY at",
);

// The amount is bound as text and stays exact; SQLite would make a float of a number.
const ADD_PAYMENT: Sql = Sql {
    sqlite: "INSERT INTO payments (workspace_id, id, order_id, contact_id, amount, currency, \
                    method, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    postgres: "INSERT INTO payments (workspace_id, id, order_id, contact_id, amount, currency, \
                    method, at) \
               VALUES (?1, ?2, ?3, ?4, CAST(CAST(?5 AS text) AS numeric), ?6, ?7, ?8)",
    each: false,
};

pub(super) const STATEMENTS: &[Sql] = &[CONTACT.plain, BOUGHT, PAID, PUT_CONTACT, ADD_PAYMENT];

pub(super) async fn contact<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    id: ContactId,
) -> StoreResult<Option<Contact>> {
    let query = statement!(records.locked(&CONTACT), records.workspace(), id);
    let found = records.lock_one(query, ("contact", &id.to_string())).await?;
    let contact = |row: Row| {
        Ok(Contact {
            id: row.uuid(0)?,
            name: row.opt_pii(1)?,
            phone: row.opt_pii(2)?,
            data: row.json(3)?,
        })
    };
    found.map(contact).transpose()
}

pub(super) async fn put_contact<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    contact: &Contact,
) -> StoreResult<()> {
    let Contact { id, name, phone, data } = contact;
    let (name, phone, data) = (name.as_ref(), phone.as_ref(), Param::json(data));
    let (workspace, now) = (records.workspace(), records.context.now);
    records.write(statement!(PUT_CONTACT, workspace, *id, name, phone, data, now))?;
    terms::refresh(records.tx, workspace, *id).await
}

pub(super) async fn accounts<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    contact: ContactId,
) -> StoreResult<Vec<Account>> {
    let workspace = records.workspace();
    let queries =
        vec![statement!(BOUGHT, workspace, contact), statement!(PAID, workspace, contact)];
    let answers = records.tx.query_all(queries).await?;
    let [bought, paid] = answers.as_slice() else { return Ok(Vec::new()) };
    let mut accounts = BTreeMap::new();
    for row in bought {
        if row.word(2, OrderStatus::parse)?.counts() {
            let (account, amount) = entry(&mut accounts, row)?;
            account.orders += 1;
            account.spent = sum(account.spent, amount)?;
        }
    }
    for row in paid {
        let (account, amount) = entry(&mut accounts, row)?;
        account.paid = sum(account.paid, amount)?;
    }
    Ok(accounts.into_values().collect())
}

/// The account for the currency of a row with a currency and an amount.
fn entry<'a>(
    accounts: &'a mut BTreeMap<String, Account>,
    row: &Row,
) -> StoreResult<(&'a mut Account, Decimal)> {
    let currency: Currency = row.word(0, |code| code.parse().ok())?;
    let none = Account { currency, orders: 0, spent: Decimal::ZERO, paid: Decimal::ZERO };
    let account = accounts.entry(currency.to_string()).or_insert(none);
    Ok((account, row.word(1, |amount| amount.parse().ok())?))
}

fn sum(so_far: Decimal, amount: Decimal) -> StoreResult<Decimal> {
    let too_large = || StoreError::Refused("the amounts are too large to add up".to_owned());
    so_far.checked_add(amount).ok_or_else(too_large)
}

pub(super) fn add_payment<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    payment: &Payment,
) -> StoreResult<()> {
    records.write(statement!(
        ADD_PAYMENT,
        records.workspace(),
        payment.id.0,
        payment.order,
        payment.contact,
        payment.amount.amount.to_string(),
        payment.amount.currency.to_string(),
        &payment.method,
        payment.at
    ))
}
