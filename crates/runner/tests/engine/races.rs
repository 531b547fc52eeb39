//! Several nodes: a conversation has one holder, and one who is no longer it does nothing.

use std::sync::Arc;
use std::time::Duration;

use domain::{Burst, Role};
use serde_json::json;

use crate::kit::{Clerk, Gate, Gated, LEASE_MS, On, OutsideScript, World};

on_both_stores![
    two_nodes_racing_answer_every_message_once_and_in_order,
    a_holder_past_its_lease_commits_and_sends_nothing,
    a_holder_past_its_lease_records_nothing_of_its_successors_turn,
    a_lease_that_ends_after_the_commit_leaves_the_reply_to_the_successor,
    a_lease_that_ends_between_intent_and_call_leaves_the_call_to_the_successor,
    a_lease_that_ends_between_intent_and_send_sends_nothing,
    a_lease_that_ends_with_nobody_to_succeed_is_renewed_and_nothing_is_done_again,
    a_holder_past_its_lease_sends_nothing_after_a_takeover,
    a_turn_longer_than_its_lease_stays_with_its_holder_while_that_is_alive,
];

async fn two_nodes_racing_answer_every_message_once_and_in_order(on: On) {
    const CUSTOMERS: u32 = 20;
    let few = Burst { max_messages: 2, ..Burst::default() };
    let world = World::new(on).await.with_burst(few);
    let (one, other) = (world.node(), world.distant_node().await);
    let customers: Vec<_> = (0..CUSTOMERS).map(|number| format!("cliente {number}")).collect();
    let mut expected = Vec::new();
    for round in 0..3 {
        let texts: Vec<_> = (0..5).map(|number| format!("{round}.{number}")).collect();
        expected.extend(texts.clone());
        let mut messages = Vec::new();
        for text in &texts {
            let to_all = |from: &String| world.inbound(from, &format!("{from}/{text}"), text);
            messages.extend(customers.iter().map(to_all));
        }
        // Intake, its duplicate and both nodes at once.
        let take_in = async {
            let first = world.take_in(messages.clone());
            let second = world.take_in(messages.clone());
            let (first, second) = tokio::join!(first, second);
            assert_eq!(first.new + second.new, messages.len());
        };
        let (_, first, second) =
            tokio::join!(take_in, one.run_until_idle(), other.run_until_idle());
        first.and(second).expect("worked");
        let (first, second) = tokio::join!(one.run_until_idle(), other.run_until_idle());
        first.and(second).expect("worked");
    }
    for from in &customers {
        assert_eq!(world.said_by(Role::User, from).await, expected, "{from}");
        // `#3 1.0 1.1` without its number: every word once, in order, and numbers without gaps.
        let sent = world.phone.sent_to(from);
        let words = sent.iter().flat_map(|text| text.split(' ').skip(1));
        assert_eq!(words.collect::<Vec<_>>(), expected, "{from}");
        for (number, text) in (1..).zip(&sent) {
            assert!(text.starts_with(&format!("#{number} ")), "{from}: {sent:?}");
        }
    }
    world.assert_at_rest().await;
    assert_eq!((one.busy(), other.busy()), (0, 0));
}

/// Runs one node into the gate, lets its lease end, lets another answer, then opens the gate.
async fn overtaken(world: &World, gate: &Gate) {
    let first = world.node();
    let second = world.distant_node().await;
    let meanwhile = async {
        gate.reached().await;
        assert_eq!(first.busy(), 1);
        world.pass_ms(LEASE_MS - 1);
        second.run_until_idle().await.expect("worked");
        assert!(world.phone.tried().is_empty(), "a lease was broken before its end");
        world.pass_ms(1);
        second.run_until_idle().await.expect("worked");
        gate.open();
    };
    let (worked, ()) = tokio::join!(first.run_until_idle(), meanwhile);
    worked.expect("worked");
    assert_eq!((first.busy(), second.busy()), (0, 0));
}

async fn a_holder_past_its_lease_commits_and_sends_nothing(on: On) {
    let gate = Gate::closed_for(1);
    let agent = Gated { gate: gate.clone(), calls: vec![("turno.tomar", json!({"fila": "caja"}))] };
    let world = World::new(on).await.with_agent(agent);
    world.hear("ana", "hola").await;
    overtaken(&world, &gate).await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert_eq!(world.transcript("ana").await, ["user: hola", "assistant: #1 hola"]);
    world.assert_at_rest().await;
}

async fn a_holder_past_its_lease_records_nothing_of_its_successors_turn(on: On) {
    let gates = [Gate::closed_for(1), Gate::closed_for(1)];
    let world = World::new(on).await;
    let calls = |tool| vec![(tool, json!({"fila": "caja"}))];
    let world = world.with_agent(Gated { gate: gates[0].clone(), calls: calls("turno.tomar") });
    let first = world.node();
    let world = world.with_agent(Gated { gate: gates[1].clone(), calls: vec![] });
    let second = world.distant_node().await;
    world.hear("ana", "hola").await;
    let second_comes = async {
        gates[0].reached().await;
        world.pass_ms(LEASE_MS);
        let first_goes_on = async {
            gates[1].reached().await;
            gates[0].open();
            while first.busy() > 0 {
                tokio::task::yield_now().await;
            }
            // Neither its step nor its turn counts: the message is still the second one's.
            assert!(world.transcript("ana").await.is_empty(), "the first node committed");
            gates[1].open();
        };
        tokio::join!(second.run_until_idle(), first_goes_on).0.expect("worked");
    };
    tokio::join!(first.run_until_idle(), second_comes).0.expect("worked");
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert_eq!(world.transcript("ana").await, ["user: hola", "assistant: #1 hola"]);
    world.assert_at_rest().await;

    let world = world.with_agent(Clerk::calling(&calls("turno.tomar")));
    world.hear("ana", "un turno").await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["turno.tomar=1"], "the first node took no number");
}

