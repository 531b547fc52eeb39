//! Stock under many hands: random reservations, sales, returns and deliveries from many tasks at
//! once, and pairs of customers after one last unit. The tables' sums are checked all the while.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use anyhow::{Result, bail, ensure};
use domain::{ChannelKind, Clock, SystemClock, Timestamp, Workspace, WorkspaceId};
use store::contract::{Dice, Move, Shelf};
use store::{Deed, DeedError, Store};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::database::{Database, Place, connect};
use crate::measure::Measures;
use crate::plan::Plan;
use crate::rig;
use crate::stopwatch::Stopwatch;

const TASKS: u32 = 16;
const SHELF: Shelf = Shelf { skus: 200, orders: 500 };
/// Commits between two looks at the tables.
const LOOK_EVERY: u64 = 1_000;
/// How many operations a task does between two races for a last unit.
const RACE_EVERY: u64 = 100;

/// Rows that contradict each other: units that do not add up, or are promised to nobody, or to an
/// order that is over.
const CONTRADICTIONS: &str = "SELECT \
    (SELECT count(*) FROM stock_items s LEFT JOIN \
        (SELECT sku, sum(quantity) AS held FROM reservations GROUP BY sku) r ON r.sku = s.sku \
     WHERE s.reserved <> coalesce(r.held, 0) \
        OR s.on_hand <> s.available + s.reserved + s.sold) + \
    (SELECT count(*) FROM reservations r LEFT JOIN orders o ON o.id = r.order_id \
     WHERE o.status IS NULL OR o.status NOT IN ('confirmed', 'processing', 'shipped'))";

const ON_HAND: &str = "SELECT CAST(coalesce(sum(on_hand), 0) AS bigint) FROM stock_items";

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let ops = plan.ops.unwrap_or(plan.pick(1_000_000, 20_000));
    let database = plan.empty_database().await?;
    rig::prepare(&database, ChannelKind::Webchat, "demo").await?;
    let floor = Arc::new(Floor {
        store: database.open().await?,
        workspace: Workspace::named(rig::WORKSPACE).id,
        now: SystemClock::default().now(),
        tables: Mutex::new(Tables::of(&database).await?),
        left: AtomicI64::new(i64::try_from(ops)?),
        commits: AtomicU64::new(0),
        refusals: AtomicU64::new(0),
        races: AtomicU64::new(0),
        units: AtomicI64::new(0),
        contradictions: AtomicU64::new(0),
    });
    let watch = Stopwatch::start();
    let mut working = JoinSet::new();
    for task in 0..TASKS {
        let floor = Arc::clone(&floor);
        working.spawn(async move { floor.work(task).await });
    }
    while let Some(ended) = working.join_next().await {
        ended??;
    }
    let seconds = watch.seconds();
    floor.look().await?;
    let on_hand = floor.tables.lock().await.number(ON_HAND).await?;
    let missing = floor.units.load(Ordering::SeqCst) - on_hand;
    let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
    let contradictions = count(&floor.contradictions) + missing.unsigned_abs();
    eprintln!(
        "  stock: {ops} operations, {} committed, {} refused, {} races for a last unit, {} \
         contradictions",
        count(&floor.commits),
        count(&floor.refusals),
        count(&floor.races),
        contradictions,
    );
    measures.add("stock.rate", ops as f64 / seconds);
    measures.add("stock.commits", count(&floor.commits) as f64);
    measures.add("stock.races", count(&floor.races) as f64);
    measures.add("stock.contradictions", contradictions as f64);
    ensure!(count(&floor.commits) > ops / 5, "too little was done to prove anything");
    Ok(())
}

/// The state that the tasks share.
struct Floor {
    store: Arc<dyn Store>,
    workspace: WorkspaceId,
    now: Timestamp,
    tables: Mutex<Tables>,
    /// Operations that nobody has begun.
    left: AtomicI64,
    commits: AtomicU64,
    refusals: AtomicU64,
    races: AtomicU64,
    /// Received and not written off.
    units: AtomicI64,
    contradictions: AtomicU64,
}

