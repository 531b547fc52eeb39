//! Turns that fail: tried again, then set aside with an apology and a person in charge.

use domain::{Owner, Role};
use serde_json::json;
use tools::Class;

use crate::kit::{Broken, Clerk, On, Trouble, Troubled, World};

on_both_stores![
    two_failures_and_a_success_give_one_reply,
    each_attempt_waits_longer_than_the_last,
    three_failures_set_the_message_aside_with_one_apology_and_a_person,
    messages_after_a_quarantine_are_kept_without_a_reply_of_the_bot,
    a_panic_counts_like_an_error_and_other_conversations_go_on,
    a_deed_that_panics_is_a_failed_attempt_whether_it_reads_or_writes,
    an_agent_that_hangs_is_cut_off_when_its_time_is_over,
    a_message_that_comes_after_a_failure_is_answered_with_it,
];

async fn two_failures_and_a_success_give_one_reply(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 2));
    world.hear("ana", "veneno").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.tried(), ["#1 veneno"]);
    assert_eq!(world.transcript("ana").await, ["user: veneno", "assistant: #1 veneno"]);
    assert!(world.quarantined().await.is_empty());
    assert_eq!(world.conversation("ana").await.owner, Owner::Bot);
    world.assert_at_rest().await;

    // The counts are forgotten: another message has three attempts of its own.
    let world = world.with_agent(Troubled::new(Trouble::Fail, 2));
    world.hear("ana", "más veneno").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["#1 veneno", "#2 más veneno"]);
}

async fn each_attempt_waits_longer_than_the_last(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 2));
    world.hear("ana", "veneno").await;
    let mut due = Vec::new();
    for _ in 0..2 {
        world.run().await;
        let next = world.next_due().await.expect("another attempt");
        due.push(next.since_ms(world.now()));
        world.pass_ms(due[due.len() - 1] - 1);
        world.run().await;
        assert!(world.phone.tried().is_empty(), "tried before it was due");
        world.pass_ms(1);
    }
    world.run().await;
    assert_eq!(due, [500, 1_000]);
    assert_eq!(world.phone.sent(), ["#1 veneno"]);
}

async fn three_failures_set_the_message_aside_with_one_apology_and_a_person(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 3));
    world.hear("ana", "veneno").await;
    world.run_for_ms(60_000).await;
    let sent = world.phone.tried();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].starts_with("Perdón"), "{sent:?}");
    let quarantined = world.quarantined().await;
    assert_eq!(quarantined.len(), 1);
    assert_eq!(quarantined[0].reason, "no model");
    assert!(quarantined[0].payload.reveal().contains("veneno"));
    assert_eq!(quarantined[0].conversation, Some(world.id_of("ana").await));
    assert_eq!(world.conversation("ana").await.owner, Owner::Human);
    let transcript = world.transcript("ana").await;
    let apology = format!("assistant: {}", sent[0]);
    assert_eq!(transcript, ["user: veneno", "system: quarantined: no model", &apology]);
    world.assert_at_rest().await;
}

async fn messages_after_a_quarantine_are_kept_without_a_reply_of_the_bot(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 3));
    world.hear("ana", "veneno").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.tried().len(), 1);
    for text in ["¿hola?", "¿hay alguien?"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    assert_eq!(world.phone.tried().len(), 1, "the bot spoke while a person is in charge");
    assert_eq!(world.said_by(Role::User, "ana").await, ["veneno", "¿hola?", "¿hay alguien?"]);
    world.assert_at_rest().await;

    world.say("ana", "marta", "acá estoy").await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["acá estoy"]);
}

async fn a_panic_counts_like_an_error_and_other_conversations_go_on(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Panic, 3));
    world.hear("ana", "veneno").await;
    world.hear("beto", "hola").await;
    world.run().await;
    assert_eq!(world.phone.sent_to("beto"), ["#1 hola"]);
    world.hear("beto", "¿seguís?").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent_to("beto"), ["#1 hola", "#2 ¿seguís?"]);
    assert_eq!(world.phone.sent_to("ana").len(), 1);
    assert!(world.phone.sent_to("ana")[0].starts_with("Perdón"));
    let quarantined = world.quarantined().await;
    assert_eq!(quarantined.len(), 1);
    assert_eq!(quarantined[0].reason, "panicked: poisoned");
    world.assert_at_rest().await;
}

async fn a_deed_that_panics_is_a_failed_attempt_whether_it_reads_or_writes(on: On) {
    for class in [Class::Safe, Class::Execute] {
        let agent = Clerk::calling(&[(Broken::NAME, json!({}))]);
        let mut world = World::new(on).await.with_agent(agent);
        world.add_local(Broken::new(class));
        world.hear("ana", "hola").await;
        world.run_for_ms(60_000).await;
        let [apology] = &world.phone.sent_to("ana")[..] else { panic!("one apology: {class:?}") };
        assert!(apology.starts_with("Perdón"), "{apology}");
        let [quarantined] = &world.quarantined().await[..] else { panic!("{class:?}") };
        assert_eq!(quarantined.reason, "a transaction panicked", "{class:?}");
        assert_eq!(world.conversation("ana").await.owner, Owner::Human);
        world.assert_at_rest().await;
    }
}

async fn an_agent_that_hangs_is_cut_off_when_its_time_is_over(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Hang, 1));
    world.hear("ana", "veneno").await;
    world.run().await;
    assert!(world.phone.tried().is_empty());
    assert!(world.next_due().await.is_some(), "another attempt is due");
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["#1 veneno"]);

    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Hang, 3));
    world.hear("ana", "veneno").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.quarantined().await[0].reason, "no answer within 60s");
    assert_eq!(world.phone.sent().len(), 1);
    world.assert_at_rest().await;
}

async fn a_message_that_comes_after_a_failure_is_answered_with_it(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 1));
    world.hear("ana", "veneno").await;
    world.run().await;
    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert!(world.phone.tried().is_empty(), "an arrival cut the wait short");
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["#1 veneno ¿hola?"]);
    world.assert_at_rest().await;
}
