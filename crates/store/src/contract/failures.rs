//! Turns that fail: counted, held back until their retry, and in the end set aside for a person.

use domain::{Handoff, Owner, SessionStatus, Trigger};
use uuid::Uuid;

use super::world::{World, one, words};
use crate::{Attempts, AttentionFilter, LaneWork, StoreError, TurnCommit};

pub(super) async fn a_failed_turn_is_retried_when_told_and_not_before(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    fail(&world, &work, 30_000).await;
    world.pass_ms(10_000);
    world.hear("ana", "dos").await;
    assert!(world.ready().await.is_empty(), "a new message does not end the wait");
    world.pass_ms(19_999);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1);
    let work = world.claim().await;
    assert_eq!(words(&work), ["uno", "dos"]);
    assert_eq!((work.attempts.failed, work.attempts.crashed), (1, 0));
}

pub(super) async fn failed_attempts_are_counted_until_a_turn_commits(world: World) {
    world.hear("ana", "uno").await;
    for failed in 0..3 {
        let work = world.claim().await;
        assert_eq!(work.attempts.failed, failed);
        fail(&world, &work, 1_000).await;
        world.pass_ms(1_000);
    }
    let work = world.claim().await;
    assert_eq!(work.attempts.failed, 3);
    world.commit(world.turn(&work)).await;
    world.hear("ana", "dos").await;
    let work = world.claim().await;
    assert_eq!(words(&work), ["dos"], "and nothing holds the next message back");
    assert_eq!(work.attempts.failed, 0);
}

pub(super) async fn a_lane_that_its_holder_vanished_of_alone_is_known(world: World) {
    world.hear("ana", "veneno").await;
    world.claim().await;
    let crashed = |crashed, crashed_alone| Attempts { failed: 0, crashed, crashed_alone };
    let work = world.claim_after_crash().await;
    assert_eq!(work.attempts, crashed(1, false));
    world.store.try_alone(work.lease, true).await.unwrap();
    world.store.try_alone(work.lease, false).await.unwrap();
    let work = world.claim_after_crash().await;
    assert_eq!(work.attempts, crashed(2, false), "it was alone no longer");
    world.store.try_alone(work.lease, true).await.unwrap();
    let again = world.store.release(work.lease, world.now()).await.unwrap().expect("its message");
    assert_eq!(again.attempts, crashed(2, false), "its holder is there");
    assert_eq!(world.claim_after_crash().await.attempts, crashed(3, true));
    let work = world.claim_after_crash().await;
    assert_eq!((words(&work), work.attempts), (vec!["veneno"], crashed(4, true)));
    world.commit(world.turn(&work)).await;
    world.hear("ana", "hola").await;
    assert_eq!(world.claim().await.attempts, Attempts::default());
}

pub(super) async fn a_turn_that_ends_in_an_error_is_no_crash(world: World) {
    world.hear("ana", "uno").await;
    world.claim().await;
    let work = world.claim_after_crash().await;
    assert_eq!(work.attempts.crashed, 1);
    world.store.try_alone(work.lease, true).await.unwrap();
    fail(&world, &work, 1_000).await;
    world.pass_ms(1_000);
    assert_eq!(world.claim().await.attempts, Attempts { failed: 1, ..Attempts::default() });
    assert!(!world.claim_after_crash().await.attempts.crashed_alone);
}

pub(super) async fn a_timer_waits_for_the_retry_of_a_failed_turn_too(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    let turn = TurnCommit { arm: vec![world.timer("nudge", 1_000)], ..world.turn(&work) };
    world.commit(turn).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    fail(&world, &work, 5_000).await;
    world.pass_ms(4_999);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1);
    assert_eq!(world.claim().await.events.len(), 1);
}

pub(super) async fn a_failed_turn_does_not_hold_back_what_is_to_be_sent(world: World) {
    let (work, _) = world.reply_waiting("ana", "buenas").await;
    world.hear("ana", "dos").await;
    let retry_at = world.now().plus_ms(1_000);
    let failed = world.store.fail(work.lease, "no model", retry_at, world.now()).await.unwrap();
    let next = failed.expect("the reply is due");
    assert!(next.events.is_empty() && next.outbound.is_some());
}

