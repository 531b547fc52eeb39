//! Runs transactions on a pool of connections, and answers for the database.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Object;
use domain::{ConversationId, Timestamp, WorkspaceId};
use store::fair::{Gate, Pass};
use store::sql::{Driver, Look, TxFuture, message_path};
use store::{Durability, Point, Signals, StoreError, StoreResult};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex as Turnstile, mpsc};
use tokio::task::JoinSet;

use crate::connections::{Connections, POOL_TIMEOUT};
use crate::error::from_postgres;
use crate::group::{self, Job, Waiting};
use crate::listen::{Hints, listen};
use crate::tx::PgTx;
use crate::{address, isolation, migrate, wire};

/// Transactions that may wait for their group before intake is refused.
const QUEUE: usize = 8192;
/// Two groups, so that one is worked while the other waits for the disk.
const LANE_GROUPS: usize = 2;
const DEED_GROUPS: usize = 1;
const READ_GROUPS: usize = 2;
/// Transactions of claims and heartbeats, which run alone because each takes many lanes by itself.
const ALONE: usize = 2;

/// A node that freezes inside a transaction must not hold its locks for ever, hence the timeout.
/// Every statement finds its rows by key whatever the values, so a generic plan serves all of them;
/// planning each anew costs more than running it. Lists are read in the order of an index, so that
/// the first page ends the reading.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '30s'; \
                        SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                        SET enable_hashjoin = off; SET enable_mergejoin = off; \
                        SET enable_bitmapscan = off; SET jit = off; \
                        SET max_parallel_workers_per_gather = 0";

/// Rows on the message path are found by their keys, one after another, and in no other way,
/// because a plan made while tables are small must serve when they are large.
pub(crate) const MESSAGE_PATH: &str = "SET idle_in_transaction_session_timeout = '30s'; \
                            SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
                            SET enable_hashjoin = off; SET enable_mergejoin = off; \
                            SET enable_bitmapscan = off; SET jit = off";

/// The time that an answer may need on its way.
const ANSWER: Duration = Duration::from_secs(2);

/// The address and the limits of the database's use.
#[derive(Clone)]
pub struct Options {
    /// The application's role, bound by row security.
    pub url: String,
    /// The role that owns the tables, used only to migrate.
    pub owner_url: Option<String>,
    pub pool_size: usize,
    pub patience: Patience,
}

/// How long the database may take before it gives up with an error that waiting may cure; 0 is for
/// ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    pub statement_ms: u32,
    /// The limit for a lock that somebody else holds.
    pub lock_ms: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { statement_ms: 10_000, lock_ms: 5_000 }
    }
}

impl Patience {
    pub const ENDLESS: Self = Self { statement_ms: 0, lock_ms: 0 };

    /// How long nothing may be heard of the database: somewhat longer than it takes to give up by itself.
    fn silence(self) -> Option<Duration> {
        let longest = self.statement_ms.max(self.lock_ms);
        (longest > 0).then(|| Duration::from_millis(u64::from(longest)) + ANSWER)
    }

    fn settings(self) -> String {
        let Self { statement_ms, lock_ms } = self;
        format!("SET statement_timeout = {statement_ms}; SET lock_timeout = {lock_ms}; ")
    }
}

pub struct PostgresDriver {
    pool: Connections,
    /// Connections on which rows are found by their keys and in no other way.
    message_path: Connections,
    arrivals: mpsc::Sender<Box<dyn Job>>,
    lanes: mpsc::Sender<Box<dyn Job>>,
    /// Deeds have a queue of their own: each asks in more rounds than the rest, which would wait
    /// for them.
    deeds: mpsc::Sender<Box<dyn Job>>,
    reads: mpsc::Sender<Box<dyn Job>>,
    /// How many connections of the pool may read at once, and how many of those long.
    readers: Gate,
    long_readers: Gate,
    /// How many reads may wait for their group or run in it; the next one is another workspace's.
    reads_together: Gate,
    signals: Arc<Signals>,
    hints: Arc<Hints>,
    /// The tasks that listen and that run groups; they end with the driver.
    _tasks: JoinSet<()>,
}

