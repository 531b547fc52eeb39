//! What customers take back, customers with two names, and messages from long ago.

use domain::{DeliveryStatus, Identity, Role};

use super::outbox::ended;
use super::world::{World, one, said, words};
use crate::{Arrival, Deleted, Settlement, TurnCommit};

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
    let sent = Settlement { provider_ref, ..ended(id, DeliveryStatus::Sent) };
    world.settle(work.lease, sent).await;

    forget(&world, &["m1", "out1"]).await;
    let (workspace, conversation) = (world.workspace(), work.conversation.id);
    let lines = world.store.transcript(workspace, conversation, 10).await.unwrap().lines;
    let kept: Vec<_> = lines.iter().map(|line| line.content.reveal().as_str()).collect();
    assert_eq!(kept, ["[deleted]", "[deleted]"]);
    let sent = world.store.sent_after(workspace, conversation, 0).await.unwrap();
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

pub(super) async fn a_customer_who_gets_a_second_name_stays_who_they_are(world: World) {
    let plain = named(&world, "5491101", None, "m1");
    let first = one(world.accept(vec![plain]).await).conversation;
    let both = named(&world, "AR.77", Some("5491101"), "m2");
    assert_eq!(one(world.accept(vec![both]).await).conversation, first);
    for (name, id) in [("AR.77", "m3"), ("5491101", "m4")] {
        let accepted = world.accept(vec![named(&world, name, None, id)]).await;
        assert_eq!(one(accepted).conversation, first, "{name}");
    }
    let conversation = world.store.get(world.workspace(), first).await.unwrap();
    assert_eq!(conversation.address.reveal(), "5491101");
}

pub(super) async fn a_customer_who_comes_with_two_names_is_known_by_both(world: World) {
    let both = named(&world, "AR.77", Some("5491101"), "m1");
    let first = one(world.accept(vec![both]).await).conversation;
    let conversation = world.store.get(world.workspace(), first).await.unwrap();
    assert_eq!(conversation.address.reveal(), "5491101", "answers go to the number");
    let accepted = world.accept(vec![named(&world, "5491101", None, "m2")]).await;
    assert_eq!(one(accepted).conversation, first);
    // A number that is somebody's own is not taken from them.
    let other = named(&world, "AR.88", None, "m3");
    let other = one(world.accept(vec![other]).await).conversation;
    assert_ne!(other, first);
    let claims = named(&world, "AR.88", Some("5491101"), "m4");
    assert_eq!(one(world.accept(vec![claims]).await).conversation, other);
    let accepted = world.accept(vec![named(&world, "5491101", None, "m5")]).await;
    assert_eq!(one(accepted).conversation, first);
}

pub(super) async fn in_one_delivery_both_names_are_one_customer(world: World) {
    let arrivals = vec![
        named(&world, "AR.77", None, "m1"),
        named(&world, "AR.77", Some("5491101"), "m2"),
        named(&world, "AR.77", None, "m3"),
    ];
    let accepted = world.accept(arrivals).await;
    assert!(accepted.iter().all(|one| one.conversation == accepted[0].conversation));
    let accepted = world.accept(vec![named(&world, "5491101", None, "m4")]).await;
    assert_eq!(one(accepted).conversation, one(world.claim_all().await).conversation.id);
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
    let held = one(world.store.quarantined(world.workspace()).await.unwrap());
    assert!(held.reason.contains("8 days"), "{}", held.reason);
    let again = world.accept(vec![sent("vieja", 9 * DAY_MS), sent("nueva", 9 * DAY_MS)]).await;
    assert!(again.iter().all(|one| one.duplicate && !one.set_aside), "known ones are copies");

    world.pass_ms(20_000);
    world.store.retry(world.workspace(), held.id, "marta", world.now()).await.unwrap();
    let work = one(world.ready().await);
    assert!(words(&work).contains(&"vieja"), "who looked may have it answered");
}

fn named(world: &World, name: &str, alias: Option<&str>, id: &str) -> Arrival {
    let mut arrival = world.arrival(name, id, "hola");
    arrival.item.from = Identity { alias: alias.map(Into::into), ..Identity::new(name) };
    arrival
}

pub(super) async fn forget(world: &World, ids: &[&str]) {
    let deleted = |id: &&str| Deleted { external_id: (*id).to_owned(), event: world.id() };
    let messages = ids.iter().map(deleted).collect();
    world.store.forget(&world.channel, messages, world.now()).await.expect("forgotten");
}
