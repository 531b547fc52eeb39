//! Timers that no longer make sense when they are due are dropped, and never fire.

use domain::{Burst, Role, SESSION_WINDOW_MS};

use crate::kit::{On, World};

on_both_stores![
    a_silence_timer_is_dropped_when_the_customer_wrote,
    a_silence_timer_is_dropped_when_a_message_only_waits,
    a_silence_timer_is_dropped_when_a_burst_is_still_coming_in,
    a_cancelled_timer_does_not_fire,
    a_timer_that_is_due_while_a_person_owns_the_conversation_is_dropped,
    a_timer_whose_session_was_closed_is_dropped,
    a_timer_of_a_session_that_was_followed_by_another_is_dropped,
];

/// Goes on until nothing is due; asserts that nothing more than `expected` was sent, and that the
/// conversation still works.
async fn assert_only(world: &World, expected: &[&str]) {
    world.run_for_ms(10 * SESSION_WINDOW_MS).await;
    assert_eq!(world.phone.tried(), expected);
    world.assert_at_rest().await;
    world.hear("beto", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent_to("beto"), ["#1 hola"]);
}

async fn a_silence_timer_is_dropped_when_the_customer_wrote(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso silence 60000").await;
    world.hear("beba", "/arm cita always 60000").await;
    world.run().await;
    world.pass_ms(1_000);
    world.hear("ana", "acá estoy").await;
    world.hear("beba", "acá estoy").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent_to("ana"), ["#1 /arm aviso silence 60000", "#2 acá estoy"]);
    let unconditional = ["#1 /arm cita always 60000", "#2 acá estoy", "timer cita"];
    assert_eq!(world.phone.sent_to("beba"), unconditional);
    world.assert_at_rest().await;
}

async fn a_silence_timer_is_dropped_when_a_message_only_waits(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso silence 60000").await;
    world.run().await;
    // Nobody works while the timer comes due and the customer writes after that.
    world.pass_ms(70_000);
    world.hear("ana", "acá estoy").await;
    assert_only(&world, &["#1 /arm aviso silence 60000", "#2 acá estoy"]).await;
}

async fn a_silence_timer_is_dropped_when_a_burst_is_still_coming_in(on: On) {
    let quiet = Burst { quiet_ms: 5_000, ..Burst::default() };
    let world = World::new(on).await.with_burst(quiet);
    world.hear("ana", "/arm aviso silence 60000").await;
    world.run_for_ms(5_000).await;
    world.pass_ms(58_000);
    world.hear("ana", "acá").await;
    assert_only(&world, &["#1 /arm aviso silence 60000", "#2 acá"]).await;
}

async fn a_cancelled_timer_does_not_fire(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso always 60000").await;
    world.run().await;
    world.hear("ana", "/cancel aviso").await;
    world.run().await;
    assert_only(&world, &["#1 /arm aviso always 60000", "#2 /cancel aviso"]).await;
}

async fn a_timer_that_is_due_while_a_person_owns_the_conversation_is_dropped(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso always 60000").await;
    world.run().await;
    world.take("ana", "marta").await;
    world.run_for_ms(60_000).await;
    let said = world.said_by(Role::System, "ana").await;
    assert_eq!(said, ["marta took the conversation over"], "it counts as dropped, not as fired");
    world.give_back("ana", "marta", None).await;
    assert_only(&world, &["#1 /arm aviso always 60000", "back from marta: -"]).await;
}

async fn a_timer_whose_session_was_closed_is_dropped(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso always 60000").await;
    world.run().await;
    world.hear("ana", "/close").await;
    assert_only(&world, &["#1 /arm aviso always 60000", "#2 /close"]).await;
}

async fn a_timer_of_a_session_that_was_followed_by_another_is_dropped(on: On) {
    let world = World::new(on).await;
    let two_days = 2 * SESSION_WINDOW_MS;
    let arm = format!("/arm aviso always {two_days}");
    world.hear("ana", &arm).await;
    world.run().await;
    world.pass_ms(SESSION_WINDOW_MS);
    world.hear("ana", "otro día").await;
    assert_only(&world, &[&format!("#1 {arm}"), "#1 otro día"]).await;
}
