//! Upgrades: a conversation that an older version left in the middle of a turn, and how the newest
//! version goes on with it.

use std::path::PathBuf;
use std::sync::Arc;

use domain::{
    Authority, Caller, Cost, NodeId, Proposal, SeenIntent, Session, SessionState, SessionStatus,
    Spending, Standing, StepKey, StepStatus, Terms, TermsItem, Timestamp,
};
use serde_json::json;
use uuid::Uuid;

use super::turns::named;
use super::world::LEASE_MS;
use crate::{LaneWork, OpenTurn, Room, SessionWrite, Store, TurnCommit};

/// The schema that [`rows`] are for.
pub const VERSION: i64 = 14;

const SECOND: NodeId = NodeId(Uuid::from_u128(10));
const WROTE_AT: i64 = 1_780_000_000_000;

/// The rows of a turn under version 14 that had made an order and not yet committed when its node
/// was stopped. Ids stand between `~`.
const ROWS: &str = r#"
INSERT INTO workspaces (id, slug, created_at) VALUES (~1~, 'tienda', 1);
INSERT INTO channels (workspace_id, id, kind, agent_id, max_messages, created_at)
VALUES (~1~, 'whatsapp', 'infobip', 'ventas', 50, 1);
INSERT INTO contacts (workspace_id, id, created_at, conversation_id) VALUES (~1~, ~4~, 1, ~3~);
INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address,
        last_customer_message_at, created_at, active_at)
VALUES (~1~, ~3~, 'whatsapp', ~4~, 'ana', 1780000000000, 1, 1780000000000);
INSERT INTO contact_identities (workspace_id, channel_id, external_id, contact_id, conversation_id)
VALUES (~1~, 'whatsapp', 'ana', ~4~, ~3~);
INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, status,
        payload, sent_at, received_at)
VALUES (~1~, ~6~, 'whatsapp', 'm1', ~3~, 'message', 'pending', '{"type":"text","text":"sí"}',
        1780000000000, 1780000000000);
INSERT INTO agent_sessions (workspace_id, id, agent_id, conversation_id, contact_id, version, status,
        current_mode, turn_count, created_at, updated_at, last_activity_at, agent_version)
VALUES (~1~, ~2~, 'ventas', ~3~, ~4~, 4, 'active', 'resumen', 9, 1779999990000, 1779999999000,
        1779999999000, 'v7');
INSERT INTO session_state (workspace_id, session_id, intents_vistos, templates_enviados,
        datos_capturados, pack_seleccionado, proactive_started_at, first_data_at, min_data_at,
        ofrecer_promos_at, updated_at, scratch, proposal)
VALUES (~1~, ~2~,
        '[{"intent":"precio","orden":1,"timestamp":1779999990000},{"intent":"comprar","orden":2,"timestamp":1779999995000}]',
        '["precio","precio#referencia"]', '{"nombre":"Ana ñ","correo":null}', '2x', 1779999991000,
        1779999992000, NULL, 1779999994000, 1779999999000,
        '{"choices":{"entrega":"envio"},"talk":{"since":1779999990000,"greeted":true}}',
        '{"turn":"00000000-0000-0000-0000-000000000007","shown_at":1779999999000,"epoch":1,"tool":"crm.order.update","input":{"estado":"confirmed"},"terms":{"items":[{"code":"2x","title":"2 frascos","quantity":1}],"total":"109900","currency":"COP","digest":"abc"},"said":"2 frascos, $109.900. ¿Confirmas?","messages":["00000000-0000-0000-0000-000000000008"],"standing":"open"}');
INSERT INTO agent_steps (workspace_id, turn_id, step_key, conversation_id, tool, kind, input, status,
        output, created_at, settled_at)
VALUES (~1~, ~5~, 'turno.tomar#0:9c3e82dd6fcae8b1', ~3~, 'turno.tomar', 'outside', '{"a":1}', 'done',
        '{"numero":7}', 1780000001000, 1780000002000);
INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, intent_detected,
        confidence, tools_called, tokens_used, created_at, trace)
