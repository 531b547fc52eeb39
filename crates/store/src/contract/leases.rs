//! Losing a lane: from the next claim on, its old holder can neither write nor send.

use domain::{Handoff, StepStatus, Trigger};
use serde_json::{Value, json};

use super::doing::{deed, take_number};
use super::ledger::{call, charged};
use super::world::{LEASE_MS, NODE, OTHER_NODE, WINDOW, World, one, words};
use crate::{AttentionFilter, LaneWork, Lease, Room, StoreError, TurnCommit};

pub(super) async fn a_holder_that_lost_its_lane_cannot_commit(world: World) {
    let (old, new) = lost_lane(&world).await;
    let turn = TurnCommit {
        outbound: vec![world.message("tarde")],
        arm: vec![world.timer("nudge", 0)],
        handoff: Some((world.id(), Handoff::new(Trigger::Rule, "tarde"))),
        ..world.turn(&old)
    };
    assert_eq!(world.store.commit(turn).await.unwrap_err(), StoreError::LaneLost);
    nothing_changed(&world, &new).await;
}

pub(super) async fn a_holder_that_lost_its_lane_cannot_count_a_failure(world: World) {
    let (old, new) = lost_lane(&world).await;
    let retry_at = world.now().plus_ms(60_000);
    let failed = world.store.fail(old.lease, "tarde", retry_at, world.now()).await;
    assert_eq!(failed.unwrap_err(), StoreError::LaneLost);
    let alone = world.store.try_alone(old.lease, true).await;
    assert_eq!(alone.unwrap_err(), StoreError::LaneLost);
    nothing_changed(&world, &new).await;
}

pub(super) async fn a_holder_that_lost_its_lane_cannot_give_it_up(world: World) {
    let (old, new) = lost_lane(&world).await;
    let released = world.store.release(old.lease, world.now()).await;
    assert_eq!(released.unwrap_err(), StoreError::LaneLost);
    let handed_back = world.store.hand_back(old.lease, world.now()).await;
    assert_eq!(handed_back.unwrap_err(), StoreError::LaneLost);
    assert!(world.claim_all().await.is_empty(), "the new holder keeps it");
    nothing_changed(&world, &new).await;
}

pub(super) async fn a_holder_that_lost_its_lane_cannot_record_steps(world: World) {
    world.hear("ana", "hola").await;
    let old = world.claim().await;
    let pay = world.intent(&old, "pago.cobrar", 0);
    world.store.intend(&pay, world.now()).await.unwrap();
    let new = world.claim_after_crash().await;

    let late = world.intent(&old, "pago.cobrar", 1);
    let intended = world.store.intend(&late, world.now()).await;
    assert_eq!(intended.unwrap_err(), StoreError::LaneLost);
    let outcome = world.store.record_outcome(&pay, StepStatus::Done, &Value::Null, world.now());
    assert_eq!(outcome.await.unwrap_err(), StoreError::LaneLost);
    let never = deed!(|_records| panic!("a deed was run for a lane that is lost"));
    for deed in [take_number("caja"), never] {
        let late = world.store.record_local(&late, deed, world.now()).await;
        assert_eq!(late.unwrap_err(), StoreError::LaneLost);
    }
    let (paid, nothing) = (charged(&world, &old, vec![call(1, "answered", 5)]), Value::Null);
    let answer =
        world.store.record_answer(&late, StepStatus::Done, &nothing, &paid, world.now()).await;
    assert_eq!(answer.unwrap_err(), StoreError::LaneLost);
    let (turn, epoch) = (late.turn.turn, old.conversation.epoch);
    let draft = world.store.put_draft(old.lease, turn, epoch, "Buenas", world.now()).await;
    assert_eq!(draft.unwrap_err(), StoreError::LaneLost);
    let (workspace, id) = (world.workspace(), old.conversation.id);
    assert!(world.store.ledger(workspace, id, 9).await.unwrap().is_empty());
    assert_eq!(world.store.draft(workspace, id).await.unwrap(), None);
    nothing_changed(&world, &new).await;

    let own = world.intent(&new, "turno.tomar", 0);
    let step = world.store.record_local(&own, take_number("caja"), world.now()).await.unwrap();
    assert_eq!(step.output, json!({ "number": 1 }), "the late call took no number");
}

pub(super) async fn a_holder_that_lost_its_lane_cannot_begin_to_send(world: World) {
    let (old, id) = world.reply_waiting("ana", "buenas").await;
    let new = world.claim_after_crash().await;
    let intended = world
        .store
        .intend_send(old.lease, id, &old.conversation.address, WINDOW, world.now())
        .await;
    assert_eq!(intended.unwrap_err(), StoreError::LaneLost);
    nothing_changed(&world, &new).await;
}

