//! Sending: one owner per message, in order, and never blindly twice.

use domain::{Author, DeliveryStatus, NewOutbound, OutboundId, Priority};
use serde_json::json;

use super::doing::{consult, deed};
use super::world::{GO, LEASE_MS, World, one, words};

use crate::{
    AttentionFilter, Clearance, GiveBack, LaneWork, ReconcileKind, SendOutcome, TurnCommit,
};

pub(super) async fn a_message_is_sent_once_and_then_read_as_sent(world: World) {
    let (work, id) = world.reply_waiting("ana", "buenas").await;
    let waiting = work.outbound.clone().unwrap();
    assert_eq!((waiting.id, waiting.status), (id, DeliveryStatus::Queued));
    assert_eq!((waiting.author, waiting.priority), (Author::Bot, Priority::Reply));
    assert_eq!((waiting.text.reveal().as_str(), waiting.attempts), ("buenas", 0));
    assert!(sent(&world, &work).await.is_empty());

    let going = world.may_send(work.lease, id).await;
    assert_eq!(going, GO);
    assert!(sent(&world, &work).await.is_empty(), "not before its outcome");

    world.pass_ms(300);
    assert!(world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await.is_none());
    assert_eq!(sent(&world, &work).await, ["buenas"]);
    assert_eq!(world.store.next_due().await.unwrap(), None);
    assert!(
        world
            .store
            .reconcile_items(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
}

pub(super) async fn only_what_left_as_it_was_written_has_reached_the_customer(world: World) {
    use DeliveryStatus::{Ambiguous, Delivered, Failed, Queued, Read, Sent, Withheld};
    let workspace = world.workspace();
    let reached = async |messages: &[OutboundId]| {
        world.store.have_reached(workspace, messages).await.unwrap()
    };
    let (work, waits) = world.reply_waiting("ana", "buenas").await;
    assert!(!reached(&[waits]).await, "it waits");
    assert_eq!(world.may_send(work.lease, waits).await, GO);
    assert!(!reached(&[waits]).await, "it is on its way");
    world.record_send(work.lease, ended(waits, Sent)).await;
    assert!(reached(&[waits]).await);
    assert!(!reached(&[]).await, "nothing reaches nobody");
    assert!(!reached(&[waits, world.id()]).await, "all of them or none");
    let others =
        DeliveryStatus::ALL.into_iter().filter(|status| ![Queued, Withheld].contains(status));
    for (at, status) in others.enumerate() {
        let (work, id) = world.reply_in_flight(&format!("c{at}"), "buenas").await;
        world.record_send(work.lease, ended(id, status)).await;
        assert_eq!(reached(&[id]).await, [Sent, Delivered, Read].contains(&status), "{status:?}");
        assert_eq!(reached(&[waits, id]).await, reached(&[id]).await, "{status:?}");
        if status == Ambiguous || status == Failed {
            let by_deed = deed!(|records, id| Ok(json!(records.have_reached(&[*id]).await?)));
            assert_eq!(consult(&world, by_deed).await.unwrap(), json!(false), "{status:?}");
        }
    }
}

pub(super) async fn messages_leave_by_priority_then_in_the_order_they_were_written(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let prioritised = |text: &str, priority| NewOutbound { priority, ..world.message(text) };
    let turn = TurnCommit {
        outbound: vec![
            prioritised("promo", Priority::Proactive),
            prioritised("uno", Priority::Reply),
            prioritised("dos", Priority::Reply),
            prioritised("persona", Priority::Operator),
            prioritised("promo 2", Priority::Proactive),
        ],
        ..world.turn(&work)
    };
    let mut next = world.commit(turn).await;
    let mut order = Vec::new();
    while let Some(work) = next {
        let message = work.outbound.expect("the next message");
        let going = world.may_send(work.lease, message.id).await;
        assert_eq!(going, GO);
        order.push(message.text.into_revealed());
        next = world.record_send(work.lease, ended(message.id, DeliveryStatus::Sent)).await;
    }
    assert_eq!(order, ["persona", "uno", "dos", "promo", "promo 2"]);
}

pub(super) async fn a_message_put_back_waits_for_its_retry(world: World) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    let again = SendOutcome {
        retry_at: Some(world.now().plus_ms(5_000)),
        error: Some("131056".into()),
        ..ended(id, DeliveryStatus::Queued)
    };
    assert!(world.record_send(work.lease, again).await.is_none(), "the lane is given up");
    world.pass_ms(4_999);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1);
    let work = world.claim().await;
    let message = work.outbound.expect("due again");
    assert_eq!((message.id, message.attempts), (id, 1));
    assert_eq!(message.status, DeliveryStatus::Queued);
    let going = world.may_send(work.lease, id).await;
    assert_eq!(going, GO);
}

