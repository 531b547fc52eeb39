//! Messages that customers take back, and messages from long ago.

use domain::{DeliveryStatus, Role};

use super::outbox::ended;
use super::world::{World, one, said, words};
use crate::{AttentionFilter, Deleted, SendOutcome, TurnCommit};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) async fn what_was_deleted_is_forgotten_wherever_it_is_kept(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "mi clave es 1234")]).await;
    let work = world.claim().await;
    let reply = world.message("anoto");
    let id = reply.id;
    let mut turn = TurnCommit { outbound: vec![reply], ..world.turn(&work) };
    turn.entries.push(said(turn.turn, Role::Assistant, "anoto"));
    let work = world.commit(turn).await.unwrap();
    world.may_send(work.lease, id).await;
    let provider_ref = Some("out1".to_owned());
    let sent = SendOutcome { provider_ref, ..ended(id, DeliveryStatus::Sent) };
    world.record_send(work.lease, sent).await;

    forget(&world, &["m1", "out1"]).await;
    let (workspace, conversation) = (world.workspace(), work.conversation.id);
    let lines = world.store.transcript(workspace, conversation, 10).await.unwrap().lines;
    let kept: Vec<_> = lines.iter().map(|line| line.content.reveal().as_str()).collect();
    assert_eq!(kept, ["[deleted]", "[deleted]"]);
    let sent = world.store.sent_after(workspace, conversation, 0, 100).await.unwrap();
    assert_eq!(sent[0].text.reveal(), "[deleted]");
    let again = world.accept(vec![world.arrival("ana", "m1", "mi clave es 1234")]).await;
    assert!(again[0].duplicate, "a late copy brings nothing back");
}

pub(super) async fn of_two_equal_messages_only_the_one_deleted_goes(world: World) {
    for id in ["m1", "m2"] {
        world.accept(vec![world.arrival("ana", id, "sí")]).await;
        let work = world.claim().await;
        world.commit(world.turn(&work)).await;
        world.pass_ms(1_000);
    }
    forget(&world, &["m2"]).await;
    let id = world.store.find(world.workspace(), &world.channel.id, "ana").await.unwrap().unwrap();
    let lines = world.store.transcript(world.workspace(), id, 10).await.unwrap().lines;
    let kept: Vec<_> = lines.iter().map(|line| line.content.reveal().as_str()).collect();
    assert_eq!(kept, ["sí", "[deleted]"]);
}

pub(super) async fn what_is_deleted_before_its_turn_is_never_answered(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "uno"), world.arrival("ana", "m2", "dos")]).await;
    forget(&world, &["m1"]).await;
    assert_eq!(words(&world.claim().await), ["dos"]);
}

pub(super) async fn what_is_deleted_before_it_comes_never_comes(world: World) {
    forget(&world, &["m1"]).await;
    forget(&world, &["m1"]).await;
    let accepted = world.accept(vec![world.arrival("ana", "m1", "uno")]).await;
    assert!(one(accepted).duplicate);
    assert!(world.ready().await.is_empty());
}

pub(super) async fn what_was_sent_long_ago_and_is_not_known_waits_for_a_person(world: World) {
    let sent = |id: &str, ago_ms: i64| {
        let mut arrival = world.arrival("ana", id, id);
        arrival.item.sent_at = Some(world.now().plus_ms(-ago_ms));
        arrival
    };
    let accepted = world.accept(vec![sent("vieja", 8 * DAY_MS + 1), sent("nueva", 8 * DAY_MS)]);
    let accepted: Vec<_> =
        accepted.await.iter().map(|one| (one.duplicate, one.set_aside)).collect();
    assert_eq!(accepted, [(false, true), (false, false)]);
    assert_eq!(words(&world.claim().await), ["nueva"]);
    let held = one(world
        .store
        .quarantined(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert!(held.reason.contains("8 days"), "{}", held.reason);
    let again = world.accept(vec![sent("vieja", 9 * DAY_MS), sent("nueva", 9 * DAY_MS)]).await;
    assert!(again.iter().all(|one| one.duplicate && !one.set_aside), "known ones are copies");

    world.pass_ms(20_000);
    world.store.retry(world.workspace(), held.id, "marta", world.now()).await.unwrap();
    let work = one(world.ready().await);
    assert!(words(&work).contains(&"vieja"), "who looked may have it answered");
}

pub(super) async fn forget(world: &World, ids: &[&str]) {
    let deleted = |id: &&str| Deleted { external_id: (*id).to_owned(), event: world.id() };
    let messages = ids.iter().map(deleted).collect();
    world.store.forget(&world.channel, messages, world.now()).await.expect("forgotten");
}
