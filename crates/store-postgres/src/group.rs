//! Transactions of many callers run as one: the callers ask in rounds, each round goes to the
//! database once for all of them, and one commit makes all of them durable.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use store::sql::TxFuture;
use store::{Point, StoreError, StoreResult, When, hit};
use tokio::sync::{Mutex as Turnstile, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::connections::Connections;
use crate::merge::Request;
use crate::tx::{Line, PgTx};
use crate::wire::{Failure, Mode, Wire};

/// At most this many transactions share one commit.
pub(crate) const MOST: usize = 64;
/// How often a transaction is repeated after a conflict before its caller gets the error.
const REPEATS: u32 = 4;
/// The first wait before a repetition, so that the other transaction can go on; each further wait
/// is longer by as much.
const REPEAT_PAUSE: Duration = Duration::from_millis(5);

/// A caller's transaction: the work, and the way back for its result.
pub(crate) trait Job: Send + Sync {
    fn point(&self) -> Option<Point>;
    /// Runs the work on a transaction; returns its remaining requests, or the error it ended with.
    fn run<'j>(&'j self, line: &Line) -> BoxFuture<'j, StoreResult<Vec<Request>>>;
    fn answer(self: Box<Self>, ended: StoreResult<()>);
}

struct Transaction<R, W> {
    point: Option<Point>,
    work: W,
    result: Mutex<Option<R>>,
    reply: oneshot::Sender<StoreResult<R>>,
}

impl<R, W> Job for Transaction<R, W>
where
    R: Send + 'static,
    W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
{
    fn point(&self) -> Option<Point> {
        self.point
    }

    fn run<'j>(&'j self, line: &Line) -> BoxFuture<'j, StoreResult<Vec<Request>>> {
        let mut tx = PgTx::on(line, self.point);
        let run = async move {
            let result = (self.work)(&mut tx).await?;
            *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            Ok(tx.rest())
        };
        let panicked = |_| Err(StoreError::Unusable("a transaction panicked".into()));
        AssertUnwindSafe(run).catch_unwind().map(move |ran| ran.unwrap_or_else(panicked)).boxed()
    }

    fn answer(self: Box<Self>, ended: StoreResult<()>) {
        let result = self.result.into_inner().unwrap_or_else(PoisonError::into_inner);
        let not_run = || StoreError::Unavailable("the transaction was not run".into());
        // A caller that is gone has nobody to tell.
        let _ = self.reply.send(ended.and_then(|()| result.ok_or_else(not_run)));
    }
}

pub(crate) fn job<R, W>(
    point: Option<Point>,
    work: W,
) -> (Box<dyn Job>, oneshot::Receiver<StoreResult<R>>)
where
    R: Send + 'static,
    W: for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Transaction { point, work, result: Mutex::new(None), reply }), answer)
}

/// Jobs that wait for the next free task.
pub(crate) type Waiting = Arc<Turnstile<mpsc::Receiver<Box<dyn Job>>>>;

/// Takes the waiting jobs and runs them in groups, until the queue ends.
pub(crate) async fn serve(connections: Connections, jobs: Waiting) {
    while let Some(group) = taken(&jobs).await {
        for (job, ended) in run_group(&connections, group).await {
            job.answer(ended);
        }
    }
}

/// Takes the waiting jobs that write nothing and runs them in groups, until the queue ends.
pub(crate) async fn serve_reads(connections: Connections, jobs: Waiting) {
    while let Some(group) = taken(&jobs).await {
        for (job, ended) in read_group(&connections, group).await {
            job.answer(ended);
        }
    }
}

/// Takes the waiting jobs; if every one of them may wait for another, so does the group.
async fn taken(jobs: &Waiting) -> Option<Vec<Box<dyn Job>>> {
    let mut group = Vec::with_capacity(MOST);
    let mut jobs = jobs.lock().await;
    if jobs.recv_many(&mut group, MOST).await == 0 {
        return None;
    }
    let since = Instant::now();
    while group.len() < MOST {
        let patience = Point::least_patience(group.iter().map(|job| job.point()));
        let room = MOST - group.len();
        let more = timeout_at(since + patience, jobs.recv_many(&mut group, room));
        if patience.is_zero() || matches!(more.await, Ok(0) | Err(_)) {
            break;
        }
    }
    Some(group)
}

