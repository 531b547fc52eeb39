//! Workspaces: no workspace sees or moves another's rows; and stored rows stay.

use domain::{
    Authority, Caller, Channel, Cost, DeliveryReport, DeliveryStatus, OrderStatus, Workspace,
    WorkspaceId,
};
use serde_json::json;

use super::doing::{deed, ordered, take_number, write_order};
use super::ledger::{answered, call};
use super::world::{World, one, words};
use crate::{
    AttentionFilter, Charged, ConversationFilter, GiveBack, Intent, Lease, OrderFilter, Resolution,
    StoreError, TurnCommit,
};

pub(super) async fn a_workspace_sees_nothing_of_another(world: World) {
    let other = other(&world).await;
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    let turn = TurnCommit { arm: vec![world.timer("nudge", 60_000)], ..world.turn(&work) };
    world.commit(turn).await;
    world.record_send(work.lease, super::outbox::ended(id, DeliveryStatus::Failed)).await;
    let (store, conversation) = (&world.store, work.conversation.id);

    assert!(
        store.list(other, &ConversationFilter::newest(10)).await.unwrap().conversations.is_empty()
    );
    let got = store.get(other, conversation).await.unwrap_err();
    assert_eq!(got, StoreError::NotFound("conversation"));
    assert_eq!(store.find(other, &world.channel.id, "ana").await.unwrap(), None);
    let transcript = store.transcript(other, conversation, 10).await.unwrap();
    assert!(transcript.lines.is_empty() && transcript.cursor == 0);
    assert!(store.sent_after(other, conversation, 0, 100).await.unwrap().is_empty());
    assert!(store.timers(other, conversation).await.unwrap().is_empty());
    assert!(store.reconcile_items(other, &AttentionFilter::first(100)).await.unwrap().is_empty());
    assert_eq!(
        store.reconcile_items(world.workspace(), &AttentionFilter::first(100)).await.unwrap().len(),
        1
    );
}

