//! Timers that fire: once, when they are due, however late a node gets to them.

use domain::Role;

use crate::kit::{Gate, Gated, LEASE_MS, On, World};

on_both_stores![
    a_timer_fires_once_when_it_is_due_and_not_before,
    a_timer_armed_again_replaces_the_one_before,
    a_timer_survives_its_node,
    a_timer_that_is_due_in_a_long_outage_fires_once_afterwards,
    a_node_that_dies_firing_a_timer_leaves_it_to_the_next,
    timers_and_messages_are_handled_in_the_order_they_came_due,
    a_timer_armed_in_the_turn_that_opens_its_session_belongs_to_it,
];

async fn armed(world: &World) -> usize {
    let id = world.id_of("ana").await;
    world.store.timers(world.channel.workspace, id).await.unwrap().len()
}

async fn a_timer_fires_once_when_it_is_due_and_not_before(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso silence 60000").await;
    world.run().await;
    assert_eq!((world.phone.sent().len(), armed(&world).await), (1, 1));
    world.pass_ms(59_999);
    world.run().await;
    assert_eq!(world.phone.sent().len(), 1, "fired early");
    world.pass_ms(1);
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["timer aviso"]);
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent().len(), 2, "fired twice");
    assert_eq!(world.said_by(Role::System, "ana").await, ["timer: aviso"]);
    assert_eq!(armed(&world).await, 0);
    world.assert_at_rest().await;
}

async fn a_timer_armed_again_replaces_the_one_before(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso always 60000").await;
    world.run().await;
    world.pass_ms(30_000);
    world.hear("ana", "/arm aviso always 60000").await;
    world.run().await;
    assert_eq!(armed(&world).await, 1);
    world.run_for_ms(59_999).await;
    assert_eq!(world.phone.sent().len(), 2, "the replaced timer fired");
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent()[2..], ["timer aviso"]);
}

async fn a_timer_survives_its_node(on: On) {
    let world = World::new(on).await;
    let first = world.node();
    world.hear("ana", "/arm aviso always 60000").await;
    first.run_until_idle().await.expect("worked");
    drop(first);
    world.pass_ms(60_000);
    let second = world.distant_node().await;
    second.run_until_idle().await.expect("worked");
    assert_eq!(world.phone.sent(), ["#1 /arm aviso always 60000", "timer aviso"]);
    world.assert_at_rest().await;
}

async fn a_timer_that_is_due_in_a_long_outage_fires_once_afterwards(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso silence 60000").await;
    world.hear("beto", "/arm cita always 90000").await;
    world.run().await;
    // Nobody is there for six hours.
    world.pass_ms(6 * 60 * 60 * 1000);
    let (one, other) = (world.node(), world.distant_node().await);
    let (first, second) = tokio::join!(one.run_until_idle(), other.run_until_idle());
    first.and(second).expect("worked");
    world.run().await;
    assert_eq!(world.phone.sent_to("ana")[1..], ["timer aviso"]);
    assert_eq!(world.phone.sent_to("beto")[1..], ["timer cita"]);
    world.assert_at_rest().await;
}

async fn a_node_that_dies_firing_a_timer_leaves_it_to_the_next(on: On) {
    for hit in ["turn.commit:before", "turn.commit:after"] {
        let world = World::new(on).await;
        world.hear("ana", "/arm aviso always 60000").await;
        world.run().await;
        world.pass_ms(60_000);
        world.faults.crash_at(hit);
        assert!(world.faults.until_crash(world.run()).await);
        world.pass_ms(LEASE_MS);
        world.run().await;
        assert_eq!(world.phone.sent()[1..], ["timer aviso"], "{hit}");
        world.assert_at_rest().await;
    }
}

async fn timers_and_messages_are_handled_in_the_order_they_came_due(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm dos always 2000").await;
    world.hear("ana", "/arm uno always 1000").await;
    world.run().await;
    world.pass_ms(1_500);
    world.hear("ana", "hola").await;
    world.pass_ms(5_000);
    world.run().await;
    // Reminders wait behind replies, so the order is seen in the record.
    let transcript = world.transcript("ana").await;
    let order: Vec<_> = transcript.iter().skip(3).filter(|line| !line.starts_with("a")).collect();
    assert_eq!(order, ["system: timer: uno", "user: hola", "system: timer: dos"]);
    assert_eq!(world.phone.sent().len(), 4);
    world.assert_at_rest().await;
}

async fn a_timer_armed_in_the_turn_that_opens_its_session_belongs_to_it(on: On) {
    let gate = Gate::closed_for(1);
    let world = World::new(on).await.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.hear("ana", "/arm aviso always 1000").await;
    let meanwhile = async {
        gate.reached().await;
        world.pass_ms(5);
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    world.run_for_ms(2_000).await;
    assert_eq!(world.phone.sent()[1..], ["timer aviso"]);
    world.assert_at_rest().await;
}
