//! One transaction on one connection: what may wait is held back and sent in one batch.

use std::mem;
use std::sync::Arc;

use deadpool_postgres::Object;
use domain::WorkspaceId;
use futures::future::{BoxFuture, poll_immediate};
use futures::{FutureExt, StreamExt, pin_mut};
use store::sql::{Param, Row, Sql, Statement, Tx};
use store::{Point, StoreError, StoreResult, When, hit, statement};
use tokio_postgres::{Client, Error};

use crate::error::{from_postgres, is_conflict};
use crate::pipeline::pipeline;
use crate::text::text;
use crate::value::{Bound, decode};

// Local to the transaction, so nothing of one tenant stays on a pooled connection.
const SCOPE: Sql = Sql::both("SELECT set_config('recado.workspace', ?1, true)");
const SCOPE_SCHEDULER: Sql = Sql::both("SELECT set_config('recado.scheduler', 'on', true)");

#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Write,
    Read,
}

impl Mode {
    // Said in full, because a database may have other defaults. A read sees one moment.
    fn begin(self) -> &'static str {
        match self {
            Self::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }
}

/// Why a transaction did not happen, and whether to run its work again at once.
pub(crate) struct Failure {
    pub(crate) error: StoreError,
    pub(crate) again: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error: from_postgres(&error), again: is_conflict(&error) }
    }
}

struct Request {
    text: Arc<str>,
    params: Vec<Param>,
    guard: Option<StoreError>,
}

impl Request {
    fn new(statement: Statement, guard: Option<StoreError>) -> Self {
        Self { text: text(statement.sql), params: statement.params, guard }
    }
}

#[derive(Default)]
struct Answer {
    rows: Vec<tokio_postgres::Row>,
    affected: u64,
}

pub struct PgTx {
    /// Absent only while this is dropped.
    client: Option<Object>,
    mode: Mode,
    /// Whether the server may be inside our transaction.
    begun: bool,
    held_back: Vec<Request>,
    workspace: Option<WorkspaceId>,
    is_scheduler: bool,
    failure: Option<Failure>,
}

impl PgTx {
    pub(crate) fn new(client: Object, mode: Mode) -> Self {
        Self {
            client: Some(client),
            mode,
            begun: false,
            held_back: Vec::new(),
            workspace: None,
            is_scheduler: false,
            failure: None,
        }
    }

    /// Commits. Any failure before is a failure of the commit, also one that the work ignored, so
    /// the server is never asked to commit what it would silently roll back.
    pub(crate) async fn commit(&mut self, point: Point) -> StoreResult<()> {
        if self.held_back.iter().any(|request| request.guard.is_some()) {
            self.flush(None).await?;
        }
        if let Some(failure) = &self.failure {
            return Err(failure.error.clone());
        }
        hit(point, When::Before);
        if self.begun || !self.held_back.is_empty() {
            self.flush(Some("COMMIT")).await?;
            self.begun = false;
        }
        hit(point, When::After);
        Ok(())
    }

    /// Ends a transaction that wrote nothing. The connection answers in order, so whoever uses it
    /// next need not have waited for the end of this one.
    pub(crate) async fn end_read(&mut self) {
        let Some(client) = self.client.as_ref().filter(|_| self.begun) else {
            return;
        };
        if let None | Some(Ok(())) = poll_immediate(client.batch_execute("COMMIT").boxed()).await {
            self.begun = false;
        }
    }

    /// Undoes everything and says why, given the error that the work or the commit ended with.
    pub(crate) async fn roll_back(mut self, error: StoreError) -> Failure {
        if let Some(client) = self.client.as_ref().filter(|_| self.begun)
            && client.batch_execute("ROLLBACK").await.is_ok()
        {
            self.begun = false;
        }
        let again = self.failure.as_ref().is_some_and(|failure| failure.again);
        Failure { error, again }
    }