impl Floor {
    async fn work(&self, task: u32) -> Result<()> {
        let mut dice = Dice::seeded(u64::from(task));
        let mut n = 0;
        while self.left.fetch_sub(1, Ordering::SeqCst) > 0 {
            n += 1;
            let act = SHELF.act(&mut dice);
            let brings = match &act {
                Move::Receive { units, .. } => i64::from(*units),
                Move::WriteOff { units, .. } => -i64::from(*units),
                _ => 0,
            };
            if self.perform(task, n * 4, act).await? {
                self.units.fetch_add(brings, Ordering::SeqCst);
            }
            if n % RACE_EVERY == 0 {
                self.race(task, n).await?;
            }
        }
        Ok(())
    }

    /// Whether it was done.
    async fn perform(&self, task: u32, n: u64, act: Move) -> Result<bool> {
        let id = Uuid::from_u64_pair(u64::from(task) + 1, n);
        let deed: Arc<dyn Deed> = Arc::new(act);
        loop {
            let deed = Arc::clone(&deed);
            let (workspace, now) = (self.workspace, self.now);
            let done = self.store.perform(workspace, "bench", "act", "shelf", id, deed, now).await;
            match done {
                Ok(_) => {
                    let commits = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
                    if commits.is_multiple_of(LOOK_EVERY) {
                        self.look().await?;
                    }
                    return Ok(true);
                }
                Err(DeedError::Refused(_)) => {
                    self.refusals.fetch_add(1, Ordering::SeqCst);
                    return Ok(false);
                }
                // Done once under its id, so asking again is safe.
                Err(DeedError::Store(error)) if error.is_transient() => {}
                Err(DeedError::Store(error)) => bail!(error),
            }
        }
    }

    /// Two customers want the last unit of something, on a shelf and with orders of their own.
    async fn race(&self, task: u32, n: u64) -> Result<()> {
        let sku = Shelf::sku(SHELF.skus + task);
        let orders = [SHELF.orders + task * 2 + 1, SHELF.orders + task * 2 + 2];
        ensure!(
            self.perform(task, n * 4 + 1, Move::Receive { sku: sku.clone(), units: 1 }).await?,
            "a unit could not be received"
        );
        self.units.fetch_add(1, Ordering::SeqCst);
        let [one, other] = orders.map(|order| {
            let lines = vec![(sku.clone(), 1)];
            let id = n * 4 + 2 + u64::from(order % 2);
            self.perform(task, id, Move::Confirm { order, lines })
        });
        let (one, other) = tokio::join!(one, other);
        let (one, other) = (one?, other?);
        if one == other {
            self.contradictions.fetch_add(1, Ordering::SeqCst);
        }
        self.races.fetch_add(1, Ordering::SeqCst);
        // The unit is taken home, so that the next one is the last again.
        for (got, order) in [(one, orders[0]), (other, orders[1])] {
            if got {
                // Under ids that no other task has.
                let home = self.perform(
                    task + TASKS,
                    n * 2 + u64::from(order % 2),
                    Move::Complete { order },
                );
                ensure!(home.await?, "what was held could not be taken home");
            }
        }
        Ok(())
    }

    async fn look(&self) -> Result<()> {
        let found = self.tables.lock().await.number(CONTRADICTIONS).await?;
        self.contradictions.fetch_add(u64::try_from(found)?, Ordering::SeqCst);
        Ok(())
    }
}

/// A connection beside the store's own: one statement sees one moment.
enum Tables {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Tables {
    async fn of(database: &Database) -> Result<Self> {
        Ok(match &database.place {
            Place::Sqlite { path } => Self::Sqlite(rusqlite::Connection::open(path)?),
            Place::Postgres { superuser, .. } => Self::Postgres(connect(superuser).await?),
        })
    }

    async fn number(&mut self, sql: &str) -> Result<i64> {
        Ok(match self {
            Self::Sqlite(connection) => connection.query_row(sql, [], |row| row.get(0))?,
            Self::Postgres(client) => client.query_one(sql, &[]).await?.get(0),
        })
    }
}