pub(super) async fn a_heartbeat_extends_the_lease(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.pass_ms(LEASE_MS - 1);
    assert!(beat(&world, vec![work.lease]).await.is_empty());
    world.pass_ms(LEASE_MS - 1);
    assert!(world.claim_all().await.is_empty(), "the lease was extended");
    world.pass_ms(1);
    assert_eq!(words(&world.claim().await), ["hola"]);
}

pub(super) async fn a_late_heartbeat_saves_a_lane_that_nobody_took(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.pass_ms(LEASE_MS * 3);
    assert!(beat(&world, vec![work.lease]).await.is_empty());
    assert!(world.claim_all().await.is_empty());
    assert!(world.commit(world.turn(&work)).await.is_none());
}

pub(super) async fn a_heartbeat_tells_which_lanes_are_lost(world: World) {
    world.hear("ana", "hola").await;
    let lost = world.claim().await.lease;
    let taken = world.claim_after_crash().await.lease;
    world.hear("luis", "hola").await;
    let kept = world.claim().await.lease;
    assert_eq!(beat(&world, vec![lost, kept]).await, [lost]);
    // The fence is right, but the lane is another node's.
    assert_eq!(beat(&world, vec![taken]).await, [taken]);
    // The lane is this node's again, but under another fence.
    world.pass_ms(LEASE_MS);
    let again = world.claim_all().await;
    assert_eq!(again.len(), 2);
    assert_eq!(beat(&world, vec![lost, kept]).await, [lost, kept]);
    let of_kept = again.iter().find(|work| work.lease.conversation == kept.conversation);
    let kept = of_kept.expect("claimed anew").lease;

    world.pass_ms(LEASE_MS - 1);
    assert_eq!(beat(&world, vec![kept]).await, []);
    world.pass_ms(1);
    let due = one(world.claim_all().await).lease;
    assert_eq!(due.conversation, lost.conversation, "only the other lane is due");
}

pub(super) async fn however_many_leases_there_are_all_are_renewed(world: World) {
    for customer in 0..70 {
        world.hear(&format!("cliente {customer}"), "hola").await;
    }
    let claim = async |node| {
        let room = Room::for_any(100);
        world.store.claim(node, world.now(), LEASE_MS, room).await.unwrap()
    };
    let mut leases: Vec<Lease> = claim(NODE).await.iter().map(|work| work.lease).collect();
    assert_eq!(leases.len(), 70);
    leases[40].fence += 1;
    world.pass_ms(LEASE_MS - 1);
    assert_eq!(beat(&world, leases.clone()).await, [leases[40]]);
    world.pass_ms(LEASE_MS - 1);
    let due = one(claim(OTHER_NODE).await).lease;
    assert_eq!(due.conversation, leases[40].conversation, "all others were renewed");
}

async fn beat(world: &World, leases: Vec<Lease>) -> Vec<Lease> {
    let until = world.now().plus_ms(LEASE_MS);
    world.store.heartbeat(NODE, leases, until).await.unwrap()
}

/// A lane with one message whose first holder was paused until another node took the lane.
async fn lost_lane(world: &World) -> (LaneWork, LaneWork) {
    world.hear("ana", "hola").await;
    let old = world.claim().await;
    let new = world.claim_after_crash().await;
    (old, new)
}

/// Asserts that the holder still finds the work it claimed.
async fn nothing_changed(world: &World, holders: &LaneWork) {
    let (workspace, id) = (world.workspace(), holders.conversation.id);
    assert!(world.store.timers(workspace, id).await.unwrap().is_empty());
    assert!(
        world
            .store
            .reconcile_items(workspace, &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
    let until = world.now().plus_ms(LEASE_MS);
    let lost = world.store.heartbeat(OTHER_NODE, vec![holders.lease], until).await.unwrap();
    assert!(lost.is_empty());

    let found = world.store.release(holders.lease, world.now()).await.unwrap();
    let found = found.expect("the lane still has its work");
    assert_eq!(found.lease.fence, holders.lease.fence);
    assert_eq!(found.conversation, holders.conversation);
    assert_eq!(found.session, holders.session);
    assert_eq!(found.events, holders.events);
    assert_eq!(found.outbound, holders.outbound);
    assert_eq!(found.open_turn, holders.open_turn);
    assert_eq!(found.steps, holders.steps);
    assert_eq!(found.attempts, holders.attempts);
}
