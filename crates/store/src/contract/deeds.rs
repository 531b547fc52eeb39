//! Deeds: once, whole or not at all, inside a turn's step and outside any turn.

use std::sync::Arc;

use domain::{CartLine, ContactId, Money, Order, OrderId, OrderStatus, SessionId, StepStatus};
use serde_json::json;
use tokio::task::JoinSet;

use super::doing::{
    act, asked, consult, deed, lanes, made, of_session, ordered, perform, refusal, take_number,
    turn, write_order,
};
use super::world::{World, one};
use crate::{Deed, DeedError, Intent, LaneWork, OrderFilter, StoreError};
use OrderStatus::{Cancelled, Confirmed, PendingConfirmation};

pub(super) async fn what_a_step_makes_is_made_once(world: World) {
    let work = asked(&world).await;
    let new = write_order(ordered(&work, PendingConfirmation, world.now()));
    let (intent, step) = act(&world, &work, 0, Arc::clone(&new)).await;
    assert_eq!((step.status, &step.output["number"]), (StepStatus::Done, &json!(1)));
    world.pass_ms(1_000);
    let again = world.store.record_local(&intent, new, world.now()).await.unwrap();
    assert_eq!(again, step, "the first answer, with its time");
    let never = deed!(|_records| panic!("it was run again"));
    let again = world.store.record_local(&intent, never, world.now()).await.unwrap();
    assert_eq!(again, step);
    assert_eq!(one(orders(&world, &work).await).number, 1);

    let second = write_order(ordered(&work, Confirmed, world.now()));
    let (_, second) = act(&world, &work, 1, second).await;
    assert_eq!(second.output["number"], 2, "a repeated step takes no number");
    assert_ne!(second.output["order"], step.output["order"]);
    let after = world.claim_after_crash().await;
    assert_eq!(after.steps.len(), 2);
    assert_eq!(orders(&world, &after).await.len(), 2);
}

/// The sixth deed refuses, after the others have begun to write.
pub(super) async fn what_many_sessions_do_at_once_is_done_once_for_each(world: World) {
    for n in 0..12 {
        world.hear(&format!("cliente {n}"), "una coca").await;
    }
    let other = world.another_node().await;
    let works = world.claim_all().await;
    let asked: Vec<_> = works
        .iter()
        .enumerate()
        .map(|(n, work)| {
            let (session, refuses): (SessionId, bool) = (world.id(), n == 5);
            let more = deed!(|records, session, refuses| {
                let mut cart = records.cart(*session).await?;
                cart.lines.push(coca());
                if *refuses {
                    return DeedError::refused("no queda");
                }
                records.put_cart(*session, &cart).await?;
                Ok(json!(cart.lines.len()))
            });
            (session, world.intent(work, "carrito.sumar", 0), of_session(more))
        })
        .collect();
    for _ in 0..2 {
        let mut racing = JoinSet::new();
        for (n, (_, intent, more)) in asked.iter().enumerate() {
            let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
            let (intent, more, now) = (intent.clone(), Arc::clone(more), world.now());
            racing.spawn(async move { (n, node.record_local(&intent, more, now).await.unwrap()) });
        }
        for (n, step) in racing.join_all().await {
            let refused = n == 5;
            let expected = if refused {
                (StepStatus::Failed, json!("no queda"))
            } else {
                (StepStatus::Done, json!(1))
            };
            assert_eq!((step.status, step.output), expected, "{n}");
        }
    }
    for (n, (session, ..)) in asked.into_iter().enumerate() {
        let look = deed!(|records, session| Ok(json!(records.cart(*session).await?.lines.len())));
        let kept = consult(&world, look).await.unwrap();
        assert_eq!(kept, json!(usize::from(n != 5)), "{n}");
    }
}

fn coca() -> CartLine {
    CartLine {
        sku: "coca".into(),
        name: "Coca".into(),
        label: "1,5 L".into(),
        quantity: 1,
        unit_price: Money::new(1.into(), "ARS".parse().expect("a currency")),
    }
}

