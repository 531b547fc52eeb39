//! A connection inside a transaction: begins it, narrows it to a tenant, runs the requests of one
//! caller or of many, and ends it.

use std::mem;
use std::time::Duration;

use deadpool_postgres::Object;
use futures::future::{BoxFuture, poll_immediate};
use futures::{FutureExt, StreamExt, pin_mut};
use store::sql::{Cell, Param, Row, Sql};
use store::{StoreError, StoreResult};
use tokio::time::timeout;
use tokio_postgres::{Client, Error};

use crate::error::{from_postgres, is_answer, is_conflict};
use crate::locks::Locks;
use crate::many::{self, Many, Split};
use crate::merge::{Batch, Request, Scope, merge};
use crate::pipeline::{Cut, pipeline};
use crate::text::text;
use crate::value::{Bound, decode, place};

// The settings are local to the transaction, so nothing of one tenant stays on a pooled connection.
const SCOPE: Sql = Sql::both("SELECT set_config('recado.workspace', ?1, true)");
const SCOPE_SCHEDULER: Sql = Sql::both("SELECT set_config('recado.scheduler', ?1, true)");

#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Write,
    Read,
}

impl Mode {
    // The mode is spelled out in full, because a database may have other defaults. A read sees one
    // moment.
    fn begin(self) -> &'static str {
        match self {
            Self::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }
}

/// The reason why a transaction did not happen.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: StoreError,
    /// Whether to run the work again at once.
    pub(crate) again: bool,
    /// Whether the server may have done the request and could not say so.
    pub(crate) unsure: bool,
    /// The caller whose request failed, where that is known: without that caller the rest may
    /// succeed.
    pub(crate) culprit: Option<usize>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let unsure = !is_answer(&error);
        Self { error: from_postgres(&error), again: is_conflict(&error), unsure, culprit: None }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self { error, again: false, unsure: false, culprit: None }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<Row>,
    affected: u64,
}

pub(crate) struct Wire {
    /// Absent once it was given up, and while this is dropped.
    client: Option<Object>,
    /// How long the server may be silent; a connection that is silent for longer is given up.
    silence: Option<Duration>,
    mode: Mode,
    /// Whether the server may be inside our transaction.
    begun: bool,
    scope: Scope,
    locks: Locks,
    /// Whether each request is to be sent alone.
    pub(crate) apart: bool,
}

impl Wire {
    pub(crate) fn new(client: Object, mode: Mode, silence: Option<Duration>) -> Self {
        let (scope, locks) = (Scope::default(), Locks::default());
        Self { client: Some(client), silence, mode, begun: false, scope, locks, apart: false }
    }

    /// Runs requests of several callers and answers each caller's, in its order.
    pub(crate) async fn ask(
        &mut self,
        callers: Vec<Vec<Request>>,
    ) -> Result<Vec<Vec<Answer>>, Failure> {
        self.send(callers, None).await
    }

    /// Commits, sending the remaining writes in the same batch.
    pub(crate) async fn commit(&mut self, callers: Vec<Vec<Request>>) -> Result<(), Failure> {
        if !self.begun && callers.iter().all(Vec::is_empty) {
            return Ok(());
        }
        self.send(callers, Some("COMMIT")).await?;
        self.ended();
        Ok(())
    }

    pub(crate) async fn roll_back(&mut self) {
        let Some(client) = self.client.as_ref().filter(|_| self.begun) else { return };
        match in_time(self.silence, client.batch_execute("ROLLBACK")).await {
            Some(Ok(())) => self.ended(),
            Some(Err(_)) => {}
            None => self.give_up(),
        }
    }

    /// Gives up a connection on which nothing is heard. A server that goes on after all finds nobody there
    /// and rolls back.
    fn give_up(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
        self.ended();
    }

    /// Ends a transaction that wrote nothing. The connection answers in order, so its next user
    /// need not wait for the end of this transaction.
    pub(crate) async fn end_read(&mut self) {
        let Some(client) = self.client.as_ref().filter(|_| self.begun) else {
            return;
        };
        if let None | Some(Ok(())) = poll_immediate(client.batch_execute("COMMIT").boxed()).await {
            self.ended();
        }
    }

    fn ended(&mut self) {
        (self.begun, self.scope) = (false, Scope::default());
    }