/// Runs all jobs in one transaction; if one fails, each in its own.
async fn read_group(
    connections: &Connections,
    group: Vec<Box<dyn Job>>,
) -> Vec<(Box<dyn Job>, StoreResult<()>)> {
    match read(connections, &refs(&group)).await {
        Ok(()) => group.into_iter().map(|job| (job, Ok(()))).collect(),
        // An unavailable database is unavailable for each of them.
        Err(Failure { error, culprit: None, .. }) if error.is_transient() => {
            all_end(group.into_iter(), &error).collect()
        }
        Err(_) => {
            let mut ended = Vec::with_capacity(group.len());
            for job in group {
                let end = read(connections, &[&*job]).await.map_err(|failure| failure.error);
                ended.push((job, end));
            }
            ended
        }
    }
}

/// Runs all jobs in one transaction. If a job fails, everything is undone, the others run again
/// without that job, and the job runs alone afterwards. That is rarer and cheaper than a savepoint
/// around each job.
async fn run_group(
    connections: &Connections,
    mut group: Vec<Box<dyn Job>>,
) -> Vec<(Box<dyn Job>, StoreResult<()>)> {
    let mut apart: Vec<Box<dyn Job>> = Vec::new();
    let mut ended = Vec::with_capacity(group.len());
    while let [_, _, ..] = group.as_slice() {
        let together = run_once(connections, &refs(&group), false).await;
        match together {
            Ok(()) => ended.extend(group.drain(..).map(|job| (job, Ok(())))),
            // Nobody knows whether the group was committed, so nothing may be run again.
            Err(Ended::Unsure(error)) => ended.extend(all_end(group.drain(..), &error)),
            Err(Ended::Undone(Failure { culprit: Some(culprit), .. })) => {
                apart.push(group.remove(culprit));
            }
            // An unavailable database is unavailable for each of them.
            Err(Ended::Undone(Failure { error, again: false, .. })) if error.is_transient() => {
                ended.extend(all_end(group.drain(..).chain(apart.drain(..)), &error));
            }
            Err(Ended::Undone(_)) => apart.append(&mut group),
        }
    }
    for job in group.into_iter().chain(apart) {
        let end = run_alone(connections, &*job).await;
        ended.push((job, end));
    }
    ended
}

fn refs(group: &[Box<dyn Job>]) -> Vec<&dyn Job> {
    group.iter().map(|job| &**job).collect()
}

fn all_end(
    jobs: impl Iterator<Item = Box<dyn Job>>,
    error: &StoreError,
) -> impl Iterator<Item = (Box<dyn Job>, StoreResult<()>)> {
    jobs.map(|job| (job, Err(error.clone())))
}

/// Runs one job, again as long as the database asks for that.
pub(crate) async fn run_alone(connections: &Connections, job: &dyn Job) -> StoreResult<()> {
    let mut repeats = 0;
    loop {
        let ended = run_once(connections, &[job], repeats > 0).await;
        match ended {
            Ok(()) => return Ok(()),
            Err(Ended::Undone(Failure { again: true, .. })) if repeats < REPEATS => {
                repeats += 1;
                tokio::time::sleep(REPEAT_PAUSE * repeats).await;
            }
            Err(Ended::Undone(Failure { error, .. }) | Ended::Unsure(error)) => return Err(error),
        }
    }
}

/// Runs jobs that write nothing.
pub(crate) async fn read(connections: &Connections, group: &[&dyn Job]) -> Result<(), Failure> {
    let mut wire = connections.wire(Mode::Read).await?;
    let ended = rounds(&mut wire, group).await;
    wire.end_read().await;
    ended.map(drop)
}

/// The way in which a transaction did not happen.
enum Ended {
    Undone(Failure),
    /// The commit was sent, and no answer came.
    Unsure(StoreError),
}

async fn run_once(connections: &Connections, group: &[&dyn Job], apart: bool) -> Result<(), Ended> {
    let wire = connections.wire(Mode::Write).await;
    let mut wire = wire.map_err(|error| Ended::Undone(error.into()))?;
    wire.apart = apart;
    match rounds(&mut wire, group).await {
        Ok(rest) => commit(&mut wire, group, rest).await,
        Err(failure) => {
            wire.roll_back().await;
            Err(Ended::Undone(failure))
        }
    }
}

