//! Reads a lane's work, and decides at the end of each commit whether its holder goes on.

use domain::{
    Author, Contact, Content, Conversation, DeliveryStatus, Event, EventId, EventKind, Outbound,
    Owner, Priority, Session, Step, StepKey, StepStatus, Timer, TimerCondition, Timestamp,
};

use super::status::rank;
use super::{Row, Sql, Statement, Tx, sessions};
use crate::{Attempts, LaneWork, Lease, OpenTurn, StoreError, StoreResult, statement};

/// The value of `lanes.on_trial` on a lane whose holder vanished while it was tried alone; 1 is a
/// lane that is being tried alone, 0 any other.
const CRASHED_ALONE: i64 = 2;

/// The limit within which an open turn looks for the events it began with; more than any turn
/// takes.
const OPEN_TURN_EVENTS: i64 = 2_000;

pub(super) const LOCK_LANE: Sql = Sql {
    sqlite: "SELECT 1 FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2 AND fence = ?3",
    postgres: "SELECT 1 FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2 AND fence = ?3 \
               FOR UPDATE",
    each: true,
};

// Everything that decides whether a lane has work: its earliest times, whether an event waits, the
// soonest timer, and the head of the outbox.
macro_rules! lane_state {
    () => {
        concat!(
            "lanes.events_due_at, lanes.not_before, lanes.open_turn, lanes.failed, lanes.crashed, \
            CASE WHEN EXISTS (SELECT 1 FROM webhook_inbox i WHERE i.workspace_id = lanes.workspace_id \
                 AND i.conversation_id = lanes.conversation_id AND i.status = 'pending') \
                 THEN 1 ELSE 0 END, \
            (SELECT min(t.due_at) FROM timers t WHERE t.workspace_id = lanes.workspace_id \
                 AND t.conversation_id = lanes.conversation_id AND t.status = 'armed'), \
            (SELECT o.next_attempt_at FROM outbox o WHERE o.workspace_id = lanes.workspace_id \
                 AND o.conversation_id = lanes.conversation_id AND o.rank <= ",
            crate::sql::status::rank!(sending),
            " ORDER BY o.priority, o.seq LIMIT 1), lanes.on_trial"
        )
    };
}
pub(super) use lane_state;

const LANE_STATE: Sql = Sql::each(concat!(
    "SELECT ",
    lane_state!(),
    " FROM lanes WHERE workspace_id = ?1 AND conversation_id = ?2",
));

const GIVE_UP: Sql = Sql::each(
    "UPDATE lanes SET holder = NULL, wake_at = ?3, \
            events_due_at = CASE WHEN ?4 = 1 THEN events_due_at ELSE NULL END, \
            burst_since = CASE WHEN ?4 = 1 THEN burst_since ELSE NULL END, \
            crashed = CASE WHEN ?4 = 1 THEN crashed ELSE 0 END, \
            on_trial = CASE WHEN ?4 = 1 THEN on_trial ELSE 0 END \
     WHERE workspace_id = ?1 AND conversation_id = ?2",
);

const CONVERSATION: Sql = Sql::each(
    "SELECT c.channel_id, c.contact_id, k.name, k.phone, c.address, c.owner, c.epoch, c.assignee, \
            c.last_customer_message_at, k.data \
     FROM conversations c JOIN contacts k ON k.workspace_id = c.workspace_id AND k.id = c.contact_id \
     WHERE c.workspace_id = ?1 AND c.id = ?2",
);

// The limit is what one turn takes: a lane with a long queue is read turn by turn.
const NEXT_EVENTS: Sql = Sql::each(
    "SELECT id, kind, payload, received_at, quarantines FROM webhook_inbox \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'pending' \
     ORDER BY sent_at, id LIMIT (SELECT n.max_messages FROM conversations c JOIN channels n \
            ON n.workspace_id = c.workspace_id AND n.id = c.channel_id \
            WHERE c.workspace_id = ?1 AND c.id = ?2)",
);

const PENDING_EVENTS: Sql = Sql::each(
    "SELECT id, kind, payload, received_at, quarantines FROM webhook_inbox \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'pending' \
     ORDER BY sent_at, id LIMIT ?3",
);

