//! Handoffs: who waits, the briefing, the assignee, and the end.

use domain::{
    ConversationId, Handoff, HandoffId, HandoffRequest, HandoffStatus, OrderStatus, Owner, Role,
    SessionStatus, Trigger,
};
use serde_json::{Value, json};

use super::doing::{deed, ordered, write_order};
use super::world::{World, one, said};
use crate::{
    AttentionFilter, GiveBack, HandoffFilter, LaneWork, Notice, OpenHandoff, StoreError,
    StoreResult, TurnCommit,
};

pub(super) async fn a_handoff_is_written_with_the_turn_that_gives_up(world: World) {
    let work = heard(&world, "ana", "quiero hablar con alguien").await;
    let handoff = Handoff {
        cart: Some("2x Coca-Cola".into()),
        issue: Some("cancelar el pedido #7".into()),
        ..Handoff::new(Trigger::CustomerRequest, "pidió una persona")
    };
    let id = give_up(&world, &work, handoff).await;
    let written = get(&world, id).await;
    let expected = HandoffRequest {
        id,
        conversation: work.conversation.id,
        session: written.session,
        contact: work.conversation.contact.id,
        trigger: Trigger::CustomerRequest,
        reason: "pidió una persona".into(),
        context: json!({
            "current_mode": "conversacion",
            "cart_summary": "2x Coca-Cola",
            "last_messages": [{ "role": "user", "text": "quiero hablar con alguien" }],
            "customer_info": {
                "name": null, "phone": null, "total_orders": 0, "total_spent": {},
            },
            "pending_issue": "cancelar el pedido #7",
        }),
        status: HandoffStatus::Pending,
        assigned_to: None,
        assigned_at: None,
        resolved_at: None,
        resolution: None,
        created_at: world.now(),
    };
    assert_eq!(written, expected);
    let session = world.store.session(world.workspace(), work.conversation.id).await.unwrap();
    assert_eq!(session.unwrap().id, written.session);
}

pub(super) async fn a_person_is_shown_the_last_five_messages_and_the_mode_before(world: World) {
    for text in ["uno", "dos", "tres"] {
        let work = heard(&world, "ana", text).await;
        let mut turn = world.turn(&work);
        turn.entries.push(said(turn.turn, Role::System, "timer: aviso"));
        turn.entries.push(said(turn.turn, Role::Assistant, &format!("re: {text}")));
        turn.session = turn.session.map(|write| crate::SessionWrite { mode: text.into(), ..write });
        assert!(world.commit(turn).await.is_none());
        world.pass_ms(1);
    }
    let work = heard(&world, "ana", "¿hay alguien?").await;
    let (id, mut turn) = giving_up(&world, &work, Handoff::new(Trigger::Rule, "regla"));
    turn.entries.push(said(turn.turn, Role::System, "tools called"));
    turn.entries.push(said(turn.turn, Role::Assistant, "ya te paso"));
    turn.session =
        turn.session.map(|write| crate::SessionWrite { mode: "handoff".into(), ..write });
    world.commit(turn).await;
    let context = get(&world, id).await.context;
    assert_eq!(context["current_mode"], "tres", "not the mode that giving up leads to");
    let said = |role: &str, text: &str| json!({ "role": role, "text": text });
    let last = [
        said("assistant", "re: dos"),
        said("user", "tres"),
        said("assistant", "re: tres"),
        said("user", "¿hay alguien?"),
        said("assistant", "ya te paso"),
    ];
    assert_eq!(context["last_messages"], Value::from(last.to_vec()));
}

