//! Intake: every message once, in order, whatever the number and the age of its copies.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::{Content, EventKind, Pii, Timestamp};
use serde_json::json;
use tokio::task::JoinSet;

use super::world::{World, one, words};
use crate::{AttentionFilter, Store, StoreError, TurnCommit, Unreadable};

pub(super) async fn a_second_copy_in_one_delivery_changes_nothing(world: World) {
    let copies = vec![world.arrival("ana", "m1", "hola"), world.arrival("ana", "m1", "hola")];
    let accepted = world.accept(copies).await;
    assert_eq!((accepted[0].duplicate, accepted[1].duplicate), (false, true));
    assert_eq!(accepted[0].conversation, accepted[1].conversation);
    assert_eq!(words(&world.claim().await), ["hola"]);
}

pub(super) async fn a_second_copy_of_a_message_changes_nothing(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "hola")]).await;
    world.pass_ms(60_000);
    let again = world.accept(vec![world.arrival("ana", "m1", "hola")]).await;
    assert!(one(again).duplicate);
    let work = world.claim().await;
    assert_eq!(words(&work), ["hola"]);
    assert!(world.commit(world.turn(&work)).await.is_none());

    world.pass_ms(29 * 24 * 3_600_000);
    let late = world.accept(vec![world.arrival("ana", "m1", "hola")]).await;
    assert!(one(late).duplicate, "a copy of a handled message");
    assert!(world.ready().await.is_empty());
}

pub(super) async fn many_copies_at_once_on_two_nodes_become_one_event(world: World) {
    let nodes = [Arc::clone(&world.store), world.another_node().await];
    let mut racing = JoinSet::new();
    for copy in 0..40 {
        let node = Arc::clone(&nodes[copy % 2]);
        let mut both = vec![world.arrival("ana", "m1", "uno"), world.arrival("luis", "m2", "dos")];
        if copy % 3 == 0 {
            both.reverse();
        }
        let (channel, now) = (world.channel.clone(), world.now());
        racing.spawn(async move { node.accept(&channel, both, None, now).await.unwrap().accepted });
    }
    let answers: Vec<_> = racing.join_all().await.into_iter().flatten().collect();
    assert_eq!(answers.len(), 80);
    assert_eq!(answers.iter().filter(|one| !one.duplicate).count(), 2);
    let conversations: BTreeSet<_> = answers.iter().map(|one| one.conversation).collect();
    assert_eq!(conversations.len(), 2, "one conversation per sender");

    let works = world.claim_all().await;
    let mut heard: Vec<_> = works.iter().map(words).collect();
    heard.sort_unstable();
    assert_eq!(heard, [["dos"], ["uno"]]);
}

pub(super) async fn the_same_id_on_another_channel_is_another_message(world: World) {
    let ours = world.accept(vec![world.arrival("ana", "m1", "hola")]).await;
    for (workspace, channel) in [("tienda", "web"), ("otra", "whatsapp")] {
        let channel = world.add_channel(workspace, channel).await;
        let arrival = vec![world.arrival("ana", "m1", "hola")];
        let theirs =
            one(world.store.accept(&channel, arrival, None, world.now()).await.unwrap().accepted);
        assert!(!theirs.duplicate, "{workspace} {channel:?}");
        assert_ne!(theirs.conversation, ours[0].conversation);
    }
    assert_eq!(world.claim_all().await.len(), 3);
}

pub(super) async fn one_delivery_may_bring_five_hundred_senders(world: World) {
    let arrival = |n| world.arrival(&format!("cliente {n}"), &format!("m{n}"), "hola");
    let accepted = world.accept((0..500).map(arrival).collect()).await;
    assert!(accepted.iter().all(|one| !one.duplicate));
    let conversations: BTreeSet<_> = accepted.iter().map(|one| one.conversation).collect();
    assert_eq!(conversations.len(), 500);
    assert_eq!(world.claim_all().await.len(), 500);
}

