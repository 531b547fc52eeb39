//! Lists and transcripts as operators page through them.

use domain::{
    Author, Contact, ConversationId, DeliveryStatus, Handoff, Owner, Role, SessionStatus, StepKind,
    StepStatus, Trigger, TurnEntry,
};
use serde_json::json;

use super::doing::{deed, perform};
use super::ledger::{answered, call};
use super::world::{World, one, said};
use crate::{
    Arrival, Charged, ConversationFilter, Delivery, LastLine, LinePlace, SendOutcome,
    SessionSummary, SessionWrite, StoreError, Summary, TurnCommit,
};

const ALL: ConversationFilter = ConversationFilter {
    owner: None,
    assignee: None,
    channel: None,
    mode: None,
    status: None,
    contact: None,
    has_handoff: None,
    after: None,
    limit: 100,
};

async fn list(world: &World, filter: &ConversationFilter) -> Vec<Summary> {
    world.store.list(world.workspace(), filter).await.unwrap().conversations
}

async fn ids(world: &World, filter: &ConversationFilter) -> Vec<ConversationId> {
    list(world, filter).await.into_iter().map(|one| one.id).collect()
}

/// A conversation in which one message was noted, in a mode of its own.
async fn noted(world: &World, from: &str, mode: &str, status: SessionStatus) -> ConversationId {
    world.pass_ms(1_000);
    world.hear(from, "hola").await;
    let work = world.claim().await;
    let session = Some(SessionWrite { mode: mode.to_owned(), status, ..world.session(&work) });
    world.commit(TurnCommit { session, ..world.turn(&work) }).await;
    work.conversation.id
}

pub(super) async fn a_list_shows_where_each_conversation_stands(world: World) {
    // Luis is heard first, and his lane is held by a node that answers nothing.
    let waiting = world.hear("luis", "¿hay?").await;
    world.claim().await;
    let noted = noted(&world, "ana", "saludo", SessionStatus::Active).await;
    let [ana, luis] = &*list(&world, &ALL).await else { panic!("two conversations") };
    assert_eq!((ana.id, luis.id), (noted, waiting));
    let now = world.now();
    let Contact { id: contact_id, .. } =
        world.store.get(world.workspace(), noted).await.unwrap().contact;
    let expected = Summary {
        id: noted,
        channel: "whatsapp".into(),
        contact_id,
        contact: None,
        phone: None,
        owner: Owner::Bot,
        assignee: None,
        last_customer_message_at: Some(now),
        active_at: now,
        handoff: None,
        session: Some(SessionSummary {
            agent: "ventas".to_owned(),
            mode: "saludo".to_owned(),
            status: SessionStatus::Active,
            last_line: Some(LastLine { role: Role::User, text: "hola".into(), at: now }),
        }),
    };
    assert_eq!(ana, &expected);
    let alone = world.store.summary(world.workspace(), noted).await.unwrap();
    assert_eq!(alone, expected);
    assert_eq!(luis.session, None);

    // An operator's words are activity, and the last line.
    world.pass_ms(1_000);
    let (workspace, message) = (world.workspace(), world.operators("voy"));
    world.store.take(workspace, waiting, "marta", world.now()).await.unwrap();
    world.store.take(workspace, noted, "marta", world.now()).await.unwrap();
    world.store.say(workspace, noted, "marta", message, true, world.now()).await.unwrap();
    let first = list(&world, &ALL).await.remove(0);
    assert_eq!((first.id, first.active_at), (noted, world.now()));
    let last = first.session.unwrap().last_line.unwrap();
    assert_eq!((last.role, last.text.reveal().as_str()), (Role::Assistant, "voy"));
    let missing = world.store.summary(workspace, world.id()).await.unwrap_err();
    assert_eq!(missing, StoreError::NotFound("conversation"));
}