    /// Sends what was held back, and `end`, in one batch.
    async fn flush(&mut self, end: Option<&'static str>) -> StoreResult<Vec<Answer>> {
        if let Some(failure) = &self.failure {
            return Err(failure.error.clone());
        }
        let requests = mem::take(&mut self.held_back);
        self.send(requests, end).await.map_err(|failure| {
            let error = failure.error.clone();
            self.failure = Some(failure);
            error
        })
    }

    async fn send(
        &mut self,
        requests: Vec<Request>,
        end: Option<&'static str>,
    ) -> Result<Vec<Answer>, Failure> {
        let Some(client) = &self.client else {
            return Ok(Vec::new());
        };
        let mut statements = Vec::with_capacity(requests.len());
        for request in &requests {
            statements.push(client.prepare_cached(&request.text).await?);
        }

        let mut batch: Vec<BoxFuture<'_, Result<Answer, Error>>> = Vec::new();
        // Were BEGIN to fail, what follows it would commit alone; but the scope is local to a
        // transaction, so without one the database lets nothing through.
        let begin = !mem::replace(&mut self.begun, true);
        if begin {
            batch.push(command(client, self.mode.begin()).boxed());
        }
        let mut guards = Vec::with_capacity(requests.len());
        for (request, statement) in requests.into_iter().zip(statements) {
            guards.push(request.guard);
            batch.push(run(client, statement, request.params).boxed());
        }
        batch.extend(end.map(|end| command(client, end).boxed()));

        let (mut answers, error) = pipeline(batch).await;
        if begin && !answers.is_empty() {
            answers.remove(0);
        }
        // The first thing that went wrong is the cause of the rest.
        for (guard, answer) in guards.into_iter().zip(&answers) {
            if let Some(error) = guard.filter(|_| answer.affected == 0) {
                return Err(Failure { error, again: false });
            }
        }
        error.map_or(Ok(answers), |error| Err(error.into()))
    }
}

impl Tx for PgTx {
    fn scope(&mut self, workspace: WorkspaceId) {
        if self.workspace.replace(workspace) != Some(workspace) {
            self.write(statement!(SCOPE, workspace.to_string()));
        }
    }

    fn scope_scheduler(&mut self) {
        if !mem::replace(&mut self.is_scheduler, true) {
            self.write(statement!(SCOPE_SCHEDULER));
        }
    }

    fn write(&mut self, statement: Statement) {
        self.held_back.push(Request::new(statement, None));
    }

    fn guard(&mut self, statement: Statement, error: StoreError) {
        self.held_back.push(Request::new(statement, Some(error)));
    }

    async fn query_all(&mut self, statements: Vec<Statement>) -> StoreResult<Vec<Vec<Row>>> {
        let asked = statements.len();
        let queries = statements.into_iter().map(|statement| Request::new(statement, None));
        self.held_back.extend(queries);
        let mut answers = self.flush(None).await?;
        let ours = answers.split_off(answers.len().saturating_sub(asked));
        ours.iter().map(|answer| answer.rows.iter().map(decode).collect()).collect()
    }
}

impl Drop for PgTx {
    /// A transaction that was cut short takes its connection with it: the server then rolls back,
    /// and nobody inherits the rest.
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(|_| self.begun) {
            drop(Object::take(client));
        }
    }
}

async fn command(client: &Client, text: &str) -> Result<Answer, Error> {
    client.batch_execute(text).await.map(|()| Answer::default())
}

async fn run(
    client: &Client,
    statement: tokio_postgres::Statement,
    params: Vec<Param>,
) -> Result<Answer, Error> {
    let stream = client.query_raw(&statement, params.into_iter().map(Bound)).await?;
    pin_mut!(stream);
    let mut rows = Vec::new();
    while let Some(row) = stream.next().await {
        rows.push(row?);
    }
    Ok(Answer { rows, affected: stream.rows_affected().unwrap_or(0) })
}
