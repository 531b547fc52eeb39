//! What tools do to contacts and orders: once per step, never half, and only what may be.

use std::sync::Arc;

use domain::{ContactId, Order, OrderId, OrderLine, OrderStatus, Step, StepStatus};
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::world::{World, one};
use crate::{Effect, Intent, LaneWork, OpenTurn};
use OrderStatus::{Cancelled, Confirmed, PendingConfirmation};

pub(super) async fn a_contact_is_changed_with_its_step(world: World) {
    let work = asked(&world).await;
    let contact = work.conversation.contact.id;
    let update = |name: Option<&str>, phone: Option<&str>, data| Effect::UpdateContact {
        contact,
        name: name.map(str::to_owned),
        phone: phone.map(str::to_owned),
        data,
    };
    let first = fields(json!({ "ciudad": "Cali", "barrio": { "nombre": "San Antonio" } }));
    let (_, step) = act(&world, &work, 0, update(Some("Ana ñ"), Some("57300"), first)).await;
    assert_eq!((step.status, step.output), (StepStatus::Done, json!({ "contact": contact })));
    let second = fields(json!({ "ciudad": "Bogotá", "correo": null, "barrio": { "n": 1 } }));
    act(&world, &work, 1, update(None, Some("57301"), Map::new())).await;
    act(&world, &work, 2, update(None, None, second)).await;

    let found = world.store.release(work.lease, world.now()).await.unwrap().unwrap();
    let found = found.conversation.contact;
    assert_eq!((found.name, found.phone), (Some("Ana ñ".into()), Some("57301".into())));
    let known = json!({ "ciudad": "Bogotá", "barrio": { "n": 1 }, "correo": null });
    assert_eq!(Value::Object(found.data), known, "keys are replaced whole, and others stay");
}

pub(super) async fn a_contact_that_is_not_there_fails_the_step(world: World) {
    let work = asked(&world).await;
    let nobody = Effect::UpdateContact {
        contact: world.id(),
        name: Some("Nadie".into()),
        phone: None,
        data: Map::new(),
    };
    let (intent, step) = act(&world, &work, 0, nobody.clone()).await;
    assert_eq!(step.status, StepStatus::Failed);
    assert!(step.output.as_str().unwrap().contains("no contact"), "{:?}", step.output);
    let again = world.store.record_local(&intent, nobody, world.now()).await.unwrap();
    assert_eq!(again, step);
}

pub(super) async fn two_lanes_that_change_one_contact_lose_nothing(world: World) {
    let (works, _) = lanes(&world, 8).await;
    let contact = works[0].conversation.contact.id;
    let steps = all_at_once(&world, &works, |n| Effect::UpdateContact {
        contact,
        name: None,
        phone: None,
        data: fields(json!({ format!("k{n}"): n })),
    });
    assert!(steps.await.iter().all(|step| step.status == StepStatus::Done));
    let found = world.store.get(world.workspace(), works[0].conversation.id).await.unwrap();
    assert_eq!(found.contact.data.len(), 8);
}

pub(super) async fn a_contact_is_created_once_per_step(world: World) {
    let work = asked(&world).await;
    let new = || Effect::CreateContact {
        name: Some("Luis".into()),
        phone: None,
        data: fields(json!({ "de parte de": "Ana" })),
    };
    let (intent, step) = act(&world, &work, 0, new()).await;
    let created: ContactId = created(&step, "contact");
    assert_ne!(created, work.conversation.contact.id);
    let again = world.store.record_local(&intent, new(), world.now()).await.unwrap();
    assert_eq!(again, step);
    let (_, other) = act(&world, &work, 1, new()).await;
    assert_ne!(other.output, step.output, "another step is another contact");

    let data = fields(json!({ "ciudad": "Cali" }));
    let known = Effect::UpdateContact { contact: created, name: None, phone: None, data };
    assert_eq!(act(&world, &work, 2, known).await.1.status, StepStatus::Done);
}