    /// Sends requests and waits for the answers, as long as the server may be silent. The limits that a
    /// server keeps do not hold where it is frozen, or parted from this node.
    async fn send(
        &mut self,
        callers: Vec<Vec<Request>>,
        end: Option<&'static str>,
    ) -> Result<Vec<Vec<Answer>>, Failure> {
        let silence = self.silence;
        if let Some(answered) = in_time(silence, self.exchange(callers, end)).await {
            return answered;
        }
        self.give_up();
        let error = StoreError::Unavailable("the database is silent".to_owned());
        Err(Failure { unsure: end.is_some(), ..error.into() })
    }

    async fn exchange(
        &mut self,
        callers: Vec<Vec<Request>>,
        end: Option<&'static str>,
    ) -> Result<Vec<Vec<Answer>>, Failure> {
        let Some(client) = &self.client else {
            return Err(StoreError::Unavailable("the connection is gone".to_owned()).into());
        };
        if let Some(second) = self.locks.take(&callers) {
            let error = StoreError::Unavailable("two of a group lock one row".to_owned());
            return Err(Failure { again: true, culprit: Some(second), ..error.into() });
        }
        let mut answers: Vec<_> =
            callers.iter().map(|all| vec![Answer::default(); all.len()]).collect();
        let batches = merge(callers, self.apart);
        let mut statements = Vec::with_capacity(batches.len());
        for batch in &batches {
            statements.push(Prepared::prepare(client, batch).await?);
        }

        let mut sent: Vec<BoxFuture<'_, Result<Raw, Error>>> = Vec::new();
        // If BEGIN failed, the statements after it would commit alone; but the scope is local to a
        // transaction, so without a transaction row security lets nothing through.
        if !mem::replace(&mut self.begun, true) {
            sent.push(command(client, self.mode.begin()).boxed());
        }
        let mut places = Vec::with_capacity(batches.len());
        for (batch, asked) in batches.iter().zip(&statements) {
            for (statement, params) in narrowing(self.scope, batch.scope) {
                let statement = client.prepare_cached(&text(statement)).await?;
                sent.push(run(client, statement, params).boxed());
            }
            self.scope = batch.scope;
            places.push(sent.len());
            sent.push(asked.run(client, batch).boxed());
        }
        sent.extend(end.map(|end| command(client, end).boxed()));

        let (raw, cut) = pipeline(sent).await;
        let mut raw: Vec<_> = raw.into_iter().map(Some).collect();
        // The first failure is the cause of the rest. Answers of a batch that ends the transaction
        // are not examined: once committed, nothing about them may look like a failure.
        for ((batch, asked), place) in batches.iter().zip(&statements).zip(places) {
            let Some(raw) = raw.get_mut(place).and_then(Option::take) else { break };
            if end.is_none() {
                asked.tell(batch, &raw, &mut answers)?;
            }
        }
        let Some(Cut { error, all_sent }) = cut else { return Ok(answers) };
        let failure = Failure::from(error);
        // An end that was never sent has not happened.
        Err(Failure { unsure: failure.unsure && all_sent, ..failure })
    }
}

/// The answer, unless it takes longer than this.
async fn in_time<T>(most: Option<Duration>, answer: impl Future<Output = T>) -> Option<T> {
    match most {
        Some(most) => timeout(most, answer).await.ok(),
        None => Some(answer.await),
    }
}

impl Drop for Wire {
    /// A transaction that was cut short takes its connection with it: the server then rolls back,
    /// and nobody inherits the rest.
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(|_| self.begun) {
            drop(Object::take(client));
        }
    }
}

/// The statements that narrow a transaction from one scope to the next. In a group, a caller that
/// names no tenant has the tenant before it taken away, because it would see that tenant's rows.
fn narrowing(from: Scope, to: Scope) -> Vec<(Sql, Vec<Param>)> {
    let mut narrowing = Vec::new();
    if to.scheduler != from.scheduler {
        let all = if to.scheduler { "on" } else { "off" };
        narrowing.push((SCOPE_SCHEDULER, vec![Param::Text(all.to_owned())]));
    }
    if to.workspace != from.workspace {
        let workspace = to.workspace.map(|workspace| workspace.to_string()).unwrap_or_default();
        narrowing.push((SCOPE, vec![Param::Text(workspace)]));
    }
    narrowing
}

/// A statement as it is sent, for one or for many.
struct Prepared {
    statement: tokio_postgres::Statement,
    many: Option<Split>,
}

impl Prepared {
    async fn prepare(client: &Object, batch: &Batch) -> Result<Self, Error> {
        if batch.shares.len() > 1 {
            let Many { text, split } = for_many(client, batch.sql).await?;
            let statement = client.prepare_cached(&text).await?;
            return Ok(Self { statement, many: Some(split) });
        }
        Ok(Self { statement: client.prepare_cached(&text(batch.sql)).await?, many: None })
    }

