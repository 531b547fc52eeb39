//! The commit of a turn, and of a failed attempt at one.

use async_trait::async_trait;
use domain::{
    DeliveryStatus, Handoff, HandoffId, NewOutbound, Owner, SessionId, SessionStatus, Timestamp,
};
use serde_json::json;

use super::lanes::lock_lane;
use super::load::{CommittedRows, go_on_knowing, go_on_or_give_up, go_on_sending};
use super::setup::audit;
use super::status::rank;
use super::{Driver, Param, Sql, SqlStore, Tx, drafts, handoffs, live, sessions, work};
use crate::{
    LaneWork, Lease, LiveKind, Point, StoreError, StoreResult, TurnCommit, Turns, statement,
};

const NOTE_ACTIVITY: Sql = Sql::each(
    "UPDATE conversations SET last_customer_message_at = coalesce(?4, last_customer_message_at), \
            active_at = coalesce(?5, active_at) \
     WHERE workspace_id = ?1 AND id = ?2 AND epoch = ?3",
);

const HAND_OFF: Sql = Sql::both(
    "UPDATE conversations SET last_customer_message_at = coalesce(?4, last_customer_message_at), \
            active_at = coalesce(?5, active_at), owner = 'human', epoch = epoch + 1, \
            assignee = NULL \
     WHERE workspace_id = ?1 AND id = ?2 AND epoch = ?3",
);

// The session's count was raised by all of this turn's entries; each entry's number is counted back
// from it.
const ADD_ENTRY: Sql = Sql::each(
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            intent_detected, confidence, tools_called, tokens_used, trace, created_at, outbound_id) \
     SELECT ?1, ?2, s.turn_count - ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 \
     FROM agent_sessions s WHERE s.workspace_id = ?1 AND s.id = ?2",
);

// A condition beside an id is written `(…) IS TRUE`, so that the planner finds the row by its id
// and takes no index on the condition's column.
const COMPLETE_EVENT: Sql = Sql::each(
    "UPDATE webhook_inbox SET status = 'done' WHERE workspace_id = ?1 AND id = ?3 \
            AND (conversation_id = ?2) IS TRUE AND (status = 'pending') IS TRUE",
);

// The open turn stays with its quarantined event, so that a retry by hand repeats no step.
const QUARANTINE_EVENT: Sql = Sql::both(
    "UPDATE webhook_inbox SET status = 'quarantined', quarantines = quarantines + 1, reason = ?4, \
            open_turn = (SELECT l.open_turn FROM lanes l WHERE l.workspace_id = ?1 \
                 AND l.conversation_id = ?2) \
     WHERE workspace_id = ?1 AND id = ?3 AND (conversation_id = ?2) IS TRUE AND (status = 'pending') IS TRUE",
);

const END_TIMER: Sql = Sql::each(
    "UPDATE timers SET status = ?3, reason = ?4, settled_at = ?5 \
     WHERE workspace_id = ?1 AND id = ?2 AND (status = 'armed') IS TRUE",
);

const QUARANTINE_TIMER: Sql = Sql::both(
    "UPDATE timers SET status = 'quarantined', quarantines = quarantines + 1, reason = ?3, \
            settled_at = ?4, open_turn = (SELECT l.open_turn FROM lanes l \
                 WHERE l.workspace_id = timers.workspace_id \
                 AND l.conversation_id = timers.conversation_id) \
     WHERE workspace_id = ?1 AND id = ?2 AND (status = 'armed') IS TRUE",
);

const ARM_TIMER: Sql = Sql::each(
    "INSERT INTO timers (workspace_id, id, conversation_id, key, condition, payload, status, \
            armed_at, due_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'armed', ?7, ?8) \
     ON CONFLICT (conversation_id, key) WHERE status = 'armed' DO UPDATE SET \
            id = excluded.id, condition = excluded.condition, payload = excluded.payload, \
            armed_at = excluded.armed_at, due_at = excluded.due_at, quarantines = 0",
);

