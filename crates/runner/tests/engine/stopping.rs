//! Stopping: the turn under way is finished, the rest is handed to others at once.

use std::sync::Arc;
use std::time::Duration;

use domain::Burst;

use crate::kit::{Gate, Gated, On, World};

on_both_stores![
    a_node_that_is_stopped_finishes_its_turn_and_hands_its_lanes_back,
    a_running_node_answers_what_comes_and_stops_when_idle,
    a_message_whose_bringer_hangs_up_is_answered_all_the_same,
];

const DRAIN: Duration = Duration::from_secs(60);

async fn a_node_that_is_stopped_finishes_its_turn_and_hands_its_lanes_back(on: On) {
    let gate = Gate::closed_for(1);
    let one_at_a_time = Burst { max_messages: 1, ..Burst::default() };
    let world = World::new(on).await.with_burst(one_at_a_time);
    let world = world.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.hear("ana", "uno").await;
    world.hear("ana", "dos").await;
    let node = world.node();
    let running = tokio::spawn(Arc::clone(&node).run(DRAIN));
    gate.reached().await;
    assert_eq!(node.busy(), 1);
    node.stop();
    gate.open();
    running.await.expect("stopped in order");
    assert_eq!(node.busy(), 0);
    assert_eq!(world.transcript("ana").await, ["user: uno", "assistant: #1 uno"]);

    // No lease has to run out: another node goes on in the same instant.
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 uno", "#2 dos"]);
    world.assert_at_rest().await;
}

async fn a_running_node_answers_what_comes_and_stops_when_idle(on: On) {
    let world = World::new(on).await;
    let node = world.node();
    let running = tokio::spawn(Arc::clone(&node).run(DRAIN));
    let recorded = world.faults.wait_at("outbox.record:after");
    world.hear("ana", "hola").await;
    recorded.reached().await;
    recorded.open();
    node.stop();
    running.await.expect("stopped in order");
    assert_eq!(world.phone.sent(), ["#1 hola"]);
    assert_eq!(node.busy(), 0);
    world.run().await;
    world.assert_at_rest().await;
}

async fn a_message_whose_bringer_hangs_up_is_answered_all_the_same(on: On) {
    let world = World::new(on).await;
    let node = world.node();
    let running = tokio::spawn(Arc::clone(&node).run(DRAIN));
    world.hear("luis", "hola").await;
    while world.phone.sent().is_empty() || node.busy() > 0 {
        tokio::task::yield_now().await;
    }
    let stored = world.faults.wait_at("inbox.accept:after");
    let (bringer, channel) = (Arc::clone(&node), world.channel.id.clone());
    let message = world.inbound("ana", "wamid.9", "hola");
    let bringing =
        tokio::spawn(async move { bringer.intake().ingest(&channel, vec![message]).await });
    stored.reached().await;
    bringing.abort();
    assert!(bringing.await.is_err_and(|ended| ended.is_cancelled()));
    let recorded = world.faults.wait_at("outbox.record:after");
    stored.open();
    // Nothing moves the clock: a lane that was taken for nobody would never be answered.
    recorded.reached().await;
    recorded.open();
    node.stop();
    running.await.expect("stopped in order");
    assert_eq!(world.phone.sent(), ["#1 hola", "#1 hola"]);
    world.assert_at_rest().await;
}
