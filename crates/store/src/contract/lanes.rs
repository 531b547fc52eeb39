//! Claiming lanes: each has one holder, and becomes due exactly when its work is.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::{Burst, Channel, ConversationId, DeliveryStatus, WorkspaceId};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::world::{GO, LEASE_MS, NODE, OTHER_NODE, World, one, words};
use crate::{LaneWork, Room, SendOutcome, TurnCommit};

pub(super) async fn two_nodes_never_claim_the_same_lane(world: World) {
    let arrival = |n| world.arrival(&format!("cliente {n}"), &format!("m{n}"), "hola");
    world.accept((0..60).map(arrival).collect()).await;
    let nodes = [(Arc::clone(&world.store), NODE), (world.another_node().await, OTHER_NODE)];
    let mut racing = JoinSet::new();
    for turn in 0..20 {
        let (store, node) = nodes[turn % 2].clone();
        let now = world.now();
        racing.spawn(
            async move { store.claim(node, now, LEASE_MS, Room::for_any(7)).await.unwrap() },
        );
    }
    let mut claimed: Vec<_> = racing.join_all().await.into_iter().flatten().collect();
    // A lane that both nodes reach for at once may be left to the next claim, but not for long.
    claimed.extend(world.claim_all().await);
    assert_eq!(claimed.len(), 60);
    let lanes: BTreeSet<_> = claimed.iter().map(|work| work.lease.conversation).collect();
    assert_eq!(lanes.len(), 60);
    assert!(claimed.iter().all(|work| words(work) == ["hola"]));
}

pub(super) async fn a_claim_takes_no_more_than_asked_and_the_longest_due_first(world: World) {
    let mut expected = Vec::new();
    for n in 0..5 {
        expected.push(world.hear(&format!("cliente {n}"), "hola").await);
        world.pass_ms(10);
    }
    let mut claimed = Vec::new();
    for max in [2, 0, 2, 2] {
        let works =
            world.store.claim(NODE, world.now(), LEASE_MS, Room::for_any(max)).await.unwrap();
        assert!(works.len() <= max);
        let mut ids: Vec<_> = works.iter().map(|work| work.lease.conversation).collect();
        ids.sort_by_key(|id| expected.iter().position(|one| one == id));
        claimed.extend(ids);
    }
    assert_eq!(claimed, expected);
}

/// Claims with room for eight lanes, and for so many of the world's own workspace.
async fn claimed_with(world: &World, of_own: usize) -> Vec<LaneWork> {
    let own = world.workspace();
    let of = Arc::new(move |workspace| if workspace == own { of_own } else { 8 });
    let room = Room { max: 8, of, after: WorkspaceId(Uuid::nil()) };
    world.store.claim(NODE, world.now(), LEASE_MS, room).await.expect("claimed")
}

pub(super) async fn lanes_without_room_stand_before_nobody_and_wait_in_order(world: World) {
    let mut own = Vec::new();
    for n in 0..20 {
        own.push(world.hear(&format!("cliente {n}"), "hola").await);
        world.pass_ms(1);
    }
    let other = world.add_channel("otra", "otra").await;
    accept_on(&world, &other, "buenas").await;
    let of =
        |works: &[LaneWork]| -> Vec<_> { works.iter().map(|w| w.lease.conversation).collect() };
    let first = claimed_with(&world, 2).await;
    let words_of_other: Vec<_> =
        first.iter().filter(|work| work.lease.workspace != world.workspace()).map(words).collect();
    assert_eq!(words_of_other, [["buenas"]], "behind twenty others, and claimed with the first");
    let mut taken: Vec<_> = of(&first).into_iter().filter(|id| own.contains(id)).collect();
    taken.sort_by_key(|id| own.iter().position(|one| one == id));
    assert_eq!(taken, own[..2]);
    assert!(claimed_with(&world, 0).await.is_empty());
    assert!(world.store.next_due().await.unwrap().is_some());
    // Lanes put aside are still claimed the longest due first, and no lane is lost.
    let mut at = 2;
    for room in [1, 3, 8, 8] {
        let works = claimed_with(&world, room).await;
        let mut ids = of(&works);
        ids.sort_by_key(|id| own.iter().position(|one| one == id));
        assert_eq!(ids, own[at..(at + room).min(20)], "with room for {room}");
        at += ids.len();
    }
    assert_eq!(at, 20);
}

pub(super) async fn a_lane_that_waits_for_room_is_due_again_when_it_is_given_up(world: World) {
    world.hear("ana", "hola").await;
    assert!(claimed_with(&world, 0).await.is_empty());
    world.hear("ana", "¿hola?").await;
    let work = one(claimed_with(&world, 8).await);
    assert_eq!(words(&work), ["hola", "¿hola?"]);
    assert!(world.commit(world.turn(&work)).await.is_none());
    assert_eq!(world.store.next_due().await.unwrap(), None);
    world.hear("ana", "otra vez").await;
    assert_eq!(words(&world.claim().await), ["otra vez"]);
}