pub(super) async fn a_sender_who_is_new_on_two_nodes_at_once_is_one_contact(world: World) {
    let other = world.another_node().await;
    for round in 0..10 {
        let sender = format!("nueva {round}");
        let first = vec![world.arrival(&sender, &format!("a{round}"), "uno")];
        let second = vec![world.arrival(&sender, &format!("b{round}"), "dos")];
        let (first, second) = tokio::join!(
            world.store.accept(&world.channel, first, None, world.now()),
            other.accept(&world.channel, second, None, world.now())
        );
        let (first, second) = (one(first.unwrap().accepted), one(second.unwrap().accepted));
        assert_eq!(first.conversation, second.conversation);
        assert!(!first.duplicate && !second.duplicate);
    }
    let works = world.claim_all().await;
    assert_eq!(works.len(), 10);
    assert!(works.iter().all(|work| work.events.len() == 2));
}

pub(super) async fn a_sender_is_remembered_with_name_phone_and_address(world: World) {
    let mut arrival = world.arrival("57300", "m1", "hola");
    arrival.item.from.name = Some("Ana María".into());
    arrival.item.from.phone = Some("+57 300".into());
    world.accept(vec![arrival]).await;
    let conversation = world.claim().await.conversation;
    assert_eq!(conversation.address, Pii::from("57300"));
    assert_eq!(conversation.contact.name, Some("Ana María".into()));
    assert_eq!(conversation.contact.phone, Some("+57 300".into()));
    assert_eq!(conversation.channel, world.channel.id);
}

pub(super) async fn messages_are_ordered_by_when_they_were_sent_then_by_arrival(world: World) {
    let sent = |id: &str, at_ms: Option<i64>| {
        let mut arrival = world.arrival("ana", id, id);
        arrival.item.sent_at = at_ms.map(|ms| world.now().plus_ms(ms));
        arrival
    };
    world.accept(vec![sent("c", Some(-10)), sent("e", None), sent("a", Some(-30))]).await;
    world.accept(vec![sent("d", Some(-10)), sent("b", Some(-20)), sent("f", None)]).await;
    assert_eq!(words(&world.claim().await), ["a", "b", "c", "d", "e", "f"]);
}

/// Prunes piece by piece, to the end.
async fn prune(world: &World, before: Timestamp) -> u64 {
    let (mut rows, mut place) = (0, None);
    loop {
        let piece = world.store.prune(world.workspace(), before, place).await.unwrap();
        rows += piece.rows;
        place = piece.next;
        if place.is_none() {
            return rows;
        }
    }
}

pub(super) async fn pruning_takes_no_more_than_a_piece_at_once(world: World) {
    let arrival = |n: u32| world.arrival("ana", &format!("m{n}"), "hola");
    for piece in 0..11 {
        world.accept((0..100).map(|n| arrival(piece * 100 + n)).collect()).await;
    }
    let mut work = Some(world.claim().await);
    while let Some(turn) = work.take() {
        work = world.commit(world.turn(&turn)).await;
    }
    world.pass_ms(1_000);
    let first = world.store.prune(world.workspace(), world.now(), None).await.unwrap();
    assert_eq!(first.rows, 1_000);
    let rest = world.store.prune(world.workspace(), world.now(), first.next).await.unwrap();
    assert_eq!(rest.rows, 100);
    let end = world.store.prune(world.workspace(), world.now(), rest.next).await.unwrap();
    assert_eq!(end, crate::Pruned::default());
}

pub(super) async fn pruning_deletes_only_what_is_handled_and_old(world: World) {
    // Handled long ago, set aside long ago, waiting since long ago, handled just now.
    for (sender, id) in [("ana", "old"), ("luis", "poison"), ("eva", "waiting")] {
        world.accept(vec![world.arrival(sender, id, id)]).await;
    }
    for work in world.claim_all().await {
        match words(&work)[0] {
            "old" => assert!(world.commit(world.turn(&work)).await.is_none()),
            "poison" => {
                let set_aside = Some("it crashed".to_owned());
                let turn = TurnCommit { set_aside, ..world.turn(&work) };
                assert!(world.commit(turn).await.is_none());
            }
            _ => {}
        }
    }
    world.pass_ms(1_000);
    let before = world.now();
    world.accept(vec![world.arrival("ana", "young", "young")]).await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;

    assert_eq!(prune(&world, before).await, 1);
    assert_eq!(prune(&world, before).await, 0);
    for (sender, id, known) in [
        ("ana", "old", false),
        ("luis", "poison", true),
        ("eva", "waiting", true),
        ("ana", "young", true),
    ] {
        let again = world.accept(vec![world.arrival(sender, id, id)]).await;
        assert_eq!(one(again).duplicate, known, "{id}");
    }
    let set_aside =
        world.store.quarantined(world.workspace(), &AttentionFilter::first(100)).await.unwrap();
    assert_eq!(set_aside.len(), 1);
}

