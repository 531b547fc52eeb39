//! A lane that is taken by the commit that makes it due.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::{Burst, Channel, NodeId, WorkspaceId};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::world::{LEASE_MS, NODE, OTHER_NODE, World, one, words};
use crate::{Arrival, Claim, Room, StoreError, Stored};

pub(super) async fn an_idle_lane_is_taken_by_the_commit_that_makes_it_due(world: World) {
    let stored =
        taken_in(&world, &world.channel, vec![world.arrival("ana", "m1", "hola")], 8).await;
    assert!(!one(stored.accepted).duplicate);
    let work = one(stored.claimed);
    assert_eq!(words(&work), ["hola"]);
    assert_eq!(work.lease.until, world.now().plus_ms(LEASE_MS));
    assert!(world.claim_all().await.is_empty(), "it is held");
    assert!(world.commit(world.turn(&work)).await.is_none());
    let stored = taken_in(&world, &world.channel, vec![world.arrival("ana", "m2", "¿y?")], 8).await;
    let again = one(stored.claimed);
    assert_eq!((again.lease.fence, again.attempts.crashed), (work.lease.fence + 1, 0));
    let late = world.store.release(work.lease, world.now()).await;
    assert!(matches!(late, Err(StoreError::LaneLost)), "its holder had given it up: {late:?}");
}

pub(super) async fn a_lane_that_is_held_is_left_to_its_holder(world: World) {
    let stored = taken_in(&world, &world.channel, vec![world.arrival("ana", "m1", "uno")], 8).await;
    let work = one(stored.claimed);
    let stored = taken_in(&world, &world.channel, vec![world.arrival("ana", "m2", "dos")], 8).await;
    assert!(stored.claimed.is_empty());
    let copy = taken_in(&world, &world.channel, vec![world.arrival("ana", "m2", "dos")], 8).await;
    assert!(copy.claimed.is_empty() && one(copy.accepted).duplicate);
    let next = world.commit(world.turn(&work)).await.expect("what came meanwhile");
    assert_eq!(words(&next), ["dos"]);
}

pub(super) async fn an_arrival_is_its_holders_though_the_holder_read_the_clock_before(
    world: World,
) {
    let stored = taken_in(&world, &world.channel, vec![world.arrival("ana", "m1", "uno")], 8).await;
    let turn = world.turn(&one(stored.claimed));
    world.pass_ms(5);
    let stored = taken_in(&world, &world.channel, vec![world.arrival("ana", "m2", "dos")], 8).await;
    assert!(stored.claimed.is_empty(), "it is held");
    let next = world.commit(turn).await.expect("what came meanwhile");
    assert_eq!(words(&next), ["dos"]);
}

pub(super) async fn no_more_lanes_are_taken_than_there_is_room_for(world: World) {
    let from = |name: &str| world.arrival(name, name, name);
    let arrivals = vec![from("ana"), from("luis"), from("eva")];
    let stored = taken_in(&world, &world.channel, arrivals, 2).await;
    assert_eq!((stored.accepted.len(), stored.claimed.len()), (3, 2));
    let none = Room { max: 8, of: Arc::new(|_| 0), after: WorkspaceId(Uuid::nil()) };
    let none = world.store.claim(NODE, world.now(), LEASE_MS, none).await.unwrap();
    assert!(none.is_empty(), "it waits for its own workspace's room");
    let left = world.claim().await;
    let all = stored.claimed.iter().chain([&left]).map(|work| words(work)[0]);
    assert_eq!(all.collect::<BTreeSet<_>>(), BTreeSet::from(["ana", "eva", "luis"]));
}

pub(super) async fn a_lane_whose_time_has_not_come_is_not_taken(world: World) {
    let burst = Burst { quiet_ms: 1_000, cap_ms: 5_000, ..Burst::default() };
    let bursty = Channel { burst, ..world.channel.clone() };
    let stored = taken_in(&world, &bursty, vec![world.arrival("ana", "m1", "hola")], 8).await;
    assert!(stored.claimed.is_empty(), "more may come");
    world.pass_ms(1_000);
    let work = one(world.ready().await);
    let retry_at = world.now().plus_ms(3_000);
    world.store.fail(work.lease, "no model", retry_at, world.now()).await.unwrap();
    let stored = taken_in(&world, &world.channel, vec![world.arrival("ana", "m2", "¿y?")], 8).await;
    assert!(stored.claimed.is_empty(), "a failed turn waits, whatever arrives");
    world.pass_ms(3_000);
    assert_eq!(words(&one(world.ready().await)), ["hola", "¿y?"]);
}

pub(super) async fn of_many_who_take_one_lane_at_once_one_has_it(world: World) {
    let nodes = [(Arc::clone(&world.store), NODE), (world.another_node().await, OTHER_NODE)];
    for round in 0..5 {
        let mut racing = JoinSet::new();
        for number in 0..12 {
            let (store, node) = nodes[number % 2].clone();
            let arrival = world.arrival("ana", &format!("{round}/{number}"), "hola");
            let (channel, now, claim) =
                (world.channel.clone(), world.now(), claim(&world, node, 8));
            racing.spawn(async move {
                store.accept(&channel, vec![arrival], Some(claim), now).await.unwrap()
            });
        }
        let claimed = racing.join_all().await.into_iter().flat_map(|stored| stored.claimed);
        let mut work = Some(one(claimed.collect()));
        let mut heard = 0;
        while let Some(held) = work {
            heard += held.events.len();
            work = world.commit(world.turn(&held)).await;
        }
        assert_eq!(heard, 12, "round {round}");
    }
}

fn claim(world: &World, node: NodeId, max: usize) -> Claim {
    Claim { node, until: world.now().plus_ms(LEASE_MS), max }
}

async fn taken_in(world: &World, channel: &Channel, arrivals: Vec<Arrival>, max: usize) -> Stored {
    let claim = Some(claim(world, NODE, max));
    world.store.accept(channel, arrivals, claim, world.now()).await.expect("accepted")
}
