//! Timers: never early, never lost, once.

use domain::{ArmTimer, EventKind, Timer, TimerCondition};
use serde_json::json;

use super::world::{World, one, words};
use crate::{ArmedTimer, LaneWork, StoreError, TimerFilter, TurnCommit};

pub(super) async fn a_timer_is_due_at_its_time_and_not_a_millisecond_before(world: World) {
    let id = arm(&world, vec![world.timer("nudge", 60_000)]).await;
    let due_at = world.now().plus_ms(60_000);
    assert_eq!(world.store.next_due().await.unwrap(), Some(due_at));
    world.pass_ms(59_999);
    assert!(world.claim_all().await.is_empty());
    world.pass_ms(1);
    let work = world.claim().await;
    assert_eq!(work.conversation.id, id);
    assert_eq!(fired(&work), ["nudge"]);
    assert_eq!(work.events[0].at, due_at);
}

pub(super) async fn a_timer_that_is_not_due_is_not_among_the_events(world: World) {
    arm(&world, vec![world.timer("nudge", 60_000)]).await;
    world.pass_ms(59_999);
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    assert_eq!((words(&work), fired(&work)), (vec!["hola"], vec![]));
    world.pass_ms(1);
    let next = world.commit(world.turn(&work)).await.expect("due by now");
    assert_eq!(fired(&next), ["nudge"]);
}

pub(super) async fn a_timer_is_read_as_it_was_armed(world: World) {
    let timer = ArmTimer {
        condition: TimerCondition::Silence,
        payload: json!({ "plantilla": "¿sigues ahí?", "veces": [1, null] }),
        ..world.timer("nudge", 5_000).1
    };
    let armed_at = world.now();
    let timer_id = world.id();
    let id = arm(&world, vec![(timer_id, timer.clone())]).await;
    let expected = Timer {
        id: timer_id,
        key: timer.key,
        armed_at,
        due_at: timer.due_at,
        condition: timer.condition,
        payload: timer.payload,
    };
    let armed = world.store.timers(world.workspace(), id).await.unwrap();
    assert_eq!(armed, std::slice::from_ref(&expected));
    world.pass_ms(5_000);
    let event = one(world.claim().await.events);
    assert_eq!(event.kind, EventKind::Timer(Box::new(expected)));
}

pub(super) async fn a_timer_fires_once(world: World) {
    let id = arm(&world, vec![world.timer("nudge", 1_000), world.timer("later", 1_001)]).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    world.pass_ms(1);
    let next = world.commit(world.turn(&work)).await.expect("the later one");
    assert_eq!(fired(&next), ["later"]);
    let again =
        TurnCommit { fired: vec![domain::TimerId(work.events[0].id.0)], ..world.turn(&next) };
    let refused = world.store.commit(again).await.unwrap_err();
    assert_eq!(refused, StoreError::VersionConflict);
    assert!(world.commit(world.turn(&next)).await.is_none());
    assert!(world.store.timers(world.workspace(), id).await.unwrap().is_empty());
    assert_eq!(world.store.next_due().await.unwrap(), None);
}

pub(super) async fn a_cancelled_timer_never_fires(world: World) {
    let id = arm(&world, vec![world.timer("nudge", 1_000), world.timer("other", 2_000)]).await;
    world.hear("ana", "ya").await;
    let work = world.claim().await;
    let turn =
        TurnCommit { cancel: vec!["nudge".into(), "never armed".into()], ..world.turn(&work) };
    assert!(world.commit(turn).await.is_none());
    let left = one(world.store.timers(world.workspace(), id).await.unwrap());
    assert_eq!(left.key, "other");
    world.pass_ms(1_999);
    assert!(world.claim_all().await.is_empty());
}

pub(super) async fn arming_a_key_again_replaces_its_timer(world: World) {
    let id = arm(&world, vec![world.timer("nudge", 1_000)]).await;
    world.hear("ana", "espera").await;
    let work = world.claim().await;
    let newer = world.timer("nudge", 5_000);
    let turn = TurnCommit { arm: vec![newer.clone()], ..world.turn(&work) };
    assert!(world.commit(turn).await.is_none());
    assert_eq!(one(world.store.timers(world.workspace(), id).await.unwrap()).id, newer.0);
    world.pass_ms(4_999);
    assert!(world.claim_all().await.is_empty());
    world.pass_ms(1);
    assert_eq!(fired(&world.claim().await), ["nudge"]);
}

pub(super) async fn a_turn_may_arm_the_key_that_it_fired_or_cancelled(world: World) {
    let keys = [("nudge", 1_000), ("other", 9_000), ("gone", 1_500)];
    arm(&world, keys.map(|(key, in_ms)| world.timer(key, in_ms)).into()).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    let turn = TurnCommit {
        cancel: vec!["other".into(), "gone".into()],
        arm: vec![world.timer("nudge", 1_000), world.timer("other", 2_000)],
        ..world.turn(&work)
    };
    assert!(world.commit(turn).await.is_none());
    world.pass_ms(1_000);
    let work = world.claim().await;
    assert_eq!(fired(&work), ["nudge"]);
    world.pass_ms(1_000);
    let next = world.commit(world.turn(&work)).await.expect("the other");
    assert_eq!(fired(&next), ["other"]);
}

pub(super) async fn a_skipped_timer_is_over(world: World) {
    let id = arm(&world, vec![world.timer("nudge", 1_000)]).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    let turn = world.turn(&work);
    let turn = TurnCommit {
        skipped: vec![(turn.fired[0], "the customer wrote".into())],
        fired: Vec::new(),
        session: None,
        ..turn
    };
    assert!(world.commit(turn).await.is_none());
    assert!(world.store.timers(world.workspace(), id).await.unwrap().is_empty());
    assert_eq!(world.store.next_due().await.unwrap(), None);
}

