//! Versions of agents: a session goes on with the one it began with, on any node that can have it.

use std::sync::Arc;
use std::time::Duration;

use domain::{SESSION_WINDOW_MS, Session};

use crate::kit::{Edition, On, Shelf, World};

on_both_stores![
    a_session_keeps_its_version_while_new_ones_take_the_current,
    a_node_without_the_version_makes_it_from_what_is_stored,
    many_sessions_of_an_old_version_make_it_once,
    a_version_made_again_under_another_name_stays_the_sessions,
    a_version_that_is_lost_goes_on_as_the_current_one,
    a_stored_version_this_build_cannot_read_goes_on_as_the_current_one,
    a_panic_while_a_version_is_made_again_is_a_failed_attempt,
    a_version_stored_by_another_workspace_is_not_found,
    a_session_that_a_person_leads_is_pinned_too,
];

async fn open_session(world: &World, from: &str) -> Session {
    let id = world.id_of(from).await;
    let session = world.store.session(world.channel.workspace, id).await.unwrap();
    session.expect("an open session")
}

async fn says(world: &World, from: &str, text: &str) {
    world.hear(from, text).await;
    world.run().await;
}

async fn keep(world: &World, version: &str) {
    let (workspace, stored) = (world.channel.workspace, Edition::stored(version));
    world.store.keep_pack(workspace, &stored, world.now()).await.unwrap();
}

/// Ana has begun with `v1`; then a deploy put `roster` in its place.
async fn after_a_deploy(on: On, roster: &Arc<Shelf>, kept: bool) -> World {
    let world = World::new(on).await.with_roster(&Shelf::with("v1"));
    if kept {
        keep(&world, "v1").await;
    }
    says(&world, "ana", "hola").await;
    assert_eq!(world.phone.sent(), ["v1 #1: hola"]);
    world.with_roster(roster)
}

async fn a_session_keeps_its_version_while_new_ones_take_the_current(on: On) {
    let shelf = Shelf::with("v1");
    let world = World::new(on).await.with_roster(&shelf);
    says(&world, "ana", "hola").await;
    shelf.publish("v2");
    says(&world, "ana", "sigo").await;
    says(&world, "beto", "hola").await;
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v1 #2: sigo", "v2 #1: hola"]);
    assert_eq!(open_session(&world, "ana").await.agent_version, "v1");
    assert_eq!(open_session(&world, "beto").await.agent_version, "v2");

    // The next session of the same conversation is a new one.
    world.pass_ms(SESSION_WINDOW_MS);
    says(&world, "ana", "otro día").await;
    assert_eq!(world.phone.sent().last().unwrap(), "v2 #1: otro día");
    assert_eq!(shelf.revived(), 0);
}

async fn a_node_without_the_version_makes_it_from_what_is_stored(on: On) {
    let shelf = Shelf::with("v2");
    let world = after_a_deploy(on, &shelf, true).await;
    says(&world, "ana", "sigo").await;
    says(&world, "ana", "y sigo").await;
    says(&world, "beto", "hola").await;
    let sent = world.phone.sent();
    assert_eq!(sent, ["v1 #1: hola", "v1 #2: sigo", "v1 #3: y sigo", "v2 #1: hola"]);
    assert_eq!(open_session(&world, "ana").await.agent_version, "v1");
    assert_eq!(shelf.revived(), 1);
}

async fn many_sessions_of_an_old_version_make_it_once(on: On) {
    const CUSTOMERS: usize = 20;
    let names: Vec<_> = (0..CUSTOMERS).map(|number| format!("cliente {number}")).collect();
    let world = World::new(on).await.with_roster(&Shelf::with("v1"));
    keep(&world, "v1").await;
    for name in &names {
        says(&world, name, "hola").await;
    }
    let shelf = Shelf::with("v2");
    let world = world.with_roster(&shelf);
    for name in &names {
        world.hear(name, "sigo").await;
    }
    // All at once, as a node that serves works them.
    let node = world.node();
    let running = tokio::spawn(Arc::clone(&node).run(Duration::from_secs(60)));
    while world.phone.sent().len() < 2 * CUSTOMERS {
        tokio::task::yield_now().await;
    }
    node.stop();
    running.await.expect("stopped in order");
    for name in &names {
        assert_eq!(world.phone.sent_to(name), ["v1 #1: hola", "v1 #2: sigo"]);
    }
    assert_eq!(shelf.revived(), 1);
}

async fn a_version_made_again_under_another_name_stays_the_sessions(on: On) {
    let shelf = Shelf::renaming("v2");
    let world = after_a_deploy(on, &shelf, true).await;
    for text in ["sigo", "y sigo"] {
        says(&world, "ana", text).await;
    }
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v1' #2: sigo", "v1' #3: y sigo"]);
    assert_eq!(open_session(&world, "ana").await.agent_version, "v1");
    assert_eq!(shelf.revived(), 1);
}

async fn a_version_that_is_lost_goes_on_as_the_current_one(on: On) {
    let world = after_a_deploy(on, &Shelf::with("v2"), false).await;
    says(&world, "ana", "sigo").await;
    // The same session, with what it knew, and from now on of the version that answered.
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v2 #2: sigo"]);
    assert_eq!(open_session(&world, "ana").await.agent_version, "v2");
}

async fn a_stored_version_this_build_cannot_read_goes_on_as_the_current_one(on: On) {
    let world = after_a_deploy(on, &Shelf::illiterate("v2"), true).await;
    says(&world, "ana", "sigo").await;
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v2 #2: sigo"]);
}

async fn a_panic_while_a_version_is_made_again_is_a_failed_attempt(on: On) {
    let world = after_a_deploy(on, &Shelf::panicking("v2", 1), true).await;
    says(&world, "ana", "sigo").await;
    assert_eq!(world.phone.sent().len(), 1, "the attempt failed");
    world.run_for_ms(10_000).await;
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v1 #2: sigo"]);
    assert!(world.quarantined().await.is_empty());
}

async fn a_version_stored_by_another_workspace_is_not_found(on: On) {
    let world = after_a_deploy(on, &Shelf::with("v2"), false).await;
    keep(&world.beside("vecina").await, "v1").await;
    says(&world, "ana", "sigo").await;
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v2 #2: sigo"]);
}

async fn a_session_that_a_person_leads_is_pinned_too(on: On) {
    let shelf = Shelf::with("v1");
    let world = World::new(on).await.with_roster(&shelf);
    says(&world, "ana", "hola").await;
    world.take("ana", "marta").await;
    world.pass_ms(SESSION_WINDOW_MS);
    says(&world, "ana", "otro día").await;
    let noted = open_session(&world, "ana").await;
    assert_eq!((noted.agent_version.as_str(), noted.mode.as_str()), ("v1", "inicio"));
    shelf.publish("v2");
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["v1 #1: hola", "v1 #1: -"]);
}