pub(super) async fn a_person_is_shown_what_the_customer_bought(world: World) {
    let work = heard(&world, "ana", "quiero dos").await;
    let statuses = [OrderStatus::Confirmed, OrderStatus::Confirmed, OrderStatus::Confirmed];
    let unpaid = [OrderStatus::PendingConfirmation, OrderStatus::Cancelled];
    for (n, status) in statuses.into_iter().chain(unpaid).enumerate() {
        let mut order = ordered(&work, status, world.now());
        order.currency = if n == 0 { "ARS" } else { "COP" }.parse().unwrap();
        order.total = "0.10".parse().unwrap();
        let step = world.intent(&work, "pedido", u32::try_from(n).unwrap());
        world.store.record_local(&step, write_order(order), world.now()).await.unwrap();
    }
    let mut contact = work.conversation.contact.clone();
    (contact.name, contact.phone) = (Some("Ana".into()), Some("573001".into()));
    let named = deed!(|records, contact| {
        records.put_contact(&contact).await?;
        Ok(json!({}))
    });
    world.store.record_local(&world.intent(&work, "nombre", 9), named, world.now()).await.unwrap();
    let id = give_up(&world, &work, Handoff::new(Trigger::Rule, "regla")).await;
    let expected = json!({
        "name": "Ana", "phone": "573001", "total_orders": 3,
        "total_spent": { "ARS": "0.10", "COP": "0.20" },
    });
    assert_eq!(get(&world, id).await.context["customer_info"], expected);
}

pub(super) async fn a_turn_that_does_not_count_hands_nothing_off(world: World) {
    let work = heard(&world, "ana", "hola").await;
    let (_, turn) = giving_up(&world, &work, Handoff::new(Trigger::Rule, "regla"));
    let stale = TurnCommit { read_epoch: turn.read_epoch + 1, ..turn };
    assert_eq!(world.store.commit(stale).await.unwrap_err(), StoreError::VersionConflict);
    assert!(list(&world, HandoffFilter::default()).await.is_empty());
    assert_eq!(open(&world, work.conversation.id).await, None);
}

pub(super) async fn handoffs_are_listed_newest_first_page_by_page(world: World) {
    let mut ids = Vec::new();
    for from in ["ana", "luis", "eva", "beto"] {
        ids.push(handed_off(&world, from).await.0);
        world.pass_ms(1);
    }
    let (workspace, now) = (world.workspace(), world.now());
    world.store.assign_handoff(workspace, ids[1], "jefa", "marta", now).await.unwrap();
    world.store.assign_handoff(workspace, ids[2], "jefa", "pedro", now).await.unwrap();
    world.store.resolve_handoff(workspace, ids[2], "pedro", "listo", now).await.unwrap();

    let all = HandoffFilter::default();
    let of = |status| HandoffFilter { status: Some(status), ..HandoffFilter::default() };
    let to = |name: &str| HandoffFilter { assignee: Some(name.into()), ..HandoffFilter::default() };
    let page = |before, limit| HandoffFilter { before, limit, ..HandoffFilter::default() };
    let pending = of(HandoffStatus::Pending);
    let cases = [
        (all.clone(), vec![ids[3], ids[2], ids[1], ids[0]]),
        (pending.clone(), vec![ids[3], ids[0]]),
        (of(HandoffStatus::Assigned), vec![ids[1]]),
        (of(HandoffStatus::Resolved), vec![ids[2]]),
        (to("marta"), vec![ids[1]]),
        (to("pedro"), vec![ids[2]]),
        (to("nadie"), vec![]),
        (HandoffFilter { assignee: Some("pedro".into()), ..pending.clone() }, vec![]),
        (page(None, 3), vec![ids[3], ids[2], ids[1]]),
        (page(Some(ids[1]), 3), vec![ids[0]]),
        (HandoffFilter { before: Some(ids[3]), ..pending }, vec![ids[0]]),
    ];
    for (filter, expected) in cases {
        let listed: Vec<_> = list(&world, filter.clone()).await.iter().map(|one| one.id).collect();
        assert_eq!(listed, expected, "{filter:?}");
    }
}

pub(super) async fn whoever_takes_a_conversation_has_its_handoff(world: World) {
    let (id, conversation) = handed_off(&world, "ana").await;
    world.pass_ms(5);
    let took_at = world.now();
    take(&world, conversation, "marta").await;
    let taken = get(&world, id).await;
    assert_eq!((taken.status, taken.assigned_to.as_deref()), assigned("marta"));
    assert_eq!(taken.assigned_at, Some(took_at));

    world.pass_ms(5);
    take(&world, conversation, "marta").await;
    assert_eq!(get(&world, id).await, taken, "taking it twice changes nothing");
    take(&world, conversation, "pedro").await;
    let passed = get(&world, id).await;
    assert_eq!((passed.status, passed.assigned_to.as_deref()), assigned("pedro"));
    assert_eq!(passed.assigned_at, Some(world.now()));
}