impl PostgresDriver {
    pub async fn open(options: Options) -> StoreResult<Self> {
        let config = address::parse(&options.url)?;
        let owner = options.owner_url.as_deref().map(address::parse).transpose()?;
        let patience = options.patience.settings();
        let silence = options.patience.silence();
        let settings = patience.clone() + SETTINGS;
        let pool = Connections::of(config.clone(), options.pool_size, settings, silence)?;

        let client = pool.get().await?;
        let role = isolation::check_role(&client).await?;
        match owner {
            Some(owner) => migrate::as_owner(&owner, &role).await?,
            None => migrate::as_application(&client, &role).await?,
        }
        migrate::check_version(&client, &role).await?;
        isolation::check_tables(&client).await?;
        drop(client);
        let connections = 1 + LANE_GROUPS + DEED_GROUPS + READ_GROUPS + ALONE;
        let settings = patience + MESSAGE_PATH;
        let message_path = Connections::of(config.clone(), connections, settings, silence)?;
        warm(&message_path).await?;

        let (signals, hints) = (Arc::new(Signals::default()), Arc::new(Hints::default()));
        let mut tasks = JoinSet::new();
        tasks.spawn(listen(config, Arc::clone(&signals), Arc::clone(&hints)));
        let arrivals = groups(&mut tasks, &message_path, 1, group::serve);
        let lanes = groups(&mut tasks, &message_path, LANE_GROUPS, group::serve);
        let deeds = groups(&mut tasks, &message_path, DEED_GROUPS, group::serve);
        let reads = groups(&mut tasks, &message_path, READ_GROUPS, group::serve_reads);
        Ok(Self {
            readers: Gate::of(options.pool_size.saturating_sub(1).max(1)),
            long_readers: Gate::of((options.pool_size / 2).max(1)),
            reads_together: Gate::of(READ_GROUPS * group::MOST),
            pool,
            message_path,
            arrivals,
            lanes,
            deeds,
            reads,
            signals,
            hints,
            _tasks: tasks,
        })
    }

    /// The queue of a transaction that runs in a group with others of its kind. Arrivals lock their
    /// lanes last and the rest lock them first, so in one group two of them could deadlock. A
    /// transaction that locks other shared rows has no queue and runs by itself.
    fn queue(&self, point: Point) -> Option<&mpsc::Sender<Box<dyn Job>>> {
        match point {
            Point::InboxAccept => Some(&self.arrivals),
            Point::TurnCommit
            | Point::OutboxIntend
            | Point::OutboxRecord
            | Point::LaneRelease
            | Point::StepIntent
            | Point::StepAnswer
            | Point::StepOutcome => Some(&self.lanes),
            _ => None,
        }
    }

    /// Waits for the turn of a read, no longer than for a connection.
    async fn turn(&self, look: Look) -> StoreResult<(Option<Pass>, Pass)> {
        let turn = async {
            let long = match look.long {
                true => Some(self.long_readers.enter(look.whose).await),
                false => None,
            };
            (long, self.readers.enter(look.whose).await)
        };
        let late = |_| StoreError::Unavailable("too many reads wait for the database".into());
        tokio::time::timeout(POOL_TIMEOUT, turn).await.map_err(late)
    }

    async fn connection(&self) -> StoreResult<Object> {
        self.pool.get().await
    }
}

/// Starts `many` tasks that take the waiting jobs and run them in groups.
fn groups<F>(
    tasks: &mut JoinSet<()>,
    connections: &Connections,
    many: usize,
    serve: fn(Connections, Waiting) -> F,
) -> mpsc::Sender<Box<dyn Job>>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (queue, jobs) = mpsc::channel(QUEUE);
    let jobs = Arc::new(Turnstile::new(jobs));
    for _ in 0..many {
        tasks.spawn(serve(connections.clone(), Arc::clone(&jobs)));
    }
    queue
}

