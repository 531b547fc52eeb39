//! Events from a customer's side that are no plain message: unsupported kinds, edits, payments.

use domain::{Content, Inbound, PaymentNews};

use crate::kit::{On, World};

on_both_stores![
    what_nobody_said_is_noted_and_answered_by_nobody,
    a_reaction_breaks_no_silence_and_begins_no_session,
    an_edit_before_the_answer_is_answered_and_the_record_shows_both,
    an_edit_after_the_answer_is_a_message_that_says_the_new_words,
    a_payment_is_heard_and_is_not_the_customer_writing,
    what_is_stored_is_what_was_written_and_what_is_read_is_what_is_seen,
];

fn notice(kind: &str) -> Content {
    Content::Notice { kind: kind.to_owned(), detail: Some("57301".into()) }
}

async fn came(world: &World, id: &str, content: Content) -> runner::Taken {
    let item = Inbound { content, ..world.inbound("ana", id, "") };
    world.take_in(vec![item]).await
}

async fn what_nobody_said_is_noted_and_answered_by_nobody(on: On) {
    let world = World::new(on).await;
    let heart = Content::Reaction { emoji: Some("❤️".to_owned()) };
    let both = vec![
        world.inbound("ana", "m1", "hola"),
        Inbound { content: heart, ..world.inbound("ana", "r1", "") },
    ];
    let taken = world.take_in(both).await;
    assert_eq!((taken.new, taken.noted, taken.duplicates), (1, 1, 0));
    world.pass_ms(1);
    world.run().await;
    for (id, content) in [
        ("r2", Content::Reaction { emoji: None }),
        ("n1", notice("user_changed_number")),
        ("n2", notice("unsupported")),
    ] {
        assert_eq!(came(&world, id, content.clone()).await.noted, 1);
        assert_eq!(came(&world, id, content).await.duplicates, 1);
    }
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola"]);
    let mut record = world.transcript("ana").await;
    record.sort();
    assert_eq!(
        record,
        [
            "assistant: #1 hola",
            "system: [reaction removed]",
            "system: [reaction ❤️]",
            "system: [unsupported 57301]",
            "system: [user_changed_number 57301]",
            "user: hola",
        ]
    );
    // While a person has it, too.
    world.take("ana", "marta").await;
    came(&world, "r3", Content::Reaction { emoji: None }).await;
    world.run().await;
    assert_eq!(world.transcript("ana").await.last().unwrap(), "system: [reaction removed]");
    world.assert_at_rest().await;
}

async fn a_reaction_breaks_no_silence_and_begins_no_session(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm nudge silence 1000").await;
    world.run().await;
    let before = world.conversation("ana").await.last_customer_message_at;
    world.pass_ms(500);
    came(&world, "r1", Content::Reaction { emoji: None }).await;
    assert_eq!(world.conversation("ana").await.last_customer_message_at, before);
    world.run_for_ms(2_000).await;
    let record = world.transcript("ana").await;
    assert!(record.iter().any(|line| line == "system: timer: nudge"), "{record:?}");
}

async fn an_edit_before_the_answer_is_answered_and_the_record_shows_both(on: On) {
    let world = World::new(on).await;
    world.take_in(vec![world.inbound("ana", "m1", "2 leches")]).await;
    let edits = Some("m1".to_owned());
    let edit = Inbound { edits, ..world.inbound("ana", "e1", "3 leches") };
    assert_eq!(world.take_in(vec![edit.clone()]).await.new, 1);
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 3 leches"]);
    let record = world.transcript("ana").await;
    assert_eq!(record[0], "user: 3 leches [edited before: 2 leches]");
    assert_eq!(world.take_in(vec![edit]).await.duplicates, 1);
    world.assert_at_rest().await;
}

async fn an_edit_after_the_answer_is_a_message_that_says_the_new_words(on: On) {
    let world = World::new(on).await;
    world.take_in(vec![world.inbound("ana", "m1", "2 leches")]).await;
    world.run().await;
    let edits = Some("m1".to_owned());
    world.take_in(vec![Inbound { edits, ..world.inbound("ana", "e1", "3 leches") }]).await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 2 leches", "#2 3 leches"]);
    let record = world.transcript("ana").await;
    assert_eq!(record[0], "user: 2 leches");
    assert_eq!(record[2], "user: 3 leches [edited before: 2 leches]");
    world.assert_at_rest().await;
}

async fn a_payment_is_heard_and_is_not_the_customer_writing(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    let wrote_at = world.conversation("ana").await.last_customer_message_at;
    world.pass_ms(5_000);
    let text = |text: &str| Some(text.to_owned());
    let news = PaymentNews {
        reference: text("pedido-7"),
        status: text("captured"),
        amount: text("125.00"),
        currency: text("BRL"),
        ..PaymentNews::default()
    };
    came(&world, "p1", Content::Payment(news)).await;
    world.run().await;
    let record = world.transcript("ana").await;
    assert_eq!(record[2], "user: [payment pedido-7, captured, 125.00 BRL]");
    assert_eq!(world.phone.sent()[1], "#2 pago pedido-7, captured, 125.00 BRL");
    assert_eq!(world.conversation("ana").await.last_customer_message_at, wrote_at);
}

async fn what_is_stored_is_what_was_written_and_what_is_read_is_what_is_seen(on: On) {
    let world = World::new(on).await;
    let written = "క్\u{200c}ల ho\u{200b}la\u{202e}\u{ad}";
    world.hear("ana", written).await;
    world.run().await;
    assert_eq!(world.transcript("ana").await[0], format!("user: {written}"));
    assert_eq!(world.phone.sent(), ["#1 క్\u{200c}ల hola"]);
}
