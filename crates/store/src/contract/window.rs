//! The window: a day after the customer last wrote, only approved templates leave.

use domain::{Approved, Author, DeliveryStatus, NewOutbound, OutboundId, SERVICE_WINDOW_MS};

use super::outbox::ended;
use super::world::{GO, LEASE_MS, NODE, World, one};
use crate::{
    AttentionFilter, Clearance, GiveBack, LaneWork, ReconcileItem, ReconcileKind, Resolution,
    SendRules, TurnCommit,
};

const AS_TEMPLATE: Clearance = Clearance::Go { as_template: true };
const WHY: &str = "outside the 24 h window, and it has no approved template";

pub(super) async fn until_a_day_has_passed_a_message_goes_as_text(world: World) {
    for message in [world.message("buenas"), approved(world.message("buenas"))] {
        let (work, id) = waiting(&world, message, SERVICE_WINDOW_MS - 1).await;
        assert_eq!(world.may_send(work.lease, id).await, GO);
        world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
    }
}

pub(super) async fn when_a_day_has_passed_an_approved_message_goes_as_template(world: World) {
    let (work, id) = waiting(&world, approved(world.message("buenas")), SERVICE_WINDOW_MS).await;
    let waiting = work.outbound.unwrap();
    assert_eq!(waiting.approved, Some(template()));
    assert_eq!(waiting.text.reveal(), "buenas");
    assert_eq!(world.may_send(work.lease, id).await, AS_TEMPLATE);
    let twice = world.may_send(work.lease, id).await;
    assert_eq!(twice, Clearance::Withheld, "ambiguous, as any intent asked for twice");
    assert_eq!(one(listed(&world).await).kind, ReconcileKind::Ambiguous);
}

pub(super) async fn what_goes_as_template_has_not_reached_the_customer_in_our_words(world: World) {
    let (work, id) = waiting(&world, approved(world.message("buenas")), SERVICE_WINDOW_MS).await;
    assert_eq!(world.may_send(work.lease, id).await, AS_TEMPLATE);
    world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
    assert!(!world.store.have_reached(world.workspace(), &[id]).await.unwrap());
}

pub(super) async fn when_a_day_has_passed_other_messages_wait_for_a_person(world: World) {
    let (work, id) = waiting(&world, world.message("buenas"), SERVICE_WINDOW_MS).await;
    // Another customer's message opens only that customer's window.
    world.hear("luis", "hola").await;
    assert_eq!(world.may_send(work.lease, id).await, Clearance::OutsideWindow);
    let left = world.store.release(work.lease, world.now()).await.unwrap();
    assert!(left.is_none(), "nothing is left to send");
    let item = one(listed(&world).await);
    assert_eq!((item.id, item.kind), (id.to_string(), ReconcileKind::OutsideWindow));
    assert_eq!((item.what.reveal().as_str(), item.error.as_deref()), ("buenas", Some(WHY)));
    assert_eq!((item.conversation, item.since), (work.conversation.id, world.now()));
    let sent =
        world.store.sent_after(world.workspace(), work.conversation.id, 0, 100).await.unwrap();
    assert!(sent.is_empty());
}

pub(super) async fn the_window_closes_for_bot_operator_and_engine_alike(world: World) {
    for author in Author::ALL {
        let message = NewOutbound { author, ..world.message("buenas") };
        let (work, id) = waiting(&world, message, SERVICE_WINDOW_MS).await;
        let outcome = world.may_send(work.lease, id).await;
        assert_eq!(outcome, Clearance::OutsideWindow, "{author:?}");
        world.store.release(work.lease, world.now()).await.unwrap();
    }
    assert_eq!(listed(&world).await.len(), 3);
}

pub(super) async fn a_channel_without_a_window_is_never_closed(world: World) {
    for message in [world.message("buenas"), approved(world.message("buenas"))] {
        let (work, id) = waiting(&world, message, 9 * SERVICE_WINDOW_MS).await;
        let outcome = world
            .store
            .intend_send(
                work.lease,
                id,
                &work.conversation.address,
                SendRules::default(),
                world.now(),
            )
            .await
            .unwrap();
        assert_eq!(outcome, GO);
        world.record_send(work.lease, ended(id, DeliveryStatus::Sent)).await;
    }
}

pub(super) async fn to_one_who_never_wrote_only_templates_leave(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let outbound = vec![world.message("buenas"), approved(world.message("hola"))];
    let turn = TurnCommit { outbound, customer_wrote_at: None, ..world.turn(&work) };
    let work = world.commit(turn).await.unwrap();
    let id = work.outbound.as_ref().unwrap().id;
    assert_eq!(world.may_send(work.lease, id).await, Clearance::OutsideWindow);
    let work = world.store.release(work.lease, world.now()).await.unwrap().unwrap();
    let id = work.outbound.as_ref().unwrap().id;
    assert_eq!(world.may_send(work.lease, id).await, AS_TEMPLATE);
}

