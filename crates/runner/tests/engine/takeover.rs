//! Takeover and return: from a person's commit on, the bot says nothing until it is given back.

use domain::{Owner, Role};
use serde_json::json;
use store::{GiveBack, ReconcileKind, StoreError, TAKEOVER_WISH_MS};

use crate::kit::{Answer, Clerk, Gate, Gated, LEASE_MS, On, Shop, World};

on_both_stores![
    a_takeover_during_a_turn_silences_its_reply,
    a_takeover_before_the_reply_is_sent_withholds_it,
    wherever_a_takeover_falls_the_bot_is_silent_from_then_on,
    wherever_a_takeover_falls_no_second_message_begins,
    a_takeover_is_done_once_the_message_on_its_way_has_arrived,
    a_takeover_waits_no_longer_than_the_lease_of_a_sender_that_stands_still,
    a_taker_who_gives_up_holds_the_bot_back_for_half_a_minute,
    a_person_writes_and_gives_back_and_the_agent_learns_of_it,
    an_operator_who_writes_during_a_turn_makes_it_run_again,
    a_handoff_by_the_agent_still_says_goodbye,
    a_handoff_by_the_agent_takes_nothing_back_that_it_said_before,
    a_call_cut_short_before_a_takeover_is_listed_all_the_same,
    conflicts_after_a_crash_are_not_counted_as_crashes,
];

async fn a_takeover_during_a_turn_silences_its_reply(on: On) {
    let gate = Gate::closed_for(1);
    let world = World::new(on).await.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.hear("ana", "hola").await;
    let meanwhile = async {
        gate.reached().await;
        world.take("ana", "marta").await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert!(world.phone.tried().is_empty());
    assert_eq!(world.transcript("ana").await, ["user: hola"], "recorded, and not answered");
    world.assert_at_rest().await;

    world.say("ana", "marta", "hola, soy Marta").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["hola, soy Marta"]);
    world.assert_at_rest().await;
}

async fn a_takeover_before_the_reply_is_sent_withholds_it(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(None)]);
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    world.take("ana", "marta").await;
    world.say("ana", "marta", "yo sigo").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent(), ["yo sigo"]);
    assert_eq!(world.phone.tried().len(), 2, "a withheld message was tried again");
    world.assert_at_rest().await;

    // Given back, the bot speaks again, but what was withheld stays so.
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["yo sigo", "back from marta: -"]);
    world.assert_at_rest().await;
}

async fn wherever_a_takeover_falls_the_bot_is_silent_from_then_on(on: On) {
    let first = World::new(on).await;
    let clerk = || Clerk::calling(&[("turno.tomar", json!({"fila": "caja"}))]);
    let world = first.beside("nadie toma").await.with_agent(clerk());
    world.hear("ana", "hola").await;
    world.faults.none();
    world.run().await;
    let hits = world.faults.hits();
    let committed = hits.iter().position(|hit| hit == "turn.commit:after").unwrap();
    let intended = hits.iter().position(|hit| hit == "outbox.intend:after").unwrap();
    for (number, hit) in hits.iter().enumerate() {
        let world = first.beside(&format!("toma {number}")).await.with_agent(clerk());
        world.hear("ana", "hola").await;
        let gate = world.faults.wait_at_hit(number);
        let meanwhile = async {
            gate.reached().await;
            world.take_at(&gate, "ana", "marta").await
        };
        let ((), tried) = tokio::join!(world.run(), meanwhile);
        // A send whose intent was committed is waited for.
        let expected: &[&str] = if number >= intended { &["turno.tomar=1"] } else { &[] };
        assert_eq!(world.phone.tried(), expected, "{hit}");
        assert_eq!(tried, expected.len(), "{hit}: it left after the takeover");
        let answered = usize::from(number >= committed);
        assert_eq!(world.said_by(Role::Assistant, "ana").await.len(), answered, "{hit}");
        assert_eq!(world.said_by(Role::User, "ana").await, ["hola"], "{hit}");
        world.assert_at_rest().await;

        world.hear("ana", "¿hola?").await;
        world.say("ana", "marta", "acá estoy").await;
        world.run().await;
        assert_eq!(world.phone.tried().len(), expected.len() + 1, "{hit}");
        assert_eq!(world.phone.sent().last().unwrap(), "acá estoy", "{hit}");
        assert_eq!(world.said_by(Role::User, "ana").await, ["hola", "¿hola?"], "{hit}");
    }
}