pub(super) async fn a_message_that_waits_keeps_those_behind_it_waiting(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let turn = TurnCommit {
        outbound: vec![world.message("uno"), world.message("dos")],
        ..world.turn(&work)
    };
    let work = world.commit(turn).await.unwrap();
    let first = work.outbound.as_ref().unwrap().id;
    world.may_send(work.lease, first).await;
    let again = SendOutcome {
        retry_at: Some(world.now().plus_ms(5_000)),
        ..ended(first, DeliveryStatus::Queued)
    };
    assert!(world.record_send(work.lease, again).await.is_none());
    world.hear("ana", "¿y?").await;
    let work = world.claim().await;
    assert_eq!((words(&work), &work.outbound), (vec!["¿y?"], &None), "but no message of hers");
}

pub(super) async fn after_a_takeover_the_bots_message_is_withheld(world: World) {
    let (work, id) = world.reply_waiting("ana", "buenas").await;
    take(&world, &work).await;
    let outcome = world.may_send(work.lease, id).await;
    assert_eq!(outcome, Clearance::Withheld);
    let left = world.store.release(work.lease, world.now()).await.unwrap();
    assert!(left.is_none(), "nothing is left to send");

    // The message does not leave after the conversation was given back either.
    let (workspace, id) = (world.workspace(), work.conversation.id);
    let event = world.id();
    let back =
        world.store.give_back(workspace, id, "marta", GiveBack::default(), event, world.now());
    back.await.unwrap();
    assert_eq!(world.claim().await.outbound, None);
    assert!(sent(&world, &work).await.is_empty());
}

pub(super) async fn a_takeover_and_a_return_do_not_revive_an_old_message(world: World) {
    let (work, id) = world.reply_waiting("ana", "buenas").await;
    take(&world, &work).await;
    let (workspace, conversation) = (world.workspace(), work.conversation.id);
    let event = world.id();
    let back = world.store.give_back(
        workspace,
        conversation,
        "marta",
        GiveBack::default(),
        event,
        world.now(),
    );
    back.await.unwrap();
    let outcome = world.may_send(work.lease, id).await;
    assert_eq!(outcome, Clearance::Withheld);
}

pub(super) async fn a_takeover_withholds_bot_and_engine_and_no_operator(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let by = |author| NewOutbound { author, ..world.message("lo sentimos") };
    let outbound = Author::ALL.into_iter().map(by).collect();
    let mut next = world.commit(TurnCommit { outbound, ..world.turn(&work) }).await;
    take(&world, &work).await;
    let mut left = Vec::new();
    while let Some(work) = next {
        let message = work.outbound.expect("the next message");
        next = match world.may_send(work.lease, message.id).await {
            GO => {
                left.push(message.author);
                world.record_send(work.lease, ended(message.id, DeliveryStatus::Sent)).await
            }
            withheld => {
                assert_eq!(withheld, Clearance::Withheld);
                world.store.release(work.lease, world.now()).await.unwrap()
            }
        };
    }
    assert_eq!(left, [Author::Operator]);
}

pub(super) async fn a_message_in_flight_with_a_vanished_node_becomes_ambiguous(world: World) {
    let (_, id) = world.reply_in_flight("ana", "buenas").await;
    let work = world.claim_after_crash().await;
    assert_eq!(work.outbound, None, "it is not sent again");
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((item.id, item.kind), (id.to_string(), ReconcileKind::Ambiguous));
    assert_eq!(item.what.reveal(), "buenas");
    assert!(item.error.is_some());
    let outcome = world.may_send(work.lease, id).await;
    assert_eq!(outcome, Clearance::Withheld);
    assert!(world.store.release(work.lease, world.now()).await.unwrap().is_none());
}