/// Opens every connection of the message path and prepares its statements, so that no customer
/// waits for that.
async fn warm(connections: &Connections) -> StoreResult<()> {
    let mut clients = Vec::new();
    for _ in 0..connections.most() {
        let client = connections.get().await?;
        for sql in message_path() {
            wire::warm(&client, sql).await?;
        }
        clients.push(client);
    }
    Ok(())
}

fn gone() -> StoreError {
    StoreError::Unavailable("the tasks that run transactions have ended; restart the node".into())
}

impl Driver for PostgresDriver {
    type Tx = PgTx;

    async fn write<R, W>(&self, point: Point, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let (job, waiting) = group::job(Some(point), work);
        match self.queue(point) {
            // Intake fails at once when the queue is full; the engine's own work waits.
            Some(queue) if point == Point::InboxAccept => {
                queue.try_send(job).map_err(|error| match error {
                    TrySendError::Full(_) => StoreError::Busy,
                    TrySendError::Closed(_) => gone(),
                })?;
            }
            Some(queue) => queue.send(job).await.map_err(|_| gone())?,
            None => {
                let by_key = matches!(point, Point::LaneClaim | Point::LaneHeartbeat);
                let pool = if by_key { &self.message_path } else { &self.pool };
                let ended = group::run_alone(pool, &*job).await;
                job.answer(ended);
            }
        }
        waiting.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn write_together<R, W>(&self, point: Point, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let (job, waiting) = group::job(Some(point), work);
        self.deeds.send(job).await.map_err(|_| gone())?;
        waiting.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn read<R, W>(&self, look: Look, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let (job, waiting) = group::job(None, work);
        let _turn = self.turn(look).await?;
        let ended = group::read(&self.pool, &[&*job]).await.map_err(|failure| failure.error);
        job.answer(ended);
        waiting.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn read_together<R, W>(&self, look: Look, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let (job, waiting) = group::job(None, work);
        let _turn = self.reads_together.enter(look.whose).await;
        self.reads.send(job).await.map_err(|_| gone())?;
        waiting.await.unwrap_or_else(|_| Err(gone()))
    }

    fn wake_lanes(&self) {
        self.signals.wake_lanes();
        self.hints.wake_lanes();
    }

    fn announce_lines(&self, conversation: ConversationId) {
        self.signals.announce_lines(conversation);
        self.hints.announce_lines(conversation);
    }

    fn announce_live(&self, workspace: WorkspaceId) {
        self.signals.announce_live(workspace);
        self.hints.announce_live(workspace);
    }

    fn signals(&self) -> &Signals {
        &self.signals
    }

    async fn durability(&self, now: Timestamp) -> StoreResult<Durability> {
        const FACTS: &str = "SELECT current_setting('server_version'), current_setting('fsync'), \
            current_setting('synchronous_commit'), current_setting('full_page_writes'), \
            current_setting('synchronous_standby_names') <> '', current_user::text, \
            floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let client = self.connection().await?;
        let facts = client.prepare_cached(FACTS).await.map_err(|error| from_postgres(&error))?;
        let row = client.query_one(&facts, &[]).await.map_err(|error| from_postgres(&error))?;
        let [version, fsync, commit, pages] =
            [0, 1, 2, 3].map(|column| row.get::<_, String>(column));
        let has_standby: bool = row.get(4);
        let clock_ms: i64 = row.get(6);
        // `local` flushes here, but does not wait for the standby that would take over.
        let waits = commit != "off" && !(commit == "local" && has_standby);
        Ok(Durability {
            engine: format!("PostgreSQL {version}"),
            durable_commits: fsync == "on" && waits,
            detail: format!("fsync={fsync}, synchronous_commit={commit}, full_page_writes={pages}"),
            role: Some(row.get(5)),
            role_owns_tables: isolation::owns_tables(&client).await?,
            clock_behind_ms: clock_ms.saturating_sub(now.millis()),
        })
    }
}
