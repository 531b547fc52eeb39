//! The driver over SQLite: hands whole transactions to the thread that owns the connection.

use std::path::PathBuf;
use std::sync::Mutex;
use std::thread::JoinHandle;

use domain::{ConversationId, Timestamp, WorkspaceId};
use store::sql::{Driver, Look, TxFuture};
use store::{Durability, Point, Signals, StoreError, StoreResult};
use tokio::sync::{mpsc, oneshot};

use crate::checkpoint::Checkpoints;
use crate::connection::{cannot_start, log_of, open_beside, open_reader, open_writer, store_error};
use crate::readers::{self, Readers};
use crate::sync::Syncs;
use crate::tx::SqliteTx;
use crate::writer::{Job, job, start_writer};

/// Transactions that may wait for the writer before intake is refused.
const QUEUE: usize = 8192;

pub struct Options {
    pub path: PathBuf,
    /// Whether this process is the engine: it then owns every lane, and leases left by a dead
    /// predecessor end at once.
    pub takes_over_lanes: bool,
}

pub struct SqliteDriver {
    path: PathBuf,
    writer: Option<mpsc::Sender<Box<dyn Job>>>,
    readers: Readers,
    /// The reading threads, and the others.
    threads: Mutex<[Vec<JoinHandle<()>>; 2]>,
    signals: Signals,
}

impl SqliteDriver {
    pub fn open(options: &Options) -> StoreResult<Self> {
        let path = &options.path;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                StoreError::Unusable(format!("cannot create {}: {error}", folder.display()))
            })?;
        }
        let mut connection = open_writer(path)?;
        if options.takes_over_lanes {
            // The lanes' holder stays on record, so that the next claim sees that it vanished.
            connection
                .execute("UPDATE lanes SET wake_at = 0 WHERE holder IS NOT NULL", [])
                .map_err(|error| store_error(&error))?;
        }
        let (writer, write_jobs) = mpsc::channel(QUEUE);
        let checkpoints = Checkpoints::start(&mut connection, open_beside(path)?)?;
        let (log, disk) = log_of(&connection, path)?;
        let (syncs, syncer) = Syncs::start(disk).map_err(cannot_start)?;
        let mut reading = Vec::with_capacity(readers::COUNT);
        for _ in 0..readers::COUNT {
            reading.push(open_reader(path)?);
        }
        let readers = Readers::default();
        let read = readers.start(reading, &syncs).map_err(cannot_start)?;
        let writes = start_writer(connection, log, checkpoints, syncs, write_jobs);
        let beside = vec![writes.map_err(cannot_start)?, syncer];
        let threads = [read, beside];
        Ok(Self {
            path: path.clone(),
            writer: Some(writer),
            readers,
            threads: Mutex::new(threads),
            signals: Signals::default(),
        })
    }
}

impl Drop for SqliteDriver {
    // The threads end when their queues do. The drop waits for them, so that the file is closed in
    // order: a connection that only reads must not be the last, because it cannot carry the log
    // over and remove it.
    fn drop(&mut self) {
        self.readers.close();
        let [readers, others] = std::mem::take(&mut *self.threads.lock().expect("never poisoned"));
        join(readers);
        self.writer = None;
        join(others);
    }
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        if thread.thread().id() != std::thread::current().id() {
            let _ = thread.join();
        }
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the database thread has ended; restart the node".into())
}

async fn answer<R>(waiting: oneshot::Receiver<StoreResult<R>>) -> StoreResult<R> {
    waiting.await.unwrap_or_else(|_| Err(gone()))
}

impl Driver for SqliteDriver {
    type Tx = SqliteTx;

    async fn write<R, W>(&self, point: Point, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let writer = self.writer.as_ref().ok_or_else(gone)?;
        let (job, waiting) = job(Some(point), work);
        // Intake fails at once when the queue is full; the engine's own work waits.
        if point == Point::InboxAccept {
            writer.try_send(job).map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => StoreError::Busy,
                mpsc::error::TrySendError::Closed(_) => gone(),
            })?;
        } else {
            writer.send(job).await.map_err(|_| gone())?;
        }
        answer(waiting).await
    }

    async fn read<R, W>(&self, look: Look, work: W) -> StoreResult<R>
    where
        R: Send + 'static,
        W: for<'t> Fn(&'t mut Self::Tx) -> TxFuture<'t, R> + Send + Sync + 'static,
    {
        let (job, waiting) = job(None, work);
        self.readers.put(look, job);
        answer(waiting).await
    }

    fn wake_lanes(&self) {
        self.signals.wake_lanes();
    }

    fn announce_lines(&self, conversation: ConversationId) {
        self.signals.announce_lines(conversation);
    }

    fn announce_live(&self, workspace: WorkspaceId) {
        self.signals.announce_live(workspace);
    }

    fn signals(&self) -> &Signals {
        &self.signals
    }

    async fn durability(&self, _now: Timestamp) -> StoreResult<Durability> {
        Ok(Durability {
            engine: format!("SQLite {}", rusqlite::version()),
            durable_commits: true,
            detail: format!("{}: WAL, synced before any answer", self.path.display()),
            ..Durability::default()
        })
    }
}
