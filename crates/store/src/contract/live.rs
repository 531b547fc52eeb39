//! Live events: each committed event once, in order, and no other.

use std::collections::BTreeSet;

use domain::{
    DeliveryReport, DeliveryStatus, Handoff, Order, OrderStatus, OutboundId, Reference, Trigger,
};
use serde_json::json;

use super::doing::{act, asked, deed, ordered, perform, write_order};
use super::outbox::ended;
use super::world::{LEASE_MS, World, one};
use crate::{
    AttentionFilter, GiveBack, LiveEvent, LiveId, LiveKind, News, Resolution, Store, StoreError,
    TurnCommit,
};

/// All events after a place, once no transaction of others still holds them back.
async fn news(world: &World, store: &dyn Store, after: LiveId, limit: u32) -> News {
    loop {
        let news = store.live_after(world.workspace(), after, limit).await.unwrap();
        if !news.soon {
            return news;
        }
        tokio::task::yield_now().await;
    }
}

pub(super) async fn told(world: &World, after: LiveId) -> Vec<LiveEvent> {
    let news = news(world, &*world.store, after, 1_000).await;
    assert!(!news.missed);
    news.events
}

pub(super) fn kinds(events: &[LiveEvent]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

async fn turn(world: &World, from: &str) {
    world.hear(from, "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
}

pub(super) async fn what_happens_to_a_conversation_is_told_in_order(world: World) {
    let (workspace, by) = (world.workspace(), "marta");
    let (work, reply) = world.reply_in_flight("57300", "buenas, Ana").await;
    let id = work.conversation.id;
    world.record_send(work.lease, ended(reply, DeliveryStatus::Sent)).await;
    let report = |status| DeliveryReport {
        reference: Reference::Ours(reply),
        status,
        error: None,
        window_closed: false,
    };
    for status in [DeliveryStatus::Read, DeliveryStatus::Delivered] {
        world.pass_ms(1);
        world.store.report(workspace, vec![report(status)], world.now()).await.unwrap();
    }
    world.store.take(workspace, id, by, world.now()).await.unwrap();
    let message = world.operators("soy Marta");
    let said = message.id;
    world.store.say(workspace, id, by, message, true, world.now()).await.unwrap();
    world
        .store
        .give_back(workspace, id, by, GiveBack::default(), world.id(), world.now())
        .await
        .unwrap();

    let events = told(&world, LiveId::default()).await;
    let wanted = ["turn", "delivery", "delivery", "taken", "said", "returned"];
    assert_eq!(kinds(&events), wanted, "a report that changes nothing is no news");
    assert!(events.iter().all(|event| event.conversation == Some(id)));
    assert!(events.is_sorted_by(|earlier, later| earlier.id < later.id));
    let turn = json!({ "heard": 1, "timers": 0, "replies": 1, "mode": "conversacion" });
    assert_eq!(events[0].payload, turn);
    assert_eq!(events[1].payload, json!({ "status": "sent" }));
    assert_eq!(events[2].payload, json!({ "status": "read" }));
    assert_eq!(events[1].subject, reply.to_string());
    assert_eq!((&events[4].subject, &events[4].payload), (&said.to_string(), &json!({ "by": by })));
    let whole = serde_json::to_string(&events).unwrap();
    for personal in ["hola", "buenas", "Ana", "57300", "soy Marta"] {
        assert!(!whole.contains(personal), "{personal} in {whole}");
    }
}

pub(super) async fn a_handoff_is_told_from_its_beginning_to_its_end(world: World) {
    let workspace = world.workspace();
    let hand_off = async || {
        world.hear("ana", "una persona").await;
        let work = world.claim().await;
        let handoff = Handoff::new(Trigger::CustomerRequest, "pide una persona");
        let handoff = Some((world.id(), handoff));
        world.commit(TurnCommit { handoff, ..world.turn(&work) }).await;
        work.conversation.id
    };
    let id = hand_off().await;
    hand_off().await;
    let open = world.store.open_handoff(workspace, id).await.unwrap().unwrap().id;
    world.store.assign_handoff(workspace, open, "marta", "eva", world.now()).await.unwrap();
    world.store.take(workspace, id, "marta", world.now()).await.unwrap();
    let now = world.now();
    world.store.resolve_handoff(workspace, open, "marta", "ya está", now).await.unwrap();
    let events = told(&world, LiveId::default()).await;
    let wanted = [
        "new_handoff",
        "turn",
        "turn",
        "handoff_assigned",
        "taken",
        "handoff_assigned",
        "handoff_resolved",
    ];
    assert_eq!(kinds(&events), wanted, "a second one while the first is open is no news");
    assert_eq!(events[0].payload, json!({ "trigger": "customer_request" }));
    assert_eq!(events[3].payload, json!({ "to": "eva" }));
    for n in [0, 3, 5, 6] {
        assert_eq!((&events[n].subject, events[n].conversation), (&open.to_string(), Some(id)));
    }
    let whole = serde_json::to_string(&events).unwrap();
    assert!(!whole.contains("persona") && !whole.contains("ya está"), "{whole}");

    hand_off().await;
    let (back, event) = (GiveBack::default(), world.id());
    world.store.give_back(workspace, id, "marta", back, event, world.now()).await.unwrap();
    let rest = told(&world, events[6].id).await;
    assert_eq!(kinds(&rest), ["new_handoff", "turn", "returned", "handoff_resolved"]);
}

pub(super) async fn an_order_is_told_when_it_is_new_and_when_it_changes(world: World) {
    let work = asked(&world).await;
    let written = write_order(ordered(&work, OrderStatus::Confirmed, world.now()));
    act(&world, &work, 0, written).await;
    let order = world.store.order(world.workspace(), 1).await.unwrap().unwrap();
    let shipped = Order { status: OrderStatus::Shipped, ..order.clone() };
    for order in [order.clone(), shipped] {
        let put = deed!(|records, order| {
            records.put_order(&order).await?;
            Ok(json!({}))
        });
        perform(&world, put).await.unwrap();
    }
    let events = told(&world, LiveId::default()).await;
    assert_eq!(kinds(&events), ["new_order", "order_changed"], "the same again is no news");
    assert_eq!(events[0].payload, json!({ "number": 1, "status": "confirmed" }));
    assert_eq!(events[1].payload, json!({ "number": 1, "status": "shipped" }));
    for event in events {
        assert_eq!(event.subject, order.id.to_string());
        assert_eq!(event.conversation, Some(work.conversation.id));
    }
}

pub(super) async fn what_goes_wrong_and_is_put_right_is_told(world: World) {
    let (workspace, now) = (world.workspace(), world.now());
    world.hear("ana", "veneno").await;
    let work = world.claim().await;
    let aside = TurnCommit { set_aside: Some("it crashed".into()), ..world.turn(&work) };
    world.commit(aside).await;
    let event =
        one(world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap()).id;
    world.store.retry(workspace, event, "marta", now).await.unwrap();
    let first = told(&world, LiveId::default()).await;
    assert_eq!(kinds(&first), ["quarantined", "returned", "retried"]);

    let work = world.claim().await;
    let (message, timer) = (world.message("buenas"), world.timer("nudge", 60_000));
    let (id, timer_id) = (message.id, timer.0);
    let turn = TurnCommit { outbound: vec![message], arm: vec![timer], ..world.turn(&work) };
    let work = world.commit(turn).await.expect("a message");
    world.may_send(work.lease, id).await;
    world.pass_ms(LEASE_MS);
    world.claim().await;
    let now = world.now();
    let name = id.to_string();
    world.store.reconcile(workspace, &name, Resolution::Dropped, "eva", now).await.unwrap();
    world.store.cancel_timer(workspace, timer_id, "eva", now).await.unwrap();
    let rest = told(&world, first[2].id).await;
    assert_eq!(kinds(&rest), ["turn", "delivery", "reconciled", "timer_cancelled"]);
    assert_eq!(rest[1].payload, json!({ "status": "ambiguous" }));
    assert_eq!(rest[2].payload, json!({ "resolution": "dropped" }));
    assert_eq!(rest[3].payload, json!({ "key": "nudge" }));
    assert!(rest.iter().all(|event| event.conversation == Some(work.conversation.id)));
}

pub(super) async fn what_is_held_back_or_fails_is_told(world: World) {
    let (work, held) = world.reply_waiting("ana", "buenas").await;
    let id = work.conversation.id;
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    world.may_send(work.lease, held).await;
    let withheld = one(told(&world, LiveId::default()).await.split_off(2));
    assert_eq!(withheld.payload, json!({ "status": "withheld" }));

    let (work, failing) = world.reply_in_flight("luis", "buenas").await;
    world.record_send(work.lease, ended(failing, DeliveryStatus::Failed)).await;
    let failed = told(&world, withheld.id).await.pop().unwrap();
    assert_eq!(
        (failed.subject, failed.payload),
        (failing.to_string(), json!({ "status": "failed" }))
    );
}

pub(super) async fn what_did_not_come_to_pass_is_not_told(world: World) {
    let id = world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    let conflict = world.store.commit(world.turn(&work)).await.unwrap_err();
    assert_eq!(conflict, StoreError::VersionConflict);
    let none: OutboundId = world.id();
    world.record_send(work.lease, ended(none, DeliveryStatus::Sent)).await;
    assert_eq!(kinds(&told(&world, LiveId::default()).await), ["taken"]);
}

pub(super) async fn a_reader_goes_on_where_it_was(world: World) {
    for from in ["ana", "luis", "eva", "beto"] {
        turn(&world, from).await;
    }
    let all = told(&world, LiveId::default()).await;
    assert_eq!(all.len(), 4);
    let mut read = Vec::new();
    let mut after = LiveId::default();
    loop {
        let mut news = news(&world, &*world.store, after, 1).await;
        after = news.next;
        assert_eq!(news.more, !news.events.is_empty());
        let Some(event) = news.events.pop() else { break };
        read.push(event);
    }
    assert_eq!((read, after), (all.clone(), all[3].id));
    let end = world.store.live_end(world.workspace()).await.unwrap();
    assert!(told(&world, end).await.is_empty());
    turn(&world, "ana").await;
    assert_eq!(told(&world, end).await, told(&world, all[3].id).await);
    assert_eq!(told(&world, end).await.len(), 1);
}

pub(super) async fn readers_are_told_that_there_is_news(world: World) {
    let mut watching = world.store.signals().watch_live();
    let id = world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    let workspace = world.workspace();
    assert_eq!(watching.try_recv(), Ok(workspace));
    world.store.take(workspace, id, "marta", world.now()).await.unwrap();
    assert_eq!(watching.try_recv(), Ok(workspace));
    let (back, now) = (GiveBack::default(), world.now());
    world.store.give_back(workspace, id, "marta", back, world.id(), now).await.unwrap();
    assert_eq!(watching.try_recv(), Ok(workspace));
}

/// Many lanes of two nodes commit at once while a reader follows.
pub(super) async fn of_many_commits_at_once_each_is_told_once(world: World) {
    const LANES: usize = 24;
    let other = world.another_node().await;
    let mut committing = Vec::new();
    for n in 0..LANES {
        world.hear(&format!("cliente {n}"), "hola").await;
    }
    let mut wanted = BTreeSet::new();
    for (n, work) in world.claim_all().await.into_iter().enumerate() {
        let turn = world.turn(&work);
        wanted.insert(turn.turn.to_string());
        let store = if n % 2 == 0 { &world.store } else { &other };
        let store = std::sync::Arc::clone(store);
        committing.push(tokio::spawn(async move { store.commit(turn).await.unwrap() }));
    }
    assert_eq!(wanted.len(), LANES);
    let mut read = Vec::new();
    let mut after = LiveId::default();
    while read.len() < LANES {
        for event in other.live_after(world.workspace(), after, 3).await.unwrap().events {
            assert!(event.id > after);
            after = event.id;
            read.push(event.subject);
        }
        tokio::task::yield_now().await;
    }
    for commit in committing {
        commit.await.unwrap();
    }
    assert!(told(&world, after).await.is_empty());
    assert_eq!(read.len(), LANES);
    assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), wanted);
}

