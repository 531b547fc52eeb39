//! A window that the provider holds to be closed, although we held it to be open.

use domain::{Approved, DeliveryReport, DeliveryStatus, NewOutbound, OutboundId, Reference};

use super::outbox::ended;
use super::world::{GO, World, one};
use crate::{AttentionFilter, Clearance, LaneWork, ReconcileKind, SendOutcome, TurnCommit};

const AS_TEMPLATE: Clearance = Clearance::Go { as_template: true };
const WHY: &str = "131047: the window is closed";

pub(super) async fn a_window_found_closed_lets_only_templates_out_until_the_customer_writes(
    world: World,
) {
    let (work, id) = in_flight(&world, approved(world.message("buenas"))).await;
    let next = world.record_send(work.lease, found_closed(id)).await.expect("due at once");
    assert_eq!(next.outbound.as_ref().unwrap().id, id);
    assert_eq!(world.may_send(next.lease, id).await, AS_TEMPLATE);
    world.record_send(next.lease, ended(id, DeliveryStatus::Sent)).await;

    world.pass_ms(1_000);
    world.hear("ana", "hola de nuevo").await;
    let (work, id) = in_flight_from(&world, world.message("qué tal")).await;
    world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
}

pub(super) async fn a_text_that_found_its_window_closed_waits_for_a_person(world: World) {
    let (work, id) = in_flight(&world, world.message("buenas")).await;
    let next = world.record_send(work.lease, found_closed(id)).await.expect("due at once");
    assert_eq!(world.may_send(next.lease, id).await, Clearance::OutsideWindow);
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((item.id, item.kind), (id.to_string(), ReconcileKind::OutsideWindow));
}

pub(super) async fn a_message_that_waits_opens_what_was_found_closed(world: World) {
    let (work, id) = in_flight(&world, world.message("buenas")).await;
    let next = world.record_send(work.lease, found_closed(id)).await.expect("due at once");
    world.pass_ms(1);
    world.hear("ana", "¿hola?").await;
    assert_eq!(world.may_send(next.lease, id).await, GO);
}

pub(super) async fn a_report_that_the_window_was_closed_sends_the_template_once(world: World) {
    let (work, id) = in_flight(&world, approved(world.message("buenas"))).await;
    world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
    for _ in 0..2 {
        world.pass_ms(10);
        assert_eq!(report(&world, id).await, 1);
    }
    assert!(
        world
            .store
            .reconcile_items(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
    let work = world.claim().await;
    let template = work.outbound.clone().expect("the template");
    assert_ne!(template.id, id, "under a reference of its own");
    assert_eq!(template.approved, Some(approval()));
    assert_eq!(world.may_send(work.lease, template.id).await, AS_TEMPLATE);
    world.record_send(work.lease, ended(template.id, DeliveryStatus::Sent)).await;
    // A late copy speaks of the text; the template has a reference and reports of its own.
    assert_eq!(report(&world, id).await, 1);
    assert!(world.ready().await.is_empty());
    assert_eq!(report(&world, template.id).await, 1);
    assert!(world.ready().await.is_empty(), "a template is not replaced by itself for ever");
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((item.id, item.kind), (template.id.to_string(), ReconcileKind::Undelivered));
    assert_eq!(item.error.as_deref(), Some(WHY));
}

pub(super) async fn a_report_that_the_window_was_closed_on_a_plain_text_is_listed(world: World) {
    let (work, id) = in_flight(&world, world.message("buenas")).await;
    world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
    assert_eq!(report(&world, id).await, 1);
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!((item.id, item.kind), (id.to_string(), ReconcileKind::OutsideWindow));
    assert_eq!(item.error.as_deref(), Some(WHY));
}

pub(super) async fn a_report_is_matched_by_the_providers_own_id_too(world: World) {
    let (work, id) = in_flight(&world, world.message("buenas")).await;
    let provider_ref = Some("wamid.1".to_owned());
    let sent = SendOutcome { provider_ref, ..ended(id, DeliveryStatus::Sent) };
    world.record_send(work.lease, sent).await;
    let failed = |theirs: &str| DeliveryReport {
        error: Some("130472: experiment".into()),
        ..DeliveryReport::new(Reference::Theirs(theirs.to_owned()), DeliveryStatus::Failed)
    };
    let reports = vec![failed("wamid.2"), failed("wamid.1")];
    let known = world.store.report(world.workspace(), reports, world.now()).await.unwrap();
    assert_eq!(known, 1);
    let item = one(world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap());
    assert_eq!(item.error.as_deref(), Some("130472: experiment"));
}

fn approval() -> Approved {
    Approved { name: "aviso".into(), language: "es_CO".into(), values: vec!["Ana".into()] }
}

fn approved(message: NewOutbound) -> NewOutbound {
    NewOutbound { approved: Some(approval()), ..message }
}

fn found_closed(id: OutboundId) -> SendOutcome {
    let error = Some(WHY.to_owned());
    SendOutcome { window_closed: true, error, ..ended(id, DeliveryStatus::Queued) }
}

async fn report(world: &World, id: OutboundId) -> usize {
    let report = DeliveryReport {
        window_closed: true,
        error: Some(WHY.to_owned()),
        ..DeliveryReport::new(Reference::Ours(id), DeliveryStatus::Failed)
    };
    world.store.report(world.workspace(), vec![report], world.now()).await.unwrap()
}

async fn in_flight(world: &World, message: NewOutbound) -> (LaneWork, OutboundId) {
    world.hear("ana", "hola").await;
    in_flight_from(world, message).await
}

/// A held lane with its answer, whose sending began a moment after the turn.
async fn in_flight_from(world: &World, message: NewOutbound) -> (LaneWork, OutboundId) {
    let work = world.claim().await;
    let id = message.id;
    let turn = TurnCommit { outbound: vec![message], ..world.turn(&work) };
    let work = world.commit(turn).await.expect("the answer is due");
    world.pass_ms(1);
    assert_eq!(world.may_send(work.lease, id).await, GO);
    (work, id)
}