const DUE_TIMERS: Sql = Sql::each(
    "SELECT id, key, armed_at, due_at, condition, payload, quarantines FROM timers \
     WHERE workspace_id = ?1 AND conversation_id = ?2 AND status = 'armed' AND due_at <= ?3 \
     ORDER BY due_at, id LIMIT ?4",
);

const NEWEST_MESSAGE: Sql = Sql::each(
    "SELECT max(received_at) FROM webhook_inbox WHERE workspace_id = ?1 AND conversation_id = ?2 \
            AND status = 'pending' AND kind = 'message'",
);

const OUTBOX_HEAD: Sql = Sql::each(concat!(
    "SELECT id, author, priority, content, status, epoch, attempts, next_attempt_at, approved, \
            options FROM outbox WHERE workspace_id = ?1 AND conversation_id = ?2 AND rank <= ",
    rank!(sending),
    " \
     ORDER BY priority, seq LIMIT 1",
));

const STEPS: Sql = Sql::each(
    "SELECT step_key, tool, status, output, created_at FROM agent_steps \
     WHERE workspace_id = ?1 AND turn_id = ?2 ORDER BY created_at",
);

/// Statements that are run for many at once.
pub(super) const EACH: &[Sql] = &[
    LOCK_LANE,
    LANE_STATE,
    GIVE_UP,
    CONVERSATION,
    NEXT_EVENTS,
    PENDING_EVENTS,
    DUE_TIMERS,
    NEWEST_MESSAGE,
    OUTBOX_HEAD,
    STEPS,
];

/// The lane's own row, with the times of its next work.
pub(super) struct LaneState {
    events_due_at: Option<Timestamp>,
    not_before: Option<Timestamp>,
    open_turn: Option<OpenTurn>,
    attempts: Attempts,
    event_waits: bool,
    next_timer: Option<Timestamp>,
    next_send: Option<Timestamp>,
}

impl LaneState {
    pub(super) fn from_rows(rows: &[Row]) -> StoreResult<Self> {
        Self::from_row(rows.first().ok_or(StoreError::NotFound("conversation"))?)
    }

    /// From a row that begins with the columns of `lane_state`.
    pub(super) fn from_row(row: &Row) -> StoreResult<Self> {
        Ok(Self {
            events_due_at: row.opt_time(0)?,
            not_before: row.opt_time(1)?,
            open_turn: row.opt_json(2)?,
            attempts: Attempts {
                failed: row.count(3)?,
                crashed: row.count(4)?,
                crashed_alone: row.int(8)? == CRASHED_ALONE,
            },
            event_waits: row.int(5)? == 1,
            next_timer: row.opt_time(6)?,
            next_send: row.opt_time(7)?,
        })
    }

    // A failed turn waits for its backoff, whatever arrives meanwhile.
    fn not_before(&self, due: Timestamp) -> Timestamp {
        self.not_before.map_or(due, |floor| floor.max(due))
    }

    fn events_ready_at(&self) -> Option<Timestamp> {
        let start = Timestamp::from_millis(0);
        self.event_waits.then(|| self.not_before(self.events_due_at.unwrap_or(start)))
    }

    fn timers_ready_at(&self) -> Option<Timestamp> {
        self.next_timer.map(|due| self.not_before(due))
    }

    fn next_due(&self) -> Option<Timestamp> {
        [self.events_ready_at(), self.timers_ready_at(), self.next_send].into_iter().flatten().min()
    }
}

/// Ends a commit: returns the next work if something is ready, otherwise gives the lane up until
/// its next work is due. The lane's row must be locked, so that no arrival slips in between.
pub(super) async fn go_on_or_give_up<T: Tx>(
    tx: &mut T,
    lease: Lease,
    now: Timestamp,
) -> StoreResult<Option<LaneWork>> {
    go_on_knowing(tx, lease, now, None).await
}

/// Rows that a commit has just written or checked, so that they need not be read back.
pub(super) struct CommittedRows {
    pub(super) conversation: Conversation,
    pub(super) session: Option<Session>,
}

pub(super) async fn go_on_knowing<T: Tx>(
    tx: &mut T,
    lease: Lease,
    now: Timestamp,
    known: Option<CommittedRows>,
) -> StoreResult<Option<LaneWork>> {
    let rows = tx.query(lane_query(lease)).await?;
    let state = LaneState::from_rows(&rows)?;
    match state.next_due() {
        Some(due) if due <= now => {
            let reading = LaneQueries::new(lease, &state, now, known);
            let answers = tx.query_all(reading.queries()).await?;
            reading.work(&mut answers.into_iter()).map(Some)
        }
        due => {
            let waits = i64::from(state.event_waits);
            tx.write(statement!(GIVE_UP, lease.workspace, lease.conversation, due, waits));
            Ok(None)
        }
    }
}

