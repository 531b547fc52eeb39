//! Transcripts read back: the lines of a conversation, and the messages sent since.

use domain::{
    Author, ConversationId, DeliveryStatus, Role, SessionId, StepKind, Timestamp, TurnId,
    WorkspaceId,
};
use serde_json::Value;
use uuid::Uuid;

use super::{Row, Sql, Statement, Tx, ledger, load};
use crate::{
    Delivery, Line, LinePlace, Said, SentLine, StoreResult, Transcript, TurnDetail, TurnStep,
    statement,
};

const LINES: Sql = Sql::both(
    "SELECT t.session_id, t.turn_number, t.created_at, t.role, t.content, t.id, t.tools_called, \
            t.trace, t.outbound_id, o.author, o.status, o.error, s.created_at \
     FROM agent_turns t JOIN agent_sessions s ON s.workspace_id = t.workspace_id \
          AND s.id = t.session_id \
     LEFT JOIN outbox o ON o.workspace_id = t.workspace_id AND o.id = t.outbound_id \
     WHERE s.workspace_id = ?1 AND s.conversation_id = ?2 \
          AND (s.created_at, s.id, t.turn_number) < (?4, ?5, ?6) \
     ORDER BY s.created_at DESC, s.id DESC, t.turn_number DESC LIMIT ?3",
);

const STEPS: Sql = Sql::both(
    "SELECT step_key, tool, status, output, created_at, kind, input FROM agent_steps \
     WHERE workspace_id = ?1 AND turn_id = ?2 ORDER BY created_at, step_key",
);

const TEXT: Sql = Sql::both("SELECT text FROM model_texts WHERE workspace_id = ?1 AND digest = ?2");

const SESSION_LINES: Sql = Sql::both(
    "SELECT session_id, turn_number, created_at, role, content, id, tools_called, trace \
     FROM agent_turns WHERE workspace_id = ?1 AND session_id = ?2 \
     ORDER BY turn_number DESC LIMIT ?3",
);

const COUNT_LINES: Sql =
    Sql::both("SELECT turn_count FROM agent_sessions WHERE workspace_id = ?1 AND id = ?2");

const LAST_SENT: Sql =
    Sql::both("SELECT max(seq) FROM outbox WHERE workspace_id = ?1 AND conversation_id = ?2");

const SENT_AFTER: Sql = Sql::both(
    "SELECT seq, updated_at, author, content, options FROM outbox \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND seq > ?3 \
            AND status IN ('sent', 'delivered', 'read') ORDER BY seq LIMIT ?4",
);

pub(super) const STATEMENTS: &[Sql] =
    &[LINES, STEPS, TEXT, SESSION_LINES, COUNT_LINES, LAST_SENT, SENT_AFTER];

pub(super) async fn transcript<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    limit: u32,
) -> StoreResult<Transcript> {
    tx.scope(workspace);
    let queries = vec![lines(workspace, id, None, limit), statement!(LAST_SENT, workspace, id)];
    let mut answers = tx.query_all(queries).await?;
    let last = answers.pop().unwrap_or_default();
    let mut lines = answers.pop().unwrap_or_default();
    lines.reverse();
    let cursor = last.first().filter(|row| !row.is_null(0)).map_or(Ok(0), |row| row.int(0))?;
    Ok(Transcript { lines: lines.iter().map(line).collect::<StoreResult<_>>()?, cursor })
}

fn lines(
    workspace: WorkspaceId,
    id: ConversationId,
    before: Option<LinePlace>,
    limit: u32,
) -> Statement {
    let end = (Timestamp::from_millis(i64::MAX), SessionId(Uuid::max()), i64::MAX);
    let (began, session, number) = before.unwrap_or(end);
    statement!(LINES, workspace, id, limit, began, session, number)
}

pub(super) async fn before<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    before: Option<LinePlace>,
    limit: u32,
) -> StoreResult<Vec<(LinePlace, Line)>> {
    tx.scope(workspace);
    let rows = tx.query(lines(workspace, id, before, limit)).await?;
    let placed = |row: &Row| {
        let line = line(row)?;
        Ok(((row.time(12)?, line.session, line.number), line))
    };
    rows.iter().map(placed).collect()
}

