//! Checkpoints: carries the log over to the file, on a thread of its own beside the writer.
//!
//! The log begins anew only when all of it was carried over before the next transaction begins.
//! Under load that never happens by itself, because commits go on while pages are carried over. So
//! the thread carries over until few pages are left, and the writer carries over those between two
//! commits. Only one of the two works at any time, because SQLite refuses a second checkpoint.
//! The log does not begin anew while somebody reads from it either, and with many readers somebody
//! always does. If the log has grown long all the same, the writer waits for the reads under way;
//! reads that begin then read from the file. A read that does not end is not waited for long, and
//! the log grows meanwhile.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use store::StoreResult;

use crate::connection::{BUSY, cannot_start, store_error};

/// Pages in the log from which on they are carried over: 32 MB.
const CARRY_OVER_AT: u32 = 8_000;
/// Pages from which on the writer no longer leaves the work to the thread: 256 MB.
const TOO_LONG: u32 = 8 * CARRY_OVER_AT;
/// Pages from which on the writer waits for readers, and by which the log must grow before the
/// writer waits again: 64 MB.
const MAKE_ROOM_AT: u32 = 2 * CARRY_OVER_AT;
/// How long the writer waits for readers, in milliseconds.
const WAIT_FOR_READERS_MS: u64 = 250;
/// The writer carries over at most this many pages itself, between two commits.
const LITTLE: u32 = 500;
/// How often the thread goes over the log before it leaves the rest to the writer.
const ROUNDS: u32 = 4;

/// The log's length, and whose turn it is to carry it over.
#[derive(Default)]
struct Log {
    pages: AtomicU32,
    turn: AtomicU8,
}

/// Nobody's turn, because the log is short.
const NOBODY: u8 = 0;
/// The thread's turn, because it was asked to.
const THREAD: u8 = 1;
/// The writer's turn, because the thread has left few pages.
const WRITER: u8 = 2;

/// The writer's part.
pub(crate) struct Checkpoints {
    log: Arc<Log>,
    wish: SyncSender<()>,
    /// The thread that carries over; `None` in tests, which carry over themselves.
    thread: Option<JoinHandle<()>>,
    /// The length from which on the writer waits for readers.
    make_room_at: Cell<u32>,
}

impl Checkpoints {
    /// Takes the place of SQLite's own checkpoints on the writer's connection, and starts the
    /// thread.
    pub(crate) fn start(writer: &mut Connection, beside: Connection) -> StoreResult<Self> {
        let (mut checkpoints, wishes) = Self::of(writer).map_err(|error| store_error(&error))?;
        let log = Arc::clone(&checkpoints.log);
        let thread = std::thread::Builder::new()
            .name("sqlite-checkpoint".into())
            .spawn(move || carry_over(&beside, &log, &wishes));
        checkpoints.thread = Some(thread.map_err(cannot_start)?);
        Ok(checkpoints)
    }

