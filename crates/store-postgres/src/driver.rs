//! Runs transactions on a pool of connections, and answers for the database.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use domain::{ConversationId, Timestamp, WorkspaceId};
use store::sql::{Driver, TxFuture};
use store::{Durability, Point, Signals, StoreError, StoreResult};
use tokio::task::JoinSet;
use tokio_postgres::{Config, NoTls};

use crate::error::{from_pool, from_postgres};
use crate::listen::{Hints, listen};
use crate::tx::{Mode, PgTx};
use crate::{address, isolation, migrate};

const POOL_TIMEOUT: Option<Duration> = Some(Duration::from_secs(5));
/// How often work is run again after a conflict before the caller hears of it.
const REPEATS: u32 = 4;
/// The first wait before such a run, so that the other one can go on; each is longer by as much.
const REPEAT_PAUSE: Duration = Duration::from_millis(5);

/// How to reach the database.
#[derive(Clone)]
pub struct Options {
    /// The application's role, bound by row security.
    pub url: String,
    /// The role that owns the tables, used only to migrate.
    pub owner_url: Option<String>,
    pub pool_size: usize,
}

pub struct PostgresDriver {
    pool: Pool,
    signals: Arc<Signals>,
    hints: Arc<Hints>,
    /// Ends with the driver.
    _listener: JoinSet<()>,
}

impl PostgresDriver {
    pub async fn open(options: Options) -> StoreResult<Self> {
        let config = address::parse(&options.url)?;
        let owner = options.owner_url.as_deref().map(address::parse).transpose()?;
        let pool = pool(config.clone(), options.pool_size)?;

        let client = pool.get().await.map_err(from_pool)?;
        let role = isolation::check_role(&client).await?;
        match owner {
            Some(owner) => migrate::as_owner(&owner, &role).await?,
            None => migrate::as_application(&client, &role).await?,
        }
        migrate::check_version(&client, &role).await?;
        isolation::check_tables(&client).await?;
        drop(client);

        let (signals, hints) = (Arc::new(Signals::default()), Arc::new(Hints::default()));
        let mut listener = JoinSet::new();
        listener.spawn(listen(config, Arc::clone(&signals), Arc::clone(&hints)));
        Ok(Self { pool, signals, hints, _listener: listener })
    }

    async fn connection(&self) -> StoreResult<Object> {
        self.pool.get().await.map_err(from_pool)
    }
}

fn pool(config: Config, size: usize) -> StoreResult<Pool> {
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    Pool::builder(Manager::from_config(config, NoTls, recycling))
        .max_size(size.max(1))
        .wait_timeout(POOL_TIMEOUT)
        .create_timeout(POOL_TIMEOUT)
        .recycle_timeout(POOL_TIMEOUT)
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move {
                // A node that freezes inside a transaction must not hold its lanes for ever. Every
                // statement goes by its keys whatever the values, so one plan serves them all;
                // planning each anew cost more than running it.
                let settings = "SET idle_in_transaction_session_timeout = '30s'; \
                                SET plan_cache_mode = force_generic_plan";
                client.batch_execute(settings).await.map_err(HookError::Backend)
            })
        }))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| StoreError::Unusable(error.to_string()))
}

impl Driver for PostgresDriver {
    type Tx = PgTx;

    async fn write<R, W>(&self, point: Point, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let mut repeats = 0;
        loop {
            let mut tx = PgTx::new(self.connection().await?, Mode::Write);
            let ended = match work(&mut tx).await {
                Ok(value) => tx.commit(point).await.map(|()| value),
                Err(error) => Err(error),
            };
            let failure = match ended {
                Ok(value) => return Ok(value),
                Err(error) => tx.roll_back(error).await,
            };
            if !failure.again || repeats == REPEATS {
                return Err(failure.error);
            }
            repeats += 1;
            tokio::time::sleep(REPEAT_PAUSE * repeats).await;
        }
    }

    async fn read<R, W>(&self, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let mut tx = PgTx::new(self.connection().await?, Mode::Read);
        let ended = work(&mut tx).await;
        tx.end_read().await;
        ended
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