/// Lets every job go on until each has asked something or is done, sends all their requests to the
/// database in one go, and repeats that until all jobs are done. Returns the writes that each job
/// has left.
async fn rounds(wire: &mut Wire, group: &[&dyn Job]) -> Result<Vec<Vec<Request>>, Failure> {
    let lines: Vec<Line> = group.iter().map(|_| Line::default()).collect();
    let mut running: Vec<_> =
        group.iter().zip(&lines).map(|(job, line)| Some(job.run(line))).collect();
    let mut rest: Vec<Vec<Request>> = group.iter().map(|_| Vec::new()).collect();
    loop {
        let asked = poll_fn(|context| {
            for (at, (run, rest)) in running.iter_mut().zip(&mut rest).enumerate() {
                if let Some(job) = run
                    && let Poll::Ready(ended) = job.poll_unpin(context)
                {
                    *run = None;
                    *rest = ended.map_err(|error| Failure { culprit: Some(at), ..error.into() })?;
                }
            }
            let asked: Vec<_> = lines.iter().map(Line::asked).collect();
            let waits = running.iter().any(Option::is_some) && asked.iter().all(Option::is_none);
            if waits { Poll::Pending } else { Poll::Ready(Ok::<_, Failure>(asked)) }
        });
        let asked = asked.await?;
        if asked.iter().all(Option::is_none) {
            return Ok(rest);
        }
        let is_asking: Vec<bool> = asked.iter().map(Option::is_some).collect();
        let answers = wire.ask(asked.into_iter().map(Option::unwrap_or_default).collect()).await?;
        for ((line, answers), asks) in lines.iter().zip(answers).zip(is_asking) {
            if asks {
                line.answer(answers);
            }
        }
    }
}

/// Commits. Guards are checked before the commit is sent.
async fn commit(
    wire: &mut Wire,
    group: &[&dyn Job],
    mut rest: Vec<Vec<Request>>,
) -> Result<(), Ended> {
    if rest.iter().flatten().any(|request| request.guard.is_some()) {
        let none = rest.iter().map(|_| Vec::new()).collect();
        if let Err(failure) = wire.ask(std::mem::replace(&mut rest, none)).await {
            wire.roll_back().await;
            return Err(Ended::Undone(failure));
        }
    }
    let points = || group.iter().filter_map(|job| job.point());
    points().for_each(|point| hit(point, When::Before));
    if let Err(failure) = wire.commit(rest).await {
        wire.roll_back().await;
        return Err(if failure.unsure {
            Ended::Unsure(failure.error)
        } else {
            Ended::Undone(failure)
        });
    }
    points().for_each(|point| hit(point, When::After));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(point: Point) -> Box<dyn Job> {
        job(Some(point), |_| Box::pin(async { Ok(()) })).0
    }

    #[tokio::test]
    async fn the_outcome_of_a_send_waits_for_company_and_nothing_else_does() {
        use Point::{LaneRelease, OutboxIntend, OutboxRecord, TurnCommit};
        let (queue, jobs) = mpsc::channel(8);
        let jobs: Waiting = Arc::new(Turnstile::new(jobs));
        assert!(queue.send(at(OutboxRecord)).await.is_ok());
        let beside = tokio::spawn({
            let jobs = Arc::clone(&jobs);
            async move { taken(&jobs).await }
        });
        tokio::task::yield_now().await;
        for point in [TurnCommit, OutboxIntend, LaneRelease] {
            assert!(queue.send(at(point)).await.is_ok());
        }
        let points = |group: Option<Vec<Box<dyn Job>>>| {
            group.iter().flatten().filter_map(|job| job.point()).collect::<Vec<_>>()
        };
        assert_eq!(
            points(beside.await.unwrap()),
            [OutboxRecord, TurnCommit, OutboxIntend, LaneRelease]
        );
        assert!(queue.send(at(OutboxRecord)).await.is_ok());
        drop(queue);
        assert_eq!(points(taken(&jobs).await), [OutboxRecord], "its patience ends");
        assert!(taken(&jobs).await.is_none());
    }
}
