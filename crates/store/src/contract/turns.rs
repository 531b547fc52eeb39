//! Committing a turn: all of its changes or none, and only on the state it read.

use std::collections::BTreeMap;

use domain::{
    AskedModel, Confidence, Handoff, Owner, PathStep, Proposal, Role, SeenIntent, SessionState,
    SessionStatus, Standing, Terms, TermsItem, Tier, Tokens, ToolUse, Trigger, TurnEntry, TurnId,
    TurnTrace,
};
use serde_json::json;

use super::doing::{consult, deed, perform};
use super::world::{GO, World, said, words};
use crate::{LaneWork, SessionWrite, StoreError, TurnCommit};

pub(super) async fn a_first_turn_opens_a_session_and_each_raises_its_version(world: World) {
    world.hear("ana", "uno").await;
    let mut work = world.claim().await;
    assert_eq!(work.session, None);
    let opened_at = world.now();
    for (version, text) in [(1, "dos"), (2, "tres"), (3, "cuatro")] {
        world.hear("ana", text).await;
        work = world.commit(world.turn(&work)).await.expect("the next message");
        let session = work.session.as_ref().expect("a session");
        assert_eq!(session.version, version);
        assert_eq!((session.created_at, session.last_activity_at), (opened_at, world.now()));
    }
}

fn proposed(world: &World, id: uuid::Uuid) -> Proposal {
    let (title, code) = ("Coca «ñ»".into(), "coca".into());
    Proposal {
        turn: TurnId(id),
        shown_at: world.now(),
        epoch: 3,
        tool: "confirm_order".into(),
        input: json!({ "delivery": "pickup" }),
        terms: Terms {
            items: vec![TermsItem { code, title, quantity: 2 }],
            total: Some("2500.10".parse().unwrap()),
            currency: Some("ARS".parse().unwrap()),
            digest: "abc".into(),
        },
        said: "2 Coca, $2.500,10. ¿Confirmamos?".into(),
        messages: vec![domain::OutboundId(id)],
        standing: Standing::Open,
    }
}

pub(super) async fn a_deed_reads_what_its_session_has_shown_and_marks_it_used(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    world.hear("ana", "dos").await;
    let proposal = proposed(&world, work.lease.conversation.0);
    let state = SessionState { proposal: Some(proposal.clone()), ..SessionState::default() };
    let session = SessionWrite { state, ..world.session(&work) };
    let id = session.id;
    let turn = TurnCommit { session: Some(session), ..world.turn(&work) };
    let next = world.commit(turn).await.unwrap();
    let other: domain::SessionId = world.id();
    let read = deed!(|records, id, other| {
        Ok(json!([records.proposal(*id).await?, records.proposal(*other).await?]))
    });
    assert_eq!(consult(&world, read).await.unwrap(), json!([proposal, null]));
    let used = Proposal { standing: Standing::Used(TurnId(next.lease.conversation.0)), ..proposal };
    let marks = deed!(|records, id, used| {
        records.put_proposal(*id, &used).await?;
        Ok(json!(records.proposal(*id).await?))
    });
    assert_eq!(perform(&world, marks).await.unwrap(), json!(used));
    let workspace = world.workspace();
    let stored = world.store.session(workspace, next.conversation.id).await.unwrap().unwrap();
    assert_eq!(stored.state.proposal, Some(used), "and the next turn finds it so");
}

