//! The business answers from its own phone: that is a takeover, told by the channel.

use channels::{Echo, Parsed};
use domain::{Identity, Owner, Role};
use runner::IntakeError;
use store::Echoed;

use crate::kit::{LEASE_MS, On, World};

on_both_stores![
    an_answer_from_the_phone_silences_the_bot,
    wherever_it_falls_the_bot_begins_nothing_after_it,
    an_echo_of_what_the_bot_sent_leaves_it_in_charge,
    a_copy_of_an_echo_after_the_return_takes_nothing,
    an_echo_whose_node_dies_is_noted_once,
    an_echo_of_an_unknown_channel_is_refused,
];

async fn an_answer_from_the_phone_silences_the_bot(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone_writes("ana", "app.1", "yo te ayudo").await, Echoed::Noted);
    world.hear("ana", "gracias").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola"], "nothing is sent for it, nor after it");
    let transcript = world.transcript("ana").await;
    assert_eq!(transcript[2..], ["assistant: yo te ayudo", "user: gracias"]);
    let conversation = world.conversation("ana").await;
    assert_eq!(
        (conversation.owner, conversation.assignee.as_deref()),
        (Owner::Human, Some("phone"))
    );
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["back from marta: -"]);
    world.assert_at_rest().await;
}

async fn wherever_it_falls_the_bot_begins_nothing_after_it(on: On) {
    let first = World::new(on).await;
    let world = first.beside("nadie escribe").await;
    world.hear("ana", "/remind").await;
    world.faults.none();
    world.run().await;
    let hits = world.faults.hits();
    for (number, hit) in hits.iter().enumerate() {
        let world = first.beside(&format!("escribe {number}")).await;
        world.hear("ana", "/remind").await;
        let gate = world.faults.wait_at_hit(number);
        let meanwhile = async {
            gate.reached().await;
            let opens = async {
                // Either it is done, or it waits for whoever stands at the gate.
                world.faults.passed("conversation.take:after").await;
                let tried = world.phone.tried().len();
                gate.open();
                tried
            };
            let (echoed, tried) =
                tokio::join!(world.phone_writes("ana", "app.1", "yo te ayudo"), opens);
            assert_eq!(echoed, Echoed::Noted, "{hit}");
            (tried, world.phone.tried().len())
        };
        let ((), (asked, noted)) = tokio::join!(world.run(), meanwhile);
        world.run().await;
        assert_eq!(world.phone.tried().len(), noted, "{hit}: it left after the echo was noted");
        assert!(noted <= asked + 1, "{hit}: only what had begun leaves");
        assert_eq!(world.conversation("ana").await.owner, Owner::Human, "{hit}");
        let said = world.said_by(Role::Assistant, "ana").await;
        assert_eq!(said.iter().filter(|text| *text == "yo te ayudo").count(), 1, "{hit}");
        world.assert_at_rest().await;
    }
}

async fn an_echo_of_what_the_bot_sent_leaves_it_in_charge(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone_writes("ana", "wamid.1", "#1 hola").await, Echoed::Ours);
    world.hear("ana", "sigo").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola", "#2 sigo"]);
}

async fn a_copy_of_an_echo_after_the_return_takes_nothing(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    world.phone_writes("ana", "app.1", "yo te ayudo").await;
    world.give_back("ana", "marta", None).await;
    assert_eq!(world.phone_writes("ana", "app.1", "yo te ayudo").await, Echoed::Duplicate);
    world.hear("ana", "sigo").await;
    world.run().await;
    assert_eq!(world.conversation("ana").await.owner, Owner::Bot);
    assert_eq!(world.phone.sent().last().unwrap(), "#3 sigo");
    assert_eq!(
        world
            .said_by(Role::Assistant, "ana")
            .await
            .iter()
            .filter(|text| *text == "yo te ayudo")
            .count(),
        1
    );
}

async fn an_echo_whose_node_dies_is_noted_once(on: On) {
    for (hit, again) in [
        ("conversation.take:before", Echoed::Noted),
        ("conversation.take:after", Echoed::Duplicate),
    ] {
        let world = World::new(on).await;
        world.faults.crash_at(hit);
        let dying = async {
            world.phone_writes("eva", "app.1", "llegó tu pedido").await;
        };
        assert!(world.faults.until_crash(dying).await);
        world.pass_ms(LEASE_MS);
        // The provider tells of it again.
        assert_eq!(world.phone_writes("eva", "app.1", "llegó tu pedido").await, again, "{hit}");
        assert_eq!(world.transcript("eva").await, ["assistant: llegó tu pedido"], "{hit}");
        world.assert_at_rest().await;
    }
}

async fn an_echo_of_an_unknown_channel_is_refused(on: On) {
    let world = World::new(on).await;
    let to = Identity::new("ana");
    let echo = Echo { external_id: "app.1".into(), to, text: "hola".into(), sent_at: None };
    let delivery = Parsed { echoes: vec![echo], ..Parsed::default() };
    let taken = world.node().intake().ingest(&"otro".into(), delivery).await;
    assert!(matches!(taken, Err(IntakeError::NoSuchChannel(_))));
}