pub(super) async fn of_many_who_look_at_once_one_that_fails_fails_alone(world: World) {
    let mut racing = JoinSet::new();
    for n in 0..12 {
        let (store, workspace, now) = (Arc::clone(&world.store), world.workspace(), world.now());
        let look = deed!(|records, n| match *n {
            3 => DeedError::refused("no se sabe"),
            7 => Ok(json!(records.take_number("caja").await?)),
            n => Ok(json!([n, records.items(&[format!("sku-{n}")]).await?.len()])),
        });
        racing.spawn(async move { (n, store.consult(workspace, look, now).await) });
    }
    for (n, found) in racing.join_all().await {
        match (n, found) {
            (3, Err(DeedError::Refused(reason))) => assert_eq!(reason, "no se sabe"),
            (7, Err(DeedError::Store(_))) => {}
            (n, found) => assert_eq!(found.unwrap(), json!([n, 0])),
        }
    }
}

pub(super) async fn the_ids_of_what_a_step_makes_are_its_own(world: World) {
    let work = asked(&world).await;
    let ids = || deed!(|records| Ok(json!([records.new_id(), records.new_id()])));
    let (_, step) = act(&world, &work, 0, ids()).await;
    assert_ne!(step.output[0], step.output[1]);
    let (_, other) = act(&world, &work, 1, ids()).await;
    let refused = deed!(|records| DeedError::refused(json!([records.new_id()]).to_string()));
    let (intent, failed) = act(&world, &work, 2, refused).await;
    let first = failed.output.as_str().expect("a reason").to_owned();
    assert!(!step.output.to_string().contains(&first[2..38]), "{first}");
    assert_ne!(step.output, other.output);

    let (workspace, now, id) = (world.workspace(), world.now(), intent.turn.turn.0);
    let outside =
        world.store.perform(workspace, "marta", "ids", "x", id, ids(), now).await.unwrap();
    assert_ne!(outside, step.output);
    assert_ne!(outside[0], outside[1]);
}

pub(super) async fn a_refusal_after_writes_leaves_no_trace(world: World) {
    let work = asked(&world).await;
    let order = ordered(&work, Confirmed, world.now());
    let begun = deed!(|records, order| {
        records.take_number("order").await?;
        records.put_order(&order).await?;
        records.put_document("perfil", "tienda", Some(&json!({ "a": 1 }))).await?;
        DeedError::refused("there are only 2 left")
    });
    let (intent, step) = act(&world, &work, 0, Arc::clone(&begun)).await;
    assert_eq!((step.status, &step.output), (StepStatus::Failed, &json!("there are only 2 left")));
    assert!(orders(&world, &work).await.is_empty());
    let kept = deed!(|records| Ok(json!(records.document("perfil", "tienda").await?)));
    assert_eq!(consult(&world, kept).await.unwrap(), json!(null));
    let number = perform(&world, take_number("order")).await.unwrap();
    assert_eq!(number, json!({ "number": 1 }), "none was taken");

    world.pass_ms(10);
    let again = world.store.record_local(&intent, begun, world.now()).await.unwrap();
    assert_eq!(again, step, "it stays refused");
    assert_eq!(one(world.claim_after_crash().await.steps), step);
}

pub(super) async fn a_refusal_before_writes_is_recorded_alike(world: World) {
    let work = asked(&world).await;
    let refused = deed!(|records| {
        assert_eq!(records.document("perfil", "tienda").await?, None);
        DeedError::refused("closed on Sundays")
    });
    let (intent, step) = act(&world, &work, 0, Arc::clone(&refused)).await;
    assert_eq!((step.status, &step.output), (StepStatus::Failed, &json!("closed on Sundays")));
    let again = world.store.record_local(&intent, refused, world.now()).await.unwrap();
    assert_eq!(again, step);
    let after = world.claim_after_crash().await;
    assert_eq!((after.open_turn, one(after.steps)), (Some(intent.turn), step));
}

