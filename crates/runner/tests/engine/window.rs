//! The window: what may still be said is decided when it is sent, whoever says it.

use domain::{Approved, Author, ChannelKind, SERVICE_WINDOW_MS};
use store::ReconcileKind;

use crate::kit::{Answer, On, Trouble, Troubled, World};

on_both_stores![
    until_a_day_has_passed_everybody_writes_freely,
    what_was_written_inside_and_leaves_outside_waits_for_a_person,
    what_was_written_inside_and_leaves_outside_goes_as_its_template,
    an_operator_outside_the_window_has_templates_and_nothing_else,
    a_reminder_outside_the_window_is_listed_and_the_bot_goes_on,
    an_apology_a_day_late_waits_for_a_person,
    a_customer_who_wrote_meanwhile_is_answered_freely,
    a_page_has_no_window,
];

fn template() -> Approved {
    let values = vec!["Ana".to_owned(), "A-12".to_owned()];
    Approved { name: "aviso".into(), language: "es_CO".into(), values }
}

/// The reconcile items that wait for a person because of the window.
async fn listed(world: &World) -> Vec<String> {
    let items = world.to_reconcile().await;
    assert!(items.iter().all(|item| item.kind == ReconcileKind::OutsideWindow), "{items:?}");
    items.iter().map(|item| item.what.reveal().clone()).collect()
}

async fn until_a_day_has_passed_everybody_writes_freely(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(Some(SERVICE_WINDOW_MS - 1))]);
    world.hear("ana", "/handoff").await;
    world.run_for_ms(SERVICE_WINDOW_MS - 1).await;
    world.say_or("ana", "marta", "le escribo", Some(template())).await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 /handoff", "le escribo"]);
    assert!(listed(&world).await.is_empty());
    world.assert_at_rest().await;
}

async fn what_was_written_inside_and_leaves_outside_waits_for_a_person(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(Some(SERVICE_WINDOW_MS))]);
    world.hear("ana", "hola").await;
    world.run_for_ms(2 * SERVICE_WINDOW_MS).await;
    assert_eq!(world.phone.attempted_at_ms(), [0], "not even tried at exactly 24 h");
    assert_eq!(listed(&world).await, ["#1 hola"]);
    let item = world.to_reconcile().await.remove(0);
    let why = "outside the 24 h window, and it has no approved template";
    assert_eq!(item.error.as_deref(), Some(why));
    world.assert_at_rest().await;

    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 ¿hola?"], "and only what is answered now");
}

async fn what_was_written_inside_and_leaves_outside_goes_as_its_template(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/handoff").await;
    world.run().await;
    world.phone.script([Answer::Retry(Some(SERVICE_WINDOW_MS))]);
    world.say_or("ana", "marta", "ya sale su pedido", Some(template())).await;
    world.run_for_ms(SERVICE_WINDOW_MS).await;
    let expected = ["#1 /handoff", "ya sale su pedido", "aviso(Ana, A-12)"];
    assert_eq!(world.phone.tried(), expected);
    let attempts = world.phone.attempts();
    assert_eq!(attempts[1].reference, attempts[2].reference);
    assert!(listed(&world).await.is_empty());
    world.assert_at_rest().await;
}

async fn an_operator_outside_the_window_has_templates_and_nothing_else(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/handoff").await;
    world.run().await;
    world.pass_ms(SERVICE_WINDOW_MS);
    world.say("ana", "marta", "¿sigue ahí?").await;
    world.say_or("ana", "marta", "su pedido", Some(template())).await;
    world.run().await;
    assert_eq!(world.phone.tried(), ["#1 /handoff", "aviso(Ana, A-12)"]);
    assert_eq!(listed(&world).await, ["¿sigue ahí?"]);
    world.assert_at_rest().await;
}

async fn a_reminder_outside_the_window_is_listed_and_the_bot_goes_on(on: On) {
    let world = World::new(on).await;
    let command = format!("/arm aviso always {SERVICE_WINDOW_MS}");
    world.hear("ana", &command).await;
    world.run_for_ms(SERVICE_WINDOW_MS).await;
    assert_eq!(world.phone.tried().len(), 1, "the answer, and not the reminder");
    assert_eq!(listed(&world).await, ["timer aviso"]);
    world.assert_at_rest().await;
}

async fn an_apology_a_day_late_waits_for_a_person(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 3));
    world.hear("ana", "veneno").await;
    world.pass_ms(SERVICE_WINDOW_MS);
    world.run_for_ms(60_000).await;
    assert!(world.phone.tried().is_empty());
    let apologies = listed(&world).await;
    assert_eq!(apologies.len(), 1);
    assert!(apologies[0].starts_with("Perdón"), "{apologies:?}");
}

async fn a_customer_who_wrote_meanwhile_is_answered_freely(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(Some(SERVICE_WINDOW_MS))]);
    world.hear("ana", "hola").await;
    world.run().await;
    world.pass_ms(SERVICE_WINDOW_MS);
    // The lane sends what waits before it takes the turn that hears this.
    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola", "#1 ¿hola?"]);
    assert!(listed(&world).await.is_empty());
}

async fn a_page_has_no_window(on: On) {
    let world = World::new(on).await.with_kind(ChannelKind::Webchat);
    let command = format!("/arm aviso always {}", 3 * SERVICE_WINDOW_MS);
    world.hear("ana", &command).await;
    world.run_for_ms(3 * SERVICE_WINDOW_MS).await;
    let id = world.id_of("ana").await;
    let sent = world.store.sent_after(world.channel.workspace, id, 0, 100).await.unwrap();
    assert_eq!(sent[1].text.reveal(), "timer aviso");
    assert!(sent.iter().all(|line| line.author == Author::Bot));
    assert!(world.phone.tried().is_empty() && listed(&world).await.is_empty());
    world.assert_at_rest().await;
}
