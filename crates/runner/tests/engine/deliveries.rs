//! Deliveries with thousands of items: stored in pieces, with whatever others bring in between.

use channels::{BadItem, Parsed};
use domain::{Content, DeliveryReport, DeliveryStatus, Inbound, OutboundId, Reference};
use serde_json::json;
use uuid::Uuid;

use crate::kit::{On, World};

on_both_stores![
    whatever_a_long_delivery_brings_is_stored_in_pieces,
    a_piece_of_long_messages_is_no_longer_than_one_of_short_ones,
    a_message_of_another_workspace_is_stored_between_two_pieces_of_whatever_kind,
];

/// Items of a kind, in a delivery of their own.
const ITEMS: usize = 70;
const KINDS: [&str; 5] =
    ["inbox.accept", "inbox.note", "inbox.unreadable", "inbox.report", "inbox.forget"];

fn delivery(world: &World, kind: &str) -> Parsed {
    let ids = || (0..ITEMS).map(|number| format!("{kind} {number}"));
    let inbound = |id: &str, content: &Content| Inbound {
        content: content.clone(),
        ..world.inbound("ana", id, "")
    };
    match kind {
        "inbox.accept" => {
            ids().map(|id| inbound(&id, &Content::text("hola"))).collect::<Vec<_>>().into()
        }
        "inbox.note" => {
            let gone = Content::Reaction { emoji: None };
            ids().map(|id| inbound(&id, &gone)).collect::<Vec<_>>().into()
        }
        "inbox.unreadable" => {
            let bad = |id| BadItem { raw: json!(id), reason: "unreadable".to_owned() };
            Parsed { bad: ids().map(bad).collect(), ..Parsed::default() }
        }
        "inbox.report" => {
            let report = |number| {
                let ours = Reference::Ours(OutboundId(Uuid::from_u128(number)));
                DeliveryReport::new(ours, DeliveryStatus::Read)
            };
            (0..ITEMS as u128).map(report).collect::<Vec<_>>().into()
        }
        _ => Parsed { deleted: ids().collect(), ..Parsed::default() },
    }
}

fn stored(world: &World, kind: &str) -> usize {
    world.faults.hits().iter().filter(|hit| **hit == format!("{kind}:after")).count()
}

async fn whatever_a_long_delivery_brings_is_stored_in_pieces(on: On) {
    let world = World::new(on).await;
    let node = world.node();
    for kind in KINDS {
        world.faults.none();
        let taken = node.intake().ingest(&world.channel.id, delivery(&world, kind)).await.unwrap();
        assert_eq!(stored(&world, kind), 3, "{kind}: {taken:?}");
    }
    assert_eq!(world.quarantined().await.len(), ITEMS);
}

async fn a_piece_of_long_messages_is_no_longer_than_one_of_short_ones(on: On) {
    let world = World::new(on).await;
    let long = "x".repeat(100_000);
    let many = (0..20).map(|number| world.inbound("ana", &number.to_string(), &long)).collect();
    world.faults.none();
    assert_eq!(world.take_in(many).await.new, 20);
    assert_eq!(stored(&world, "inbox.accept"), 10, "two of them are some 200 kB");
}

async fn a_message_of_another_workspace_is_stored_between_two_pieces_of_whatever_kind(on: On) {
    let world = World::new(on).await.with_neighbour("tranquila", "tranquila").await;
    let node = world.node();
    for kind in KINDS {
        let gate = world.faults.wait_at(&format!("{kind}:after"));
        let long = node.intake().ingest(&world.channel.id, delivery(&world, kind));
        let meanwhile = async {
            gate.reached().await;
            world.hear_by(&node, &"tranquila".into(), "luis", "hola").await;
            assert!(stored(&world, kind) < 3, "{kind}");
            gate.open();
        };
        let (taken, ()) = tokio::join!(long, meanwhile);
        taken.unwrap();
    }
}