    async fn run(&self, client: &Client, batch: &Batch) -> Result<Raw, Error> {
        let statement = self.statement.clone();
        if self.many.is_none() {
            let params = batch.shares.iter().flat_map(|share| share.params.clone()).collect();
            return run(client, statement, params).await;
        }
        let columns = statement.params().len();
        let column = |at: usize| -> Vec<Bound> {
            let given = |params: &Vec<Param>| params.get(at).cloned().unwrap_or(Param::Null);
            batch.shares.iter().map(|share| Bound(given(&share.params))).collect()
        };
        let params: Vec<Vec<Bound>> = (0..columns).map(column).collect();
        collect(client.query_raw(&statement, params).await?).await
    }

    /// Gives each caller its part of the answer, and checks the callers' guards.
    fn tell(&self, batch: &Batch, raw: &Raw, answers: &mut [Vec<Answer>]) -> Result<(), Failure> {
        let skipped = usize::from(self.many == Some(Split::Place));
        let mut shares: Vec<Answer> = vec![Answer::default(); batch.shares.len()];
        for row in &raw.rows {
            let whose = match self.many {
                None | Some(Split::Together) => Some(0),
                Some(Split::Place) => place(row).and_then(|place| place.checked_sub(1)),
                Some(Split::Value(param)) => {
                    let cells = decode(row, 0)?;
                    batch.shares.iter().position(|share| is_given(&cells, &share.params[param]))
                }
            };
            let share = whose.and_then(|whose| shares.get_mut(whose));
            let share = share.ok_or_else(|| lost(batch.sql))?;
            share.affected += 1;
            share.rows.push(decode(row, skipped)?);
        }
        let mut again = false;
        match self.many {
            None => shares[0].affected = raw.affected,
            // If the number of rows is not one for each caller, nobody knows whose row is missing:
            // each caller is then asked alone.
            Some(Split::Together) => {
                let all = raw.affected == shares.len() as u64;
                shares.iter_mut().for_each(|share| share.affected = u64::from(all));
                again = !all;
            }
            Some(_) => {}
        }
        for (share, answer) in batch.shares.iter().zip(shares) {
            if let Some(error) = share.guard.as_ref().filter(|_| answer.affected == 0) {
                let culprit = Some(share.caller).filter(|_| !again);
                return Err(Failure { again, culprit, ..error.clone().into() });
            }
            answers[share.caller][share.place] = answer;
        }
        Ok(())
    }
}

/// Whether a row leads with the given value.
fn is_given(row: &Row, given: &Param) -> bool {
    match (row.0.first(), given) {
        (Some(Cell::Uuid(found)), Param::Uuid(given)) => found == given,
        (Some(Cell::Text(found)), Param::Text(given)) => found == given,
        _ => false,
    }
}

fn lost(sql: Sql) -> StoreError {
    StoreError::Unusable(format!("a row came that no caller asked for: {}", sql.postgres))
}

/// The text for many, made from the parameter types of the text for one.
async fn for_many(client: &Object, sql: Sql) -> Result<Many, Error> {
    if let Some(many) = many::known(sql) {
        return Ok(many);
    }
    let one = client.prepare_cached(&text(sql)).await?;
    let many = many::make(sql, one.params());
    Ok(many
        .unwrap_or_else(|| panic!("a statement of this shape is not for many: {}", sql.postgres)))
}

/// Prepares a statement for one and for many, so that its first user does not wait.
pub(crate) async fn warm(client: &Object, sql: Sql) -> StoreResult<()> {
    let warmed = async {
        let Many { text, .. } = for_many(client, sql).await?;
        client.prepare_cached(&text).await
    };
    warmed.await.map(drop).map_err(|error| from_postgres(&error))
}

/// The server's answer, before it is split among the callers.
#[derive(Default)]
struct Raw {
    rows: Vec<tokio_postgres::Row>,
    affected: u64,
}

async fn command(client: &Client, text: &str) -> Result<Raw, Error> {
    client.batch_execute(text).await.map(|()| Raw::default())
}

async fn run(
    client: &Client,
    statement: tokio_postgres::Statement,
    params: Vec<Param>,
) -> Result<Raw, Error> {
    collect(client.query_raw(&statement, params.into_iter().map(Bound)).await?).await
}

async fn collect(stream: tokio_postgres::RowStream) -> Result<Raw, Error> {
    pin_mut!(stream);
    let mut rows = Vec::new();
    while let Some(row) = stream.next().await {
        rows.push(row?);
    }
    Ok(Raw { rows, affected: stream.rows_affected().unwrap_or(0) })
}
