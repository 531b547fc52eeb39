//! The thread that owns the writing connection, and groups commits.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{JoinHandle, Thread};

use domain::Repeats;
use rusqlite::Connection;
use store::sql::TxFuture;
use store::{Point, StoreError, StoreResult, When, hit};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::checkpoint::Checkpoints;
use crate::log_file::Log;
use crate::sync::Syncs;
use crate::tx::SqliteTx;

/// At most this many transactions share one commit.
const GROUP: usize = 512;

/// A caller's transaction: run on the connection's thread, answered after the commit.
pub(crate) trait Job: Send {
    fn point(&self) -> Option<Point>;
    /// Runs the job; false if it failed and must leave no trace.
    fn run(&mut self, tx: &mut SqliteTx) -> bool;
    /// Whether the job was run and failed.
    fn has_failed(&self) -> bool;
    /// Whether somebody still waits for the job's answer.
    fn is_wanted(&self) -> bool;
    fn answer(self: Box<Self>, committed: StoreResult<()>);
}

struct Transaction<R, W> {
    point: Option<Point>,
    work: W,
    /// `None` until the job has run.
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
        let not_run = || Err(StoreError::Unavailable("the transaction was not run".into()));
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
    let refusals = Refusals { began: Instant::now(), repeats: Repeats::default() };
    std::thread::Builder::new().name("sqlite-writer".into()).spawn(move || {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        loop {
            let mut group = Vec::new();
            if jobs.blocking_recv_many(&mut group, GROUP) == 0 {
                break;
            }
            await_company(&mut jobs, &mut group, &waker);
            let ran = run_group(&mut tx, &mut group);
            let committed = match syncs.begin() {
                Ok(()) => ran
                    .and_then(|()| commit(&tx, &log, &group))
                    .inspect_err(|error| refusals.tell(error)),
                Err(error) => {
                    let _ = tx.mark("ROLLBACK");
                    group.into_iter().for_each(|job| job.answer(Err(error.clone())));
                    continue;
                }
            };
            // The thread waits for the disk only if the writer has more jobs meanwhile, because
            // waking another thread costs more than it saves otherwise.
            if committed.is_ok() && !jobs.is_empty() {
                syncs.hand_over(group);
            } else {
                syncs.finish(group, committed);
            }
            checkpoints.after_commit(tx.connection());
        }
        syncs.end();
        checkpoints.end();
        drop(tx);
    })
}

/// A waker that wakes its thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Takes what waits, and waits for further transactions while every one in the group has patience
/// left, because a commit that stands alone costs as much of the disk and the processor as a shared
/// one.
fn await_company(
    jobs: &mut mpsc::Receiver<Box<dyn Job>>,
    group: &mut Vec<Box<dyn Job>>,
    waker: &Waker,
) {
    let since = Instant::now();
    while group.len() < GROUP {
        let least = Point::least_patience(group.iter().map(|job| job.point()));
        if least.is_zero() {
            return;
        }
        let room = GROUP - group.len();
        match jobs.poll_recv_many(&mut Context::from_waker(waker), group, room) {
            Poll::Ready(0) => return,
            Poll::Ready(_) => {}
            Poll::Pending => match least.checked_sub(since.elapsed()) {
                Some(left) if !left.is_zero() => std::thread::park_timeout(left),
                _ => return,
            },
        }
    }
}

/// Refusals by the disk or the database, written to the log in one line.
struct Refusals {
    began: Instant,
    repeats: Repeats,
}

impl Refusals {
    fn tell(&self, error: &StoreError) {
        let now_ms = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        if let Some(groups) = self.repeats.count(now_ms) {
            tracing::error!(%error, groups, "transactions were not committed");
        }
    }
}

/// Runs all jobs in one transaction and leaves it open. A job that fails must leave no trace: if it
/// had begun to write, everything is undone and the others run again without it, which is rarer and
/// cheaper than a savepoint around each.
fn run_group(tx: &mut SqliteTx, group: &mut [Box<dyn Job>]) -> StoreResult<()> {
    loop {
        tx.mark("BEGIN IMMEDIATE")?;
        match run_all(tx, group) {
            Ran::Clean => return Ok(()),
            Ran::Spoiled => tx.mark("ROLLBACK")?,
            Ran::Undone => {
                return Err(StoreError::Unavailable(
                    "the disk refused a write, and nothing was written".into(),
                ));
            }
        }
    }
}

/// Commits. A commit that fails fails all whose work is in it.
fn commit(tx: &SqliteTx, log: &Log, group: &[Box<dyn Job>]) -> StoreResult<()> {
    for point in group.iter().filter_map(|job| job.point()) {
        hit(point, When::Before);
    }
    log.without_sync(|| tx.mark("COMMIT")).inspect_err(|_| {
        // Some errors have rolled back already, and then the ROLLBACK fails.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(point: Point) -> Box<dyn Job> {
        job(Some(point), |_| Box::pin(async { Ok(()) })).0
    }

    /// The points of the group that is run for `first` while `waiting` come behind it.
    fn grouped(first: Point, waiting: &[Point]) -> Vec<Point> {
        let (queue, mut jobs) = mpsc::channel(8);
        for point in waiting {
            assert!(queue.try_send(at(*point)).is_ok());
        }
        let mut group = vec![at(first)];
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        await_company(&mut jobs, &mut group, &waker);
        group.iter().filter_map(|job| job.point()).collect()
    }

    #[test]
    fn the_outcome_of_a_send_waits_for_company_and_nothing_else_does() {
        use Point::{InboxAccept, OutboxIntend, OutboxRecord, TurnCommit};
        let cases: [(Point, &[Point], &[Point]); 4] = [
            (OutboxRecord, &[TurnCommit, InboxAccept], &[OutboxRecord, TurnCommit, InboxAccept]),
            (OutboxRecord, &[OutboxRecord, TurnCommit], &[OutboxRecord, OutboxRecord, TurnCommit]),
            (OutboxIntend, &[TurnCommit], &[OutboxIntend]),
            (OutboxRecord, &[], &[OutboxRecord]),
        ];
        for (first, waiting, group) in cases {
            assert_eq!(grouped(first, waiting), group);
        }
    }
}
