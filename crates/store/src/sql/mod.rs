//! The ports over SQL, written once for both databases: this module holds the statements and
//! checks, a driver runs the transactions.

mod attention;
mod briefing;
mod conversations;
mod deeds;
mod drafts;
mod edits;
mod forget;
mod handoffs;
mod inbox;
mod journal;
mod keys;
mod lanes;
mod ledger;
mod listing;
mod live;
mod load;
mod look;
mod media;
mod notes;
mod orders;
mod outbox;
mod ownership;
mod packs;
mod phone;
mod records;
mod reports;
mod row;
mod senders;
mod sessions;
mod setup;
mod status;
mod terms;
mod timers;
mod transcript;
mod turns;

use std::future::Future;
use std::pin::Pin;

use domain::WorkspaceId;

pub use look::Look;
pub use row::{Cell, Param, Row};

use crate::fair::{Gate, Pass};
use crate::{Durability, Point, Signals, StoreError, StoreResult};

/// A statement: one text that both dialects share (`?1`), or a text for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sql {
    pub sqlite: &'static str,
    pub postgres: &'static str,
    /// Whether a driver may run the statement once for several parameter rows, of one transaction
    /// or of several that it commits together. Then no two of those parameter rows may mean the
    /// same table row.
    pub each: bool,
}

impl Sql {
    /// The dialects agree. A PostgreSQL driver writes `$1` for `?1`.
    pub const fn both(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text, each: false }
    }

    /// A shared text for a statement of the message path, of which each run means a row that no
    /// other run means.
    pub const fn each(text: &'static str) -> Self {
        Self::both(text).for_each()
    }

    pub const fn for_each(self) -> Self {
        Self { each: true, ..self }
    }
}

/// Statements that are run for many at once, so that a driver can prepare them before the first.
pub fn message_path() -> Vec<Sql> {
    let all = [
        inbox::EACH,
        senders::EACH,
        lanes::EACH,
        load::EACH,
        sessions::EACH,
        turns::EACH,
        journal::EACH,
        ledger::EACH,
        outbox::EACH,
        live::EACH,
        records::EACH,
    ];
    all.concat()
}

/// Every statement that a message needs. Drivers' tests look at the plan of each, because its cost
/// must not grow with the rows stored.
pub fn statements_of_a_message() -> Vec<Sql> {
    let mut all = message_path();
    let beside = [
        senders::STATEMENTS,
        reports::STATEMENTS,
        notes::STATEMENTS,
        terms::STATEMENTS,
        edits::STATEMENTS,
        media::STATEMENTS,
        drafts::STATEMENTS,
        ownership::STATEMENTS,
        lanes::STATEMENTS,
        sessions::STATEMENTS,
        turns::STATEMENTS,
        outbox::STATEMENTS,
        live::STATEMENTS,
        inbox::STATEMENTS,
        forget::STATEMENTS,
        phone::STATEMENTS,
        packs::STATEMENTS,
        setup::STATEMENTS,
        timers::STATEMENTS,
    ];
    all.extend(beside.concat());
    all
}

/// Every statement that a turn needs, those of tools and people among them.
pub fn statements_of_a_turn() -> Vec<Sql> {
    let beside = [
        journal::STATEMENTS,
        ledger::STATEMENTS,
        orders::STATEMENTS,
        handoffs::STATEMENTS,
        briefing::STATEMENTS,
        conversations::STATEMENTS,
        transcript::STATEMENTS,
        keys::STATEMENTS,
    ];
    let mut all = [&beside[..], records::STATEMENTS, &[deeds::STATEMENTS]].concat().concat();
    all.extend(statements_of_a_message());
    all
}

/// Statements that no message waits for: acts of people, lists, upkeep.
pub fn statements_beside() -> Vec<Sql> {
    let all = [
        attention::BESIDE,
        handoffs::BESIDE,
        inbox::BESIDE,
        keys::BESIDE,
        ledger::BESIDE,
        listing::BESIDE,
        live::BESIDE,
        media::BESIDE,
        orders::BESIDE,
        records::BESIDE,
        setup::BESIDE,
        terms::BESIDE,
        timers::BESIDE,
    ];
    all.concat()
}

/// Statements that list conversations.
pub fn statements_of_lists() -> Vec<Sql> {
    listing::STATEMENTS.to_vec()
}

/// A statement with its parameters.
#[derive(Clone, Debug)]
pub struct Statement {
    pub sql: Sql,
    pub params: Vec<Param>,
}

/// Builds a [`Statement`] from a text and anything that turns into parameters.
#[macro_export]
macro_rules! statement {
    ($sql:expr $(, $param:expr)* $(,)?) => {
        $crate::sql::Statement {
            sql: $sql,
            params: vec![$($crate::sql::Param::from($param)),*],
        }
    };
}