pub(super) async fn an_order_is_created_once_per_step_and_numbered(world: World) {
    let work = asked(&world).await;
    let (intent, step) = act(&world, &work, 0, order(&work, PendingConfirmation)).await;
    let id: OrderId = created(&step, "order");
    let status = "pending_confirmation";
    let expected = json!({ "order": id, "number": 1, "status": status, "total": "155800.50" });
    assert_eq!((step.status, &step.output), (StepStatus::Done, &expected));
    world.pass_ms(1_000);
    let changed = order(&work, Confirmed);
    let again = world.store.record_local(&intent, changed, world.now()).await.unwrap();
    assert_eq!(again, step, "the first answer, with its time");
    assert_eq!(one(orders(&world, &work).await).number, 1);

    let (_, second) = act(&world, &work, 1, order(&work, Confirmed)).await;
    assert_eq!(second.output["number"], 2, "a repeated step takes no number");
    let after = world.claim_after_crash().await;
    assert_eq!(after.steps.len(), 2);
    assert_eq!(orders(&world, &after).await.len(), 2);
}

pub(super) async fn an_order_is_read_as_it_was_written(world: World) {
    let work = asked(&world).await;
    let line = |product: &str, quantity, price: &str| OrderLine {
        product: product.into(),
        title: "Almohada «ñ»".into(),
        quantity,
        unit_price: price.parse().unwrap(),
    };
    let lines = vec![line("alm-1", 2, "77900.10"), line("alm-2", 999, "0.000000000000000001")];
    let data = fields(json!({ "dirección": "Cra 1 # 2-3", "notas": ["timbre", 2] }));
    let total = "7922816251426433759354395.0335".parse().unwrap();
    let currency = "COP".parse().unwrap();
    let effect = Effect::CreateOrder {
        contact: work.conversation.contact.id,
        conversation: work.conversation.id,
        status: Confirmed,
        lines: lines.clone(),
        currency,
        total,
        data: data.clone(),
    };
    let (_, step) = act(&world, &work, 0, effect).await;
    let written = Order {
        id: created(&step, "order"),
        number: 1,
        contact: work.conversation.contact.id,
        conversation: work.conversation.id,
        status: Confirmed,
        lines,
        currency,
        total,
        data,
        created_at: world.now(),
        updated_at: world.now(),
    };
    let read = one(orders(&world, &work).await);
    assert_eq!(read, written);
    assert_eq!(read.total.to_string(), total.to_string(), "with its decimals");
}

pub(super) async fn a_conversations_orders_are_listed_newest_first(world: World) {
    let (works, _) = lanes(&world, 2).await;
    for (n, work) in [(0, &works[0]), (1, &works[1]), (1, &works[0]), (2, &works[0])] {
        act(&world, work, n, order(work, PendingConfirmation)).await;
        // The last two are of the same moment.
        world.pass_ms(if n == 0 { 1_000 } else { 0 });
    }
    let numbers = |orders: Vec<Order>| orders.iter().map(|one| one.number).collect::<Vec<_>>();
    assert_eq!(numbers(orders(&world, &works[0]).await), [4, 3, 1]);
    assert_eq!(numbers(orders(&world, &works[1]).await), [2]);
}

pub(super) async fn an_order_moves_only_as_it_may(world: World) {
    let work = asked(&world).await;
    let contact = work.conversation.contact.id;
    let mut occurrence = 0;
    for from in OrderStatus::ALL {
        for status in OrderStatus::ALL {
            let (_, step) = act(&world, &work, occurrence, order(&work, from)).await;
            let id: OrderId = created(&step, "order");
            let mut others = orders(&world, &work).await;
            let written = others.remove(0);
            world.pass_ms(1_000);
            let set = Effect::SetOrderStatus { order: id, contact, status };
            let (intent, step) = act(&world, &work, occurrence + 1, set.clone()).await;
            occurrence += 2;
            let mut after = orders(&world, &work).await;
            let now = after.remove(0);
            assert_eq!(after, others);
            if from.may_become(status) {
                let number = written.number;
                let expected = json!({ "order": id, "number": number, "status": status });
                assert_eq!((step.status, step.output), (StepStatus::Done, expected));
                assert_eq!(now, Order { status, updated_at: world.now(), ..written });
            } else {
                assert_eq!(step.status, StepStatus::Failed, "{from:?} to {status:?}");
                let reason = step.output.as_str().unwrap().to_owned();
                assert!(reason.contains(from.as_str()) && reason.contains(status.as_str()));
                assert_eq!(now, written, "nothing changed");
                let again = world.store.record_local(&intent, set, world.now()).await.unwrap();
                assert_eq!(again, step);
            }
        }
    }
}

