//! Deeds as tests write them: a few lines over the records.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Order, OrderLine, OrderStatus, Step, Timestamp};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::world::World;
use crate::{Deed, DeedError, LaneWork, OpenTurn, Records};

pub(super) type Done<'r> = Pin<Box<dyn Future<Output = Result<Value, DeedError>> + Send + 'r>>;

struct Doing<F>(F);

#[async_trait]
impl<F> Deed for Doing<F>
where
    F: for<'r> Fn(&'r mut (dyn Records + 'r)) -> Done<'r> + Send + Sync,
{
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        (self.0)(records).await
    }
}

pub(super) fn doing<F>(act: F) -> Arc<dyn Deed>
where
    F: for<'r> Fn(&'r mut (dyn Records + 'r)) -> Done<'r> + Send + Sync + 'static,
{
    Arc::new(Doing(act))
}

/// A deed from an async block over the records and the values it captures.
macro_rules! deed {
    (|$records:ident $(, $shared:ident)*| $body:expr) => {{
        $(let $shared = std::sync::Arc::new($shared.clone());)*
        $crate::contract::doing::doing(move |$records| {
            $(let $shared = std::sync::Arc::clone(&$shared);)*
            Box::pin(async move { $body })
        })
    }};
}
pub(super) use deed;

struct OfSession(Arc<dyn Deed>);

#[async_trait]
impl Deed for OfSession {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        self.0.run(records).await
    }

    fn keeps_to_session(&self) -> bool {
        true
    }
}

/// The deed, declared to touch its session's rows only.
pub(super) fn of_session(deed: Arc<dyn Deed>) -> Arc<dyn Deed> {
    Arc::new(OfSession(deed))
}

pub(super) fn take_number(counter: &str) -> Arc<dyn Deed> {
    let counter = counter.to_owned();
    deed!(|records, counter| Ok(json!({ "number": records.take_number(&counter).await? })))
}

/// An order as the lane's customer would make it, without its id and number.
pub(super) fn ordered(work: &LaneWork, status: OrderStatus, now: Timestamp) -> Order {
    Order {
        id: Uuid::nil().into(),
        number: 0,
        contact: work.conversation.contact.id,
        conversation: work.conversation.id,
        status,
        lines: vec![OrderLine {
            product: "alm-1".into(),
            title: "Almohada".into(),
            quantity: 2,
            unit_price: "77900.25".parse().expect("a price"),
        }],
        currency: "COP".parse().expect("a currency"),
        total: "155800.50".parse().expect("a total"),
        data: Map::new(),
        created_at: now,
        updated_at: now,
    }
}

/// Writes an order down under an id of the deed's own and the next number.
pub(super) fn write_order(order: Order) -> Arc<dyn Deed> {
    deed!(|records, order| {
        let id = records.new_id().into();
        let number = u32::try_from(records.take_number("order").await?).expect("a number");
        records.put_order(&Order { id, number, ..(*order).clone() }).await?;
        Ok(json!({ "order": id, "number": number }))
    })
}

/// The turn under way in the lane: the same for all of its steps.
pub(super) fn turn(work: &LaneWork) -> OpenTurn {
    OpenTurn {
        turn: domain::TurnId(work.events[0].id.0),
        started_at: work.events[0].at,
        events: work.events.iter().map(|event| event.id.0).collect(),
    }
}

/// The `occurrence`-th step of the lane's turn.
pub(super) async fn act(
    world: &World,
    work: &LaneWork,
    occurrence: u32,
    deed: Arc<dyn Deed>,
) -> (crate::Intent, Step) {
    let intent = crate::Intent { turn: turn(work), ..world.intent(work, "crm", occurrence) };
    let step = world.store.record_local(&intent, deed, world.now()).await.expect("recorded");
    (intent, step)
}

/// Somebody has written, and the lane is held.
pub(super) async fn asked(world: &World) -> LaneWork {
    world.hear("ana", "quiero dos").await;
    world.claim().await
}

/// Held lanes of so many customers.
pub(super) async fn lanes(world: &World, count: usize) -> Vec<LaneWork> {
    for n in 0..count {
        world.hear(&format!("cliente {n}"), "hola").await;
    }
    let mut works = world.claim_all().await;
    assert_eq!(works.len(), count);
    works.sort_by_key(|work| work.conversation.id);
    works
}

/// Runs a deed outside any turn, under an id of its own.
pub(super) async fn perform(world: &World, deed: Arc<dyn Deed>) -> Result<Value, DeedError> {
    let (workspace, id) = (world.workspace(), world.id());
    world.store.perform(workspace, "marta", "test", "all", id, deed, world.now()).await
}

pub(super) async fn consult(world: &World, deed: Arc<dyn Deed>) -> Result<Value, DeedError> {
    world.store.consult(world.workspace(), deed, world.now()).await
}

pub(super) fn made<I: serde::de::DeserializeOwned>(output: &Value, what: &str) -> I {
    serde_json::from_value(output[what].clone()).expect("an id")
}

/// The reason of the refusal.
pub(super) fn refusal(done: Result<Value, DeedError>) -> String {
    match done {
        Err(DeedError::Refused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}