pub(super) async fn whoever_is_to_attend_still_has_to_take_the_conversation(world: World) {
    let (id, conversation) = handed_off(&world, "ana").await;
    let before = world.store.get(world.workspace(), conversation).await.unwrap();
    assign(&world, id, "marta").await.unwrap();
    let at = world.now();
    let now = world.store.get(world.workspace(), conversation).await.unwrap();
    assert_eq!(now, before, "the bot's goodbye may still leave");
    world.pass_ms(5);
    take(&world, conversation, "marta").await;
    let taken = world.store.get(world.workspace(), conversation).await.unwrap();
    assert_eq!((taken.epoch, taken.assignee.as_deref()), (before.epoch + 1, Some("marta")));
    assert_eq!(get(&world, id).await.assigned_at, Some(at), "it was hers since then");

    // Once an operator has taken the conversation, assigning passes it on at once.
    assign(&world, id, "pedro").await.unwrap();
    let passed = world.store.get(world.workspace(), conversation).await.unwrap();
    assert_eq!((passed.owner, passed.assignee.as_deref()), (Owner::Human, Some("pedro")));
    assert_eq!(get(&world, id).await.assigned_to.as_deref(), Some("pedro"));
}

pub(super) async fn a_resolved_handoff_leaves_the_conversation_with_its_person(world: World) {
    let (id, conversation) = handed_off(&world, "ana").await;
    take(&world, conversation, "marta").await;
    let before = world.store.get(world.workspace(), conversation).await.unwrap();
    world.pass_ms(5);
    resolve(&world, id, "reembolso hecho").await.unwrap();
    let resolved = get(&world, id).await;
    assert_eq!(
        (resolved.status, resolved.resolved_at),
        (HandoffStatus::Resolved, Some(world.now()))
    );
    assert_eq!(resolved.resolution.as_deref(), Some("reembolso hecho"));
    assert_eq!(resolved.assigned_to.as_deref(), Some("marta"));
    assert_eq!(world.store.get(world.workspace(), conversation).await.unwrap(), before);
    assert_eq!(open(&world, conversation).await, None);

    let (again, on) = (resolve(&world, id, "otra vez").await, assign(&world, id, "eva").await);
    for refused in [again, on] {
        assert!(matches!(refused, Err(StoreError::Refused(_))), "{refused:?}");
    }
    take(&world, conversation, "pedro").await;
    assert_eq!(get(&world, id).await, resolved, "what is over stays as it was");
}

pub(super) async fn giving_back_resolves_the_handoff_and_the_next_is_another(world: World) {
    let (first, conversation) = handed_off(&world, "ana").await;
    give_back(&world, conversation, Some("ya pagó")).await;
    let resolved = get(&world, first).await;
    assert_eq!((resolved.status, resolved.resolution.as_deref()), over("ya pagó"));
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    world.pass_ms(1);

    let (second, _) = handed_off(&world, "ana").await;
    assert_eq!(open(&world, conversation).await.unwrap().id, second);
    let listed: Vec<_> =
        list(&world, HandoffFilter::default()).await.iter().map(|one| one.id).collect();
    assert_eq!(listed, [second, first]);
    resolve(&world, second, "hecho").await.unwrap();
    give_back(&world, conversation, Some("otra nota")).await;
    assert_eq!(get(&world, second).await.resolution.as_deref(), Some("hecho"));
    assert_eq!(get(&world, first).await, resolved);
}

pub(super) async fn what_failed_is_handed_off_until_it_is_tried_again(world: World) {
    let work = heard(&world, "ana", "veneno").await;
    let (id, turn) = giving_up(&world, &work, Handoff::new(Trigger::Failure, "no model"));
    world.commit(TurnCommit { set_aside: Some("no model".into()), ..turn }).await;
    let written = get(&world, id).await;
    assert_eq!((written.trigger, written.status), (Trigger::Failure, HandoffStatus::Pending));
    let event = one(world
        .store
        .quarantined(world.workspace(), &AttentionFilter::first(100))
        .await
        .unwrap())
    .id;
    world.store.retry(world.workspace(), event, "marta", world.now()).await.unwrap();
    let resolved = get(&world, id).await;
    let tried_again = over("the failed events are tried again");
    assert_eq!((resolved.status, resolved.resolution.as_deref()), tried_again);
    let work = world.claim().await;
    let again = give_up(&world, &work, Handoff::new(Trigger::Failure, "no model")).await;
    assert_eq!(open(&world, work.conversation.id).await.unwrap().id, again);
}

