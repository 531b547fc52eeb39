//! Pace: messages of one conversation keep their distance, whichever node sends them.

use domain::{DeliveryStatus, PairPace, ReplyOption};

use super::outbox::ended;
use super::world::{GO, WINDOW, World};
use crate::{Clearance, LaneWork, SendOutcome, SendRules, TurnCommit};

const PACE: PairPace = PairPace { every_ms: 6_000, burst: 2, gap_ms: 500 };
const RULES: SendRules = SendRules { pair: Some(PACE), ..WINDOW };

pub(super) async fn a_message_too_soon_after_another_waits_for_its_gap(world: World) {
    let work = saying(&world, "ana", 2).await;
    let second = go(&world, &work).await.expect("the second is due");
    let until = world.now().plus_ms(500);
    assert_eq!(intend(&world, &second).await, Clearance::Wait { until });
    let left = world.store.release(second.lease, world.now()).await.unwrap();
    assert!(left.is_none(), "the lane is given up");
    assert_eq!(world.store.next_due().await.unwrap(), Some(until));
    world.pass_ms(499);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1);
    let work = world.claim().await;
    let message = work.outbound.as_ref().unwrap();
    assert_eq!((message.text.reveal().as_str(), message.attempts), ("1", 0), "no attempt is spent");
    assert_eq!(intend(&world, &work).await, GO);
}

pub(super) async fn after_a_burst_messages_drip_and_another_node_knows(world: World) {
    let mut work = saying(&world, "ana", 3).await;
    for _ in 0..2 {
        work = go(&world, &work).await.expect("the next is due");
        world.pass_ms(500);
    }
    // The first message of the burst is 1000 ms old.
    let until = world.now().plus_ms(5_000);
    assert_eq!(intend(&world, &work).await, Clearance::Wait { until });
    let beto = saying(&world, "beto", 1).await;
    assert_eq!(intend(&world, &beto).await, GO, "another customer has a pace of his own");

    let store = world.another_node().await;
    let (id, to) = (work.outbound.as_ref().unwrap().id, &work.conversation.address);
    let outcome = store.intend_send(work.lease, id, to, RULES, world.now()).await.unwrap();
    assert_eq!(outcome, Clearance::Wait { until });
    world.pass_ms(5_000);
    let outcome = store.intend_send(work.lease, id, to, RULES, world.now()).await.unwrap();
    assert_eq!(outcome, GO);
}

pub(super) async fn what_waits_for_its_pace_keeps_the_order_and_lets_turns_through(world: World) {
    let work = saying(&world, "ana", 2).await;
    let second = go(&world, &work).await.unwrap();
    intend(&world, &second).await;
    world.hear("ana", "¿y?").await;
    let next = world.store.release(second.lease, world.now()).await.unwrap().expect("her message");
    assert!(next.outbound.is_none() && next.events.len() == 1);
    let reply = TurnCommit { outbound: vec![world.message("2")], ..world.turn(&next) };
    assert!(world.commit(reply).await.is_none(), "the answer waits behind");
    for expected in ["1", "2"] {
        world.pass_ms(12_000);
        let work = world.claim().await;
        assert_eq!(work.outbound.as_ref().unwrap().text.reveal(), expected);
        go(&world, &work).await;
    }
}

pub(super) async fn a_channel_that_waits_keeps_its_messages_waiting(world: World) {
    let work = saying(&world, "ana", 1).await;
    let until = world.now().plus_ms(60_000);
    let rules = SendRules { not_before: Some(until), ..WINDOW };
    let (id, to) = (work.outbound.as_ref().unwrap().id, &work.conversation.address);
    let outcome = world.store.intend_send(work.lease, id, to, rules, world.now()).await.unwrap();
    assert_eq!(outcome, Clearance::Wait { until });
    let past = SendRules { not_before: Some(world.now()), ..WINDOW };
    assert_eq!(world.store.intend_send(work.lease, id, to, past, world.now()).await.unwrap(), GO);
}

pub(super) async fn an_attempt_that_does_not_count_is_not_counted(world: World) {
    let work = saying(&world, "ana", 1).await;
    for (counts, attempts) in [(false, 0), (true, 1), (false, 1)] {
        let work = if attempts == 0 { work.clone() } else { world.claim().await };
        let id = work.outbound.as_ref().unwrap().id;
        assert_eq!(world.may_send(work.lease, id).await, GO);
        let retry_at = Some(world.now().plus_ms(1_000));
        let again = SendOutcome { counts, retry_at, ..ended(id, DeliveryStatus::Queued) };
        assert!(world.record_send(work.lease, again).await.is_none());
        world.pass_ms(1_000);
        let work = world.claim().await;
        assert_eq!(work.outbound.as_ref().unwrap().attempts, attempts);
        world.store.hand_back(work.lease, world.now()).await.unwrap();
    }
}

pub(super) async fn what_may_be_picked_is_kept_with_its_message(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let option = |id: &str, description: Option<&str>| ReplyOption {
        id: id.to_owned(),
        title: format!("Opción {id}"),
        description: description.map(str::to_owned),
    };
    let options = vec![option("a", None), option("b", Some("la más pedida ñ"))];
    let message = domain::NewOutbound { options: options.clone(), ..world.message("¿Cuál?") };
    let turn = TurnCommit { outbound: vec![message], ..world.turn(&work) };
    let work = world.commit(turn).await.unwrap();
    let outbound = work.outbound.clone().unwrap();
    assert_eq!(outbound.options, options);
    assert_eq!(world.may_send(work.lease, outbound.id).await, GO);
    world.record_send(work.lease, ended(outbound.id, DeliveryStatus::Sent)).await;
    let (workspace, id) = (world.workspace(), work.conversation.id);
    let sent = world.store.sent_after(workspace, id, 0, 100).await.unwrap();
    assert_eq!(sent[0].options, options);
}

/// The lane of a customer who was answered with so many messages, all unsent.
async fn saying(world: &World, from: &str, count: usize) -> LaneWork {
    world.hear(from, "hola").await;
    let work = world.claim().await;
    let outbound = (0..count).map(|number| world.message(&number.to_string())).collect();
    let turn = TurnCommit { outbound, ..world.turn(&work) };
    world.commit(turn).await.expect("the first is due")
}

async fn intend(world: &World, work: &LaneWork) -> Clearance {
    let (id, to) = (work.outbound.as_ref().expect("a message").id, &work.conversation.address);
    world.store.intend_send(work.lease, id, to, RULES, world.now()).await.expect("an outcome")
}

/// Sends the head of the outbox.
async fn go(world: &World, work: &LaneWork) -> Option<LaneWork> {
    assert_eq!(intend(world, work).await, GO);
    let id = work.outbound.as_ref().expect("a message").id;
    world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await
}