pub(super) async fn an_event_set_aside_is_listed_with_its_reason(world: World) {
    let id = set_aside(&world).await;
    let listed = one(world
        .store
        .quarantined(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((listed.conversation, listed.kind.as_str()), (Some(id), "message"));
    assert_eq!(listed.reason, "it crashed three times");
    assert!(listed.received_at < world.now());
    assert!(listed.payload.reveal().contains("veneno"));
    assert_eq!(world.store.next_due().await.unwrap(), None, "it is not tried again");
}

pub(super) async fn a_list_goes_on_after_a_place_that_was_resolved(world: World) {
    let workspace = world.workspace();
    for name in ["ana", "eva", "luis"] {
        world.hear(name, "veneno").await;
        let work = world.claim().await;
        world.commit(setting_aside(&world, &work, name)).await;
    }
    let page = async |after, limit| {
        let filter = AttentionFilter { after, ..AttentionFilter::first(limit) };
        world.store.quarantined(workspace, &filter).await.unwrap()
    };
    let reasons = |page: &[crate::Quarantined]| -> Vec<String> {
        page.iter().map(|one| one.reason.clone()).collect()
    };
    let first = page(None, 2).await;
    assert_eq!(reasons(&first), ["ana", "eva"]);
    assert_eq!(reasons(&page(Some(first[0].id), 2).await), ["eva", "luis"], "no gap, no copy");
    let last = first[1].id;
    world.store.retry(workspace, last, "marta", world.now()).await.unwrap();
    assert_eq!(reasons(&page(Some(last), 2).await), ["luis"]);
    let conversation = first[0].conversation;
    let only = AttentionFilter { conversation, ..AttentionFilter::first(9) };
    let listed = world.store.quarantined(workspace, &only).await.unwrap();
    assert_eq!(reasons(&listed), ["ana"]);
}

pub(super) async fn a_retry_by_hand_puts_the_event_back_and_the_bot_to_work(world: World) {
    let id = set_aside(&world).await;
    let workspace = world.workspace();
    let conversation = world.store.get(workspace, id).await.unwrap();
    assert_eq!(conversation.owner, Owner::Human);
    let event =
        one(world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap()).id;
    world.pass_ms(1_000);
    world.store.retry(workspace, event, "marta", world.now()).await.unwrap();

    assert!(
        world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap().is_empty()
    );
    let work = world.claim().await;
    assert_eq!(words(&work), ["veneno"]);
    assert!(work.retried_by_hand);
    assert_eq!((work.attempts.failed, work.attempts.crashed), (0, 0));
    assert_eq!(work.conversation.owner, Owner::Bot);
    assert_eq!(work.conversation.epoch, conversation.epoch + 1);
    assert_eq!(work.session.as_ref().unwrap().status, SessionStatus::Active);

    world.commit(world.turn(&work)).await;
    world.hear("ana", "y ahora").await;
    assert!(!world.claim().await.retried_by_hand);
}

pub(super) async fn an_event_is_retried_only_while_it_is_set_aside(world: World) {
    set_aside(&world).await;
    let workspace = world.workspace();
    let event =
        one(world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap()).id;
    world.store.retry(workspace, event, "marta", world.now()).await.unwrap();
    for id in [event, Uuid::from_u128(99)] {
        let again = world.store.retry(workspace, id, "marta", world.now()).await;
        assert_eq!(again.unwrap_err(), StoreError::NotFound("quarantined event"));
    }
    assert_eq!(words(&world.claim().await), ["veneno"]);
}

pub(super) async fn an_event_may_be_set_aside_again_after_its_retry(world: World) {
    set_aside(&world).await;
    let workspace = world.workspace();
    let event =
        one(world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap()).id;
    world.store.retry(workspace, event, "marta", world.now()).await.unwrap();
    let work = world.claim().await;
    world.commit(setting_aside(&world, &work, "once more")).await;
    let listed =
        one(world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap());
    assert_eq!((listed.id, listed.reason.as_str()), (event, "once more"));
}

pub(super) async fn a_timer_set_aside_can_be_retried(world: World) {
    let work = with_timer_set_aside(&world).await;
    let workspace = world.workspace();
    let listed =
        one(world.store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap());
    assert_eq!((listed.kind.as_str(), listed.id), ("timer", work.events[0].id.0));
    world.store.retry(workspace, listed.id, "marta", world.now()).await.unwrap();
    let again = world.claim().await;
    assert_eq!(again.events, work.events);
    assert!(again.retried_by_hand);
}

pub(super) async fn a_timer_armed_anew_stands_against_the_retry_of_the_old(world: World) {
    let work = with_timer_set_aside(&world).await;
    let workspace = world.workspace();
    world.hear("ana", "hola").await;
    let lane = world.claim().await;
    let newer = world.timer("nudge", 60_000);
    let turn = TurnCommit { arm: vec![newer.clone()], ..world.turn(&lane) };
    world.commit(turn).await;
    let old = work.events[0].id.0;
    let refused = world.store.retry(workspace, old, "marta", world.now()).await;
    assert_eq!(refused.unwrap_err(), StoreError::NotFound("quarantined event"));
    let timers = world.store.timers(workspace, work.conversation.id).await.unwrap();
    assert_eq!(one(timers).id, newer.0);
}

async fn fail(world: &World, work: &LaneWork, retry_in_ms: i64) {
    let retry_at = world.now().plus_ms(retry_in_ms);
    let left = world.store.fail(work.lease, "no model", retry_at, world.now()).await;
    assert!(left.unwrap().is_none());
}

pub(super) fn setting_aside(world: &World, work: &LaneWork, reason: &str) -> TurnCommit {
    TurnCommit {
        set_aside: Some(reason.to_owned()),
        handoff: Some((world.id(), Handoff::new(Trigger::Rule, reason))),
        ..world.turn(work)
    }
}

/// A conversation whose only message was set aside after failing and crashing.
async fn set_aside(world: &World) -> domain::ConversationId {
    world.hear("ana", "veneno").await;
    let work = world.claim().await;
    fail(world, &work, 1_000).await;
    world.pass_ms(1_000);
    world.claim().await;
    let work = world.claim_after_crash().await;
    let id = work.conversation.id;
    world.commit(setting_aside(world, &work, "it crashed three times")).await;
    id
}

/// A due timer that was set aside.
async fn with_timer_set_aside(world: &World) -> LaneWork {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    let turn = TurnCommit { arm: vec![world.timer("nudge", 1_000)], ..world.turn(&work) };
    world.commit(turn).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    assert!(world.commit(setting_aside(world, &work, "it crashed")).await.is_none());
    work
}
