//! A number that changes hands: its next holder hears nothing of the last, and is somebody new.

use domain::{Identity, Role};

use crate::kit::{Answer, Listener, On, World};

on_both_stores![
    the_next_holder_of_a_number_is_greeted_as_somebody_new,
    what_is_said_to_the_last_holder_goes_to_the_name_that_is_theirs,
    a_message_about_to_leave_when_its_number_changes_hands_does_not_go_there,
    what_waits_for_somebody_known_by_a_number_alone_is_withheld,
];

const NUMBER: &str = "5491155550000";

/// Somebody writes, with the number if it is told.
async fn hear(world: &World, name: &str, number: Option<&str>, text: &str) {
    let external_id = world.id().to_string();
    let mut message = world.inbound(name, &external_id, text);
    message.from = Identity {
        alias: number.map(Into::into),
        name: Some(name.into()),
        phone: number.map(Into::into),
        ..Identity::new(name)
    };
    message.sent_at = Some(world.now());
    world.pass_ms(1_000);
    assert_eq!(world.take_in(vec![message]).await.new, 1);
}

/// The messages that were sent, as `address: words`.
fn sent(world: &World) -> Vec<String> {
    let attempts = world.phone.attempts().into_iter();
    let accepted = attempts.filter(|attempt| attempt.answer == Answer::Accept);
    accepted.map(|attempt| format!("{}: {}", attempt.to, attempt.text)).collect()
}

async fn the_next_holder_of_a_number_is_greeted_as_somebody_new(on: On) {
    let world = World::new(on).await.with_agent(Listener);
    hear(&world, "AR.ana", Some(NUMBER), "Ana Gómez").await;
    world.run().await;
    hear(&world, "AR.ana", Some(NUMBER), "Ana Gómez").await;
    world.run().await;
    hear(&world, "AR.beto", Some(NUMBER), "hola").await;
    world.run().await;
    hear(&world, "AR.ana", None, "Ana Gómez").await;
    world.run().await;
    let expected = [
        format!("{NUMBER}: Hola, AR.ana"),
        format!("{NUMBER}: Hola, Ana Gómez"),
        format!("{NUMBER}: Hola, AR.beto"),
        "AR.ana: Hola, Ana Gómez".to_owned(),
    ];
    assert_eq!(sent(&world), expected);
    assert_eq!(world.said_by(Role::User, "AR.beto").await, ["hola"]);
    assert_eq!(world.said_by(Role::User, NUMBER).await, ["hola"]);
    world.assert_at_rest().await;
}

/// A reply that is tried again, a timer, and a person's own words.
async fn what_is_said_to_the_last_holder_goes_to_the_name_that_is_theirs(on: On) {
    let world = World::new(on).await;
    hear(&world, "AR.ana", Some(NUMBER), "/arm aviso always 600000").await;
    world.run().await;
    world.phone.script([Answer::Retry(None)]);
    hear(&world, "AR.ana", Some(NUMBER), "mi pedido").await;
    world.run().await;
    hear(&world, "AR.beto", Some(NUMBER), "hola").await;
    world.run_for_ms(600_000).await;
    world.take("AR.ana", "marta").await;
    world.say("AR.ana", "marta", "sigo yo").await;
    hear(&world, "AR.beto", Some(NUMBER), "¿están?").await;
    world.run().await;
    let mut sent = sent(&world);
    sent[1..].sort_unstable();
    let expected = [
        format!("{NUMBER}: #1 /arm aviso always 600000"),
        format!("{NUMBER}: #1 hola"),
        format!("{NUMBER}: #2 ¿están?"),
        "AR.ana: #2 mi pedido".to_owned(),
        "AR.ana: sigo yo".to_owned(),
        "AR.ana: timer aviso".to_owned(),
    ];
    assert_eq!(sent, expected, "and Beto is answered though Ana's is a person's");
    world.assert_at_rest().await;
}

async fn a_message_about_to_leave_when_its_number_changes_hands_does_not_go_there(on: On) {
    let world = World::new(on).await;
    hear(&world, "AR.ana", Some(NUMBER), "mi pedido").await;
    let gate = world.faults.wait_at("outbox.intend:before");
    let meanwhile = async {
        gate.reached().await;
        hear(&world, "AR.beto", Some(NUMBER), "hola").await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    world.run().await;
    let mut sent = sent(&world);
    sent.sort_unstable();
    assert_eq!(sent, [format!("{NUMBER}: #1 hola"), "AR.ana: #1 mi pedido".to_owned()]);
    world.assert_at_rest().await;
}

async fn what_waits_for_somebody_known_by_a_number_alone_is_withheld(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(Some(60_000))]);
    hear(&world, NUMBER, None, "/arm aviso always 600000").await;
    world.run().await;
    let ana = world.id_of(NUMBER).await;
    hear(&world, "AR.beto", None, "hola").await;
    world.run().await;
    hear(&world, "AR.beto", Some(NUMBER), "y mi número").await;
    world.run_for_ms(600_000).await;
    assert_eq!(sent(&world), ["AR.beto: #1 hola", &format!("{NUMBER}: #2 y mi número")]);
    let lines = world.store.transcript(world.channel.workspace, ana, 9).await.unwrap().lines;
    let why = lines.iter().filter_map(|line| line.delivery.as_ref()?.error.as_deref());
    assert_eq!(why.filter(|why| why.contains("somebody else")).count(), 2, "reply and timer");
    world.assert_at_rest().await;
}