const CANCEL_TIMER: Sql = Sql::both(
    "UPDATE timers SET status = 'cancelled', settled_at = ?4 \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND key = ?3 AND status = 'armed'",
);

// A new message is due at once and has no time, because the holder of the lane may have read the
// clock before an operator who writes meanwhile did.
const ADD_OUTBOUND: Sql = Sql::each(
    "INSERT INTO outbox (workspace_id, id, conversation_id, author, priority, epoch, content, \
            approved, options, status, rank, next_attempt_at, created_at, updated_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, ?12, ?12)",
);

// A call that this turn intended and never learned the end of is for a person to find out, however
// the turn ended. Questions to a model are left out, because they change nothing outside.
const MARK_STEPS_UNKNOWN: Sql = Sql::each(
    "UPDATE agent_steps SET status = 'unknown', output = ?3, settled_at = ?4 \
     WHERE workspace_id = ?1 AND turn_id = ?2 AND status = 'intended' AND kind <> 'model'",
);

const REBASE_QUEUED_EPOCH: Sql = Sql::both(concat!(
    "UPDATE outbox SET epoch = ?3 WHERE workspace_id = ?1 AND conversation_id = ?2 \
            AND rank <= ",
    rank!(sending),
    " AND epoch = ?3 - 1",
));

// Most lanes carry none of these marks, and then no row is written.
const RESET_LANE_COUNTERS: Sql = Sql::each(
    "UPDATE lanes SET failed = 0, crashed = 0, on_trial = 0, last_error = NULL, open_turn = NULL, \
            not_before = NULL, burst_since = NULL \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND (failed > 0 OR crashed > 0 \
            OR on_trial > 0 OR open_turn IS NOT NULL OR not_before IS NOT NULL OR burst_since IS NOT NULL)",
);

const TRY_ALONE: Sql =
    Sql::both("UPDATE lanes SET on_trial = ?3 WHERE workspace_id = ?1 AND conversation_id = ?2");

// An attempt that ended in an error ended in order, so the crash counters are cleared.
const COUNT_FAILURE: Sql = Sql::both(
    "UPDATE lanes SET failed = failed + 1, crashed = 0, on_trial = 0, last_error = ?3, \
            not_before = ?4 \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[
    NOTE_ACTIVITY,
    ADD_ENTRY,
    COMPLETE_EVENT,
    END_TIMER,
    ARM_TIMER,
    ADD_OUTBOUND,
    MARK_STEPS_UNKNOWN,
    RESET_LANE_COUNTERS,
];

pub(super) const STATEMENTS: &[Sql] = &[
    HAND_OFF,
    QUARANTINE_EVENT,
    QUARANTINE_TIMER,
    CANCEL_TIMER,
    REBASE_QUEUED_EPOCH,
    TRY_ALONE,
    COUNT_FAILURE,
];

#[async_trait]
impl<D: Driver> Turns for SqlStore<D> {
    async fn commit(&self, turn: TurnCommit) -> StoreResult<Option<LaneWork>> {
        let point =
            if turn.set_aside.is_some() { Point::TurnQuarantine } else { Point::TurnCommit };
        let readable = turn.drafted || (turn.delivers_by_commit && !turn.outbound.is_empty());
        let Lease { workspace, conversation, .. } = turn.lease;
        let _turn = self.turn_to_write(workspace).await;
        let next = self.driver.write(point, work!(|tx, turn| commit(tx, &turn).await)).await?;
        if readable {
            self.driver.announce_lines(conversation);
        }
        self.driver.announce_live(workspace);
        Ok(next)
    }