async fn wherever_a_takeover_falls_no_second_message_begins(on: On) {
    let first = World::new(on).await;
    let world = first.beside("nadie toma").await;
    world.hear("ana", "/remind").await;
    world.faults.none();
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 /remind", "a reminder"]);
    let hits = world.faults.hits();
    for (number, hit) in hits.iter().enumerate() {
        let world = first.beside(&format!("toma {number}")).await;
        world.hear("ana", "/remind").await;
        let gate = world.faults.wait_at_hit(number);
        let meanwhile = async {
            gate.reached().await;
            world.take_at(&gate, "ana", "marta").await
        };
        let ((), tried) = tokio::join!(world.run(), meanwhile);
        world.run().await;
        assert_eq!(world.phone.tried().len(), tried, "{hit}: it left after the takeover");
        let begun = hits[..=number].iter().filter(|hit| *hit == "outbox.intend:after").count();
        assert_eq!(tried, begun, "{hit}: only what had begun leaves");
        world.assert_at_rest().await;
    }
}

async fn a_takeover_is_done_once_the_message_on_its_way_has_arrived(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    let gate = world.faults.wait_at("channel.send:before");
    let meanwhile = async {
        gate.reached().await;
        let arrives = async {
            world.faults.passed("conversation.take:after").await;
            gate.open();
        };
        tokio::join!(world.take("ana", "marta"), arrives);
        world.phone.sent()
    };
    let ((), sent) = tokio::join!(world.run(), meanwhile);
    assert_eq!(sent, ["#1 hola"], "it had arrived when the takeover was done");
    assert_eq!(world.conversation("ana").await.owner, Owner::Human);
    world.assert_at_rest().await;
}

async fn a_takeover_waits_no_longer_than_the_lease_of_a_sender_that_stands_still(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    let gate = world.faults.wait_at("outbox.intend:after");
    let meanwhile = async {
        gate.reached().await;
        world.pass_ms(LEASE_MS - 1);
        assert_eq!(world.try_take("ana", "marta").await, Err(StoreError::OnItsWay));
        world.pass_ms(1);
        assert_eq!(world.try_take("ana", "marta").await, Ok(()));
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    world.run().await;
    assert!(world.phone.tried().is_empty(), "a holder past its lease sent");
    let listed = world.to_reconcile().await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].kind, ReconcileKind::Ambiguous);
    world.assert_at_rest().await;
}