pub(super) async fn a_workspace_moves_nothing_of_another(world: World) {
    let other = other(&world).await;
    let (work, id) = world.reply_in_flight("ana", "buenas").await;
    let (store, now, conversation) = (&world.store, world.now(), work.conversation.id);
    let missing = StoreError::NotFound("conversation");
    assert_eq!(store.take(other, conversation, "eva", now).await.unwrap_err(), missing);
    let said = store.say(other, conversation, "eva", world.operators("hola"), false, now).await;
    assert_eq!(said.unwrap_err(), missing);
    let returned =
        store.give_back(other, conversation, "eva", GiveBack::default(), world.id(), now).await;
    assert_eq!(returned.unwrap_err(), missing);

    let foreign = Lease { workspace: other, ..work.lease };
    assert_eq!(store.release(foreign, now).await.unwrap_err(), StoreError::LaneLost);
    let turn = TurnCommit { lease: foreign, ..world.turn(&work) };
    assert_eq!(store.commit(turn).await.unwrap_err(), StoreError::LaneLost);
    let report = DeliveryReport::new(domain::Reference::Ours(id), DeliveryStatus::Failed);
    assert_eq!(store.report(other, vec![report], now).await.unwrap(), 0);
    world.record_send(foreign, super::outbox::ended(id, DeliveryStatus::Failed)).await;
    assert!(
        store
            .reconcile_items(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );

    world.record_send(work.lease, super::outbox::ended(id, DeliveryStatus::Ambiguous)).await;
    let name = id.to_string();
    let resolved = store.reconcile(other, &name, Resolution::Dropped, "eva", now).await;
    assert_eq!(resolved.unwrap_err(), StoreError::NotFound("reconcile item"));
    assert_eq!(
        store.reconcile_items(world.workspace(), &AttentionFilter::first(100)).await.unwrap().len(),
        1
    );
}

pub(super) async fn each_workspace_sets_aside_and_prunes_its_own(world: World) {
    let other = other(&world).await;
    world.hear("ana", "veneno").await;
    let work = world.claim().await;
    let turn = TurnCommit { set_aside: Some("it crashed".into()), ..world.turn(&work) };
    world.commit(turn).await;
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    world.pass_ms(1);

    let (store, workspace, now) = (&world.store, world.workspace(), world.now());
    assert!(store.quarantined(other, &AttentionFilter::first(100)).await.unwrap().is_empty());
    let event = one(store.quarantined(workspace, &AttentionFilter::first(100)).await.unwrap()).id;
    let retried = store.retry(other, event, "eva", now).await;
    assert_eq!(retried.unwrap_err(), StoreError::NotFound("quarantined event"));
    assert_eq!(store.prune(other, now, None).await.unwrap().rows, 0);
    assert_eq!(store.prune(workspace, now, None).await.unwrap().rows, 1);
}

pub(super) async fn each_workspace_counts_its_own_numbers(world: World) {
    let theirs = world.add_channel("otra", "whatsapp").await;
    for channel in [&world.channel, &theirs] {
        let arrival = vec![world.arrival("ana", "m1", "un turno")];
        world.store.accept(channel, arrival, None, world.now()).await.unwrap();
    }
    let works = world.claim_all().await;
    assert_eq!(works.len(), 2);
    for work in works {
        let intent: Intent = world.intent(&work, "turno.tomar", 0);
        let number = take_number("caja");
        let step = world.store.record_local(&intent, number, world.now()).await.unwrap();
        assert_eq!(step.output, json!({ "number": 1 }));
    }
}

pub(super) async fn a_workspace_reads_no_orders_costs_or_drafts_of_another(world: World) {
    let theirs = world.add_channel("otra", "whatsapp").await;
    // Both tenants' rows are alike but for the workspace.
    for channel in [&world.channel, &theirs] {
        let arrival = vec![world.arrival("ana", "m1", "hola")];
        world.store.accept(channel, arrival, None, world.now()).await.unwrap();
    }
    let (session, now) = (world.id(), world.now());
    let mut works = world.claim_all().await;
    works.sort_by_key(|work| work.lease.workspace != world.workspace());
    for work in &works {
        let intent: Intent = world.intent(work, "crm.order.create", 0);
        let order = write_order(ordered(work, OrderStatus::PendingConfirmation, now));
        let step = world.store.record_local(&intent, order, now).await.unwrap();
        assert_eq!(step.output["number"], 1, "each counts its own");
        let asked = Intent { turn: intent.turn.clone(), ..world.intent(work, "model", 0) };
        let account = Charged {
            session,
            contact: works[0].conversation.contact.id,
            calls: vec![call(1, "answered", 5)],
        };
        answered(&world, &asked, &account).await;
        let text = work.lease.workspace.to_string();
        world
            .store
            .put_draft(work.lease, intent.turn.turn, intent.read_epoch, &text, now)
            .await
            .unwrap();
    }
    let (ours, store) = (&works[0], &world.store);
    let (id, contact) = (ours.conversation.id, ours.conversation.contact.id);
    let filter = OrderFilter::of_conversation(id);
    assert!(store.orders(theirs.workspace, &filter).await.unwrap().is_empty());
    let order = one(store.orders(world.workspace(), &filter).await.unwrap());
    let theirs_first = store.order(theirs.workspace, 1).await.unwrap().expect("their order");
    assert_ne!(theirs_first.id, order.id);
    assert!(store.ledger(theirs.workspace, id, 9).await.unwrap().is_empty());
    assert_eq!(store.draft(theirs.workspace, id).await.unwrap(), None);
    let own = Some(world.workspace().to_string());
    assert_eq!(store.draft(world.workspace(), id).await.unwrap(), own);
    let (workspace, authority) = (world.workspace(), Authority::Turn);
    let caller = Caller { workspace, conversation: id, contact, session, authority };
    let spent = store.spending(caller, now, world.id(), now).await.unwrap();
    let five = Cost(5);
    assert_eq!((spent.session, spent.contact_day), (five, five));
    assert_eq!(store.spent_by_all(world.workspace(), world.id(), now).await.unwrap(), five);

    let see = deed!(|records, order, contact| {
        let of_contact = records.orders_of(*contact, 9).await?.len();
        let accounts = records.accounts(*contact).await?;
        let order = records.order(order.id).await?;
        Ok(json!([order, records.contact(*contact).await?, of_contact, accounts]))
    });
    let seen = store.consult(theirs.workspace, see, now).await.unwrap();
    assert_eq!(seen, json!([null, null, 0, []]));
}

pub(super) async fn lanes_of_all_workspaces_are_claimed_together(world: World) {
    let theirs = world.add_channel("otra", "whatsapp").await;
    for (channel, text) in [(&world.channel, "nuestro"), (&theirs, "suyo")] {
        let arrival = vec![world.arrival("ana", "m1", text)];
        world.store.accept(channel, arrival, None, world.now()).await.unwrap();
    }
    let works = world.claim_all().await;
    let mut heard: Vec<_> = works.iter().map(|work| (work.lease.workspace, words(work))).collect();
    let mut expected = vec![(world.workspace(), vec!["nuestro"]), (theirs.workspace, vec!["suyo"])];
    heard.sort_unstable();
    expected.sort_unstable();
    assert_eq!(heard, expected);
    for work in &works {
        assert_eq!(work.conversation.workspace, work.lease.workspace);
    }
}

pub(super) async fn a_channel_is_saved_again_as_it_is_configured(world: World) {
    let id = world.hear("ana", "hola").await;
    let changed = Channel { agent: "soporte".into(), ..world.channel.clone() };
    let workspace = Workspace::named("tienda");
    world.store.ensure(&workspace, &[changed], world.now()).await.unwrap();
    world.store.ping().await.unwrap();
    assert_eq!(world.store.workspace(workspace.id).await.unwrap(), Some(workspace));
    let nobody = Workspace::named("nadie").id;
    assert_eq!(world.store.workspace(nobody).await.unwrap(), None);
    assert_eq!(world.claim().await.conversation.id, id);
}

pub(super) async fn everything_is_there_when_the_store_is_opened_again(world: World) {
    let (work, id) = world.reply_waiting("ana", "buenas").await;
    world.hear("ana", "dos").await;
    let before = world.store.release(work.lease, world.now()).await.unwrap().expect("work");
    let intent = world.intent(&before, "pago.cobrar", 0);
    world.store.intend(&intent, world.now()).await.unwrap();
    let shown = world.store.transcript(world.workspace(), work.conversation.id, 9).await.unwrap();

    let world = world.reopened().await;
    assert!(world.claim_all().await.is_empty(), "the lease still runs");
    let after = world.claim_after_crash().await;
    assert_eq!(after.conversation, before.conversation);
    assert_eq!(after.session, before.session);
    assert_eq!(after.events, before.events);
    assert_eq!(after.outbound.as_ref().unwrap().id, id);
    assert_eq!(after.open_turn, Some(intent.turn));
    assert_eq!(one(after.steps).key, intent.key);
    assert!(after.lease.fence > before.lease.fence);
    let again = world.store.transcript(world.workspace(), work.conversation.id, 9).await.unwrap();
    assert_eq!(again, shown);
}

/// A second workspace, with a channel of the same name.
async fn other(world: &World) -> WorkspaceId {
    world.add_channel("otra", "whatsapp").await.workspace
}