/// A person who has the conversation writes to its customer.
async fn operator_says(world: &World, id: ConversationId, text: &str) {
    let (workspace, now) = (world.workspace(), world.now());
    world.store.take(workspace, id, "marta", now).await.expect("taken");
    let message = world.operators(text);
    world.store.say(workspace, id, "marta", message, false, now).await.expect("said");
    world.pass_ms(1);
}

pub(super) async fn an_operators_message_leads_the_queue_of_its_workspace_and_so_does_its_retry(
    world: World,
) {
    let idle = world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    let mut waiting = Vec::new();
    for n in 0..12 {
        waiting.push(world.hear(&format!("cliente {n}"), "hola").await);
        world.pass_ms(1);
    }
    assert!(claimed_with(&world, 0).await.is_empty());
    // Whether its customer waits in the queue or for nothing at all.
    operator_says(&world, waiting[9], "soy Marta").await;
    operator_says(&world, idle, "te llamo").await;
    assert!(claimed_with(&world, 0).await.is_empty(), "nobody else has less room for it");
    let next = async || one(claimed_with(&world, 1).await);
    for (id, text) in [(waiting[9], "soy Marta"), (idle, "te llamo")] {
        let work = next().await;
        let outbound = work.outbound.clone().expect("the message");
        assert_eq!((work.conversation.id, outbound.text.reveal().as_str()), (id, text));
        assert_eq!(world.may_send(work.lease, outbound.id).await, GO);
        let retry_at = Some(world.now().plus_ms(1_000));
        let later = SendOutcome::new(outbound.id, DeliveryStatus::Queued);
        // The customer's own message, noted meanwhile, is another reason to hold the lane.
        if let Some(next) = world.record_send(work.lease, SendOutcome { retry_at, ..later }).await {
            world.commit(world.turn(&next)).await;
        }
    }
    assert_eq!(next().await.conversation.id, waiting[0]);
    world.pass_ms(1_000);
    assert!(claimed_with(&world, 0).await.is_empty());
    for id in [waiting[9], idle, waiting[1]] {
        assert_eq!(next().await.conversation.id, id);
    }
}

pub(super) async fn a_held_lane_can_be_claimed_when_its_lease_ends_and_not_before(world: World) {
    world.hear("ana", "hola").await;
    let first = world.claim().await;
    assert_eq!(first.lease.until, world.now().plus_ms(LEASE_MS));
    world.pass_ms(LEASE_MS - 1);
    assert!(world.claim_all().await.is_empty());
    world.pass_ms(1);
    let second = world.claim().await;
    assert!(second.lease.fence > first.lease.fence);
    assert_eq!(words(&second), ["hola"]);
}

pub(super) async fn the_fence_rises_with_every_claim(world: World) {
    let mut fence = 0;
    for text in ["uno", "dos", "tres"] {
        world.hear("ana", text).await;
        let work = world.claim().await;
        assert!(work.lease.fence > fence);
        fence = work.lease.fence;
        assert!(world.commit(world.turn(&work)).await.is_none());
    }
}

pub(super) async fn a_message_that_comes_while_the_lane_is_held_is_its_holders(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    world.hear("ana", "dos").await;
    assert!(world.claim_all().await.is_empty(), "the lane is held");
    let next = world.commit(world.turn(&work)).await.expect("the second message");
    assert_eq!(words(&next), ["dos"]);
    assert_eq!(next.lease, work.lease);
    assert!(world.commit(world.turn(&next)).await.is_none());
}

pub(super) async fn a_release_finds_what_came_meanwhile(world: World) {
    // A lane that woke too early: the second message has made the quiet time begin anew.
    let bursty = bursty(&world, 2_000, 60_000);
    accept_on(&world, &bursty, "uno").await;
    world.pass_ms(1_000);
    accept_on(&world, &bursty, "dos").await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    assert!(words(&work).is_empty());

    world.hear("ana", "tres").await;
    let kept = world.store.release(work.lease, world.now()).await.unwrap();
    assert_eq!(words(&kept.expect("kept")), ["uno", "dos", "tres"]);
}

pub(super) async fn a_message_that_races_with_a_release_is_never_lost(world: World) {
    let other = world.another_node().await;
    world.hear("ana", "0").await;
    let mut work = world.claim().await;
    for n in 1..=25 {
        let arrival = vec![world.arrival("ana", &n.to_string(), &n.to_string())];
        let (next, accepted) = tokio::join!(
            world.store.commit(world.turn(&work)),
            other.accept(&world.channel, arrival, None, world.now())
        );
        accepted.unwrap();
        work = match next.unwrap() {
            Some(next) => next,
            None => world.claim().await,
        };
        assert_eq!(words(&work), [n.to_string()]);
    }
}