/// Runs one node until it has passed a point, lets its lease end and another node come, and then lets
/// it go on.
async fn overtaken_at(world: &World, point: &str) {
    let gate = world.faults.wait_at(point);
    let (paused, other) = (world.node(), world.distant_node().await);
    let meanwhile = async {
        gate.reached().await;
        world.pass_ms(LEASE_MS);
        other.run_until_idle().await.expect("worked");
        gate.open();
    };
    tokio::join!(paused.run_until_idle(), meanwhile).0.expect("worked");
    assert_eq!((paused.busy(), other.busy()), (0, 0));
}

async fn a_lease_that_ends_after_the_commit_leaves_the_reply_to_the_successor(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    overtaken_at(&world, "turn.commit:after").await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert!(world.to_reconcile().await.is_empty(), "nobody had begun to send it");
    world.assert_at_rest().await;
}

fn notifying(world: World, idempotent: bool) -> (World, OutsideScript) {
    let mut world = world.with_agent(Clerk::calling(&[("avisar", json!({"a": "hola"}))]));
    let tool = OutsideScript::new("avisar", idempotent, &world.faults);
    world.add_tool(tool.clone());
    (world, tool)
}

async fn a_lease_that_ends_between_intent_and_call_leaves_the_call_to_the_successor(on: On) {
    for (idempotent, reply, calls) in [(true, "avisar=ok", 1), (false, "avisar=unknown", 0)] {
        let (world, tool) = notifying(World::new(on).await, idempotent);
        world.hear("ana", "hola").await;
        overtaken_at(&world, "step.intent:after").await;
        assert_eq!(world.phone.tried(), [reply]);
        assert_eq!(tool.calls().len(), calls, "only the successor calls, and only if it may");
        assert_eq!(world.to_reconcile().await.len(), 1 - calls);
        world.assert_at_rest().await;
    }
}

async fn a_lease_that_ends_between_intent_and_send_sends_nothing(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    overtaken_at(&world, "outbox.intend:after").await;
    assert!(world.phone.tried().is_empty());
    let listed = world.to_reconcile().await;
    assert_eq!(listed.len(), 1, "its successor cannot know that it was not sent");
    assert_eq!(listed[0].what.reveal(), "#1 hola");

    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#2 ¿hola?"]);
    world.assert_at_rest().await;
}

async fn a_lease_that_ends_with_nobody_to_succeed_is_renewed_and_nothing_is_done_again(on: On) {
    let points = ["lane.claim", "step.intent", "step.outcome", "turn.commit", "outbox.intend"];
    let first = World::new(on).await;
    for point in points {
        let (world, tool) = notifying(first.beside(point).await, false);
        world.hear("ana", "hola").await;
        let clock = world.clock.clone();
        world.faults.act_at(&format!("{point}:after"), move || clock.advance_ms(LEASE_MS * 2));
        world.run().await;
        assert_eq!(world.phone.tried(), ["avisar=ok"], "{point}");
        assert_eq!(tool.calls().len(), 1, "{point}");
        assert!(world.to_reconcile().await.is_empty(), "{point}");
        world.assert_at_rest().await;
    }
}

async fn a_holder_past_its_lease_sends_nothing_after_a_takeover(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    let gate = world.faults.wait_at("outbox.intend:after");
    let paused = world.node();
    let meanwhile = async {
        gate.reached().await;
        assert!(world.try_take("ana", "marta").await.is_err(), "it may be on its way");
        world.pass_ms(LEASE_MS);
        world.try_take("ana", "marta").await.expect("taken");
        gate.open();
        while paused.busy() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(world.phone.tried().is_empty());
    };
    tokio::join!(paused.run_until_idle(), meanwhile).0.expect("worked");
    assert!(world.phone.tried().is_empty());
    assert_eq!(world.to_reconcile().await.len(), 1, "nobody knows that it was not sent");
    world.assert_at_rest().await;
}

async fn a_turn_longer_than_its_lease_stays_with_its_holder_while_that_is_alive(on: On) {
    let gate = Gate::closed_for(1);
    let mut world = World::new(on).await.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.settings.lease_ms = 30;
    world.hear("ana", "hola").await;
    let (holder, other) = (world.node(), world.distant_node().await);
    let running = tokio::spawn(Arc::clone(&holder).run(Duration::from_secs(60)));
    gate.reached().await;
    for _ in 0..4 {
        let renewed = world.faults.wait_at("lane.heartbeat:after");
        renewed.reached().await;
        renewed.open();
        world.pass_ms(20);
        other.run_until_idle().await.expect("worked");
        assert_eq!(holder.busy(), 1);
    }
    let sent = world.faults.wait_at("outbox.record:after");
    gate.open();
    sent.reached().await;
    sent.open();
    holder.stop();
    running.await.expect("stopped in order");
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert_eq!(world.transcript("ana").await, ["user: hola", "assistant: #1 hola"]);
}