pub(super) async fn due_timers_come_one_by_one_in_the_order_of_their_time(world: World) {
    arm(&world, vec![world.timer("second", 2_000), world.timer("first", 1_000)]).await;
    world.pass_ms(1_500);
    world.hear("ana", "hola").await;
    world.pass_ms(1_500);
    let work = world.claim().await;
    assert_eq!((fired(&work), words(&work)), (vec!["first"], vec!["hola"]));
    assert!(work.events.is_sorted_by_key(|event| event.at));
    let next = world.commit(world.turn(&work)).await.expect("the second");
    assert_eq!((fired(&next), words(&next)), (vec!["second"], vec![]));
    assert!(world.commit(world.turn(&next)).await.is_none());
}

pub(super) async fn timers_are_listed_soonest_first(world: World) {
    let timers = [("c", 3_000), ("a", 1_000), ("b", 2_000)];
    let arming = timers.map(|(key, in_ms)| world.timer(key, in_ms));
    let id = arm(&world, arming.into()).await;
    let listed = world.store.timers(world.workspace(), id).await.unwrap();
    let keys: Vec<_> = listed.iter().map(|timer| timer.key.as_str()).collect();
    assert_eq!(keys, ["a", "b", "c"]);
}

pub(super) async fn a_timer_survives_opening_the_store_again(world: World) {
    arm(&world, vec![world.timer("nudge", 60_000)]).await;
    let world = world.reopened().await;
    world.pass_ms(59_999);
    assert!(world.claim_all().await.is_empty());
    world.pass_ms(24 * 3_600_000);
    assert_eq!(fired(&world.claim().await), ["nudge"], "late, but not lost");
}

/// Arms timers in the first turn of a conversation.
async fn arm(world: &World, timers: Vec<(domain::TimerId, ArmTimer)>) -> domain::ConversationId {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let turn = TurnCommit { arm: timers, ..world.turn(&work) };
    assert!(world.commit(turn).await.is_none());
    work.conversation.id
}

fn fired(work: &LaneWork) -> Vec<&str> {
    let keys = work.events.iter().filter_map(|event| match &event.kind {
        EventKind::Timer(timer) => Some(timer.key.as_str()),
        _ => None,
    });
    keys.collect()
}

pub(super) async fn all_armed_timers_are_listed_soonest_first_page_by_page(world: World) {
    let other = world.add_channel("otra", "whatsapp").await;
    let mut armed = Vec::new();
    for (from, due) in [("ana", [3_000, 1_000]), ("luis", [1_000, 2_000])] {
        world.hear(from, "hola").await;
        let work = world.claim().await;
        let timers: Vec<_> =
            due.iter().map(|due| world.timer(&format!("{from} {due}"), *due)).collect();
        let id = work.conversation.id;
        armed.extend(timers.iter().map(|(timer, arm)| (arm.due_at, *timer, id)));
        world.commit(TurnCommit { arm: timers, ..world.turn(&work) }).await;
    }
    armed.sort_unstable();
    let list = async |workspace, conversation, after, limit| {
        let filter = TimerFilter { conversation, after, limit };
        let listed = world.store.armed(workspace, &filter).await.unwrap();
        let place = |one: ArmedTimer| (one.timer.due_at, one.timer.id, one.conversation);
        listed.into_iter().map(place).collect::<Vec<_>>()
    };
    let ours = world.workspace();
    assert_eq!(list(ours, None, None, 10).await, armed);
    let first = list(ours, None, None, 3).await;
    assert_eq!(first, armed[..3]);
    let place = Some((first[2].0, first[2].1));
    assert_eq!(list(ours, None, place, 3).await, armed[3..]);
    let anas = armed[3].2;
    let own: Vec<_> = armed.iter().copied().filter(|one| one.2 == anas).collect();
    assert_eq!(list(ours, Some(anas), None, 10).await, own);
    let rest = Some((own[0].0, own[0].1));
    assert_eq!(list(ours, Some(anas), rest, 10).await, own[1..]);
    assert!(list(other.workspace, None, None, 10).await.is_empty());
    assert!(list(other.workspace, Some(anas), None, 10).await.is_empty());
}

pub(super) async fn a_timer_cancelled_by_hand_never_fires(world: World) {
    let other = world.add_channel("otra", "whatsapp").await.workspace;
    let timer = world.timer("nudge", 1_000);
    let timer_id = timer.0;
    let id = arm(&world, vec![timer, world.timer("later", 2_000)]).await;
    let cancel =
        async |workspace| world.store.cancel_timer(workspace, timer_id, "marta", world.now()).await;
    let missing = StoreError::NotFound("armed timer");
    assert_eq!(cancel(other).await.unwrap_err(), missing);
    cancel(world.workspace()).await.unwrap();
    assert_eq!(cancel(world.workspace()).await.unwrap_err(), missing, "it is over");
    assert_eq!(one(world.store.timers(world.workspace(), id).await.unwrap()).key, "later");
    world.pass_ms(1_000);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1_000);
    assert_eq!(fired(&world.claim().await), ["later"]);
}

pub(super) async fn a_turn_about_to_fire_a_cancelled_timer_runs_again_without_it(world: World) {
    let timer = world.timer("nudge", 1_000);
    let timer_id = timer.0;
    arm(&world, vec![timer]).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    let cancelled = world.store.cancel_timer(world.workspace(), timer_id, "marta", world.now());
    cancelled.await.unwrap();
    let conflict = world.store.commit(world.turn(&work)).await.unwrap_err();
    assert_eq!(conflict, StoreError::VersionConflict);
    assert!(world.store.release(work.lease, world.now()).await.unwrap().is_none());
}