pub(super) async fn a_message_that_waits_for_its_turn_has_opened_the_window(world: World) {
    let (work, id) = waiting(&world, world.message("buenas"), SERVICE_WINDOW_MS).await;
    world.hear("ana", "¿sigue ahí?").await;
    world.pass_ms(SERVICE_WINDOW_MS - 1);
    assert_eq!(world.may_send(work.lease, id).await, GO);
}

pub(super) async fn a_message_that_waits_too_long_opens_nothing_and_nor_does_an_act(world: World) {
    let (work, id) = waiting(&world, world.operators("buenas"), SERVICE_WINDOW_MS).await;
    world.hear("ana", "¿sigue ahí?").await;
    world.pass_ms(SERVICE_WINDOW_MS);
    kept(&world, &work).await;
    let (workspace, conversation) = (world.workspace(), work.conversation.id);
    world.store.take(workspace, conversation, "marta", world.now()).await.unwrap();
    let event = world.id();
    let back = world.store.give_back(
        workspace,
        conversation,
        "marta",
        GiveBack::default(),
        event,
        world.now(),
    );
    back.await.unwrap();
    assert_eq!(world.may_send(work.lease, id).await, Clearance::OutsideWindow);
}

pub(super) async fn what_a_takeover_withholds_is_not_listed_for_its_window(world: World) {
    let (work, id) = waiting(&world, world.message("buenas"), SERVICE_WINDOW_MS).await;
    kept(&world, &work).await;
    let conversation = work.conversation.id;
    world.store.take(world.workspace(), conversation, "marta", world.now()).await.unwrap();
    assert_eq!(world.may_send(work.lease, id).await, Clearance::Withheld);
    assert!(listed(&world).await.is_empty());
}

pub(super) async fn what_was_held_back_for_its_window_is_dropped_or_said_to_have_left(
    world: World,
) {
    for (resolution, sent) in [(Resolution::Dropped, 0), (Resolution::Happened, 1)] {
        let (work, id) = waiting(&world, world.message("buenas"), SERVICE_WINDOW_MS).await;
        world.may_send(work.lease, id).await;
        world.store.release(work.lease, world.now()).await.unwrap();
        resolve(&world, id, resolution).await;
        assert!(listed(&world).await.is_empty(), "{resolution:?}");
        assert!(world.ready().await.is_empty(), "{resolution:?}");
        let conversation = work.conversation.id;
        let lines = world.store.sent_after(world.workspace(), conversation, 0, 100).await.unwrap();
        assert_eq!(lines.len(), sent, "{resolution:?}");
    }
}

pub(super) async fn what_was_held_back_leaves_once_the_customer_has_written(world: World) {
    let (work, id) = waiting(&world, world.message("buenas"), SERVICE_WINDOW_MS).await;
    world.may_send(work.lease, id).await;
    world.store.release(work.lease, world.now()).await.unwrap();
    resolve(&world, id, Resolution::Resend).await;
    let work = world.claim().await;
    assert_eq!(world.may_send(work.lease, id).await, Clearance::OutsideWindow, "still closed");
    world.store.release(work.lease, world.now()).await.unwrap();
    assert_eq!(listed(&world).await.len(), 1);

    world.hear("ana", "hola de nuevo").await;
    resolve(&world, id, Resolution::Resend).await;
    assert!(listed(&world).await.is_empty());
    let work = world.claim().await;
    assert_eq!(world.may_send(work.lease, id).await, GO);
}

fn template() -> Approved {
    let values = vec!["Ana ñ".to_owned(), "A-12".to_owned()];
    Approved { name: "aviso_pedido".into(), language: "es_CO".into(), values }
}

fn approved(message: NewOutbound) -> NewOutbound {
    NewOutbound { approved: Some(template()), ..message }
}

/// Ana writes and is answered; the lane as it is that long afterwards, with the answer still
/// queued.
async fn waiting(world: &World, message: NewOutbound, ms: i64) -> (LaneWork, OutboundId) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let id = message.id;
    let turn = TurnCommit { outbound: vec![message], ..world.turn(&work) };
    let work = world.commit(turn).await.expect("the answer is due");
    world.pass_ms(ms);
    (work, id)
}

/// Renews the lane's lease, as a holder does that was there all the time.
async fn kept(world: &World, work: &LaneWork) {
    let until = world.now().plus_ms(LEASE_MS);
    let lost = world.store.heartbeat(NODE, vec![work.lease], until).await.expect("a heartbeat");
    assert!(lost.is_empty());
}

async fn listed(world: &World) -> Vec<ReconcileItem> {
    world
        .store
        .reconcile_items(world.workspace(), &AttentionFilter::first(100))
        .await
        .expect("what to reconcile")
}

async fn resolve(world: &World, id: OutboundId, resolution: Resolution) {
    let (workspace, now) = (world.workspace(), world.now());
    let recorded =
        world.store.reconcile(workspace, &id.to_string(), resolution, "marta", now).await;
    recorded.expect("resolved");
}
