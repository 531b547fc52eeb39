//! Messages become turns: each once, in order, together when they come together.

use domain::{Burst, Inbound, Role};

use crate::kit::{On, World};

on_both_stores![
    messages_that_wait_are_answered_in_one_turn_in_the_providers_order,
    a_burst_is_answered_once_it_is_quiet_and_nothing_is_dropped,
    a_burst_that_does_not_end_is_answered_at_the_cap,
    more_messages_than_a_turn_takes_become_further_turns_in_order,
    a_message_that_comes_during_a_turn_is_answered_in_the_next,
    a_duplicate_changes_nothing,
    a_long_delivery_is_stored_in_pieces_and_repeated_if_one_of_them_fails,
];

const QUIET: Burst = Burst { quiet_ms: 1_000, cap_ms: 3_000, max_messages: 50 };

async fn messages_that_wait_are_answered_in_one_turn_in_the_providers_order(on: On) {
    let world = World::new(on).await;
    let sent = |text: &str, at_ms| Inbound {
        sent_at: Some(world.now().plus_ms(at_ms)),
        ..world.inbound("ana", text, text)
    };
    // Within one delivery and across two, the provider's time decides.
    world.take_in(vec![sent("tres", -30), sent("uno", -50)]).await;
    world.take_in(vec![sent("dos", -40), sent("cuatro", -20)]).await;
    world.run().await;
    assert_eq!(world.phone.sent_to("ana"), ["#1 uno dos tres cuatro"]);
    assert_eq!(
        world.transcript("ana").await,
        [
            "user: uno",
            "user: dos",
            "user: tres",
            "user: cuatro",
            "assistant: #1 uno dos tres cuatro"
        ]
    );
    world.assert_at_rest().await;
}

async fn a_burst_is_answered_once_it_is_quiet_and_nothing_is_dropped(on: On) {
    let world = World::new(on).await.with_burst(QUIET);
    for text in ["uno", "dos", "tres"] {
        world.hear("ana", text).await;
        world.run().await;
        world.pass_ms(600);
        world.run().await;
        assert!(world.phone.tried().is_empty(), "answered in the middle of a burst");
    }
    world.pass_ms(399);
    world.run().await;
    assert!(world.phone.tried().is_empty(), "answered before it was quiet");
    world.pass_ms(1);
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 uno dos tres"]);
    assert_eq!(world.said_by(Role::User, "ana").await, ["uno", "dos", "tres"]);
    world.assert_at_rest().await;

    // The next burst is one of its own.
    world.hear("ana", "cuatro").await;
    world.pass_ms(999);
    world.run().await;
    assert_eq!(world.phone.sent().len(), 1);
    world.pass_ms(1);
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 uno dos tres", "#2 cuatro"]);
}

async fn a_burst_that_does_not_end_is_answered_at_the_cap(on: On) {
    let world = World::new(on).await.with_burst(QUIET);
    for number in 0..8 {
        world.hear("ana", &number.to_string()).await;
        world.run().await;
        world.pass_ms(500);
    }
    world.run_for_ms(1_000).await;
    // The seventh came at 3,000 ms, when the cap of the first was due.
    assert_eq!(world.phone.sent(), ["#1 0 1 2 3 4 5 6", "#2 7"]);
    assert_eq!(world.phone.attempted_at_ms(), [3_000, 4_500]);
    world.assert_at_rest().await;
}

async fn more_messages_than_a_turn_takes_become_further_turns_in_order(on: On) {
    let few = Burst { max_messages: 2, ..Burst::default() };
    let world = World::new(on).await.with_burst(few);
    for number in 1..=5 {
        world.hear("ana", &number.to_string()).await;
    }
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 1 2", "#2 3 4", "#3 5"]);
    assert_eq!(world.said_by(Role::User, "ana").await, ["1", "2", "3", "4", "5"]);
    world.assert_at_rest().await;
}

async fn a_message_that_comes_during_a_turn_is_answered_in_the_next(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "uno").await;
    let gate = world.faults.wait_at("turn.commit:before");
    let meanwhile = async {
        gate.reached().await;
        world.hear("ana", "dos").await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(world.phone.sent(), ["#1 uno", "#2 dos"]);
    world.assert_at_rest().await;
}

async fn a_duplicate_changes_nothing(on: On) {
    let world = World::new(on).await;
    let hello = || world.inbound("ana", "wamid.1", "hola");
    let taken = world.take_in(vec![hello(), hello()]).await;
    assert_eq!((taken.new, taken.duplicates), (1, 1));
    assert_eq!(world.take_in(vec![hello()]).await.duplicates, 1);
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola"]);

    // Again when it has long been answered, and beside one that is new.
    world.pass_ms(7 * 24 * 60 * 60 * 1000);
    assert_eq!(world.take_in(vec![hello()]).await.duplicates, 1);
    world.assert_at_rest().await;
    let taken = world.take_in(vec![hello(), world.inbound("ana", "wamid.2", "chau")]).await;
    assert_eq!((taken.new, taken.duplicates), (1, 1));
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola", "#1 chau"]);
    assert_eq!(world.said_by(Role::User, "ana").await, ["hola", "chau"]);
    world.assert_at_rest().await;
}

async fn a_long_delivery_is_stored_in_pieces_and_repeated_if_one_of_them_fails(on: On) {
    let world = World::new(on).await;
    let name = |number| format!("ana{number:02}");
    let delivery = || -> Vec<_> {
        (0..70).map(|number| world.inbound(&name(number), &name(number), "hola")).collect()
    };
    let stored = || world.faults.hits().iter().filter(|hit| *hit == "inbox.accept:after").count();
    // Before and after the first piece, then before the second.
    world.faults.unavailable_at_hit(2);
    let node = world.node();
    let refused = node.intake().ingest(&world.channel.id, delivery()).await;
    assert!(refused.is_err(), "whoever brought it keeps it");
    assert!(node.intake().refuses_messages());
    world.pass_ms(10_000);
    assert!(!node.intake().refuses_messages(), "the next is worth trying");
    assert_eq!(stored(), 1);
    world.faults.none();
    let taken = world.take_in(delivery()).await;
    assert_eq!((taken.new, taken.duplicates, stored()), (70 - 32, 32, 3));
    world.run().await;
    for number in 0..70 {
        assert_eq!(world.phone.sent_to(&name(number)), ["#1 hola"]);
    }
    world.assert_at_rest().await;
}
