//! Sessions: one stretch of a conversation, until a day has passed without a word.

use domain::SESSION_WINDOW_MS;

use crate::kit::{On, World};

on_both_stores![
    a_message_within_a_day_goes_on_with_the_session,
    a_message_after_a_day_opens_a_new_session_and_closes_the_old,
    a_closed_session_is_followed_by_a_new_one,
];

/// The session of each line that a customer wrote.
async fn sessions(world: &World) -> Vec<domain::SessionId> {
    let id = world.id_of("ana").await;
    let transcript = world.store.transcript(world.channel.workspace, id, 1_000).await.unwrap();
    let by_customer = |line: &&store::Line| line.role == domain::Role::User;
    transcript.lines.iter().filter(by_customer).map(|line| line.session).collect()
}

async fn a_message_within_a_day_goes_on_with_the_session(on: On) {
    let world = World::new(on).await;
    for _ in 0..3 {
        world.hear("ana", "hola").await;
        world.run().await;
        world.pass_ms(SESSION_WINDOW_MS - 1);
    }
    assert_eq!(world.phone.sent(), ["#1 hola", "#2 hola", "#3 hola"]);
    let sessions = sessions(&world).await;
    assert!(sessions.iter().all(|session| *session == sessions[0]));
}

async fn a_message_after_a_day_opens_a_new_session_and_closes_the_old(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    world.pass_ms(SESSION_WINDOW_MS);
    world.hear("ana", "hola otra vez").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola", "#1 hola otra vez"]);
    let sessions = sessions(&world).await;
    assert_eq!(sessions.len(), 2);
    assert_ne!(sessions[0], sessions[1]);

    // A takeover is written into every session that is open: there is one.
    world.take("ana", "marta").await;
    let lines = world.transcript("ana").await;
    assert_eq!(lines.iter().filter(|line| line.contains("marta took")).count(), 1);
    assert_eq!(lines.last().unwrap(), "system: marta took the conversation over");
}

async fn a_closed_session_is_followed_by_a_new_one(on: On) {
    let world = World::new(on).await;
    for text in ["/close", "hola"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    assert_eq!(world.phone.sent(), ["#1 /close", "#1 hola"]);
    world.assert_at_rest().await;
}