/// A transaction under way. Writes may be held back until the next query or the commit, so that
/// a driver can send many at once; their order is kept.
pub trait Tx: Send {
    /// Narrows the statements that follow to one tenant.
    fn scope(&mut self, workspace: WorkspaceId);

    /// Opens the lanes of all tenants to the statements that follow; no other table.
    fn scope_scheduler(&mut self);

    /// Writes; a guard on the number of changed rows is [`Tx::guard`].
    fn write(&mut self, statement: Statement);

    /// Fails the transaction with `error` unless the statement finds or changes a row.
    fn guard(&mut self, statement: Statement, error: StoreError);

    /// Runs the queries in order and returns the rows of each.
    fn query_all(
        &mut self,
        statements: Vec<Statement>,
    ) -> impl Future<Output = StoreResult<Vec<Vec<Row>>>> + Send;

    fn query(
        &mut self,
        statement: Statement,
    ) -> impl Future<Output = StoreResult<Vec<Row>>> + Send {
        async {
            let mut answers = self.query_all(vec![statement]).await?;
            Ok(answers.pop().unwrap_or_default())
        }
    }
}

pub type TxFuture<'t, R> = Pin<Box<dyn Future<Output = StoreResult<R>> + Send + 't>>;

/// Runs whole transactions on one kind of database.
pub trait Driver: Send + Sync + 'static {
    type Tx: Tx;

    /// Runs `work` and commits it durably, or leaves no trace of it. `work` may be run again when
    /// the database asks for that before anything was committed.
    fn write<R, W>(&self, point: Point, work: W) -> impl Future<Output = StoreResult<R>> + Send
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static;

    /// Runs and commits work that locks only rows of its own lane and session, so that many
    /// transactions of this kind may be run as one.
    fn write_together<R, W>(
        &self,
        point: Point,
        work: W,
    ) -> impl Future<Output = StoreResult<R>> + Send
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        self.write(point, work)
    }

    /// Runs `work` without writing, in its turn among the workspaces. A short read never waits for
    /// a long one.
    fn read<R, W>(&self, look: Look, work: W) -> impl Future<Output = StoreResult<R>> + Send
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static;

    /// Runs a short read by keys, so that many of this kind may be run as one.
    fn read_together<R, W>(
        &self,
        look: Look,
        work: W,
    ) -> impl Future<Output = StoreResult<R>> + Send
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        self.read(look, work)
    }

    /// Tells this and other nodes that lanes may be due.
    fn wake_lanes(&self);

    /// Tells this and other nodes that a conversation has new lines.
    fn announce_lines(&self, conversation: domain::ConversationId);

    /// Tells this and other nodes that a workspace has new live events.
    fn announce_live(&self, workspace: WorkspaceId);

    fn signals(&self) -> &Signals;

    /// The database's own settings and facts, for `doctor`.
    fn durability(
        &self,
        now: domain::Timestamp,
    ) -> impl Future<Output = StoreResult<Durability>> + Send;
}

/// A store over a driver.
pub struct SqlStore<D> {
    driver: D,
    /// The gates of arrivals and of every other write of a workspace. Workspaces take turns at them,
    /// so that a neighbour's flood of messages, or of an operator's requests, delays nobody. Claims
    /// and heartbeats are the engine's own, a few at once, and pass no gate.
    arrivals: Gate,
    writes: Gate,
}

/// Transactions of each kind that are with the driver at once, which commits them together. More
/// would make each commit longer for all, and hardly cheaper.
const AT_ONCE: usize = 128;

impl<D: Driver> SqlStore<D> {
    pub fn new(driver: D) -> Self {
        Self { driver, arrivals: Gate::of(AT_ONCE), writes: Gate::of(AT_ONCE) }
    }

    /// Waits for the workspace's turn to store an arrival.
    async fn turn_to_arrive(&self, workspace: WorkspaceId) -> Pass {
        self.arrivals.enter(Some(workspace)).await
    }

    /// Waits for the workspace's turn to write anything else.
    async fn turn_to_write(&self, workspace: WorkspaceId) -> Pass {
        self.writes.enter(Some(workspace)).await
    }

    pub fn driver(&self) -> &D {
        &self.driver
    }
}

/// Turns an async function over a transaction and shared inputs into work a driver can repeat.
macro_rules! work {
    (|$tx:ident $(, $shared:ident)*| $body:expr) => {{
        $(let $shared = std::sync::Arc::new($shared);)*
        move |$tx| {
            $(let $shared = std::sync::Arc::clone(&$shared);)*
            Box::pin(async move { $body })
        }
    }};
}
pub(crate) use work;