pub(super) async fn an_order_is_moved_for_its_own_contact_only(world: World) {
    let (works, contacts) = lanes(&world, 2).await;
    let (_, step) = act(&world, &works[0], 0, order(&works[0], PendingConfirmation)).await;
    let id: OrderId = created(&step, "order");
    for (n, order, contact) in [(1, id, contacts[1]), (2, world.id(), contacts[0])] {
        let set = Effect::SetOrderStatus { order, contact, status: Confirmed };
        let (_, step) = act(&world, &works[1], n, set).await;
        assert_eq!(step.status, StepStatus::Failed);
        assert!(step.output.as_str().unwrap().contains("no order"), "{:?}", step.output);
    }
    assert_eq!(one(orders(&world, &works[0]).await).status, PendingConfirmation);
    let set = Effect::SetOrderStatus { order: id, contact: contacts[0], status: Cancelled };
    assert_eq!(act(&world, &works[1], 3, set).await.1.status, StepStatus::Done);
}

pub(super) async fn of_many_who_confirm_an_order_at_once_one_does(world: World) {
    let (works, contacts) = lanes(&world, 8).await;
    let (_, step) = act(&world, &works[0], 99, order(&works[0], PendingConfirmation)).await;
    let (id, contact) = (created(&step, "order"), contacts[0]);
    let confirm = |_| Effect::SetOrderStatus { order: id, contact, status: Confirmed };
    let steps = all_at_once(&world, &works, confirm).await;
    assert_eq!(steps.iter().filter(|step| step.status == StepStatus::Done).count(), 1);
}

/// Somebody has written, and the lane is held.
async fn asked(world: &World) -> LaneWork {
    world.hear("ana", "quiero dos").await;
    world.claim().await
}

/// Held lanes of so many customers, the first of them first, and their contacts.
async fn lanes(world: &World, count: usize) -> (Vec<LaneWork>, Vec<ContactId>) {
    for n in 0..count {
        world.hear(&format!("cliente {n}"), "hola").await;
    }
    let mut works = world.claim_all().await;
    assert_eq!(works.len(), count);
    works.sort_by_key(|work| work.conversation.id);
    let contacts = works.iter().map(|work| work.conversation.contact.id).collect();
    (works, contacts)
}

async fn act(world: &World, work: &LaneWork, occurrence: u32, effect: Effect) -> (Intent, Step) {
    let intent = Intent { turn: turn(work), ..world.intent(work, "crm", occurrence) };
    let step = world.store.record_local(&intent, effect, world.now()).await.expect("recorded");
    (intent, step)
}

/// The turn under way in the lane: the same for all of its steps.
fn turn(work: &LaneWork) -> OpenTurn {
    OpenTurn {
        turn: domain::TurnId(work.events[0].id.0),
        started_at: work.events[0].at,
        events: work.events.iter().map(|event| event.id.0).collect(),
    }
}

/// One step in each of the lanes, on two nodes.
async fn all_at_once(
    world: &World,
    works: &[LaneWork],
    effect: impl Fn(usize) -> Effect,
) -> Vec<Step> {
    let other = world.another_node().await;
    let mut racing = JoinSet::new();
    for (n, work) in works.iter().enumerate() {
        let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
        let intent = Intent { turn: turn(work), ..world.intent(work, "crm", 0) };
        let (effect, now) = (effect(n), world.now());
        racing.spawn(async move { node.record_local(&intent, effect, now).await.unwrap() });
    }
    racing.join_all().await
}

async fn orders(world: &World, work: &LaneWork) -> Vec<Order> {
    world.store.orders(world.workspace(), work.conversation.id).await.expect("orders")
}

pub(super) fn order(work: &LaneWork, status: OrderStatus) -> Effect {
    Effect::CreateOrder {
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
    }
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

fn created<I: serde::de::DeserializeOwned>(step: &Step, what: &str) -> I {
    serde_json::from_value(step.output[what].clone()).expect("an id")
}
