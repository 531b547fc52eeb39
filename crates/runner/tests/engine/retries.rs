//! Retry by hand: a person puts what was set aside back into its lane.

use domain::{Owner, Role};
use serde_json::json;

use crate::kit::{Clerk, Echo, Elsewhere, On, Trouble, Troubled, World};

on_both_stores![
    a_message_put_back_by_hand_is_answered,
    a_message_that_fails_again_after_being_put_back_gets_no_second_apology,
    a_timer_that_was_set_aside_fires_when_put_back,
    a_message_put_back_by_hand_repeats_no_step,
];

async fn set_aside(world: &World, text: &str) {
    world.hear("ana", text).await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.quarantined().await.len(), 1);
    assert_eq!(world.phone.sent().len(), 1, "the apology");
}

async fn a_message_put_back_by_hand_is_answered(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 3));
    set_aside(&world, "veneno").await;
    world.retry(world.quarantined().await[0].id).await;
    assert_eq!(world.conversation("ana").await.owner, Owner::Bot);
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["#1 veneno"]);
    assert!(world.quarantined().await.is_empty());
    world.assert_at_rest().await;

    world.hear("ana", "gracias").await;
    world.run().await;
    assert_eq!(world.phone.sent()[2..], ["#2 gracias"]);
}

async fn a_message_that_fails_again_after_being_put_back_gets_no_second_apology(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 6));
    set_aside(&world, "veneno").await;
    world.retry(world.quarantined().await[0].id).await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.quarantined().await.len(), 1);
    assert_eq!(world.conversation("ana").await.owner, Owner::Human);
    assert_eq!(world.phone.tried().len(), 1, "apologised twice");
    world.assert_at_rest().await;

    // The seventh attempt, by hand again, succeeds.
    world.retry(world.quarantined().await[0].id).await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["#1 veneno"]);
    assert!(world.quarantined().await.is_empty());
}

async fn a_timer_that_was_set_aside_fires_when_put_back(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/arm aviso always 1000").await;
    world.run().await;
    let world = world.with_agent(Elsewhere);
    world.run_for_ms(60_000).await;
    let quarantined = world.quarantined().await;
    assert_eq!((quarantined.len(), quarantined[0].kind.as_str()), (1, "timer"));
    assert_eq!(world.phone.sent().len(), 2, "the reply and the apology");

    let world = world.with_agent(Echo);
    world.retry(quarantined[0].id).await;
    world.run().await;
    assert_eq!(world.phone.sent()[2..], ["timer aviso"]);
    assert!(world.quarantined().await.is_empty());
    assert_eq!(world.said_by(Role::User, "ana").await.len(), 1);
    world.assert_at_rest().await;
}

async fn a_message_put_back_by_hand_repeats_no_step(on: On) {
    let number = ("turno.tomar", json!({ "fila": "mostrador" }));
    let world = World::new(on).await.with_agent(Clerk::calling(&[number]).failing(3));
    set_aside(&world, "un turno").await;
    world.retry(world.quarantined().await[0].id).await;
    world.run().await;
    world.hear("beto", "un turno").await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["turno.tomar=1", "turno.tomar=2"]);
    world.assert_at_rest().await;
}