pub(super) fn named<T, const N: usize>(entries: [(&str, T); N]) -> BTreeMap<String, T> {
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

pub(super) async fn a_session_is_read_as_it_was_written(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    world.hear("ana", "dos").await;
    let intent = SeenIntent { intent: "comprar".into(), order: 1, timestamp: world.now() };
    let data = json!({ "nombre": "Ana ñ 👍", "piezas": 3, "talla": null, "precio": 12.5 });
    let memory = json!({ "intentos": { "nombre": 2 }, "propuesto": "Ana ñ" });
    let state = SessionState {
        seen: vec![intent],
        sent: vec!["saludo".into()],
        data: data.as_object().unwrap().clone(),
        choices: named([
            ("pack_seleccionado", "dos por uno".to_owned()),
            ("envío", "hoy".to_owned()),
        ]),
        milestones: named([
            ("proactive_started_at", world.now()),
            ("min_data_at", world.now().plus_ms(1)),
            ("ofrecer_promos_at", world.now().plus_ms(2)),
            ("quoted_at", world.now().plus_ms(3)),
        ]),
        memory: memory.as_object().unwrap().clone(),
        proposal: Some(proposed(&world, work.lease.conversation.0)),
    };
    let session = SessionWrite {
        status: SessionStatus::Paused,
        mode: "compra".into(),
        state: state.clone(),
        ..world.session(&work)
    };
    let turn = TurnCommit { session: Some(session), ..world.turn(&work) };
    let next = world.commit(turn).await.unwrap();
    let read = next.session.as_ref().unwrap();
    assert_eq!((read.status, read.mode.as_str()), (SessionStatus::Paused, "compra"));
    assert_eq!((read.agent.as_str(), &read.state), ("ventas", &state));
    // The work that the commit returns is the same as a reader finds.
    let (workspace, id) = (world.workspace(), next.conversation.id);
    assert_eq!(world.store.session(workspace, id).await.unwrap().as_ref(), Some(read));

    // A saved state replaces the old one and is not merged with it.
    let cleared = SessionWrite { state: SessionState::default(), ..world.session(&next) };
    world.hear("ana", "tres").await;
    let turn = TurnCommit { session: Some(cleared), ..world.turn(&next) };
    let read = world.commit(turn).await.unwrap().session;
    assert_eq!(read.as_ref().unwrap().state, SessionState::default());
    assert_eq!(world.store.session(workspace, id).await.unwrap(), read);
}

pub(super) async fn a_session_holds_on_to_its_agents_version(world: World) {
    world.hear("ana", "uno").await;
    let mut work = world.claim().await;
    // The agent's version stays through saves, and changes only when the turn says so.
    for (written, next) in [("v1", "dos"), ("v1", "tres"), ("v2", "cuatro")] {
        let session = SessionWrite { agent_version: written.into(), ..world.session(&work) };
        let turn = TurnCommit { session: Some(session), ..world.turn(&work) };
        world.hear("ana", next).await;
        work = world.commit(turn).await.expect("the next message");
        assert_eq!(work.session.as_ref().unwrap().agent_version, written);
        let id = work.conversation.id;
        let read = world.store.session(world.workspace(), id).await.unwrap().unwrap();
        assert_eq!(read.agent_version, written);
    }
    // A takeover does not change it either.
    let id = work.conversation.id;
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    let read = world.store.session(world.workspace(), id).await.unwrap().unwrap();
    assert_eq!(read.agent_version, "v2");
}

pub(super) async fn a_turn_keeps_its_trace_and_its_tools_with_its_lines(world: World) {
    let trace = TurnTrace {
        path: vec![PathStep { node: "extraer".into(), us: 120 }],
        intents: vec![("precio".into(), Confidence::try_from(0.93).unwrap())],
        band: Some("alta".into()),
        tier: Some(Tier::Local),
        rules: vec!["escalation: hablar con * persona".into()],
        templates: vec!["saludo".into()],
        fields: json!({ "nombre": "Ana ñ 👍", "edad": 31 }).as_object().unwrap().clone(),
        thread: Some("order".into()),
        signals: Some(json!({ "urgencia": 0.25, "tono": null })),
        notes: vec!["corrigió el nombre".into()],
        handoff: Some("pidió una persona".into()),
        refused: vec!["go compra_confirmada".into()],
        asked: vec![AskedModel {
            component: "writer".into(),
            model: "small".into(),
            outcome: "answered".into(),
            tokens: Tokens { input: 120, output: 7 },
        }],
        tokens: Tokens { input: 120, output: 7 },
        ms: 4.812_937,
    };
    let tool =
        ToolUse { name: "hora".into(), input: json!({}), ok: true, output: json!({ "hora": 9 }) };
    world.hear("ana", "uno").await;
    let turn = world.turn(&world.claim().await);
    let heard = turn.entries[0].clone();
    let heard = TurnEntry { trace: Some(trace.clone()), ..heard };
    let reply =
        TurnEntry { tools: vec![tool.clone()], ..said(turn.turn, Role::Assistant, "re: uno") };
    let id = turn.lease.conversation;
    world.commit(TurnCommit { entries: vec![heard, reply], ..turn }).await;

    let lines = world.store.transcript(world.workspace(), id, 100).await.unwrap().lines;
    let read: Vec<_> = lines.iter().map(|line| (&line.trace, line.tools.as_slice())).collect();
    assert_eq!(read, [(&Some(trace), &[][..]), (&None, &[tool][..])]);
}

pub(super) async fn turn_numbers_are_consecutive(world: World) {
    let mut work = None;
    for text in ["uno", "dos", "tres"] {
        world.hear("ana", text).await;
        let lane: LaneWork = world.claim().await;
        let turn = world.turn(&lane);
        let reply = TurnEntry {
            intent: Some("saludar".into()),
            confidence: Some(Confidence::try_from(0.93).unwrap()),
            tools: vec![ToolUse {
                name: "hora".into(),
                input: json!({}),
                ok: true,
                output: json!("9:00"),
            }],
            tokens_used: 12,
            ..said(turn.turn, Role::Assistant, &format!("re: {text}"))
        };
        let entries = turn.entries.iter().cloned().chain([reply]).collect();
        world.commit(TurnCommit { entries, ..turn }).await;
        world.pass_ms(1_000);
        work = Some(lane);
    }
    let id = work.unwrap().conversation.id;
    let lines = world.store.transcript(world.workspace(), id, 100).await.unwrap().lines;
    let said: Vec<_> = lines.iter().map(|line| line.content.reveal().as_str()).collect();
    assert_eq!(said, ["uno", "re: uno", "dos", "re: dos", "tres", "re: tres"]);
    let numbers: Vec<_> = lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
}

pub(super) async fn a_turn_on_an_old_version_writes_nothing(world: World) {
    let work = with_session(&world).await;
    let read = work.session.as_ref().unwrap().version;
    for version in [Some(read - 1), Some(read + 1), None] {
        let session = SessionWrite { read_version: version, ..world.session(&work) };
        let turn = TurnCommit { session: Some(session), ..full_turn(&world, &work) };
        let refused = world.store.commit(turn).await.unwrap_err();
        assert_eq!(refused, StoreError::VersionConflict, "{version:?}");
        nothing_was_written(&world, &work).await;
    }
    let newcomer = SessionWrite { id: world.id(), read_version: None, ..world.session(&work) };
    let turn = TurnCommit { session: Some(newcomer), ..full_turn(&world, &work) };
    let refused = world.store.commit(turn).await.unwrap_err();
    assert_eq!(refused, StoreError::VersionConflict, "a second open session");
    nothing_was_written(&world, &work).await;
}

pub(super) async fn a_takeover_during_a_turn_makes_it_a_conflict(world: World) {
    let work = with_session(&world).await;
    let id = work.conversation.id;
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    // A turn that has read the session anew, but not the owner, is refused too.
    for raised in [0, 1] {
        let mut session = world.session(&work);
        session.read_version = session.read_version.map(|version| version + raised);
        let turn = TurnCommit { session: Some(session), ..full_turn(&world, &work) };
        let refused = world.store.commit(turn).await.unwrap_err();
        assert_eq!(refused, StoreError::VersionConflict);
    }
    let found = world.store.release(work.lease, world.now()).await.unwrap().expect("kept");
    assert_eq!(found.events, work.events);
    assert_eq!(found.outbound, None);
    assert_eq!(found.conversation.owner, Owner::Human);
    assert!(world.store.timers(world.workspace(), id).await.unwrap().is_empty());

    // Once read again, the same events are handled.
    assert!(world.commit(world.turn(&found)).await.is_none());
}

pub(super) async fn a_takeover_between_two_nodes_and_a_commit_has_one_winner(world: World) {
    let other = world.another_node().await;
    for round in 0..10 {
        let from = format!("cliente {round}");
        world.hear(&from, "hola").await;
        let work = world.claim().await;
        let (workspace, id) = (world.workspace(), work.conversation.id);
        let turn = full_turn(&world, &work);
        let (committed, taken) =
            tokio::join!(world.store.commit(turn), other.take(workspace, id, "marta", world.now()));
        taken.unwrap();
        // In either order, no reply of the bot leaves after the takeover.
        let left = match committed {
            Ok(next) => next.expect("the reply is due"),
            Err(error) => {
                assert_eq!(error, StoreError::VersionConflict);
                let read = world.store.release(work.lease, world.now()).await.unwrap();
                world.commit(world.turn(&read.expect("kept"))).await;
                continue;
            }
        };
        let reply = left.outbound.expect("a reply").id;
        let outcome = world.may_send(left.lease, reply).await;
        assert_eq!(outcome, crate::Clearance::Withheld);
        assert!(world.store.release(left.lease, world.now()).await.unwrap().is_none());
    }
}

pub(super) async fn a_turn_takes_no_more_messages_than_its_channel_allows(world: World) {
    let world = world.with_turns_of(3).await;
    for text in ["1", "2", "3", "4", "5", "6", "7"] {
        world.hear("ana", text).await;
    }
    let work = world.claim().await;
    assert_eq!(words(&work), ["1", "2", "3"]);
    let next = world.commit(world.turn(&work)).await.expect("the rest");
    assert_eq!(words(&next), ["4", "5", "6"]);
    let last = world.commit(world.turn(&next)).await.expect("the last one");
    assert_eq!(words(&last), ["7"]);
    assert!(world.commit(world.turn(&last)).await.is_none());
}

pub(super) async fn an_event_is_handled_once(world: World) {
    world.hear("ana", "uno").await;
    world.hear("ana", "dos").await;
    let work = world.claim().await;
    let first =
        TurnCommit { handled: vec![work.events[0].id], entries: Vec::new(), ..world.turn(&work) };
    let next = world.commit(first).await.expect("the second message");
    assert_eq!(words(&next), ["dos"]);
    let again = TurnCommit {
        handled: work.events.iter().map(|event| event.id).collect(),
        ..full_turn(&world, &next)
    };
    let refused = world.store.commit(again).await.unwrap_err();
    assert_eq!(refused, StoreError::VersionConflict);
    nothing_was_written(&world, &next).await;
}

pub(super) async fn a_handoff_gives_the_conversation_to_a_human_with_its_last_words(world: World) {
    world.hear("ana", "quiero hablar con alguien").await;
    let work = world.claim().await;
    let epoch = work.conversation.epoch;
    let turn = TurnCommit {
        handoff: Some((world.id(), Handoff::new(Trigger::Rule, "pidió una persona"))),
        outbound: vec![world.message("ya te paso")],
        ..world.turn(&work)
    };
    let next = world.commit(turn).await.expect("the last words are due");
    assert_eq!(next.conversation.owner, Owner::Human);
    assert_eq!(next.conversation.epoch, epoch + 1);
    let reply = next.outbound.unwrap().id;
    let outcome = world.may_send(next.lease, reply).await;
    assert_eq!(outcome, GO);
}

pub(super) async fn closing_a_session_opens_the_next(world: World) {
    let work = with_session(&world).await;
    let old = work.session.clone().unwrap();
    world.pass_ms(1);
    let session = SessionWrite {
        id: world.id(),
        read_version: None,
        opened_at: world.now(),
        closes: Some(old.id),
        ..world.session(&work)
    };
    world.hear("ana", "tres").await;
    let turn = TurnCommit { session: Some(session.clone()), ..world.turn(&work) };
    let next = world.commit(turn).await.expect("the next message");
    let opened = next.session.clone().unwrap();
    assert_eq!((opened.id, opened.version), (session.id, 1));

    let closing = SessionWrite { status: SessionStatus::Closed, ..world.session(&next) };
    world.hear("ana", "cuatro").await;
    let turn = TurnCommit { session: Some(closing), ..world.turn(&next) };
    assert_eq!(world.commit(turn).await.unwrap().session, None);

    let id = work.conversation.id;
    let lines = world.store.transcript(world.workspace(), id, 100).await.unwrap().lines;
    let said: Vec<_> = lines.iter().map(|line| line.content.reveal().as_str()).collect();
    assert_eq!(said, ["uno", "dos", "tres"], "both sessions, in order");
}

pub(super) async fn a_turn_may_leave_the_session_alone(world: World) {
    let work = with_session(&world).await;
    world.hear("ana", "tres").await;
    let turn = TurnCommit { session: None, entries: Vec::new(), ..world.turn(&work) };
    let next = world.commit(turn).await.expect("the next message");
    assert_eq!(words(&next), ["tres"]);
    assert_eq!(next.session, work.session);
}

pub(super) async fn a_turn_notes_when_the_customer_wrote(world: World) {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    assert_eq!(work.conversation.last_customer_message_at, None);
    let wrote_at = world.now();
    let turn = TurnCommit { arm: vec![world.timer("nudge", 5_000)], ..world.turn(&work) };
    world.commit(turn).await;
    world.pass_ms(5_000);
    let work = world.claim().await;
    assert_eq!(work.conversation.last_customer_message_at, Some(wrote_at));
    world.commit(world.turn(&work)).await;
    let conversation = world.store.get(world.workspace(), work.conversation.id).await.unwrap();
    let last = conversation.last_customer_message_at;
    assert_eq!(last, Some(wrote_at), "a timer is no message");
}

/// A lane with a session, holding its second message.
async fn with_session(world: &World) -> LaneWork {
    world.hear("ana", "uno").await;
    let work = world.claim().await;
    world.hear("ana", "dos").await;
    world.commit(world.turn(&work)).await.expect("the second message")
}

/// A turn that writes in every table it can.
fn full_turn(world: &World, work: &LaneWork) -> TurnCommit {
    let turn = world.turn(work);
    let line = said(TurnId(turn.turn.0), Role::Assistant, "listo");
    TurnCommit {
        entries: turn.entries.iter().cloned().chain([line]).collect(),
        outbound: vec![world.message("listo")],
        arm: vec![world.timer("nudge", 1_000)],
        customer_wrote_at: Some(world.now().plus_ms(999)),
        ..turn
    }
}

async fn nothing_was_written(world: &World, work: &LaneWork) {
    let (workspace, id) = (world.workspace(), work.conversation.id);
    let found = world.store.release(work.lease, world.now()).await.unwrap();
    let found = found.expect("the events still wait");
    assert_eq!(found.events, work.events);
    assert_eq!(found.outbound, None);
    assert_eq!(found.session, work.session);
    assert_eq!(found.conversation, work.conversation);
    assert!(world.store.timers(workspace, id).await.unwrap().is_empty());
    let transcript = world.store.transcript(workspace, id, 100).await.unwrap();
    let heard_only = transcript.lines.iter().all(|line| line.role == Role::User);
    assert!(heard_only, "{transcript:?}");
}
