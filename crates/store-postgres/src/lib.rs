//! The store on PostgreSQL: whole transactions, pipelined, with tenants kept apart by the database.

mod address;
mod connections;
mod driver;
mod error;
mod group;
mod isolation;
mod listen;
mod locks;
mod many;
mod merge;
mod migrate;
mod pipeline;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod tx;
mod value;
mod wire;

use store::StoreResult;
use store::sql::SqlStore;

pub use driver::{Options, Patience, PostgresDriver};
pub use tx::PgTx;

pub type PostgresStore = SqlStore<PostgresDriver>;

/// Opens the database: checks the role, brings the schema forward, listens to the other nodes.
pub async fn open(options: Options) -> StoreResult<PostgresStore> {
    PostgresDriver::open(options).await.map(SqlStore::new)
}
