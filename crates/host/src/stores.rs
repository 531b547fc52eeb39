//! Which database a host works on, and whose clock it follows there.

use std::path::Path;
use std::sync::Arc;

use config::{Config, Database};
use domain::{Clock, SystemClock};
use secrecy::ExposeSecret;
use store::{Durability, Setup, Store};
use store_postgres::Patience;

use crate::HostError;

/// Connections to PostgreSQL per node.
const POOL: usize = 16;

/// Whether the process that opens the store runs the lanes, or only looks and acts beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Engine,
    Desk,
}

/// Opens the database that the configuration names.
pub async fn open_store(config: &Config, as_what: Use) -> Result<Arc<dyn Store>, HostError> {
    Ok(match &config.database {
        Database::Sqlite { path } => {
            let takes_over_lanes = as_what == Use::Engine;
            let options = store_sqlite::Options { path: path.clone(), takes_over_lanes };
            Arc::new(store_sqlite::open(&options)?)
        }
        Database::Postgres { url, owner_url } => {
            let options = store_postgres::Options {
                url: url.expose_secret().to_owned(),
                owner_url: owner_url.as_ref().map(|url| url.expose_secret().to_owned()),
                pool_size: POOL,
                // A person at the desk may ask for what takes long.
                patience: match as_what {
                    Use::Engine => Patience {
                        statement_ms: config.statement_timeout_ms,
                        lock_ms: config.lock_timeout_ms,
                    },
                    Use::Desk => Patience::ENDLESS,
                },
            };
            Arc::new(store_postgres::open(options).await?)
        }
    })
}

/// Opens a database that is only tried out, in a file of its own that the caller removes.
pub fn open_scratch(path: &Path) -> Result<Arc<dyn Store>, HostError> {
    let options = store_sqlite::Options { path: path.to_owned(), takes_over_lanes: true };
    Ok(Arc::new(store_sqlite::open(&options)?))
}

/// Nodes on one database take its clock, so that their leases and timers agree.
pub async fn agree_on_time(clock: &SystemClock, store: &(dyn Setup + Sync)) -> Option<Durability> {
    let machine = SystemClock::default();
    let asked = machine.now();
    match store.durability(asked).await {
        Ok(facts) => {
            let told = asked.plus_ms(facts.clock_behind_ms);
            clock.agree(asked, machine.now().since_ms(asked), told);
            Some(facts)
        }
        Err(error) => {
            tracing::warn!(%error, "the database's clock could not be read");
            None
        }
    }
}

/// Says what an operator should know before the first message.
pub(crate) fn warn_of(facts: &Durability) {
    if facts.role_owns_tables {
        tracing::warn!("the database role owns its tables; `recado doctor` says how to part them");
    }
    if !facts.durable_commits {
        tracing::warn!(
            "the database confirms commits before they are on disk; see `recado doctor`"
        );
    }
}