pub(super) async fn a_deed_the_database_fails_records_nothing(world: World) {
    let work = asked(&world).await;
    let broken = deed!(|records| {
        records.take_number("order").await?;
        Err(DeedError::Store(StoreError::Unusable("a bad row".to_owned())))
    });
    let intent = world.intent(&work, "crm", 0);
    let failed = world.store.record_local(&intent, Arc::clone(&broken), world.now()).await;
    assert_eq!(failed.unwrap_err(), StoreError::Unusable("a bad row".to_owned()));
    let outside = perform(&world, broken).await;
    assert!(matches!(outside, Err(DeedError::Store(StoreError::Unusable(_)))), "{outside:?}");
    assert_eq!(perform(&world, take_number("order")).await.unwrap(), json!({ "number": 1 }));
    assert!(world.claim_after_crash().await.steps.is_empty());
}

pub(super) async fn others_are_not_held_up_by_one_that_is_refused(world: World) {
    let works = lanes(&world, 24).await;
    let other = world.another_node().await;
    let mut racing = JoinSet::new();
    for (n, work) in works.iter().enumerate() {
        let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
        let intent = Intent { turn: turn(work), ..world.intent(work, "crm", 0) };
        let (now, refuses) = (world.now(), n % 3 == 0);
        let deed = deed!(|records, refuses| {
            let number = records.take_number("caja").await?;
            if *refuses { DeedError::refused("no") } else { Ok(json!(number)) }
        });
        racing.spawn(async move { node.record_local(&intent, deed, now).await.unwrap() });
    }
    let steps = racing.join_all().await;
    let done = steps.iter().filter(|step| step.status == StepStatus::Done);
    let mut numbers: Vec<_> = done.map(|step| step.output.as_i64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>(), "what was refused took no number");
}

pub(super) async fn what_is_read_is_recorded_with_the_step_after_it(world: World) {
    let work = asked(&world).await;
    let mut pay = world.intent(&work, "pago.cobrar", 0);
    pay.reads = vec![read(&world, &work, "ver", 0, json!({ "hay": 3 }))];
    world.store.intend(&pay, world.now()).await.unwrap();
    let mut ended = pay.clone();
    ended.reads = vec![read(&world, &work, "ver", 1, json!({ "hay": 2 }))];
    let outcome = json!("ok");
    world.store.record_outcome(&ended, StepStatus::Done, &outcome, world.now()).await.unwrap();
    let next = Intent {
        turn: pay.turn.clone(),
        reads: vec![
            read(&world, &work, "ver", 2, json!({ "hay": 1 })),
            // A read that is on record stays as it was.
            read(&world, &work, "ver", 0, json!({ "hay": 99 })),
        ],
        ..world.intent(&work, "turno.tomar", 0)
    };
    world.store.record_local(&next, take_number("caja"), world.now()).await.unwrap();
    let model = Intent {
        turn: pay.turn.clone(),
        reads: vec![read(&world, &work, "ver", 3, json!({ "hay": 0 }))],
        ..world.intent(&work, "model.responder", 0)
    };
    let charged = crate::Charged {
        session: world.id(),
        contact: work.conversation.contact.id,
        calls: Vec::new(),
    };
    let (done, said) = (StepStatus::Done, json!("hola"));
    world.store.record_answer(&model, done, &said, &charged, world.now()).await.unwrap();

    let steps = world.claim_after_crash().await.steps;
    let mut reads: Vec<_> = steps.iter().filter(|step| step.tool == "ver").collect();
    reads.sort_by_key(|step| step.key.0.clone());
    let found: Vec<_> = reads.iter().map(|step| step.output["hay"].as_i64().unwrap()).collect();
    assert_eq!(found, [3, 2, 1, 0]);
    assert!(reads.iter().all(|step| step.status == StepStatus::Done));
    assert_eq!(steps.len(), 7);
}

