//! One caller's transaction: what may wait is held back and asked in one round with the others'.

use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use domain::WorkspaceId;
use store::sql::{Row, Statement, Tx};
use store::{Point, StoreError, StoreResult};

use crate::merge::{Request, Scope};
use crate::wire::Answer;

/// The talk between a transaction and whoever runs it.
#[derive(Debug, Default)]
enum Talk {
    #[default]
    Idle,
    Asked(Vec<Request>),
    Answered(Vec<Answer>),
}

/// The end of the talk that is held by whoever runs the transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Arc<Mutex<Talk>>);

impl Line {
    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The requests that the transaction waits to have answered.
    pub(crate) fn asked(&self) -> Option<Vec<Request>> {
        let mut talk = self.talk();
        match mem::take(&mut *talk) {
            Talk::Asked(requests) => Some(requests),
            other => {
                *talk = other;
                None
            }
        }
    }

    pub(crate) fn answer(&self, answers: Vec<Answer>) {
        *self.talk() = Talk::Answered(answers);
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
        *self.line.talk() = Talk::Asked(requests);
        // Whoever runs the transaction looks again once there is an answer: nobody need be woken.
        let mut answers = poll_fn(|_| {
            let mut talk = self.line.talk();
            match mem::take(&mut *talk) {
                Talk::Answered(answers) => Poll::Ready(answers),
                other => {
                    *talk = other;
                    Poll::Pending
                }
            }
        })
        .await;
        let ours = answers.split_off(answers.len().saturating_sub(asked));
        Ok(ours.into_iter().map(|answer| answer.rows).collect())
    }
}

/// A statement of the message path whose plan no test looks at is a mistake: its cost may grow with
/// what is stored.
fn known_by_plan(point: Option<Point>, text: &str) {
    use std::collections::HashSet;
    use std::sync::LazyLock;

    use Point::{
        InboxAccept, LaneClaim, LaneRelease, OutboxIntend, OutboxSettle, StepAnswer, StepIntent,
        TurnCommit,
    };

    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        store::sql::statements_of_a_turn().iter().map(|sql| sql.postgres).collect()
    });
    if !cfg!(debug_assertions) {
        return;
    }
    // The outcome of a step is left out: what this crate's tests run in groups goes by its name.
    let path = [
        InboxAccept,
        LaneClaim,
        LaneRelease,
        OutboxIntend,
        OutboxSettle,
        StepAnswer,
        StepIntent,
        TurnCommit,
    ];
    // A statement that only adds a row looks for none.
    let only_adds = text.starts_with("INSERT") && !text.contains("SELECT");
    assert!(
        !point.is_some_and(|point| path.contains(&point)) || only_adds || KNOWN.contains(text),
        "add it to the STATEMENTS of its file, so that its plan is looked at: {text}"
    );
}
