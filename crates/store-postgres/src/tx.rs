//! A caller's transaction: writes are held back and sent in one round with the other callers'
//! requests.

use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use domain::WorkspaceId;
use store::sql::{Row, Statement, Tx};
use store::{Point, StoreError, StoreResult};

use crate::merge::{Request, Scope};
use crate::wire::Answer;

/// The exchange between a transaction and the task that runs it.
#[derive(Debug, Default)]
enum Exchange {
    #[default]
    Idle,
    Asked(Vec<Request>),
    Answered(Vec<Answer>),
}

/// The end of the exchange that the running task holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Arc<Mutex<Exchange>>);

impl Line {
    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The requests that the transaction waits to have answered.
    pub(crate) fn asked(&self) -> Option<Vec<Request>> {
        let mut exchange = self.exchange();
        match mem::take(&mut *exchange) {
            Exchange::Asked(requests) => Some(requests),
            other => {
                *exchange = other;
                None
            }
        }
    }

    pub(crate) fn answer(&self, answers: Vec<Answer>) {
        *self.exchange() = Exchange::Answered(answers);
    }
}

#[derive(Default)]
pub struct PgTx {
    line: Line,
    held_back: Vec<Request>,
    scope: Scope,
    point: Option<Point>,
}

impl PgTx {
    pub(crate) fn on(line: &Line, point: Option<Point>) -> Self {
        Self { line: line.clone(), point, ..Self::default() }
    }

    /// The requests still to be written when the transaction's work is done.
    pub(crate) fn rest(self) -> Vec<Request> {
        self.held_back
    }
}

impl Tx for PgTx {
    fn scope(&mut self, workspace: WorkspaceId) {
        self.scope.workspace = Some(workspace);
    }

    fn scope_scheduler(&mut self) {
        self.scope.scheduler = true;
    }

    fn write(&mut self, statement: Statement) {
        known_by_plan(self.point, statement.sql.postgres);
        self.held_back.push(Request::new(statement, self.scope, None));
    }

    fn guard(&mut self, statement: Statement, error: StoreError) {
        known_by_plan(self.point, statement.sql.postgres);
        self.held_back.push(Request::new(statement, self.scope, Some(error)));
    }

    async fn query_all(&mut self, statements: Vec<Statement>) -> StoreResult<Vec<Vec<Row>>> {
        let asked = statements.len();
        for statement in statements {
            self.write(statement);
        }
        let requests = mem::take(&mut self.held_back);
        *self.line.exchange() = Exchange::Asked(requests);
        // The running task polls again once there is an answer, so no waker is needed.
        let mut answers = poll_fn(|_| {
            let mut exchange = self.line.exchange();
            match mem::take(&mut *exchange) {
                Exchange::Answered(answers) => Poll::Ready(answers),
                other => {
                    *exchange = other;
                    Poll::Pending
                }
            }
        })
        .await;
        let ours = answers.split_off(answers.len().saturating_sub(asked));
        Ok(ours.into_iter().map(|answer| answer.rows).collect())
    }
}

/// Panics on a statement of the message path whose plan no test examines, because its cost may grow
/// with the stored rows.
fn known_by_plan(point: Option<Point>, text: &str) {
    use std::collections::HashSet;
    use std::sync::LazyLock;

    use Point::{
        InboxAccept, LaneClaim, LaneRelease, OutboxIntend, OutboxRecord, StepAnswer, StepIntent,
        TurnCommit,
    };

    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        store::sql::statements_of_a_turn().iter().map(|sql| sql.postgres).collect()
    });
    if !cfg!(debug_assertions) {
        return;
    }
    // Outcomes of steps are left out, because this crate's tests run statements of their own in
    // groups under that name.
    let path = [
        InboxAccept,
        LaneClaim,
        LaneRelease,
        OutboxIntend,
        OutboxRecord,
        StepAnswer,
        StepIntent,
        TurnCommit,
    ];
    // A statement that only adds a row searches for none.
    let only_adds = text.starts_with("INSERT") && !text.contains("SELECT");
    assert!(
        !point.is_some_and(|point| path.contains(&point)) || only_adds || KNOWN.contains(text),
        "add it to the STATEMENTS of its file, so that its plan is looked at: {text}"
    );
}
