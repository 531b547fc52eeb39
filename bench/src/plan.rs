//! How one part of the run is to be done.

use anyhow::Result;
use domain::ChannelKind;

use crate::database::{Database, Kind};
use crate::{fill, rig};

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) store: Kind,
    pub(crate) quick: bool,
    /// Conversations to store beforehand.
    pub(crate) stored: u64,
    pub(crate) nodes: u32,
    /// Operations on stock; none leaves it to the workload.
    pub(crate) ops: Option<u64>,
    /// The superuser's address of the private PostgreSQL.
    pub(crate) server: Option<String>,
}

impl Plan {
    /// The whole size, or that of a quick run.
    pub(crate) fn pick<T>(&self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }

    /// A database that already holds what was asked for.
    pub(crate) async fn database(&self, agent: &str) -> Result<Database> {
        let database = Database::fresh(self.store, self.server.as_deref()).await?;
        rig::prepare(&database, ChannelKind::Webchat, agent).await?;
        if self.stored > 0 {
            eprintln!("  storing {} conversations", self.stored);
            fill::conversations(&database, self.stored).await?;
        }
        Ok(database)
    }
}