pub(super) async fn what_is_read_before_a_refusal_is_recorded_with_it(world: World) {
    for (n, writes) in [(0, false), (1, true)] {
        let work = asked(&world).await;
        let mut intent = Intent { turn: turn(&work), ..world.intent(&work, "crm", 0) };
        intent.reads = vec![read(&world, &work, "ver", 0, json!({ "hay": n }))];
        let deed = deed!(|records, writes| {
            if *writes {
                records.take_number("caja").await?;
            }
            DeedError::refused("no")
        });
        world.store.record_local(&intent, deed, world.now()).await.unwrap();
        let after = world.claim_after_crash().await;
        let read = after.steps.iter().find(|step| step.tool == "ver").expect("what was read");
        assert_eq!(read.output, json!({ "hay": n }));
        world.commit(world.turn(&after)).await;
    }
}

fn read(
    world: &World,
    work: &LaneWork,
    tool: &str,
    n: u32,
    output: serde_json::Value,
) -> crate::Read {
    let Intent { key, tool, input, .. } = world.intent(work, tool, n);
    let step = domain::Step { key, tool, status: StepStatus::Done, output, at: world.now() };
    crate::Read { step, input }
}

pub(super) async fn who_consults_cannot_write(world: World) {
    let order = ordered(&asked(&world).await, Confirmed, world.now());
    let writes: [Arc<dyn Deed>; 3] = [
        take_number("caja"),
        write_order(order),
        deed!(|records| {
            records.put_document("perfil", "tienda", Some(&json!(1))).await?;
            Ok(json!("written"))
        }),
    ];
    for deed in writes {
        match consult(&world, deed).await {
            Err(DeedError::Store(StoreError::Unusable(reason))) => {
                assert!(reason.contains("only reads"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    let refused = deed!(|_records| DeedError::refused("nobody knows"));
    assert_eq!(refusal(consult(&world, refused).await), "nobody knows");
    assert_eq!(perform(&world, take_number("caja")).await.unwrap(), json!({ "number": 1 }));
}

pub(super) async fn a_deed_outside_any_turn_is_done_once_under_its_id(world: World) {
    let (workspace, id) = (world.workspace(), world.id());
    let perform = async |counter: &str, id| {
        let deed = take_number(counter);
        world
            .store
            .perform(workspace, "marta", "stock.receive", "coca", id, deed, world.now())
            .await
    };
    assert_eq!(perform("caja", id).await.unwrap(), json!({ "number": 1 }));
    world.pass_ms(1_000);
    assert_eq!(perform("caja", id).await.unwrap(), json!({ "number": 1 }), "the first answer");
    assert_eq!(perform("caja", world.id()).await.unwrap(), json!({ "number": 2 }));
    let theirs = world.add_channel("otra", "whatsapp").await.workspace;
    let deed = take_number("caja");
    let other = world.store.perform(theirs, "eva", "stock.receive", "coca", id, deed, world.now());
    assert_eq!(other.await.unwrap(), json!({ "number": 1 }), "another workspace's own");
}

pub(super) async fn a_deed_asked_for_by_many_at_once_is_done_once(world: World) {
    let (workspace, id, now) = (world.workspace(), world.id(), world.now());
    let other = world.another_node().await;
    let mut racing = JoinSet::new();
    for n in 0..12 {
        let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
        racing.spawn(async move {
            node.perform(workspace, "marta", "a", "b", id, take_number("caja"), now).await.unwrap()
        });
    }
    let answers = racing.join_all().await;
    assert!(answers.iter().all(|answer| *answer == json!({ "number": 1 })), "{answers:?}");
    assert_eq!(perform(&world, take_number("caja")).await.unwrap(), json!({ "number": 2 }));
}

pub(super) async fn a_refused_deed_may_be_asked_for_again(world: World) {
    let (workspace, id) = (world.workspace(), world.id());
    let refused = deed!(|records| {
        records.take_number("caja").await?;
        DeedError::refused("not yet")
    });
    let first = world.store.perform(workspace, "marta", "a", "b", id, refused, world.now()).await;
    assert_eq!(refusal(first), "not yet");
    let deed = take_number("caja");
    let then = world.store.perform(workspace, "marta", "a", "b", id, deed, world.now()).await;
    assert_eq!(then.unwrap(), json!({ "number": 1 }));
}

pub(super) async fn two_lanes_that_change_one_contact_lose_nothing(world: World) {
    let works = lanes(&world, 8).await;
    let contact = works[0].conversation.contact.id;
    let steps = all_at_once(&world, &works, 0, |n| {
        deed!(|records, contact, n| {
            let mut known = records.contact(*contact).await?.expect("a contact");
            known.data.insert(format!("k{n}"), json!(*n));
            records.put_contact(&known).await?;
            Ok(json!(null))
        })
    });
    assert!(steps.await.iter().all(|step| step.status == StepStatus::Done));
    let found = world.store.get(world.workspace(), works[0].conversation.id).await.unwrap();
    assert_eq!(found.contact.data.len(), 8);
}

pub(super) async fn of_many_who_confirm_an_order_at_once_one_does(world: World) {
    let works = lanes(&world, 8).await;
    let new = write_order(ordered(&works[0], PendingConfirmation, world.now()));
    let (_, step) = act(&world, &works[0], 99, new).await;
    let id: OrderId = made(&step.output, "order");
    for (n, by_number, from, to) in
        [(0, false, PendingConfirmation, Confirmed), (1, true, Confirmed, Cancelled)]
    {
        let steps = all_at_once(&world, &works, n, |_| {
            deed!(|records, id, from, to, by_number| {
                let found = match *by_number {
                    true => records.order_numbered(1).await?,
                    false => records.order(*id).await?,
                };
                let order = found.expect("the order");
                if order.status != *from {
                    return DeedError::refused("somebody was faster");
                }
                records.put_order(&Order { status: *to, ..order }).await?;
                Ok(json!(null))
            })
        });
        let steps = steps.await;
        assert_eq!(steps.iter().filter(|step| step.status == StepStatus::Done).count(), 1);
    }
}

pub(super) async fn a_new_contact_is_written_down_whole(world: World) {
    let work = asked(&world).await;
    let new = deed!(|records| {
        let id = ContactId(records.new_id());
        let data = json!({ "de parte de": "Ana" }).as_object().cloned().unwrap_or_default();
        let (name, phone) = (Some("Luis ñ".into()), None);
        records.put_contact(&domain::Contact { id, name, phone, data }).await?;
        Ok(json!({ "contact": id }))
    });
    let (_, step) = act(&world, &work, 0, new).await;
    let id: ContactId = made(&step.output, "contact");
    assert_ne!(id, work.conversation.contact.id);
    let read = deed!(|records, id| Ok(json!(records.contact(*id).await?)));
    let expected =
        json!({ "id": id, "name": "Luis ñ", "phone": null, "data": { "de parte de": "Ana" } });
    assert_eq!(consult(&world, read).await.unwrap(), expected);
    let nobody: ContactId = world.id();
    let read = deed!(|records, nobody| Ok(json!(records.contact(*nobody).await?)));
    assert_eq!(consult(&world, read).await.unwrap(), json!(null));
}

/// Runs a step in each of the lanes, on two nodes.
async fn all_at_once(
    world: &World,
    works: &[LaneWork],
    occurrence: u32,
    deed: impl Fn(usize) -> Arc<dyn Deed>,
) -> Vec<domain::Step> {
    let other = world.another_node().await;
    let mut racing = JoinSet::new();
    for (n, work) in works.iter().enumerate() {
        let node = Arc::clone(if n % 2 == 0 { &world.store } else { &other });
        let intent = Intent { turn: turn(work), ..world.intent(work, "crm", occurrence) };
        let (deed, now) = (deed(n), world.now());
        racing.spawn(async move { node.record_local(&intent, deed, now).await.unwrap() });
    }
    racing.join_all().await
}

async fn orders(world: &World, work: &LaneWork) -> Vec<Order> {
    let filter = OrderFilter::of_conversation(work.conversation.id);
    world.store.orders(world.workspace(), &filter).await.expect("orders")
}
