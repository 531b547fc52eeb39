//! The shop's commands: what an operator does to catalogue, stock and orders.

mod catalog;
mod import;
mod orders;
mod stock;

pub(crate) use catalog::catalog;
pub(crate) use orders::orders;
pub(crate) use stock::stock;

use std::sync::Arc;

use anyhow::Result;
use domain::{Channel, Clock, IdSource};
use serde_json::Value;
use store::{Deed, DeedError, StoreError};

use crate::args::Desk;
use crate::attend::Office;

/// An operator's act, by the names the audit log has for it.
struct Act<'a> {
    action: &'a str,
    subject: &'a str,
}

/// A shop may be filled before it is first served.
async fn open(desk: &Desk) -> Result<Office> {
    let office = Office::open(desk).await?;
    let channels = office.config.channels.iter().map(|channel| channel.channel.clone());
    let own: Vec<Channel> =
        channels.filter(|channel| channel.workspace == office.workspace.id).collect();
    office.store.ensure(&office.workspace, &own, office.clock.now()).await?;
    Ok(office)
}

async fn perform(
    office: &Office,
    desk: &Desk,
    act: Act<'_>,
    deed: impl Deed + 'static,
) -> Result<Value> {
    let (workspace, id, now) = (office.workspace.id, office.ids.next(), office.clock.now());
    let Act { action, subject } = act;
    let done = office.store.perform(workspace, &desk.by, action, subject, id, Arc::new(deed), now);
    done.await.map_err(refusal)
}

async fn consult(office: &Office, deed: impl Deed + 'static) -> Result<Value> {
    let found = office.store.consult(office.workspace.id, Arc::new(deed), office.clock.now());
    found.await.map_err(refusal)
}

fn refusal(error: DeedError) -> anyhow::Error {
    match error {
        DeedError::Refused(reason) => StoreError::Refused(reason).into(),
        DeedError::Store(error) => error.into(),
    }
}