async fn a_taker_who_gives_up_holds_the_bot_back_for_half_a_minute(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/remind").await;
    let gate = world.faults.wait_at("channel.send:before");
    let meanwhile = async {
        gate.reached().await;
        assert_eq!(world.try_take("ana", "marta").await, Err(StoreError::OnItsWay));
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    world.hear("ana", "¿sigue ahí?").await;
    world.run_for_ms(TAKEOVER_WISH_MS - 1).await;
    assert_eq!(world.phone.sent(), ["#1 /remind"]);
    world.run_for_ms(1).await;
    assert_eq!(world.phone.sent(), ["#1 /remind", "#2 ¿sigue ahí?", "a reminder"]);
    world.assert_at_rest().await;
}

async fn a_person_writes_and_gives_back_and_the_agent_learns_of_it(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    world.take("ana", "marta").await;
    world.hear("ana", "quiero hablar con alguien").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola"]);
    world.say("ana", "marta", "decime").await;
    world.run().await;
    let back = GiveBack {
        note: Some("ya está resuelto".to_owned()),
        mode: Some("venta".to_owned()),
        message: Some("¡listo!".to_owned()),
    };
    world.give_back_with("ana", "marta", back).await;
    world.hear("ana", "gracias").await;
    world.run().await;
    let expected =
        ["#1 hola", "decime", "back from marta: ya está resuelto venta ¡listo!", "#3 gracias"];
    assert_eq!(world.phone.sent(), expected);
    assert_eq!(world.conversation("ana").await.owner, Owner::Bot);
    let transcript = world.transcript("ana").await;
    assert_eq!(
        transcript[2..6],
        [
            "system: marta took the conversation over",
            "user: quiero hablar con alguien",
            "assistant: decime",
            "system: marta gave the conversation back",
        ]
    );
    world.assert_at_rest().await;
}

async fn an_operator_who_writes_during_a_turn_makes_it_run_again(on: On) {
    let gate = Gate::closed_for(1);
    let calls = vec![("turno.tomar", json!({"fila": "caja"}))];
    let world = World::new(on).await.with_agent(Gated { gate: gate.clone(), calls });
    world.hear("ana", "hola").await;
    let meanwhile = async {
        gate.reached().await;
        world.take("ana", "marta").await;
        world.say("ana", "marta", "un segundo").await;
        world.give_back("ana", "marta", None).await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    let expected = ["un segundo", "#1 hola", "back from marta: -"];
    assert_eq!(world.phone.sent(), expected, "the turn ran again on what is true now");
    world.assert_at_rest().await;
}

async fn a_handoff_by_the_agent_still_says_goodbye(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/handoff").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 /handoff"]);
    assert_eq!(world.conversation("ana").await.owner, Owner::Human);
    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert_eq!(world.phone.tried().len(), 1);
    assert_eq!(world.said_by(Role::User, "ana").await, ["/handoff", "¿hola?"]);
    world.assert_at_rest().await;
}

async fn a_handoff_by_the_agent_takes_nothing_back_that_it_said_before(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(None)]);
    world.hear("ana", "hola").await;
    world.run().await;
    world.hear("ana", "/handoff").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent(), ["#1 hola", "#2 /handoff"]);
    assert_eq!(world.conversation("ana").await.owner, Owner::Human);
    world.assert_at_rest().await;
}

async fn a_call_cut_short_before_a_takeover_is_listed_all_the_same(on: On) {
    let Shop { world, .. } = Shop::within(World::new(on).await);
    world.hear("ana", "hola").await;
    world.faults.crash_at("step.outcome:before");
    assert!(world.faults.until_crash(world.run()).await);
    world.take("ana", "marta").await;
    world.pass_ms(LEASE_MS);
    world.run().await;
    assert_eq!(world.said_by(Role::User, "ana").await, ["hola"]);
    assert!(world.phone.tried().is_empty());
    let listed = world.to_reconcile().await;
    assert_eq!(listed.len(), 1, "nobody will ask for this call again");
    assert_eq!((listed[0].kind, listed[0].what.reveal().as_str()), (ReconcileKind::Step, "avisar"));
    world.assert_at_rest().await;
}

async fn conflicts_after_a_crash_are_not_counted_as_crashes(on: On) {
    let gate = Gate::closed_for(3);
    let world = World::new(on).await.with_agent(Gated { gate: gate.clone(), calls: vec![] });
    world.hear("ana", "hola").await;
    tokio::select! {
        () = gate.reached() => {}
        () = world.run() => panic!("this holder was to vanish"),
    }
    world.pass_ms(LEASE_MS);
    let meanwhile = async {
        for _ in 0..2 {
            gate.reached().await;
            world.take("ana", "marta").await;
            world.give_back("ana", "marta", None).await;
            gate.open();
        }
    };
    tokio::join!(world.run(), meanwhile);
    assert!(world.quarantined().await.is_empty());
    assert_eq!(world.phone.sent()[0], "#1 hola");
    world.assert_at_rest().await;
}