pub(super) async fn any_text_a_customer_can_send_survives(world: World) {
    let texts = [
        "👩🏽‍🔧🇨🇴 ¿cuánto?",
        "e\u{301}\u{200d}\u{200f}\u{202e}\u{feff}",
        "\u{fffd}\u{ffff}\u{10ffff}\u{e000}\u{e0041}",
        "'; DROP TABLE lanes; -- ?1 $1 \" \\ \\u0000 %",
        "\u{1}\u{7f}\u{85}\u{2028}\r\n\t ",
        "",
    ];
    for (n, text) in texts.iter().enumerate() {
        world.accept(vec![world.arrival(text, &format!("{n}{text}"), text)]).await;
    }
    let works = world.claim_all().await;
    assert_eq!(works.len(), texts.len());
    for work in works {
        let text = words(&work)[0].to_owned();
        assert!(texts.contains(&text.as_str()), "{text:?}");
        assert_eq!(work.conversation.address.reveal(), &text);
        let turn = world.turn(&work);
        world.commit(turn).await;
        let id = work.conversation.id;
        let transcript = world.store.transcript(world.workspace(), id, 10).await.unwrap();
        assert_eq!(one(transcript.lines).content.reveal(), &text);
    }
}

pub(super) async fn what_cannot_be_read_is_kept_once_for_a_person(world: World) {
    let item = |external_id: &str| Unreadable {
        external_id: external_id.to_owned(),
        event: world.id(),
        raw: json!({ "type": "holograma", "size": [1, null] }),
        reason: "unknown type".into(),
    };
    for items in [vec![item("m1"), item("m1")], vec![item("m1")], vec![]] {
        world.store.keep_unreadable(&world.channel, items, world.now()).await.unwrap();
    }
    let kept = one(world
        .store
        .quarantined(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((kept.kind.as_str(), kept.conversation), ("unreadable", None));
    assert_eq!((kept.reason.as_str(), kept.received_at), ("unknown type", world.now()));
    assert!(kept.payload.reveal().contains("holograma"));
    assert_eq!(world.store.next_due().await.unwrap(), None);

    let retried = world.store.retry(world.workspace(), kept.id, "marta", world.now()).await;
    assert_eq!(retried.unwrap_err(), StoreError::NotFound("quarantined event"));
    world.pass_ms(1);
    assert_eq!(prune(&world, world.now()).await, 0);
}

/// U+0000 may become U+FFFD, because not every database stores it; nothing else may change.
pub(super) async fn a_nul_in_a_text_stops_nothing(world: World) {
    let mut arrival = world.arrival("ana", "m1", "a\0b");
    arrival.item.from.name = Some("A\0na".into());
    let accepted = one(world.accept(vec![arrival]).await);
    let work = world.claim().await;
    let like = |text: &str, wanted: &str| {
        assert!(text == wanted || text == wanted.replace('\0', "\u{fffd}"), "{text:?}");
    };
    let EventKind::Message(Content::Text { text }) = &work.events[0].kind else {
        panic!("{:?}", work.events);
    };
    like(text.reveal(), "a\0b");
    like(work.conversation.contact.name.as_ref().unwrap().reveal(), "A\0na");

    let turn = TurnCommit { outbound: vec![world.message("c\0d")], ..world.turn(&work) };
    let next = world.commit(turn).await.expect("the reply is due");
    like(next.outbound.unwrap().text.reveal(), "c\0d");
    assert_eq!(next.conversation.id, accepted.conversation);
}

pub(super) async fn a_message_that_arrives_wakes_its_node(world: World) {
    world.hear("ana", "hola").await;
    assert!(is_woken(&*world.store).await);
}

/// Whether a wake-up is already there.
async fn is_woken(store: &dyn Store) -> bool {
    tokio::select! {
        biased;
        () = store.signals().lanes_woken() => true,
        () = std::future::ready(()) => false,
    }
}