VALUES (~1~, ~2~, 1, ~10~, 'user', '¿cuánto vale?', 'precio', 0.75, '[]', 12, 1779999990000, NULL);
INSERT INTO model_calls (workspace_id, id, at, conversation_id, contact_id, session_id, turn_id,
        step_key, component, provider, model, attempt, outcome, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, cost, ms)
VALUES (~1~, ~11~, 1779999990500, ~3~, ~4~, ~2~, ~10~, 'model.detector#0', 'detector', 'casa', 'm1', 1,
        'answered', 9, 3, 2, 1, 700, 40);
INSERT INTO lanes (workspace_id, conversation_id, wake_at, holder, fence, events_due_at, burst_since,
        open_turn)
VALUES (~1~, ~3~, 1780000010000, ~9~, 3, 1780000000000, 1780000000000,
        '{"turn":"00000000-0000-0000-0000-000000000005","started_at":1780000001000,"events":["00000000-0000-0000-0000-000000000006"]}');
"#;

/// The migrations up to version 14, of the store with this folder.
pub fn migrations(folder: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the migrations");
    let mut files: Vec<(i64, PathBuf)> = files
        .map(|file| file.expect("a migration"))
        .map(|file| (number(&file.file_name().to_string_lossy()), file.path()))
        .filter(|(version, _)| *version <= VERSION)
        .collect();
    files.sort_unstable();
    files.iter().map(|(_, path)| std::fs::read_to_string(path).expect("its SQL")).collect()
}

fn number(name: &str) -> i64 {
    let number = name.split('_').next().and_then(|number| number.parse().ok());
    number.expect("a migration begins with its number")
}

/// The rows as SQL; `id` writes an id as the database wants it.
pub fn rows(id: impl Fn(Uuid) -> String) -> String {
    let part = |(place, part): (usize, &str)| match place % 2 {
        0 => part.to_owned(),
        _ => id(uuid(part.parse().expect("an id between `~`"))),
    };
    ROWS.split('~').enumerate().map(part).collect()
}

fn uuid(id: u128) -> Uuid {
    Uuid::from_u128(id)
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(WROTE_AT + ms)
}

/// Takes the conversation up where the older version left it, and answers.
pub async fn goes_on(store: Arc<dyn Store>) {
    let claim = store.claim(SECOND, at(10_000), LEASE_MS, Room::for_any(10));
    let work = claim.await.expect("claimed").pop().expect("the lane whose node was stopped");
    assert_eq!(work.session, Some(session()));
    let events = vec![uuid(6)];
    let open = OpenTurn { turn: uuid(5).into(), started_at: at(1_000), events };
    assert_eq!(work.open_turn.as_ref(), Some(&open));
    let [step] = work.steps.as_slice() else { panic!("one step, not {:?}", work.steps) };
    let key = StepKey("turno.tomar#0:9c3e82dd6fcae8b1".to_owned());
    assert_eq!(
        (&step.key, step.status, &step.output),
        (&key, StepStatus::Done, &json!({ "numero": 7 }))
    );
    let (workspace, conversation) = (work.lease.workspace, work.lease.conversation);
    let transcript = store.transcript(workspace, conversation, 9).await.expect("read");
    let [line] = transcript.lines.as_slice() else { panic!("one line: {transcript:?}") };
    assert_eq!((line.number, line.content.reveal().as_str()), (1, "¿cuánto vale?"));
    let (contact, session_id) = (work.conversation.contact.id, session().id);
    let authority = Authority::Turn;
    let caller = Caller { workspace, conversation, contact, session: session_id, authority };
    let began = session().created_at;
    let spent = store.spending(caller, began, open.turn, at(-20_000)).await.expect("read");
    let cost = Cost(700);
    assert_eq!(spent, Spending { session_tokens: 15, session: cost, contact_day: cost });
    let state = after(&session().state);
    store.commit(commit(&work, state.clone())).await.expect("committed");
    let stored = store.session(workspace, conversation).await.expect("read").expect("a session");
    assert_eq!((stored.version, stored.mode.as_str()), (5, "compra_confirmada"));
    assert_eq!(stored.state, state);
}