pub(super) async fn a_lane_without_work_is_due_again_with_the_next_message(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    assert!(world.commit(world.turn(&work)).await.is_none());
    assert!(world.claim_all().await.is_empty());
    world.hear("ana", "dos").await;
    assert_eq!(words(&world.claim().await), ["dos"]);
}

pub(super) async fn a_lane_handed_back_can_be_claimed_at_once_and_counts_no_crash(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.store.hand_back(work.lease, world.now()).await.unwrap();
    let again =
        one(world.store.claim(OTHER_NODE, world.now(), LEASE_MS, Room::for_any(9)).await.unwrap());
    assert_eq!(words(&again), ["hola"]);
    assert_eq!(again.attempts.crashed, 0);
    assert!(again.lease.fence > work.lease.fence);

    world.store.hand_back(again.lease, world.now().plus_ms(500)).await.unwrap();
    world.pass_ms(499);
    assert!(world.claim_all().await.is_empty(), "or when it is told");
    world.pass_ms(1);
    assert_eq!(words(&world.claim().await), ["hola"]);
}

pub(super) async fn the_next_due_time_is_that_of_the_soonest_lane(world: World) {
    assert_eq!(world.store.next_due().await.unwrap(), None);
    world.hear("ana", "hola").await;
    let arrived = world.now();
    assert_eq!(world.store.next_due().await.unwrap(), Some(arrived));
    world.pass_ms(5);
    assert_eq!(world.store.stats(world.now()).await.unwrap().lanes_due, 1);

    let work = world.claim().await;
    assert_eq!(world.store.stats(world.now()).await.unwrap().lanes_due, 0);
    assert_eq!(world.store.next_due().await.unwrap(), Some(work.lease.until));
    let turn = TurnCommit { arm: vec![world.timer("nudge", 3_600_000)], ..world.turn(&work) };
    world.commit(turn).await;
    let nudge = world.now().plus_ms(3_600_000);
    assert_eq!(world.store.next_due().await.unwrap(), Some(nudge));

    let theirs = world.add_channel("otra", "whatsapp").await;
    accept_on(&world, &theirs, "hola").await;
    assert_eq!(world.store.next_due().await.unwrap(), Some(world.now()));
}

pub(super) async fn a_holder_that_vanishes_is_counted_until_a_turn_commits(world: World) {
    world.hear("ana", "hola").await;
    assert_eq!(world.claim().await.attempts.crashed, 0);
    assert_eq!(world.claim_after_crash().await.attempts.crashed, 1);
    let work = world.claim_after_crash().await;
    assert_eq!(work.attempts.crashed, 2);
    assert!(world.commit(world.turn(&work)).await.is_none());
    world.hear("ana", "otra vez").await;
    assert_eq!(world.claim().await.attempts.crashed, 0);
}

pub(super) async fn messages_that_come_close_together_are_merged(world: World) {
    let bursty = bursty(&world, 2_000, 60_000);
    accept_on(&world, &bursty, "uno").await;
    world.pass_ms(1_500);
    accept_on(&world, &bursty, "dos").await;
    world.pass_ms(1_999);
    assert!(world.ready().await.is_empty(), "not yet quiet for long enough");
    world.pass_ms(1);
    assert_eq!(words(&ready(&world).await), ["uno", "dos"]);
}

pub(super) async fn merging_ends_at_the_cap_after_the_first_message(world: World) {
    let bursty = bursty(&world, 2_000, 5_000);
    for text in ["0", "1500", "3000", "4500"] {
        accept_on(&world, &bursty, text).await;
        world.pass_ms(1_500);
        if text == "3000" {
            assert!(world.ready().await.is_empty());
        }
    }
    // Now 6,000 ms: due since 5,000, although the last message came at 4,500.
    let work = ready(&world).await;
    assert_eq!(words(&work), ["0", "1500", "3000", "4500"]);
    assert!(world.commit(world.turn(&work)).await.is_none());

    // The next burst has a cap of its own.
    accept_on(&world, &bursty, "nuevo").await;
    world.pass_ms(1_999);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1);
    assert_eq!(words(&ready(&world).await), ["nuevo"]);
}

pub(super) async fn a_cap_shorter_than_the_quiet_time_still_caps(world: World) {
    let bursty = bursty(&world, 2_000, 500);
    accept_on(&world, &bursty, "hola").await;
    world.pass_ms(499);
    assert!(world.ready().await.is_empty());
    world.pass_ms(1);
    assert_eq!(words(&ready(&world).await), ["hola"]);
}

fn bursty(world: &World, quiet_ms: i64, cap_ms: i64) -> Channel {
    let burst = Burst { quiet_ms, cap_ms, ..Burst::default() };
    Channel { burst, ..world.channel.clone() }
}

async fn accept_on(world: &World, channel: &Channel, text: &str) {
    let arrival = vec![world.arrival("ana", text, text)];
    world.store.accept(channel, arrival, None, world.now()).await.unwrap();
}

async fn ready(world: &World) -> LaneWork {
    one(world.ready().await)
}
