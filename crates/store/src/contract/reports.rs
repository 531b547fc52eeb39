//! Delivery reports, late, twice and out of order; and a person's resolution where no report came.

use domain::{Author, DeliveryReport, DeliveryStatus, OutboundId, Reference};

use super::outbox::ended;
use super::world::{GO, World, one};
use crate::{
    AttentionFilter, Clearance, LaneWork, ReconcileItem, ReconcileKind, Resolution, StoreError,
    StoreResult, TurnCommit,
};
use DeliveryStatus::{Ambiguous, Delivered, Failed, Read, Sent};

pub(super) async fn in_every_order_of_reports_the_status_never_falls(world: World) {
    let orders = permutations(&[Sent, Delivered, Read, Failed]);
    assert_eq!(orders.len(), 24);
    let ids = ambiguous(&world, orders.len()).await;
    for (id, order) in ids.iter().zip(&orders) {
        for status in order {
            world.pass_ms(1);
            assert_eq!(report(&world, *id, *status).await, 1);
        }
    }
    let undelivered = items(&world).await;
    for (id, order) in ids.iter().zip(&orders) {
        let end = order.iter().fold(Ambiguous, |status, next| status.advanced_by(*next));
        let item = undelivered.iter().find(|item| item.id == id.to_string());
        assert_eq!(item.is_some(), end == Failed, "{order:?}");
        if let Some(item) = item {
            assert_eq!(item.kind, ReconcileKind::Undelivered, "{order:?}");
            assert_eq!(item.error.as_deref(), Some("said failed"), "{order:?}");
        }
    }
}

pub(super) async fn a_late_report_takes_nothing_back(world: World) {
    // `failed` is above `sent` and below `delivered`, so it tells whether a status fell.
    let orders = permutations(&[Sent, Delivered, Read]);
    let ids = ambiguous(&world, orders.len()).await;
    for (id, order) in ids.iter().zip(&orders) {
        for status in order.iter().chain([&Failed]) {
            report(&world, *id, *status).await;
        }
    }
    assert!(items(&world).await.is_empty());
}

pub(super) async fn a_report_ends_what_was_ambiguous(world: World) {
    let id = one(ambiguous(&world, 1).await);
    assert_eq!(one(items(&world).await).kind, ReconcileKind::Ambiguous);
    report(&world, id, Sent).await;
    assert!(items(&world).await.is_empty());
}

pub(super) async fn a_report_that_comes_before_the_outcome_is_kept(world: World) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    assert_eq!(report(&world, id, Delivered).await, 1);
    for status in [Sent, Failed, Ambiguous, DeliveryStatus::Queued] {
        let recorded = world.store.record_send(work.lease, ended(id, status), world.now()).await;
        assert!(recorded.unwrap().is_none(), "{status:?}");
    }
    assert!(items(&world).await.is_empty());
    let sent = world.store.sent_after(world.workspace(), work.conversation.id, 0, 100).await;
    assert_eq!(one(sent.unwrap()).text.reveal(), "buenas");
    assert!(world.ready().await.is_empty());
}

pub(super) async fn a_report_on_a_message_nobody_sent_counts_for_nothing(world: World) {
    assert_eq!(report(&world, world.id(), Delivered).await, 0);
    let id = one(ambiguous(&world, 1).await);
    let reports = vec![say(world.id(), Sent), say(id, Sent), say(id, Read)];
    let known = world.store.report(world.workspace(), reports, world.now()).await.unwrap();
    assert_eq!(known, 2, "both reports on our message");
    assert_eq!(world.store.report(world.workspace(), vec![], world.now()).await.unwrap(), 0);
}

pub(super) async fn a_withheld_message_stays_withheld(world: World) {
    let (work, id) = world.reply_waiting("ana", "buenas").await;
    let (workspace, conversation) = (world.workspace(), work.conversation.id);
    world.store.take(workspace, conversation, "marta", world.now()).await.unwrap();
    let outcome = world.may_send(work.lease, id).await;
    assert_eq!(outcome, Clearance::Withheld);
    for status in [Sent, Read, Failed] {
        report(&world, id, status).await;
    }
    assert!(items(&world).await.is_empty());
    let sent = world.store.sent_after(workspace, conversation, 0, 100).await.unwrap();
    assert!(sent.is_empty());
}

pub(super) async fn what_a_person_knows_was_sent_is_sent(world: World) {
    let (work, id) = one_ambiguous(&world).await;
    resolve(&world, id, Resolution::Happened).await.unwrap();
    assert!(items(&world).await.is_empty());
    let sent = world.store.sent_after(world.workspace(), work.conversation.id, 0, 100).await;
    assert_eq!(one(sent.unwrap()).author, Author::Bot);
    assert!(world.ready().await.is_empty());
    let again = resolve(&world, id, Resolution::Resend).await.unwrap_err();
    assert_eq!(again, StoreError::NotFound("reconcile item"));
}