pub(super) async fn a_list_is_filtered(world: World) {
    let ana = noted(&world, "ana", "saludo", SessionStatus::Active).await;
    let luis = noted(&world, "luis", "pago", SessionStatus::Closed).await;
    let eva = noted(&world, "eva", "pago", SessionStatus::Active).await;
    let web = world.add_channel("tienda", "web").await;
    let arrival = vec![world.arrival("pep", "m1", "hola")];
    let stored = world.store.accept(&web, arrival, None, world.now()).await.unwrap();
    let pep = stored.accepted[0].conversation;
    let workspace = world.workspace();
    world.store.take(workspace, luis, "marta", world.now()).await.unwrap();
    world.store.take(workspace, eva, "pedro", world.now()).await.unwrap();
    let work = world.claim().await;
    let (handoff, request) = (world.id(), Handoff::new(Trigger::CustomerRequest, "pide"));
    let turn = world.turn(&work);
    world.commit(TurnCommit { handoff: Some((handoff, request)), ..turn }).await;
    assert_eq!(list(&world, &ALL).await[0].handoff, Some(handoff));

    let cases = [
        (ALL, vec![pep, eva, luis, ana]),
        (ConversationFilter { owner: Some(Owner::Human), ..ALL }, vec![pep, eva, luis]),
        (ConversationFilter { owner: Some(Owner::Bot), ..ALL }, vec![ana]),
        (ConversationFilter { has_handoff: Some(true), ..ALL }, vec![pep]),
        (ConversationFilter { has_handoff: Some(false), ..ALL }, vec![eva, luis, ana]),
        (ConversationFilter { assignee: Some("marta".into()), ..ALL }, vec![luis]),
        (ConversationFilter { channel: Some("web".into()), ..ALL }, vec![pep]),
        (ConversationFilter { mode: Some("pago".into()), ..ALL }, vec![eva, luis]),
        (ConversationFilter { status: Some(SessionStatus::Closed), ..ALL }, vec![luis]),
        (ConversationFilter { status: Some(SessionStatus::HandedOff), ..ALL }, vec![eva]),
        (
            ConversationFilter { mode: Some("pago".into()), assignee: Some("ana".into()), ..ALL },
            vec![],
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(ids(&world, &filter).await, expected, "{filter:?}");
    }
}

pub(super) async fn a_list_is_read_page_by_page(world: World) {
    // Conversations of the same moment are told apart by their ids.
    for name in ["a", "b", "c", "d", "e"] {
        world.hear(name, "hola").await;
    }
    let all = list(&world, &ALL).await;
    assert_eq!(all.len(), 5);
    let mut read = Vec::new();
    let mut after = None;
    loop {
        let page = list(&world, &ConversationFilter { after, limit: 2, ..ALL }).await;
        let Some(last) = page.last() else { break };
        after = Some((last.active_at, last.id));
        read.extend(page);
    }
    assert_eq!(read, all);
}

pub(super) async fn a_contact_is_found_by_words_of_the_name_and_ends_of_the_number(world: World) {
    let mut known = Vec::new();
    let people = [("57300111", "José Pérez", "+57 300 111"), ("ig-100%", "Ana_María", "54911")];
    for (address, name, phone) in people {
        let mut arrival: Arrival = world.arrival(address, address, "hola");
        arrival.item.from.name = Some(name.into());
        arrival.item.from.phone = Some(phone.into());
        known.push(world.accept(vec![arrival]).await[0].conversation);
    }
    let [jose, ana] = known[..] else { panic!("two") };
    let cases = [
        ("José", vec![jose]),
        ("jose", vec![jose]),
        ("PER jos", vec![jose]),
        ("pérez ana", vec![]),
        ("ose", vec![]),
        ("ana", vec![ana]),
        ("Ana Mar", vec![ana]),
        ("549", vec![ana]),
        ("+57 300", vec![jose]),
        ("300 1", vec![jose]),
        ("0-111", vec![jose]),
        ("ig-100", vec![ana]),
        ("%", vec![]),
        ("_", vec![]),
        ("nadie", vec![]),
    ];
    for (text, expected) in cases {
        let filter = ConversationFilter { contact: Some(text.to_owned()), ..ALL };
        assert_eq!(ids(&world, &filter).await, expected, "{text}");
    }
}

pub(super) async fn a_contact_is_found_by_what_it_is_called_now(world: World) {
    let found = async |text: &str| {
        ids(&world, &ConversationFilter { contact: Some(text.to_owned()), ..ALL }).await
    };
    let mut arrival: Arrival = world.arrival("5730011122", "m1", "hola");
    arrival.item.from.name = Some("Ana".into());
    let ana = world.accept(vec![arrival]).await[0].conversation;
    let contact = world.store.get(world.workspace(), ana).await.unwrap().contact.id;
    assert_eq!((found("ana").await, found("11122").await), (vec![ana], vec![ana]));
    let renamed = deed!(|records, contact| {
        let mut known = records.contact(*contact).await?.expect("a contact");
        known.name = Some("Marta Ruiz".into());
        records.put_contact(&known).await?;
        Ok(json!(null))
    });
    perform(&world, renamed).await.unwrap();
    assert_eq!((found("ana").await, found("ruiz").await), (vec![], vec![ana]));
    assert_eq!(found("5730").await, [ana], "the number is as it was");
    assert_eq!(world.store.index_contacts(world.workspace()).await.unwrap(), 0, "all is done");
}

pub(super) async fn a_transcript_is_read_backwards_without_gap_or_repetition(world: World) {
    let mut id = world.id();
    let mut written = Vec::new();
    // Two sessions, the second of which closes the first.
    for session in 0..2 {
        for n in 0..3 {
            world.pass_ms(1_000);
            world.hear("ana", &format!("{session}.{n}")).await;
            let work = world.claim().await;
            id = work.conversation.id;
            let turn = world.turn(&work);
            let answer = said(turn.turn, Role::Assistant, &format!("re {session}.{n}"));
            written.extend([format!("{session}.{n}"), format!("re {session}.{n}")]);
            let mut write = world.session(&work);
            if session == 1 && n == 0 {
                write.closes = Some(write.id);
                (write.id, write.read_version) = (world.id(), None);
                write.opened_at = world.now();
            }
            let entries = turn.entries.iter().cloned().chain([answer]).collect();
            world.commit(TurnCommit { entries, session: Some(write), ..turn }).await;
        }
    }
    written.reverse();
    for limit in [1, 4, 100] {
        let mut read = Vec::new();
        let mut before: Option<LinePlace> = None;
        loop {
            let store = &world.store;
            let page = store.lines_before(world.workspace(), id, before, limit).await.unwrap();
            let Some((place, _)) = page.last() else { break };
            before = Some(*place);
            read.extend(page.into_iter().map(|(_, line)| line.content.into_revealed()));
        }
        assert_eq!(read, written, "{limit} at a time");
    }
}

pub(super) async fn a_line_shows_what_became_of_its_message(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let (turn, message) = (world.turn(&work), world.message("buenas"));
    let (reply, workspace) = (message.id, world.workspace());
    let entry = TurnEntry { outbound: Some(reply), ..said(turn.turn, Role::Assistant, "buenas") };
    let entries = turn.entries.iter().cloned().chain([entry]).collect();
    let turn = TurnCommit { entries, outbound: vec![message], ..turn };
    let work = world.commit(turn).await.expect("the reply");
    let id = work.conversation.id;
    let deliveries = async || {
        let lines = world.store.lines_before(workspace, id, None, 10).await.unwrap();
        lines.into_iter().map(|(_, line)| line.delivery).collect::<Vec<_>>()
    };
    let delivery = |message, author, status, error: Option<&str>| {
        Some(Delivery { message, author, status, error: error.map(str::to_owned) })
    };
    let queued = delivery(reply, Author::Bot, DeliveryStatus::Queued, None);
    assert_eq!(deliveries().await, [queued, None]);
    world.may_send(work.lease, reply).await;
    let error = Some("131026 not on WhatsApp".to_owned());
    let failed = SendOutcome { error, ..super::outbox::ended(reply, DeliveryStatus::Failed) };
    world.record_send(work.lease, failed).await;
    world.store.take(workspace, id, "marta", world.now()).await.unwrap();
    let message = world.operators("voy");
    let voy = message.id;
    world.store.say(workspace, id, "marta", message, true, world.now()).await.unwrap();
    let sent = delivery(voy, Author::Operator, DeliveryStatus::Sent, None);
    let why = Some("131026 not on WhatsApp");
    let failed = delivery(reply, Author::Bot, DeliveryStatus::Failed, why);
    assert_eq!(deliveries().await, [sent, None, failed, None]);
    let transcript = world.store.transcript(workspace, id, 10).await.unwrap();
    assert_eq!(transcript.lines[1].delivery.as_ref().unwrap().message, reply);
}

pub(super) async fn a_turn_is_shown_with_its_steps_and_what_they_cost(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let asked = world.intent(&work, "model", 0);
    let (contact, session) = (work.conversation.contact.id, world.id());
    let calls = vec![call(1, "overloaded", 0), call(2, "answered", 7)];
    answered(&world, &asked, &Charged { session, contact, calls: calls.clone() }).await;
    world.pass_ms(1);
    let charge = crate::Intent { turn: asked.turn.clone(), ..world.intent(&work, "cobrar", 0) };
    world.store.intend(&charge, world.now()).await.unwrap();
    let (why, now) = (json!("no funds"), world.now());
    world.store.record_outcome(&charge, StepStatus::Failed, &why, now).await.unwrap();

    let turn = asked.turn.turn;
    let turns = [world.id(), turn];
    let mut details = world.store.turn_details(world.workspace(), &turns).await.unwrap();
    let detail = details.pop().unwrap();
    assert_eq!(one(details), crate::TurnDetail::default(), "nobody's turn");
    let kinds: Vec<_> = detail.steps.iter().map(|step| (step.kind, step.step.status)).collect();
    let expected = [(StepKind::Model, StepStatus::Done), (StepKind::Outside, StepStatus::Failed)];
    assert_eq!(kinds, expected);
    assert_eq!(
        (&*detail.steps[1].input.to_string(), &detail.steps[1].step.output),
        (&*charge.input, &why)
    );
    let paid: Vec<_> = detail.calls.into_iter().map(|line| line.call).collect();
    assert_eq!(paid, calls);
}

pub(super) async fn a_workspace_lists_nothing_of_another(world: World) {
    let other = world.add_channel("otra", "whatsapp").await.workspace;
    let id = noted(&world, "ana", "saludo", SessionStatus::Active).await;
    let store = &world.store;
    assert!(store.list(other, &ALL).await.unwrap().conversations.is_empty());
    let missing = store.summary(other, id).await.unwrap_err();
    assert_eq!(missing, StoreError::NotFound("conversation"));
    let lines = store.lines_before(world.workspace(), id, None, 10).await.unwrap();
    assert!(store.lines_before(other, id, None, 10).await.unwrap().is_empty());
    let (_, line) = one(lines);
    let detail = one(store.turn_details(other, &[line.turn]).await.unwrap());
    assert!(detail.steps.is_empty() && detail.calls.is_empty());
}