/// The steps and model calls of each of these turns, in their order.
pub(super) async fn details<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    turns: &[TurnId],
) -> StoreResult<Vec<TurnDetail>> {
    tx.scope(workspace);
    let of_turn = |turn: &TurnId| {
        [statement!(STEPS, workspace, *turn), statement!(ledger::OF_TURN, workspace, *turn)]
    };
    let answers = tx.query_all(turns.iter().flat_map(of_turn).collect()).await?;
    let detail = |pair: &[Vec<Row>]| {
        let [steps, calls] = pair else { return Ok(TurnDetail::default()) };
        Ok(TurnDetail {
            steps: steps.iter().map(step).collect::<StoreResult<_>>()?,
            calls: calls.iter().map(ledger::line).collect::<StoreResult<_>>()?,
        })
    };
    let mut details: Vec<TurnDetail> = answers.chunks(2).map(detail).collect::<StoreResult<_>>()?;
    put_texts_back(tx, workspace, &mut details).await?;
    Ok(details)
}

/// Restores texts that are stored once, wherever a question to a model names them.
async fn put_texts_back<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    details: &mut [TurnDetail],
) -> StoreResult<()> {
    let mut named: Vec<&mut Value> = details
        .iter_mut()
        .flat_map(|detail| &mut detail.steps)
        .filter(|step| step.kind == StepKind::Model)
        .filter_map(|step| step.input.get_mut("request")?.as_object_mut())
        .flat_map(|request| request.values_mut())
        .filter(|part| digest(part).is_some())
        .collect();
    let find = |part: &&mut Value| {
        statement!(TEXT, workspace, digest(part).unwrap_or_default().to_owned())
    };
    let found = tx.query_all(named.iter().map(find).collect()).await?;
    for (part, rows) in named.iter_mut().zip(found) {
        if let Some(row) = rows.first() {
            **part = row.json(0)?;
        }
    }
    Ok(())
}

fn digest(part: &Value) -> Option<&str> {
    part.get("sha256")?.as_str()
}

fn step(row: &Row) -> StoreResult<TurnStep> {
    Ok(TurnStep {
        step: load::step(row)?,
        kind: row.word(5, StepKind::parse)?,
        input: row.json(6)?,
    })
}

pub(super) async fn said<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    session: SessionId,
    last: u32,
) -> StoreResult<Said> {
    tx.scope(workspace);
    let queries = vec![
        statement!(SESSION_LINES, workspace, session, last),
        statement!(COUNT_LINES, workspace, session),
    ];
    let mut answers = tx.query_all(queries).await?;
    let total = answers.pop().unwrap_or_default();
    let lines = answers.pop().unwrap_or_default();
    Ok(Said {
        lines: lines.iter().rev().map(line).collect::<StoreResult<_>>()?,
        total: total.first().map_or(Ok(0), |row| row.count(0))?,
    })
}

fn line(row: &Row) -> StoreResult<Line> {
    Ok(Line {
        session: row.uuid(0)?,
        number: row.int(1)?,
        at: row.time(2)?,
        role: row.word(3, Role::parse)?,
        content: row.pii(4)?,
        turn: row.uuid(5)?,
        tools: row.json(6)?,
        // A trace only explains, so a trace that a newer recado wrote is left out and its line is
        // still shown.
        trace: row.opt_json(7).unwrap_or_default(),
        delivery: delivery(row)?,
    })
}

fn delivery(row: &Row) -> StoreResult<Option<Delivery>> {
    if row.is_null(9) {
        return Ok(None);
    }
    Ok(Some(Delivery {
        message: row.uuid(8)?,
        author: row.word(9, Author::parse)?,
        status: row.word(10, DeliveryStatus::parse)?,
        error: row.opt_text(11)?.map(str::to_owned),
    }))
}

pub(super) async fn sent_after<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    id: ConversationId,
    cursor: i64,
    limit: u32,
) -> StoreResult<Vec<SentLine>> {
    tx.scope(workspace);
    let rows = tx.query(statement!(SENT_AFTER, workspace, id, cursor, limit)).await?;
    rows.iter()
        .map(|row| {
            Ok(SentLine {
                cursor: row.int(0)?,
                at: row.time(1)?,
                author: row.word(2, Author::parse)?,
                text: row.pii(3)?,
                options: row.opt_json(4)?.unwrap_or_default(),
            })
        })
        .collect()
}