    async fn try_alone(&self, lease: Lease, alone: bool) -> StoreResult<()> {
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::TurnSuspect,
                work!(|tx| {
                    lock_lane(tx, lease);
                    let (workspace, id) = (lease.workspace, lease.conversation);
                    tx.write(statement!(TRY_ALONE, workspace, id, i64::from(alone)));
                    Ok(())
                }),
            )
            .await
    }

    async fn fail(
        &self,
        lease: Lease,
        reason: &str,
        retry_at: Timestamp,
        now: Timestamp,
    ) -> StoreResult<Option<LaneWork>> {
        let reason = reason.to_owned();
        let _turn = self.turn_to_write(lease.workspace).await;
        self.driver
            .write(
                Point::TurnFail,
                work!(|tx, reason| {
                    lock_lane(tx, lease);
                    let (workspace, id) = (lease.workspace, lease.conversation);
                    tx.write(statement!(COUNT_FAILURE, workspace, id, &*reason, retry_at));
                    go_on_or_give_up(tx, lease, now).await
                }),
            )
            .await
    }
}

async fn commit<T: Tx>(tx: &mut T, turn: &TurnCommit) -> StoreResult<Option<LaneWork>> {
    lock_lane(tx, turn.lease);
    let (workspace, conversation) = (turn.lease.workspace, turn.lease.conversation);
    // A turn without lines, such as one that only drops a timer, is no activity.
    let active_at = (!turn.entries.is_empty()).then_some(turn.now);
    let owner = if turn.handoff.is_some() { HAND_OFF } else { NOTE_ACTIVITY };
    tx.guard(
        statement!(
            owner,
            workspace,
            conversation,
            turn.read_epoch,
            turn.customer_wrote_at,
            active_at
        ),
        StoreError::VersionConflict,
    );
    if let Some(handoff) = &turn.handoff {
        hand_off(tx, turn, handoff).await?;
    }
    if let Some(notice) = turn.notice {
        handoffs::announce(tx, workspace, notice, turn.now);
    }
    if let Some(session) = &turn.session {
        let entries = i64::try_from(turn.entries.len()).unwrap_or(i64::MAX);
        sessions::save(tx, turn, session, entries);
        add_entries(tx, turn, session.id, entries);
    }
    close_events(tx, turn);
    change_timers(tx, turn);
    let epoch = turn.read_epoch + i64::from(turn.handoff.is_some());
    for message in &turn.outbound {
        add_outbound(tx, turn.lease, message, epoch, turn.delivers_by_commit, turn.now);
    }
    if turn.drafted {
        drafts::clear(tx, workspace, conversation);
    }
    // A turn that carries its conversation over took no steps.
    if turn.carry.is_none() {
        let reason = Param::json(&"the turn ended before its outcome was known");
        tx.write(statement!(MARK_STEPS_UNKNOWN, workspace, turn.turn, reason, turn.now));
    }
    tx.write(statement!(RESET_LANE_COUNTERS, workspace, conversation));
    tell(tx, turn);
    let waits = !turn.outbound.is_empty() && !turn.delivers_by_commit;
    match known_after(turn) {
        Some(known) if waits => go_on_sending(tx, turn.lease, turn.now, known).await,
        known => go_on_knowing(tx, turn.lease, turn.now, known).await,
    }
}

fn tell<T: Tx>(tx: &mut T, turn: &TurnCommit) {
    let kind = if turn.set_aside.is_some() { LiveKind::Quarantined } else { LiveKind::Turn };
    let payload = json!({
        "heard": turn.handled.len(), "timers": turn.fired.len(), "replies": turn.outbound.len(),
        "mode": turn.session.as_ref().map(|session| &session.mode),
    });
    let (workspace, conversation) = (turn.lease.workspace, turn.lease.conversation);
    live::tell(tx, workspace, kind, Some(conversation), turn.turn, payload, turn.now);
}

/// The bot hands off by itself; messages it queued before may still leave. This runs before the
/// rest of the turn is written, because the briefing shows a person what stood before it.
async fn hand_off<T: Tx>(
    tx: &mut T,
    turn: &TurnCommit,
    (id, handoff): &(HandoffId, Handoff),
) -> StoreResult<()> {
    let (workspace, conversation) = (turn.lease.workspace, turn.lease.conversation);
    tx.write(statement!(REBASE_QUEUED_EPOCH, workspace, conversation, turn.read_epoch + 1));
    handoffs::open(tx, turn, *id, handoff).await?;
    let detail = json!({ "handoff": id, "reason": handoff.reason });
    audit(tx, workspace, "engine", "handoff", conversation, detail, turn.now);
    Ok(())
}