/// The session that the rows are of, in today's words.
fn session() -> Session {
    let seen = |intent: &str, order, ms| SeenIntent {
        intent: intent.to_owned(),
        order,
        timestamp: at(ms),
    };
    let memory = json!({ "talk": { "since": at(-10_000), "greeted": true } });
    Session {
        id: uuid(2).into(),
        agent: "ventas".to_owned(),
        agent_version: "v7".to_owned(),
        version: 4,
        status: SessionStatus::Active,
        mode: "resumen".to_owned(),
        created_at: at(-10_000),
        last_activity_at: at(-1_000),
        state: SessionState {
            data: json!({ "nombre": "Ana ñ", "correo": null }).as_object().unwrap().clone(),
            sent: vec!["precio".to_owned(), "precio#referencia".to_owned()],
            seen: vec![seen("precio", 1, -10_000), seen("comprar", 2, -5_000)],
            choices: named([
                ("pack_seleccionado", "2x".to_owned()),
                ("entrega", "envio".to_owned()),
            ]),
            milestones: named([
                ("proactive_started_at", at(-9_000)),
                ("first_data_at", at(-8_000)),
                ("ofrecer_promos_at", at(-6_000)),
            ]),
            memory: memory.as_object().unwrap().clone(),
            proposal: Some(proposal()),
        },
    }
}

fn proposal() -> Proposal {
    let (code, title) = ("2x".to_owned(), "2 frascos".to_owned());
    Proposal {
        turn: uuid(7).into(),
        shown_at: at(-1_000),
        epoch: 1,
        tool: "crm.order.update".to_owned(),
        input: json!({ "estado": "confirmed" }),
        terms: Terms {
            items: vec![TermsItem { code, title, quantity: 1 }],
            total: Some(109_900.into()),
            currency: Some("COP".parse().unwrap()),
            digest: "abc".to_owned(),
        },
        said: "2 frascos, $109.900. ¿Confirmas?".into(),
        messages: vec![uuid(8).into()],
        standing: Standing::Open,
    }
}

/// The state once the customer has said yes: what was there before, and something new of each kind.
fn after(before: &SessionState) -> SessionState {
    let mut state = before.clone();
    state.sent.push("confirmado".to_owned());
    state.seen.push(SeenIntent { intent: "si".to_owned(), order: 3, timestamp: at(1_000) });
    state.choices.insert("pack_seleccionado".to_owned(), "3x".to_owned());
    state.choices.insert("pago".to_owned(), "efectivo".to_owned());
    state.note("min_data_at", at(1_000));
    state.note("confirmed_at", at(1_000));
    state.note("first_data_at", at(1_000));
    assert_eq!(state.milestones["first_data_at"], at(-8_000), "a milestone is noted once");
    state.proposal = Some(Proposal { standing: Standing::Used(uuid(5).into()), ..proposal() });
    state
}

fn commit(work: &LaneWork, state: SessionState) -> TurnCommit {
    let read = work.session.as_ref().expect("a session");
    let open = work.open_turn.as_ref().expect("an open turn");
    TurnCommit {
        lease: work.lease,
        turn: open.turn,
        began_at: open.started_at,
        now: at(11_000),
        read_epoch: work.conversation.epoch,
        carry: None,
        session: Some(SessionWrite {
            id: read.id,
            read_version: Some(read.version),
            read_status: read.status,
            read_mode: read.mode.clone(),
            agent: read.agent.clone(),
            agent_version: read.agent_version.clone(),
            status: read.status,
            mode: "compra_confirmada".to_owned(),
            state,
            opened_at: read.created_at,
            closes: None,
        }),
        handled: work.events.iter().map(|event| event.id).collect(),
        fired: Vec::new(),
        skipped: Vec::new(),
        set_aside: None,
        customer_wrote_at: None,
        entries: Vec::new(),
        outbound: Vec::new(),
        delivers_by_commit: false,
        drafted: false,
        arm: Vec::new(),
        cancel: Vec::new(),
        handoff: None,
        notice: None,
    }
}
