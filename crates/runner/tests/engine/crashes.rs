//! A node dies at every point of a turn, and another one finishes it.

use domain::Role;
use store::ReconcileKind;

use crate::kit::{Answer, Gate, Gated, LEASE_MS, On, Shop, World};

on_both_stores![
    wherever_a_node_dies_another_finishes_what_it_began,
    a_node_that_dies_while_sending_leaves_the_rest_of_the_outbox_to_go_out,
    a_message_whose_holders_vanish_three_times_is_set_aside,
    crashes_while_sending_do_not_count_against_the_next_message,
];

async fn wherever_a_node_dies_another_finishes_what_it_began(on: On) {
    let first = World::new(on).await;
    let hits = Shop::hits_of_a_turn(&first).await;
    for (number, hit) in hits.iter().enumerate() {
        let beside = first.beside(&format!("muere {number}")).await;
        let Shop { world, notify, charge } = Shop::within(beside);
        // A turn before it, so that nothing of an earlier turn is taken for this one's.
        world.hear("ana", "buenas").await;
        world.run().await;
        let (notified, charged) = (notify.calls().len(), charge.calls().len());
        assert_eq!((notified, charged, world.phone.sent().len()), (1, 1, 1));
        world.hear("ana", "hola").await;
        world.faults.crash_at_hit(number);
        let crashed = world.faults.until_crash(world.run()).await;
        assert!(crashed, "{hit}");
        world.run().await;
        let before_the_lease_ends = world.phone.sent().len();
        world.pass_ms(LEASE_MS);
        world.run().await;

        // Which calls and sends nobody can know the outcome of.
        let of_second_call = |name: &str| {
            let first = hits.iter().position(|hit| hit == name).expect("the first call");
            first + 1 + hits[first + 1..].iter().position(|hit| hit == name).expect("the second")
        };
        let charging = of_second_call("step.intent:after")..=of_second_call("step.outcome:before");
        let at = |name: &str| hits.iter().position(|hit| hit == name).expect("a send");
        let sending = at("outbox.intend:after")..=at("outbox.record:before");
        let (charge_unknown, send_unknown) =
            (charging.contains(&number), sending.contains(&number));

        let charged = if charge_unknown { "unknown" } else { "ok" };
        let reply = format!("turno.tomar=2 avisar=ok cobrar={charged}");
        let transcript = world.transcript("ana").await;
        assert_eq!(transcript[2..], ["user: hola", &format!("assistant: {reply}")], "{hit}");
        if !send_unknown {
            assert_eq!(world.phone.tried()[1..], [reply], "{hit}");
        } else {
            assert!(world.phone.tried().len() <= 2, "{hit}");
        }
        let keys = &notify.keys()[1..];
        assert!(!keys.is_empty() && keys.iter().all(|key| *key == keys[0]), "{hit}: {keys:?}");
        let charges = charge.calls().len() - 1;
        assert!(charges <= 1, "{hit}: charged twice");
        assert!(charges == 1 || charge_unknown, "{hit}: not charged");
        let listed: Vec<_> = world.to_reconcile().await.iter().map(|item| item.kind).collect();
        let mut expected = Vec::new();
        expected.extend(send_unknown.then_some(ReconcileKind::Ambiguous));
        expected.extend(charge_unknown.then_some(ReconcileKind::Step));
        assert_eq!(listed, expected, "{hit}");
        if hit.starts_with("step") || hit.starts_with("tool") || hit == "turn.commit:before" {
            assert_eq!(before_the_lease_ends, 1, "{hit}: somebody broke the lease");
        }
        world.assert_at_rest().await;

        // And the queue goes on where it should.
        world.hear("ana", "otra").await;
        world.run().await;
        let said = world.said_by(Role::Assistant, "ana").await;
        assert_eq!(said[2], "turno.tomar=3 avisar=ok cobrar=ok", "{hit}");
        assert_eq!(world.phone.sent().last(), Some(&said[2]), "{hit}");
    }
}

async fn a_node_that_dies_while_sending_leaves_the_rest_of_the_outbox_to_go_out(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/remind").await;
    world.faults.crash_at("channel.send:after");
    assert!(world.faults.until_crash(world.run()).await);
    assert_eq!(world.phone.tried(), ["#1 /remind"]);
    world.pass_ms(LEASE_MS);
    world.run().await;
    assert_eq!(world.phone.tried(), ["#1 /remind", "a reminder"], "in order, and none twice");
    let listed = world.to_reconcile().await;
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].kind, listed[0].what.reveal().as_str()),
        (ReconcileKind::Ambiguous, "#1 /remind")
    );
    world.assert_at_rest().await;
}

async fn a_message_whose_holders_vanish_three_times_is_set_aside(on: On) {
    let gate = Gate::closed_for(3);
    let world = World::new(on).await.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.hear("ana", "veneno").await;
    for crash in 1..=3 {
        tokio::select! {
            () = gate.reached() => {}
            () = world.run() => panic!("holder {crash} was to vanish"),
        }
        assert!(world.quarantined().await.is_empty());
        world.pass_ms(LEASE_MS);
    }
    world.run().await;
    let quarantined = world.quarantined().await;
    assert_eq!(quarantined.len(), 1);
    assert_eq!(quarantined[0].reason, "the process ended while handling it");
    assert_eq!(world.phone.sent().len(), 1, "one apology");
    assert!(world.phone.sent()[0].starts_with("Perdón"));
    world.assert_at_rest().await;

    // Nobody stands at the gate any more: put back by hand, it is answered.
    world.retry(quarantined[0].id).await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["#1 veneno"]);
    world.assert_at_rest().await;
}

async fn crashes_while_sending_do_not_count_against_the_next_message(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(None)]);
    for text in ["uno", "dos", "tres"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    world.pass_ms(LEASE_MS);
    for _ in 0..3 {
        world.faults.crash_at("channel.send:after");
        assert!(world.faults.until_crash(world.run()).await);
        world.pass_ms(LEASE_MS);
    }
    world.run().await;
    assert_eq!(world.to_reconcile().await.len(), 3);
    let gate = Gate::closed_for(2);
    let world = world.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.hear("ana", "cuatro").await;
    for _ in 0..2 {
        tokio::select! {
            () = gate.reached() => {}
            () = world.run() => panic!("this holder was to vanish"),
        }
        world.pass_ms(LEASE_MS);
    }
    world.run().await;
    assert!(world.quarantined().await.is_empty(), "it had one attempt left");
    assert_eq!(world.phone.sent(), ["#1 uno", "#2 dos", "#3 tres", "#4 cuatro"]);
    world.assert_at_rest().await;
}
