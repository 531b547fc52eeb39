//! Syncs: tells callers of their commits once the disk has them, under load on a thread of its own,
//! so that the writer runs the next transactions meanwhile.
//!
//! Commits are synced one after another and in their order. While a sync is under way the next
//! group may be run but not committed, and reads are answered after the sync, so that nobody is
//! told of anything that a power cut could take back.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

use store::{StoreError, StoreResult, When, hit};

use crate::writer::Job;

/// Syncs all that was written to the log to the disk.
pub(crate) type Disk = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

type Jobs = Vec<Box<dyn Job>>;

pub(crate) struct Syncs {
    disk: Disk,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether a commit may be in the log that the disk may not have.
    under_way: bool,
    /// A commit that the thread is to sync.
    handed_over: Option<Jobs>,
    /// Reads that may have seen a commit which is not on the disk yet.
    reads: Jobs,
    /// The reason why nothing is committed any more.
    broken: Option<StoreError>,
    has_ended: bool,
}

impl Syncs {
    pub(crate) fn start(disk: Disk) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let syncs = Arc::new(Self { disk, state: Mutex::default(), changed: Condvar::new() });
        let ours = Arc::clone(&syncs);
        let thread = std::thread::Builder::new().name("sqlite-sync".into()).spawn(move || {
            while let Some(group) = ours.next() {
                ours.finish(group, Ok(()));
            }
        })?;
        Ok((syncs, thread))
    }

    /// Waits until the commit before is finished; to be called before each commit.
    pub(crate) fn begin(&self) -> StoreResult<()> {
        let mut state = self.state();
        while state.under_way {
            state = self.changed.wait(state).expect("never poisoned");
        }
        match &state.broken {
            Some(error) => Err(error.clone()),
            None => {
                state.under_way = true;
                Ok(())
            }
        }
    }

    /// Syncs a commit here and now, and answers its callers.
    pub(crate) fn finish(&self, group: Jobs, committed: StoreResult<()>) {
        let synced = if committed.is_ok() { self.sync() } else { Ok(()) };
        let outcome = committed.and(synced.clone());
        for point in group.iter().filter_map(|job| job.point()).filter(|_| outcome.is_ok()) {
            hit(point, When::After);
        }
        for job in group {
            job.answer(outcome.clone());
        }
        let mut state = self.state();
        state.under_way = false;
        state.broken = synced.clone().err();
        let reads = std::mem::take(&mut state.reads);
        drop(state);
        self.changed.notify_all();
        for job in reads {
            job.answer(synced.clone());
        }
    }

    /// Leaves the same to the thread.
    pub(crate) fn hand_over(&self, group: Jobs) {
        self.state().handed_over = Some(group);
        self.changed.notify_all();
    }

    /// Answers a read, once every commit it may have seen is on the disk.
    pub(crate) fn answer_read(&self, job: Box<dyn Job>, read: StoreResult<()>) {
        let mut state = self.state();
        if state.under_way && read.is_ok() {
            state.reads.push(job);
        } else {
            drop(state);
            job.answer(read);
        }
    }

    /// Ends the thread when it has done the work it was handed.
    pub(crate) fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<Jobs> {
        let mut state = self.state();
        loop {
            if let Some(group) = state.handed_over.take() {
                return Some(group);
            }
            if state.has_ended {
                return None;
            }
            state = self.changed.wait(state).expect("never poisoned");
        }
    }

    /// Syncs the log. After a failure nothing more is committed until the file is opened anew,
    /// because a disk that fails may have dropped its data and reports that only once.
    fn sync(&self) -> StoreResult<()> {
        (self.disk)().map_err(|error| {
            tracing::error!(%error, "the disk did not keep a commit: nothing is accepted until a restart");
            StoreError::Unavailable(format!("the disk did not keep a commit, restart: {error}"))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("never poisoned")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use tokio::sync::oneshot;

    use super::*;
    use crate::tx::SqliteTx;
    use crate::writer::job;

    type Answer = oneshot::Receiver<StoreResult<u32>>;

    /// A disk that is as slow as the test wants: it reports each sync, and waits for the test's
    /// answer.
    fn disk() -> (Disk, Receiver<()>, Sender<io::Result<()>>) {
        let ((asked, is_asked), (told, is_told)) = (channel(), channel());
        let is_told = Mutex::new(is_told);
        let disk = move || {
            asked.send(()).unwrap();
            is_told.lock().unwrap().recv().unwrap()
        };
        (Box::new(disk), is_asked, told)
    }

    /// A job that was run and waits for its commit.
    fn ran(value: u32) -> (Box<dyn Job>, Answer) {
        let (mut one, answer) = job(None, move |_| Box::pin(async move { Ok(value) }));
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        assert!(one.run(&mut SqliteTx::new(connection)));
        (one, answer)
    }

    #[test]
    fn nobody_is_told_of_a_commit_before_the_disk_has_it() {
        let (disk, is_asked, told) = disk();
        let (syncs, thread) = Syncs::start(disk).unwrap();
        syncs.begin().unwrap();
        let (write, mut written) = ran(1);
        syncs.hand_over(vec![write]);
        is_asked.recv().unwrap();
        let (read, mut seen) = ran(2);
        syncs.answer_read(read, Ok(()));
        assert!(written.try_recv().is_err() && seen.try_recv().is_err(), "the disk is at it");
        told.send(Ok(())).unwrap();
        // The next commit may begin once this one is finished.
        syncs.begin().unwrap();
        assert!(matches!(written.try_recv(), Ok(Ok(1))));
        syncs.finish(Vec::new(), Err(StoreError::Busy));
        assert!(matches!(seen.blocking_recv(), Ok(Ok(2))));
        syncs.end();
        thread.join().unwrap();
    }

    #[test]
    fn a_commit_that_failed_is_not_synced_and_holds_nobody_up() {
        let (disk, is_asked, _told) = disk();
        let (syncs, thread) = Syncs::start(disk).unwrap();
        syncs.begin().unwrap();
        let ((write, mut written), (read, mut seen)) = (ran(1), ran(2));
        syncs.answer_read(read, Ok(()));
        syncs.finish(vec![write], Err(StoreError::Busy));
        assert!(matches!(written.try_recv(), Ok(Err(StoreError::Busy))));
        assert!(matches!(seen.try_recv(), Ok(Ok(2))));
        assert!(is_asked.try_recv().is_err());
        syncs.begin().unwrap();
        syncs.end();
        thread.join().unwrap();
    }

    #[test]
    fn after_a_disk_that_lost_a_commit_nothing_is_accepted() {
        let (disk, _is_asked, told) = disk();
        let (syncs, thread) = Syncs::start(disk).unwrap();
        syncs.begin().unwrap();
        told.send(Err(io::Error::other("lost"))).unwrap();
        let ((write, mut written), (read, mut seen)) = (ran(1), ran(2));
        syncs.answer_read(read, Ok(()));
        syncs.finish(vec![write], Ok(()));
        let lost =
            |answer: &mut Answer| matches!(answer.try_recv(), Ok(Err(StoreError::Unavailable(_))));
        assert!(lost(&mut written) && lost(&mut seen));
        assert!(matches!(syncs.begin(), Err(StoreError::Unavailable(_))));
        syncs.end();
        thread.join().unwrap();
    }
}
