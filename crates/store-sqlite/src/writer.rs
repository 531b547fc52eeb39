//! The thread that owns the connection that writes, and groups commits.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;

use rusqlite::Connection;
use store::sql::TxFuture;
use store::{Point, StoreError, StoreResult, When, hit};
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::Checkpoints;
use crate::log_file::Log;
use crate::sync::Syncs;
use crate::tx::SqliteTx;

/// At most this many transactions share one commit.
const GROUP: usize = 512;

/// One caller's transaction: run on the connection's thread, answered after the commit.
pub(crate) trait Job: Send {
    fn point(&self) -> Option<Point>;
    /// Runs it; false if it failed and must leave no trace.
    fn run(&mut self, tx: &mut SqliteTx) -> bool;
    /// Whether it was run and failed.
    fn has_failed(&self) -> bool;
    /// Whether somebody still waits for its answer.
    fn is_wanted(&self) -> bool;
    fn answer(self: Box<Self>, committed: StoreResult<()>);
}

struct Transaction<R, W> {
    point: Option<Point>,
    work: W,
    /// None until it has run.
    result: Option<StoreResult<R>>,
    reply: oneshot::Sender<StoreResult<R>>,
}

impl<R, W> Job for Transaction<R, W>
where
    R: Send + 'static,
    W: for<'t> Fn(&'t mut SqliteTx) -> TxFuture<'t, R> + Send + 'static,
{
    fn point(&self) -> Option<Point> {
        self.point
    }

    fn run(&mut self, tx: &mut SqliteTx) -> bool {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            tx.begin();
            let result = at_once((self.work)(tx));
            tx.finish().and(result)
        }));
        let panicked = |_| Err(StoreError::Unusable("a transaction panicked".into()));
        let result = ran.unwrap_or_else(panicked);
        let succeeded = result.is_ok();
        self.result = Some(result);
        succeeded
    }

    fn has_failed(&self) -> bool {
        self.result.as_ref().is_some_and(Result::is_err)
    }

    fn is_wanted(&self) -> bool {
        !self.reply.is_closed()
    }

    fn answer(self: Box<Self>, committed: StoreResult<()>) {
        // A caller that is gone has nobody to tell.
        let not_run = || Err(StoreError::Unavailable("not run".into()));
        let _ = self.reply.send(committed.and(self.result.unwrap_or_else(not_run)));
    }
}

// Nothing in a SQLite transaction waits, so its future is ready when first asked.
fn at_once<R>(future: impl Future<Output = StoreResult<R>>) -> StoreResult<R> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(StoreError::Unusable("a transaction waited".into())),
    }
}

pub(crate) fn job<R, W>(
    point: Option<Point>,
    work: W,
) -> (Box<dyn Job>, oneshot::Receiver<StoreResult<R>>)
where
    R: Send + 'static,
    W: for<'t> Fn(&'t mut SqliteTx) -> TxFuture<'t, R> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Transaction { point, work, result: None, reply }), answer)
}

pub(crate) fn start_writer(
    connection: Connection,
    log: Log,
    checkpoints: Checkpoints,
    syncs: Arc<Syncs>,
    mut jobs: mpsc::Receiver<Box<dyn Job>>,
) -> std::io::Result<JoinHandle<()>> {
    let mut tx = SqliteTx::new(connection);
    std::thread::Builder::new().name("sqlite-writer".into()).spawn(move || {
        loop {
            let mut group = Vec::new();
            if jobs.blocking_recv_many(&mut group, GROUP) == 0 {
                break;
            }
            let ran = run_group(&mut tx, &mut group);
            let committed = match syncs.begin() {
                Ok(()) => ran.and_then(|()| commit(&tx, &log, &group)),
                Err(error) => {
                    let _ = tx.mark("ROLLBACK");
                    group.into_iter().for_each(|job| job.answer(Err(error.clone())));
                    continue;
                }
            };
            // The disk is waited for beside the writer only if there is something to do meanwhile:
            // another thread's wake costs more than it saves.
            if committed.is_ok() && !jobs.is_empty() {
                syncs.hand_over(group);
            } else {
                syncs.settle(group, committed);
            }
            checkpoints.after_commit(tx.connection());
        }
        syncs.end();
        checkpoints.end();
        drop(tx);
    })
}

/// Runs all jobs in one transaction and leaves it open. One that fails must leave no trace: if it had
/// begun to write, all is undone and the others run again without it, which is rarer and cheaper than
/// a savepoint around each.
fn run_group(tx: &mut SqliteTx, group: &mut [Box<dyn Job>]) -> StoreResult<()> {
    loop {
        tx.mark("BEGIN IMMEDIATE")?;
        match run_all(tx, group) {
            Ran::Clean => return Ok(()),
            Ran::Spoiled => tx.mark("ROLLBACK")?,
            Ran::Undone => return Err(StoreError::Unavailable("the disk refused a write".into())),
        }
    }
}

/// A commit that fails fails all whose work is in it.
fn commit(tx: &SqliteTx, log: &Log, group: &[Box<dyn Job>]) -> StoreResult<()> {
    for point in group.iter().filter_map(|job| job.point()) {
        hit(point, When::Before);
    }
    log.without_sync(|| tx.mark("COMMIT")).inspect_err(|error| {
        tracing::error!(%error, "a group of transactions was not committed");
        // Some errors have rolled back already, and then this says so.
        let _ = tx.mark("ROLLBACK");
    })
}

enum Ran {
    Clean,
    /// A job failed after it had begun to write.
    Spoiled,
    /// SQLite itself rolled back, as it does when the disk is full or fails.
    Undone,
}

fn run_all(tx: &mut SqliteTx, group: &mut [Box<dyn Job>]) -> Ran {
    for job in group.iter_mut().filter(|job| !job.has_failed()) {
        let ran = job.run(tx);
        if !tx.is_open() {
            return Ran::Undone;
        }
        if !ran && tx.has_written() {
            return Ran::Spoiled;
        }
    }
    Ran::Clean
}