pub(super) async fn an_open_handoff_stands_for_a_second_one(world: World) {
    let (first, conversation) = handed_off(&world, "ana").await;
    let work = heard(&world, "ana", "¿y?").await;
    let (_, turn) = giving_up(&world, &work, Handoff::new(Trigger::Rule, "otra"));
    world.commit(turn).await;
    assert_eq!(one(list(&world, HandoffFilter::default()).await).id, first);
    assert_eq!(open(&world, conversation).await.unwrap().id, first);
}

pub(super) async fn a_customer_is_told_once_that_somebody_attends(world: World) {
    let (id, conversation) = handed_off(&world, "ana").await;
    let attending = Some("ya te atienden".to_owned());
    let status = HandoffStatus::Pending;
    let found = open(&world, conversation).await;
    assert_eq!(found, Some(OpenHandoff { id, status, attending }));
    let work = heard(&world, "ana", "¿hola?").await;
    let notice = Some(Notice::Attending(id));
    world.commit(TurnCommit { notice, ..world.turn(&work) }).await;
    assert_eq!(open(&world, conversation).await.unwrap().attending, None);
    let work = heard(&world, "ana", "¿¿hola??").await;
    let again = world.store.commit(TurnCommit { notice, ..world.turn(&work) }).await;
    assert_eq!(again.unwrap_err(), StoreError::VersionConflict);
    world.commit(world.turn(&work)).await;
}

pub(super) async fn after_an_operators_words_there_is_nothing_to_tell(world: World) {
    let (id, conversation) = handed_off(&world, "ana").await;
    take(&world, conversation, "marta").await;
    assert!(open(&world, conversation).await.unwrap().attending.is_some(), "she only took it");
    let work = heard(&world, "ana", "¿hola?").await;
    let message = world.operators("hola, soy Marta");
    let said =
        world.store.say(world.workspace(), conversation, "marta", message, true, world.now());
    said.await.unwrap();
    assert_eq!(open(&world, conversation).await.unwrap().attending, None);
    let stale =
        TurnCommit { session: None, notice: Some(Notice::Attending(id)), ..world.turn(&work) };
    assert_eq!(world.store.commit(stale).await.unwrap_err(), StoreError::VersionConflict);
}

pub(super) async fn a_notice_that_nobody_came_counts_only_while_nobody_has(world: World) {
    type Act = fn(&World, HandoffId, ConversationId) -> Acting<'_>;
    type Acting<'w> = std::pin::Pin<Box<dyn Future<Output = ()> + 'w>>;
    let acts: [(&str, Act); 4] = [
        ("nobody came", |_, _, _| Box::pin(async {})),
        ("assigned", |world, id, _| {
            Box::pin(async move { assign(world, id, "eva").await.unwrap() })
        }),
        ("resolved", |world, id, _| {
            Box::pin(async move { resolve(world, id, "x").await.unwrap() })
        }),
        ("given back", |world, _, conversation| Box::pin(give_back(world, conversation, None))),
    ];
    for (name, act) in acts {
        let (id, conversation) = handed_off(&world, name).await;
        act(&world, id, conversation).await;
        let work = heard(&world, name, "¿hola?").await;
        let turn = TurnCommit { notice: Some(Notice::Unattended(id)), ..world.turn(&work) };
        let told = world.store.commit(turn).await.map(drop);
        let expected =
            if name == "nobody came" { Ok(()) } else { Err(StoreError::VersionConflict) };
        assert_eq!(told, expected, "{name}");
        if told.is_err() {
            world.commit(world.turn(&work)).await;
        }
    }
}

