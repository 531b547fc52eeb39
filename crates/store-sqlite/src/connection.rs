//! Opening the file: durability settings and migrations.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use store::{Migration, StoreError, StoreResult, pending_migrations};

use crate::log_file::{self, Log};
use crate::sync::Disk;

const MIGRATIONS: &[Migration] = store::migrations!();

/// How long a connection waits for another process.
pub(crate) const BUSY: Duration = Duration::from_secs(5);

/// Prepared statements kept per connection; more than there are texts.
const CACHED_STATEMENTS: usize = 256;

pub(crate) fn open_writer(path: &Path) -> StoreResult<Connection> {
    // NO_MUTEX, because one thread owns the connection and SQLite need not lock it at every call.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if !log_file::register() {
        return Err(StoreError::Unusable("SQLite finds no file system on this machine".to_owned()));
    }
    let _turn = openers_turn(path)?;
    let mut connection = Connection::open_with_flags_and_vfs(path, flags, log_file::NAME)
        .map_err(|error| cannot_open(path, &error))?;
    connection.busy_timeout(BUSY).map_err(|error| cannot_open(path, &error))?;
    // The size limit cuts back a log that has grown under load when it begins anew. FULL syncs the
    // log at every commit, so that an acknowledged message survives a power cut; commits are
    // grouped, so the sync is shared.
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -12000;
             PRAGMA wal_autocheckpoint = 0;
             PRAGMA journal_size_limit = 67108864;
             PRAGMA temp_store = MEMORY;",
        )
        .map_err(|error| cannot_open(path, &error))?;
    if !syncs_every_commit(&connection).map_err(|error| cannot_open(path, &error))? {
        let why = format!(
            "{} lies on a file system where SQLite cannot sync its log; move it to a local disk",
            path.display()
        );
        return Err(StoreError::Unusable(why));
    }
    keep_plans(&connection).map_err(|error| cannot_open(path, &error))?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Locks the folder while a file in it is opened, until the result is dropped. Two openers that
/// switch a new file to WAL at once would deadlock; SQLite notices that and refuses one of them
/// without waiting.
fn openers_turn(path: &Path) -> StoreResult<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let turn = File::open(folder).and_then(|opened| opened.lock().map(|()| opened));
    turn.map_err(|error| {
        StoreError::Unusable(format!("cannot lock the folder {}: {error}", folder.display()))
    })
}

/// Whether the settings took hold; a file system without shared memory keeps its own kind of log.
fn syncs_every_commit(connection: &Connection) -> rusqlite::Result<bool> {
    let log: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    let sync: i64 = connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
    Ok(log == "wal" && sync == 2)
}

/// The writer's open log, and the function that syncs it to the disk.
pub(crate) fn log_of(writer: &Connection, path: &Path) -> StoreResult<(Log, Disk)> {
    let log = Log::of(writer);
    let log = log.ok_or_else(|| StoreError::Unusable(format!("{} has no log", path.display())))?;
    let name = format!("{}-wal", writer.path().unwrap_or_default());
    let file = File::options().write(true).open(&name);
    let file =
        file.map_err(|error| StoreError::Unusable(format!("cannot open {name}: {error}")))?;
    Ok((log, Box::new(move || file.sync_data())))
}

/// A connection for the thread that carries the log over.
pub(crate) fn open_beside(path: &Path) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| cannot_open(path, &error))?;
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = -100;")
        .map_err(|error| cannot_open(path, &error))?;
    Ok(connection)
}

pub(crate) fn open_reader(path: &Path) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| cannot_open(path, &error))?;
    connection
        .execute_batch("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -1500;")
        .map_err(|error| cannot_open(path, &error))?;
    keep_plans(&connection).map_err(|error| cannot_open(path, &error))?;
    Ok(connection)
}

/// Prepares each text once. Without the stability guarantee SQLite compares bound values with the
/// conditions of partial indexes, and prepares a statement again for each new value.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

// The version is read inside the migrating transaction, so that of two processes that start at once
// only one migrates.
fn migrate(connection: &mut Connection) -> StoreResult<()> {
    let migrating = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| store_error(&error))?;
    let found: i64 = migrating
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| store_error(&error))?;
    for migration in pending_migrations(MIGRATIONS, found)? {
        migrating.execute_batch(migration.sql).map_err(|error| store_error(&error))?;
        migrating
            .pragma_update(None, "user_version", migration.version)
            .map_err(|error| store_error(&error))?;
    }
    migrating.commit().map_err(|error| store_error(&error))
}

fn cannot_open(path: &Path, error: &rusqlite::Error) -> StoreError {
    StoreError::Unusable(format!("cannot open the database {}: {error}", path.display()))
}

pub(crate) fn cannot_start(error: std::io::Error) -> StoreError {
    StoreError::Unusable(format!("cannot start a thread: {error}"))
}

/// Full disks, locks and I/O errors may pass; a statement that is wrong stays wrong.
pub(crate) fn store_error(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory
            | ErrorCode::CannotOpen,
        ) => StoreError::Unavailable(error.to_string()),
        _ => StoreError::Unusable(error.to_string()),
    }
}