pub(super) async fn what_a_person_drops_is_never_sent(world: World) {
    let (work, id) = one_ambiguous(&world).await;
    resolve(&world, id, Resolution::Dropped).await.unwrap();
    assert!(items(&world).await.is_empty());
    assert!(world.ready().await.is_empty());
    let sent = world.store.sent_after(world.workspace(), work.conversation.id, 0, 100).await;
    assert!(sent.unwrap().is_empty());
}

pub(super) async fn what_a_person_resends_is_sent_anew(world: World) {
    let (_, id) = one_ambiguous(&world).await;
    world.pass_ms(1_000);
    resolve(&world, id, Resolution::Resend).await.unwrap();
    assert!(items(&world).await.is_empty());
    let work = world.claim().await;
    let message = work.outbound.expect("due at once");
    assert_eq!((message.id, message.attempts), (id, 0), "under the same reference");
    let going = world.may_send(work.lease, id).await;
    assert_eq!(going, GO);
    assert!(world.record_send(work.lease, ended(id, Sent)).await.is_none());
}

pub(super) async fn a_message_that_failed_can_be_resent_after_the_owner_changed(world: World) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    world.record_send(work.lease, ended(id, Failed)).await;
    let (workspace, conversation) = (world.workspace(), work.conversation.id);
    world.store.take(workspace, conversation, "marta", world.now()).await.unwrap();
    resolve(&world, id, Resolution::Resend).await.unwrap();
    let work = world.claim().await;
    // A person asked for it, knowing who owns the conversation now.
    let going = world.may_send(work.lease, id).await;
    assert_eq!(going, GO);
}

pub(super) async fn a_resend_that_races_with_a_release_is_never_lost(world: World) {
    let other = world.another_node().await;
    for round in 0..10 {
        let (work, id) = world.reply_in_flight(&format!("cliente {round}"), "buenas").await;
        world.hear(&format!("cliente {round}"), "¿y?").await;
        let next = world.record_send(work.lease, ended(id, Ambiguous)).await.expect("a message");
        let name = id.to_string();
        let (released, resent) = tokio::join!(
            world.store.commit(world.turn(&next)),
            other.reconcile(world.workspace(), &name, Resolution::Resend, "marta", world.now())
        );
        resent.unwrap();
        let work = match released.unwrap() {
            Some(next) => next,
            None => world.claim().await,
        };
        assert_eq!(work.outbound.as_ref().map(|message| message.id), Some(id));
        world.may_send(work.lease, id).await;
        world.record_send(work.lease, ended(id, Sent)).await;
    }
}

pub(super) async fn a_resolution_of_nothing_is_refused(world: World) {
    for id in ["no id", "no id/step", &world.id::<uuid::Uuid>().to_string()] {
        for resolution in [Resolution::Happened, Resolution::Dropped] {
            let workspace = world.workspace();
            let refused = world.store.reconcile(workspace, id, resolution, "marta", world.now());
            assert_eq!(refused.await.unwrap_err(), StoreError::NotFound("reconcile item"));
        }
    }
}

fn permutations(items: &[DeliveryStatus]) -> Vec<Vec<DeliveryStatus>> {
    let Some((first, rest)) = items.split_first() else {
        return vec![vec![]];
    };
    let mut all = Vec::new();
    for shorter in permutations(rest) {
        for place in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(place, *first);
            all.push(longer);
        }
    }
    all
}

/// Messages with an unknown outcome, in one conversation.
async fn ambiguous(world: &World, count: usize) -> Vec<OutboundId> {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let outbound: Vec<_> = (0..count).map(|_| world.message("buenas")).collect();
    let ids: Vec<_> = outbound.iter().map(|message| message.id).collect();
    let turn = TurnCommit { outbound, ..world.turn(&work) };
    let mut next = world.commit(turn).await;
    for id in &ids {
        let work = next.expect("one more to send");
        world.may_send(work.lease, *id).await;
        next = world.record_send(work.lease, ended(*id, Ambiguous)).await;
    }
    assert!(next.is_none());
    ids
}

async fn one_ambiguous(world: &World) -> (LaneWork, OutboundId) {
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    assert!(world.record_send(work.lease, ended(id, Ambiguous)).await.is_none());
    (work, id)
}

fn say(reference: OutboundId, status: DeliveryStatus) -> DeliveryReport {
    let error = (status == Failed).then(|| "said failed".into());
    DeliveryReport { error, ..DeliveryReport::new(Reference::Ours(reference), status) }
}

async fn report(world: &World, reference: OutboundId, status: DeliveryStatus) -> usize {
    let reports = vec![say(reference, status)];
    world.store.report(world.workspace(), reports, world.now()).await.unwrap()
}

async fn items(world: &World) -> Vec<ReconcileItem> {
    world.store.reconcile_items(world.workspace(), &AttentionFilter::first(100)).await.unwrap()
}

async fn resolve(world: &World, id: OutboundId, resolution: Resolution) -> StoreResult<()> {
    let (workspace, id) = (world.workspace(), id.to_string());
    world.store.reconcile(workspace, &id, resolution, "marta", world.now()).await
}