pub(super) async fn a_handoff_that_does_not_exist_is_not_found(world: World) {
    let (id, missing) = (world.id(), StoreError::NotFound("handoff"));
    let got = world.store.handoff(world.workspace(), id).await.map(drop);
    let (assigned, resolved) = (assign(&world, id, "eva").await, resolve(&world, id, "x").await);
    for result in [got, assigned, resolved] {
        assert_eq!(result.unwrap_err(), missing);
    }
}

pub(super) async fn a_workspace_sees_and_moves_no_handoff_of_another(world: World) {
    let other = world.add_channel("otra", "whatsapp").await.workspace;
    let (id, conversation) = handed_off(&world, "ana").await;
    let (store, now) = (&world.store, world.now());
    assert!(store.handoffs(other, HandoffFilter::default()).await.unwrap().is_empty());
    assert_eq!(store.open_handoff(other, conversation).await.unwrap(), None);
    let missing = StoreError::NotFound("handoff");
    assert_eq!(store.handoff(other, id).await.unwrap_err(), missing);
    assert_eq!(store.assign_handoff(other, id, "eva", "eva", now).await.unwrap_err(), missing);
    assert_eq!(store.resolve_handoff(other, id, "eva", "x", now).await.unwrap_err(), missing);
    assert_eq!(get(&world, id).await.status, HandoffStatus::Pending);
}

fn assigned(to: &str) -> (HandoffStatus, Option<&str>) {
    (HandoffStatus::Assigned, Some(to))
}

fn over(how: &str) -> (HandoffStatus, Option<&str>) {
    (HandoffStatus::Resolved, Some(how))
}

/// A message with its lane.
async fn heard(world: &World, from: &str, text: &str) -> LaneWork {
    world.hear(from, text).await;
    world.claim().await
}

/// A turn that gives up, with nothing left to do in its lane.
fn giving_up(world: &World, work: &LaneWork, handoff: Handoff) -> (HandoffId, TurnCommit) {
    let (id, turn) = (world.id(), world.turn(work));
    let session =
        turn.session.map(|write| crate::SessionWrite { status: SessionStatus::HandedOff, ..write });
    (id, TurnCommit { session, handoff: Some((id, handoff)), ..turn })
}

async fn give_up(world: &World, work: &LaneWork, handoff: Handoff) -> HandoffId {
    let (id, turn) = giving_up(world, work, handoff);
    world.commit(turn).await;
    id
}

/// A conversation that waits for a person.
pub(super) async fn handed_off(world: &World, from: &str) -> (HandoffId, ConversationId) {
    let work = heard(world, from, "una persona").await;
    let handoff = Handoff {
        attending: Some("ya te atienden".into()),
        ..Handoff::new(Trigger::CustomerRequest, "pidió una persona")
    };
    (give_up(world, &work, handoff).await, work.conversation.id)
}

async fn get(world: &World, id: HandoffId) -> HandoffRequest {
    world.store.handoff(world.workspace(), id).await.unwrap()
}

async fn list(world: &World, filter: HandoffFilter) -> Vec<HandoffRequest> {
    world.store.handoffs(world.workspace(), filter).await.unwrap()
}

async fn open(world: &World, conversation: ConversationId) -> Option<OpenHandoff> {
    world.store.open_handoff(world.workspace(), conversation).await.unwrap()
}

async fn take(world: &World, conversation: ConversationId, by: &str) {
    world.store.take(world.workspace(), conversation, by, world.now()).await.unwrap();
}

async fn assign(world: &World, id: HandoffId, to: &str) -> StoreResult<()> {
    world.store.assign_handoff(world.workspace(), id, "jefa", to, world.now()).await
}

async fn resolve(world: &World, id: HandoffId, how: &str) -> StoreResult<()> {
    world.store.resolve_handoff(world.workspace(), id, "marta", how, world.now()).await
}

async fn give_back(world: &World, conversation: ConversationId, note: Option<&str>) {
    let (workspace, event) = (world.workspace(), world.id());
    let back = GiveBack { note: note.map(str::to_owned), ..GiveBack::default() };
    let given = world.store.give_back(workspace, conversation, "marta", back, event, world.now());
    given.await.unwrap();
}