/// Conversation and session as this commit leaves them; the guards have proved that nobody else
/// changed them.
fn known_after(turn: &TurnCommit) -> Option<CommittedRows> {
    let (Some(before), Some(write)) = (&turn.carry, &turn.session) else { return None };
    let mut conversation = before.clone();
    let wrote_at = turn.customer_wrote_at;
    conversation.last_customer_message_at = wrote_at.or(conversation.last_customer_message_at);
    if turn.handoff.is_some() {
        conversation.owner = Owner::Human;
        conversation.epoch += 1;
        conversation.assignee = None;
    }
    let session = Some(sessions::after(turn, write))
        .filter(|session| session.status != SessionStatus::Closed);
    Some(CommittedRows { conversation, session })
}

fn add_entries<T: Tx>(tx: &mut T, turn: &TurnCommit, session: SessionId, entries: i64) {
    for (place, entry) in turn.entries.iter().enumerate() {
        let from_end = entries - 1 - i64::try_from(place).unwrap_or(0);
        let confidence = entry.confidence.map(domain::Confidence::get);
        tx.write(statement!(
            ADD_ENTRY,
            turn.lease.workspace,
            session,
            from_end,
            entry.turn,
            entry.role.as_str(),
            &entry.content,
            entry.intent.as_ref(),
            confidence,
            Param::json(&entry.tools),
            entry.tokens_used,
            entry.trace.as_ref().map(Param::json),
            turn.now,
            entry.outbound
        ));
    }
}

// An event that no longer waits was handled by another turn, so this turn must not count.
fn close_events<T: Tx>(tx: &mut T, turn: &TurnCommit) {
    let (workspace, conversation, now) = (turn.lease.workspace, turn.lease.conversation, turn.now);
    for event in &turn.handled {
        let settle = match &turn.set_aside {
            None => statement!(COMPLETE_EVENT, workspace, conversation, *event),
            Some(reason) => {
                statement!(QUARANTINE_EVENT, workspace, conversation, *event, reason)
            }
        };
        tx.guard(settle, StoreError::VersionConflict);
    }
    for timer in &turn.fired {
        let settle = match &turn.set_aside {
            None => statement!(END_TIMER, workspace, *timer, "fired", Param::Null, now),
            Some(reason) => statement!(QUARANTINE_TIMER, workspace, *timer, reason, now),
        };
        tx.guard(settle, StoreError::VersionConflict);
    }
    for (timer, reason) in &turn.skipped {
        let settle = statement!(END_TIMER, workspace, *timer, "skipped", reason, now);
        tx.guard(settle, StoreError::VersionConflict);
    }
}

fn change_timers<T: Tx>(tx: &mut T, turn: &TurnCommit) {
    let (workspace, conversation, now) = (turn.lease.workspace, turn.lease.conversation, turn.now);
    for key in &turn.cancel {
        tx.write(statement!(CANCEL_TIMER, workspace, conversation, key, now));
    }
    for (id, timer) in &turn.arm {
        tx.write(statement!(
            ARM_TIMER,
            workspace,
            *id,
            conversation,
            &timer.key,
            timer.condition.as_str(),
            &timer.payload,
            turn.began_at,
            timer.due_at
        ));
    }
}

pub(super) fn add_outbound<T: Tx>(
    tx: &mut T,
    lease: Lease,
    message: &NewOutbound,
    epoch: i64,
    delivers_by_commit: bool,
    now: Timestamp,
) {
    let status = if delivers_by_commit { DeliveryStatus::Sent } else { DeliveryStatus::Queued };
    tx.write(statement!(
        ADD_OUTBOUND,
        lease.workspace,
        message.id,
        lease.conversation,
        message.author.as_str(),
        message.priority.rank(),
        epoch,
        &message.text,
        message.approved.as_ref().map(Param::json),
        (!message.options.is_empty()).then(|| Param::json(&message.options)),
        status.as_str(),
        status.rank(),
        now
    ));
}