/// Ends a commit that queued a message: the outbox's head is next, and nothing else of the lane is
/// read before the head is sent.
pub(super) async fn go_on_sending<T: Tx>(
    tx: &mut T,
    lease: Lease,
    now: Timestamp,
    known: CommittedRows,
) -> StoreResult<Option<LaneWork>> {
    let head = statement!(OUTBOX_HEAD, lease.workspace, lease.conversation);
    let head = tx.query(head).await?.first().map(outbound).transpose()?;
    let Some(outbound) = head.filter(|head| head.next_attempt_at <= now) else {
        return go_on_knowing(tx, lease, now, Some(known)).await;
    };
    let CommittedRows { conversation, session } = known;
    Ok(Some(LaneWork {
        lease,
        conversation,
        session,
        events: Vec::new(),
        newest_message_at: None,
        outbound: Some(outbound),
        open_turn: None,
        steps: Vec::new(),
        attempts: Attempts::default(),
        retried_by_hand: false,
    }))
}

pub(super) fn lane_query(lease: Lease) -> Statement {
    statement!(LANE_STATE, lease.workspace, lease.conversation)
}

/// The queries that read one lane's work, apart from their answers, so that many lanes are read in
/// one round trip.
pub(super) struct LaneQueries<'a> {
    lease: Lease,
    state: &'a LaneState,
    now: Timestamp,
    known: Option<CommittedRows>,
    events: bool,
    timers: bool,
}

impl<'a> LaneQueries<'a> {
    pub(super) fn new(
        lease: Lease,
        state: &'a LaneState,
        now: Timestamp,
        known: Option<CommittedRows>,
    ) -> Self {
        let ready = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        let (mut events, mut timers) =
            (ready(state.events_ready_at()), ready(state.timers_ready_at()));
        // An open turn reads all the events it began with.
        if state.open_turn.is_some() {
            (events, timers) = (events || timers, events || timers);
        }
        Self { lease, state, now, known, events, timers }
    }

    pub(super) fn queries(&self) -> Vec<Statement> {
        let (workspace, id) = (self.lease.workspace, self.lease.conversation);
        let mut queries = Vec::with_capacity(6);
        if self.known.is_none() {
            queries.push(statement!(CONVERSATION, workspace, id));
            queries.push(sessions::find(self.lease));
        }
        if self.state.next_send.is_some() {
            queries.push(statement!(OUTBOX_HEAD, workspace, id));
        }
        let open = self.state.open_turn.is_some();
        if self.events {
            queries.push(if open {
                statement!(PENDING_EVENTS, workspace, id, OPEN_TURN_EVENTS)
            } else {
                statement!(NEXT_EVENTS, workspace, id)
            });
        }
        if self.timers {
            // A turn takes one timer.
            let limit = if open { OPEN_TURN_EVENTS } else { 1 };
            queries.push(statement!(DUE_TIMERS, workspace, id, self.now, limit));
            queries.push(statement!(NEWEST_MESSAGE, workspace, id));
        }
        if let Some(open) = &self.state.open_turn {
            queries.push(statement!(STEPS, workspace, open.turn));
        }
        queries
    }

