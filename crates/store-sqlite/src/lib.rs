//! The store inside one process: SQLite in WAL mode, every commit synced, one writer.

mod checkpoint;
mod connection;
mod driver;
mod log_file;
mod readers;
mod sync;
mod tx;
mod writer;

pub use driver::{Options, SqliteDriver};

pub type SqliteStore = store::sql::SqlStore<SqliteDriver>;

/// Opens the file, brings its schema forward and starts the writer.
pub fn open(options: &Options) -> store::StoreResult<SqliteStore> {
    SqliteDriver::open(options).map(store::sql::SqlStore::new)
}