    /// Ends the thread and its connection. The writer's connection is closed after it, so that it
    /// is the last: of two that close at once, each takes the other for a user of the log, and
    /// leaves the log behind.
    pub(crate) fn end(self) {
        let Self { wish, thread, .. } = self;
        drop(wish);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    fn of(writer: &mut Connection) -> rusqlite::Result<(Self, Receiver<()>)> {
        let log = Arc::new(Log::default());
        let length = Arc::clone(&log);
        writer.wal_hook(Some(move |_: &mut _, pages: i32| {
            length.pages.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        let (wish, wishes) = sync_channel(1);
        Ok((Self { log, wish, thread: None, make_room_at: Cell::new(MAKE_ROOM_AT) }, wishes))
    }

    /// To be called after a commit.
    pub(crate) fn after_commit(&self, writer: &Connection) {
        let pages = self.log.pages.load(Ordering::Relaxed);
        let turn = self.log.turn.load(Ordering::Acquire);
        if turn == WRITER || pages >= TOO_LONG {
            checkpoint(writer);
            self.make_room(writer, pages);
            // If the thread is still carrying over, it sets the writer's turn again when it is
            // done.
            let _ =
                self.log.turn.compare_exchange(WRITER, NOBODY, Ordering::AcqRel, Ordering::Relaxed);
        } else if turn == NOBODY && pages >= CARRY_OVER_AT {
            self.log.turn.store(THREAD, Ordering::Release);
            let _ = self.wish.try_send(());
        }
    }
}

impl Checkpoints {
    /// Makes a long log begin anew although it is being read, by waiting for the readers.
    fn make_room(&self, writer: &Connection, pages: u32) {
        if pages < self.make_room_at.get() {
            return;
        }
        let waiting = Duration::from_millis(WAIT_FOR_READERS_MS);
        let made = writer.busy_timeout(waiting).and_then(|()| {
            writer.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| row.get::<_, i64>(0))
        });
        if let Err(error) = writer.busy_timeout(BUSY) {
            tracing::warn!(%error, "the writer waits no longer for other processes");
        }
        let has_room = matches!(made, Ok(0));
        if !has_room {
            tracing::warn!(pages, "the log grows: a read of the database does not end");
        }
        let longer = if has_room { MAKE_ROOM_AT } else { pages + MAKE_ROOM_AT };
        self.make_room_at.set(longer);
    }
}

fn carry_over(beside: &Connection, log: &Log, wishes: &Receiver<()>) {
    while wishes.recv().is_ok() {
        for _ in 0..ROUNDS {
            match checkpoint(beside) {
                Some(left) if left > LITTLE => {}
                _ => break,
            }
        }
        log.turn.store(WRITER, Ordering::Release);
    }
}

/// Carries over as many pages as possible without making anybody wait. Returns how many pages are
/// left, or `None` if another checkpoint is running or this one failed; a failure loses nothing and
/// only leaves the log longer.
fn checkpoint(connection: &Connection) -> Option<u32> {
    let carried = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        let (pages, done): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok(u32::try_from(pages).ok().zip(u32::try_from(done).ok()))
    });
    let carried = carried
        .inspect_err(|error| tracing::warn!(%error, "the log was not carried over to the file"));
    carried.ok().flatten().map(|(pages, done)| pages.saturating_sub(done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{open_beside, open_writer};

    /// Commits until the log has so many pages.
    fn grow(writer: &Connection, log: &Log, pages: u32) {
        let hundred = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) \
                       INSERT INTO pages (content) SELECT zeroblob(4000) FROM n";
        while log.pages.load(Ordering::Relaxed) < pages {
            writer.execute(hundred, []).unwrap();
        }
    }

    fn with_writer(test: impl FnOnce(Connection, Checkpoints, Connection, Receiver<()>)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recado.db");
        let mut writer = open_writer(&path).unwrap();
        writer.execute_batch("CREATE TABLE pages (content BLOB)").unwrap();
        let (checkpoints, wishes) = Checkpoints::of(&mut writer).unwrap();
        test(writer, checkpoints, open_beside(&path).unwrap(), wishes);
    }

    #[test]
    fn a_long_log_is_carried_over_beside_the_writer_and_begins_anew() {
        with_writer(|writer, checkpoints, beside, wishes| {
            let log = Arc::clone(&checkpoints.log);
            grow(&writer, &log, CARRY_OVER_AT);
            checkpoints.after_commit(&writer);
            // The request for the thread stands; the test does the thread's part here, to its end.
            drop(checkpoints);
            carry_over(&beside, &log, &wishes);
            // Meanwhile the writer went on.
            grow(&writer, &log, CARRY_OVER_AT + LITTLE / 2);
            let make_room_at = Cell::new(MAKE_ROOM_AT);
            let wish = sync_channel(1).0;
            let checkpoints = Checkpoints { log, wish, thread: None, make_room_at };
            checkpoints.after_commit(&writer);
            writer.execute("DELETE FROM pages WHERE rowid = 1", []).unwrap();
            assert!(checkpoints.log.pages.load(Ordering::Relaxed) < 100, "begun anew");
        });
    }

    #[test]
    fn a_log_that_is_always_read_from_begins_anew_once_it_is_long() {
        with_writer(|writer, checkpoints, beside, _wishes| {
            let pages = || checkpoints.log.pages.load(Ordering::Relaxed);
            let read = "SELECT count(*) FROM pages";
            let count =
                |reader: &Connection| reader.query_row(read, [], |row| row.get::<_, i64>(0));
            grow(&writer, &checkpoints.log, MAKE_ROOM_AT);
            beside.execute_batch("BEGIN").unwrap();
            count(&beside).unwrap();
            checkpoints.log.turn.store(WRITER, Ordering::Release);
            checkpoints.after_commit(&writer);
            grow(&writer, &checkpoints.log, MAKE_ROOM_AT + 100);
            assert!(pages() > MAKE_ROOM_AT, "somebody reads from it, and goes on reading");
            let next = checkpoints.make_room_at.get();
            assert!(next >= 2 * MAKE_ROOM_AT, "the writer does not wait at every commit");
            beside.execute_batch("ROLLBACK").unwrap();
            grow(&writer, &checkpoints.log, next);
            checkpoints.log.turn.store(WRITER, Ordering::Release);
            checkpoints.after_commit(&writer);
            writer.execute("DELETE FROM pages WHERE rowid = 1", []).unwrap();
            assert!(pages() < 100, "begun anew");
            let file = writer.path().map(|path| format!("{path}-wal")).unwrap();
            assert!(std::fs::metadata(file).unwrap().len() <= 64 << 20, "and cut back");
        });
    }

    #[test]
    fn a_log_is_carried_over_by_one_at_a_time() {
        with_writer(|writer, checkpoints, beside, wishes| {
            let log = Arc::clone(&checkpoints.log);
            grow(&writer, &log, CARRY_OVER_AT);
            checkpoints.after_commit(&writer);
            assert!(wishes.try_recv().is_ok());
            checkpoints.after_commit(&writer);
            assert!(wishes.try_recv().is_err(), "asked once");
            assert!(log.pages.load(Ordering::Relaxed) >= CARRY_OVER_AT, "left to the thread");
            assert_eq!(checkpoint(&beside), Some(0));
        });
    }

    #[test]
    fn a_log_that_nobody_carries_over_does_not_grow_for_ever() {
        with_writer(|writer, checkpoints, _beside, _wishes| {
            grow(&writer, &checkpoints.log, TOO_LONG);
            checkpoints.after_commit(&writer);
            writer.execute("DELETE FROM pages WHERE rowid = 1", []).unwrap();
            assert!(checkpoints.log.pages.load(Ordering::Relaxed) < 100, "begun anew");
        });
    }
}
