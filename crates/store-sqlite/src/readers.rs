//! Threads that own a connection each and read: a short read never waits for a long one, and
//! workspaces take turns.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use store::StoreResult;
use store::fair::Fair;
use store::sql::Look;

use crate::sync::Syncs;
use crate::tx::SqliteTx;
use crate::writer::Job;

/// The reads that a thread takes, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// Long reads too, and before short ones, because a flood of short reads would keep them
    /// waiting.
    LongFirst,
    ShortFirst,
    ShortOnly,
}

/// A machine with two cores needs no more threads; each keeps a page cache of its own.
const THREADS: [Takes; 3] = [Takes::LongFirst, Takes::ShortFirst, Takes::ShortOnly];

pub(crate) const COUNT: usize = THREADS.len();

/// Reads that wait. The queue has no limit of its own; the callers bound it, because each waits for
/// its answer.
#[derive(Clone, Default)]
pub(crate) struct Readers(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// A wake for each thread: a read wakes a thread that takes it, and no other.
    wake: [Condvar; COUNT],
}

#[derive(Default)]
struct Waiting {
    short: Fair<Box<dyn Job>>,
    long: Fair<Box<dyn Job>>,
    idle: [bool; COUNT],
    closed: bool,
}

impl Waiting {
    fn take(&mut self, takes: Takes) -> Option<Box<dyn Job>> {
        loop {
            let job = match takes {
                Takes::LongFirst => self.long.pop().or_else(|| self.short.pop()),
                Takes::ShortFirst => self.short.pop().or_else(|| self.long.pop()),
                Takes::ShortOnly => self.short.pop(),
            }?;
            // A job whose caller no longer waits is dropped.
            if job.is_wanted() {
                return Some(job);
            }
        }
    }

    /// An idle thread for such a read; of several, the one that the other kind of read needs least.
    fn idle_for(&self, long: bool) -> Option<usize> {
        let serves = |at: &usize| !long || THREADS[*at] != Takes::ShortOnly;
        let mut idle = (0..COUNT).filter(|at| self.idle[*at]).filter(serves);
        if long { idle.next() } else { idle.next_back() }
    }
}

impl Readers {
    pub(crate) fn start(
        &self,
        connections: Vec<Connection>,
        syncs: &Arc<Syncs>,
    ) -> std::io::Result<Vec<JoinHandle<()>>> {
        let start = |(at, connection): (usize, Connection)| {
            let (readers, mut tx) = (self.clone(), SqliteTx::new(connection));
            let syncs = Arc::clone(syncs);
            std::thread::Builder::new().name(format!("sqlite-reader-{at}")).spawn(move || {
                while let Some(mut job) = readers.next(at) {
                    let read = read(&mut tx, &mut *job);
                    syncs.answer_read(job, read);
                }
            })
        };
        connections.into_iter().enumerate().map(start).collect()
    }

    pub(crate) fn put(&self, look: Look, job: Box<dyn Job>) {
        let mut waiting = self.waiting();
        let queue = if look.long { &mut waiting.long } else { &mut waiting.short };
        queue.push(look.whose, job);
        if let Some(at) = waiting.idle_for(look.long) {
            waiting.idle[at] = false;
            self.0.wake[at].notify_one();
        }
    }

    /// Lets the threads end when nothing waits any longer.
    pub(crate) fn close(&self) {
        self.waiting().closed = true;
        self.0.wake.iter().for_each(Condvar::notify_one);
    }

    fn next(&self, at: usize) -> Option<Box<dyn Job>> {
        let mut waiting = self.waiting();
        loop {
            if let Some(job) = waiting.take(THREADS[at]) {
                return Some(job);
            }
            if waiting.closed {
                return None;
            }
            waiting.idle[at] = true;
            waiting = self.0.wake[at].wait(waiting).unwrap_or_else(PoisonError::into_inner);
            waiting.idle[at] = false;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(tx: &mut SqliteTx, job: &mut dyn Job) -> StoreResult<()> {
    let begun = tx.mark("BEGIN");
    if begun.is_ok() {
        job.run(tx);
    }
    let ended = tx.mark("ROLLBACK");
    begun.and(ended)
}

#[cfg(test)]
mod tests {
    use domain::{Workspace, WorkspaceId};
    use tokio::sync::oneshot;

    use super::*;
    use crate::writer::job;

    fn workspace(name: &str) -> WorkspaceId {
        Workspace::named(name).id
    }

    /// A read that answers with its name, and the receiver of the answer.
    fn named(name: &'static str) -> (Box<dyn Job>, oneshot::Receiver<StoreResult<&'static str>>) {
        job(None, move |_| Box::pin(async move { Ok(name) }))
    }

    /// Names in the order in which a thread takes the waiting reads.
    fn taken(takes: Takes) -> Vec<&'static str> {
        let readers = Readers::default();
        let (a, b) = (workspace("a"), workspace("b"));
        let reads = [
            (Look::long(a), "a searches"),
            (Look::long(a), "a searches again"),
            (Look::short(a), "a reads"),
            (Look::short(a), "a reads again"),
            (Look::long(b), "b searches"),
            (Look::short(b), "b's key"),
            (Look::engine(), "ready"),
        ];
        let mut answers = Vec::new();
        for (look, name) in reads {
            let (job, answer) = named(name);
            readers.put(look, job);
            answers.push(answer);
        }
        let (gone, answer) = named("nobody waits");
        drop(answer);
        readers.put(Look::short(b), gone);
        let mut tx = SqliteTx::new(Connection::open_in_memory().unwrap());
        let mut order = Vec::new();
        let next = || readers.waiting().take(takes);
        while let Some(mut job) = next() {
            let read = read(&mut tx, &mut *job);
            job.answer(read);
            order.extend(answers.iter_mut().filter_map(|answer| answer.try_recv().ok()));
        }
        order.into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn short_reads_go_before_long_ones_and_workspaces_take_turns() {
        let short = ["a reads", "b's key", "ready", "a reads again"];
        let long = ["a searches", "b searches", "a searches again"];
        assert_eq!(taken(Takes::ShortFirst), [&short[..], &long[..]].concat());
        assert_eq!(taken(Takes::LongFirst), [&long[..], &short[..]].concat());
        assert_eq!(taken(Takes::ShortOnly), short);
    }

    #[test]
    fn a_thread_is_left_for_short_reads_however_many_long_ones_wait() {
        let mut waiting = Waiting { idle: [true; COUNT], ..Waiting::default() };
        assert_eq!((waiting.idle_for(true), waiting.idle_for(false)), (Some(0), Some(2)));
        waiting.idle = [false, false, true];
        assert_eq!((waiting.idle_for(true), waiting.idle_for(false)), (None, Some(2)));
    }
}