pub(super) async fn whoever_comes_too_late_is_told_so(world: World) {
    for from in ["ana", "luis", "eva"] {
        turn(&world, from).await;
        world.pass_ms(1_000);
    }
    let all = told(&world, LiveId::default()).await;
    let prune = async |before| world.store.prune_live(world.workspace(), before).await.unwrap();
    assert_eq!(prune(all[0].at).await, 0, "not those of that very moment");
    assert_eq!(prune(all[2].at).await, 1, "the last one gone stands for all before it");
    let after = async |place| news(&world, &*world.store, place, 100).await;
    let late = after(all[0].id).await;
    assert_eq!((late.events, late.missed), (vec![all[2].clone()], true));
    let in_time = after(all[1].id).await;
    assert_eq!((in_time.events, in_time.missed), (vec![all[2].clone()], false));

    // With all events gone, the next one still comes after all of them.
    assert_eq!(prune(world.now()).await, 1);
    assert_eq!(prune(world.now()).await, 0);
    assert!(after(all[1].id).await.missed && !after(all[2].id).await.missed);
    turn(&world, "ana").await;
    let next = after(all[2].id).await;
    assert!(!next.missed && one(next.events).id > all[2].id);
}

pub(super) async fn a_workspace_is_told_nothing_of_another(world: World) {
    let other = world.add_channel("otra", "whatsapp").await;
    turn(&world, "ana").await;
    world.pass_ms(1);
    let theirs = world.store.live_after(other.workspace, LiveId::default(), 10).await.unwrap();
    assert_eq!((theirs.events, theirs.soon), (vec![], false));
    assert_eq!(world.store.prune_live(other.workspace, world.now()).await.unwrap(), 0);
    assert_eq!(kinds(&told(&world, LiveId::default()).await), [LiveKind::Turn.as_str()]);
}