/// The case of an unanswered commit of the first intent, or of a lane handed back with an intent.
pub(super) async fn an_intent_asked_for_twice_is_ambiguous_and_never_sent(world: World) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    let found = world.store.release(work.lease, world.now()).await.unwrap();
    assert!(found.is_some(), "a holder cannot leave a message in flight behind");
    world.store.hand_back(work.lease, world.now()).await.unwrap();
    let work = world.claim().await;
    let twice = world.may_send(work.lease, id).await;
    assert_eq!(twice, Clearance::Withheld);
    let left = world.store.release(work.lease, world.now()).await.unwrap();
    assert!(left.is_none(), "nobody tries for ever");
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((item.id, item.kind), (id.to_string(), ReconcileKind::Ambiguous));
}

pub(super) async fn a_message_that_only_waited_is_sent_by_the_next_holder(world: World) {
    let (_, id) = world.reply_waiting("ana", "buenas").await;
    let work = world.claim_after_crash().await;
    assert_eq!(work.outbound.unwrap().id, id);
    assert!(
        world
            .store
            .reconcile_items(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
}

pub(super) async fn an_outcome_known_too_late_is_recorded_all_the_same(world: World) {
    let (old, id) = world.reply_in_flight("ana", "buenas").await;
    let new = world.claim_after_crash().await;
    world.hear("ana", "¿hola?").await;
    let next = world.record_send(old.lease, ended(id, DeliveryStatus::Sent)).await;
    assert!(next.is_none(), "but the lane is not the old holder's");
    assert_eq!(sent(&world, &old).await, ["buenas"]);
    assert!(
        world
            .store
            .reconcile_items(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
    let found = world.store.release(new.lease, world.now()).await.unwrap();
    assert_eq!(words(&found.expect("the new holder keeps the lane")), ["¿hola?"]);
}

pub(super) async fn a_lost_holder_cannot_put_an_ambiguous_message_back(world: World) {
    let (old, id) = world.reply_in_flight("ana", "buenas").await;
    let new = world.claim_after_crash().await;
    let again = ended(id, DeliveryStatus::Queued);
    assert!(world.record_send(old.lease, again).await.is_none());
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!(item.kind, ReconcileKind::Ambiguous);
    let left = world.store.release(new.lease, world.now()).await.unwrap();
    assert!(left.is_none(), "nothing is queued");
}

pub(super) async fn a_message_that_failed_is_listed_with_its_error(world: World) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    let failed = SendOutcome {
        error: Some("131026: undeliverable".into()),
        ..ended(id, DeliveryStatus::Failed)
    };
    assert!(world.record_send(work.lease, failed).await.is_none());
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((item.id, item.kind), (id.to_string(), ReconcileKind::Undelivered));
    assert_eq!(item.error.as_deref(), Some("131026: undeliverable"));
    assert_eq!(item.conversation, work.conversation.id);
    assert!(sent(&world, &work).await.is_empty(), "it was not sent");
}

pub(super) async fn a_recorded_send_gives_the_next_work(world: World) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    world.hear("ana", "gracias").await;
    let next = world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
    let next = next.expect("the message that came meanwhile");
    assert_eq!((words(&next), &next.outbound), (vec!["gracias"], &None));
    world.pass_ms(LEASE_MS - 1);
    assert!(world.claim_all().await.is_empty(), "the lane was kept");
}

async fn take(world: &World, work: &LaneWork) {
    let (workspace, id) = (world.workspace(), work.conversation.id);
    let taken = world.store.take(workspace, id, "marta", world.now()).await;
    taken.unwrap();
}

async fn sent(world: &World, work: &LaneWork) -> Vec<String> {
    let sent =
        world.store.sent_after(world.workspace(), work.conversation.id, 0, 100).await.unwrap();
    sent.into_iter().map(|line| line.text.into_revealed()).collect()
}

pub(super) fn ended(outbound: domain::OutboundId, status: DeliveryStatus) -> SendOutcome {
    SendOutcome::new(outbound, status)
}