    /// Takes as many answers as there were queries.
    pub(super) fn work(
        mut self,
        answers: &mut impl Iterator<Item = Vec<Row>>,
    ) -> StoreResult<LaneWork> {
        let mut next = || answers.next().unwrap_or_default();
        let CommittedRows { conversation, session } = match self.known.take() {
            Some(known) => known,
            None => {
                let rows = next();
                let row = rows.first().ok_or(StoreError::NotFound("conversation"))?;
                let conversation = conversation(self.lease, row)?;
                CommittedRows {
                    conversation,
                    session: next().first().map(sessions::session).transpose()?,
                }
            }
        };
        let outbound = match self.state.next_send {
            Some(_) => next().first().map(outbound).transpose()?,
            None => None,
        };
        let mut events = Vec::new();
        let mut quarantines = 0;
        let mut newest_message_at = None;
        if self.events {
            for row in next() {
                quarantines += row.int(4)?;
                events.push(inbox_event(&row)?);
            }
        }
        if self.timers {
            for row in next() {
                quarantines += row.int(6)?;
                let timer = Box::new(timer(&row)?);
                let (id, at) = (EventId(timer.id.0), timer.due_at);
                events.push(Event { id, at, kind: EventKind::Timer(timer) });
            }
            newest_message_at = next().first().map_or(Ok(None), |row| row.opt_time(0))?;
            // The sort is stable: messages keep their order among themselves, timers come in when
            // due.
            events.sort_by_key(|event| event.at);
        }
        // An open turn of whose events none waits any more is over, however it ended.
        let open_turn = self.state.open_turn.clone().filter(|open| {
            events.is_empty() || events.iter().any(|event| open.events.contains(&event.id.0))
        });
        let mut steps = if self.state.open_turn.is_some() { next() } else { Vec::new() };
        match &open_turn {
            Some(open) => events.retain(|event| open.events.contains(&event.id.0)),
            None => steps.clear(),
        }
        Ok(LaneWork {
            lease: self.lease,
            conversation,
            session,
            events,
            outbound: outbound.filter(|outbound| outbound.next_attempt_at <= self.now),
            newest_message_at,
            open_turn,
            steps: steps.iter().map(step).collect::<StoreResult<_>>()?,
            attempts: self.state.attempts,
            retried_by_hand: quarantines > 0,
        })
    }
}

pub(super) fn conversation(lease: Lease, row: &Row) -> StoreResult<Conversation> {
    Ok(Conversation {
        id: lease.conversation,
        workspace: lease.workspace,
        channel: row.text(0)?.into(),
        contact: Contact {
            id: row.uuid(1)?,
            name: row.opt_pii(2)?,
            phone: row.opt_pii(3)?,
            data: row.json(9)?,
        },
        address: row.pii(4)?,
        owner: row.word(5, Owner::parse)?,
        epoch: row.int(6)?,
        assignee: row.opt_text(7)?.map(str::to_owned),
        last_customer_message_at: row.opt_time(8)?,
    })
}

pub(super) async fn read_conversation<T: Tx>(
    tx: &mut T,
    lease: Lease,
) -> StoreResult<Conversation> {
    let rows = tx.query(statement!(CONVERSATION, lease.workspace, lease.conversation)).await?;
    conversation(lease, rows.first().ok_or(StoreError::NotFound("conversation"))?)
}

// An event that this version cannot read, because a newer one wrote it, becomes an unreadable
// message: the agent says so, and the lane does not stand still.
fn inbox_event(row: &Row) -> StoreResult<Event> {
    let kind = match row.text(1)? {
        "operator" => row.json(2).map(EventKind::Operator),
        _ => row.json(2).map(EventKind::Message),
    };
    let unread = || EventKind::Message(Content::Other { kind: "unreadable".to_owned() });
    let kind = kind.unwrap_or_else(|_| unread());
    Ok(Event { id: row.uuid(0)?, at: row.time(3)?, kind })
}

pub(super) fn timer(row: &Row) -> StoreResult<Timer> {
    Ok(Timer {
        id: row.uuid(0)?,
        key: row.text(1)?.to_owned(),
        armed_at: row.time(2)?,
        due_at: row.time(3)?,
        condition: row.word(4, TimerCondition::parse)?,
        payload: row.json(5)?,
    })
}

fn outbound(row: &Row) -> StoreResult<Outbound> {
    Ok(Outbound {
        id: row.uuid(0)?,
        author: row.word(1, Author::parse)?,
        priority: Priority::from_rank(i16::try_from(row.int(2)?).unwrap_or(i16::MAX)),
        text: row.pii(3)?,
        status: row.word(4, DeliveryStatus::parse)?,
        epoch: row.int(5)?,
        attempts: row.count(6)?,
        next_attempt_at: row.time(7)?,
        approved: row.opt_json(8)?,
        options: row.opt_json(9)?.unwrap_or_default(),
    })
}

pub(super) fn step(row: &Row) -> StoreResult<Step> {
    Ok(Step {
        key: StepKey(row.text(0)?.to_owned()),
        tool: row.text(1)?.to_owned(),
        status: row.word(2, StepStatus::parse)?,
        output: row.json(3)?,
        at: row.time(4)?,
    })
}
