//! How one part of the run is to be done, and under what conditions.

use anyhow::{Context, Result};
use domain::ChannelKind;
use serde::{Deserialize, Serialize};

use crate::database::{Database, Kind};
use crate::load::Question;
use crate::subject::Subject;
use crate::{fill, rig};

/// The conditions on which a figure depends besides the machine.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Conditions {
    /// `None` for a figure that does not depend on the store.
    pub(crate) store: Option<Kind>,
    /// Conversations that were stored beforehand.
    pub(crate) stored: u64,
    pub(crate) nodes: u32,
    /// For what is run with one agent or another.
    pub(crate) agent: Option<Subject>,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) under: Conditions,
    pub(crate) quick: bool,
    /// Operations on stock; none leaves it to the workload.
    pub(crate) ops: Option<u64>,
    /// Questions of the load workload; none for all.
    pub(crate) ask: Vec<Question>,
    /// The superuser's address of the private PostgreSQL.
    pub(crate) server: Option<String>,
}

impl Plan {
    /// The whole size, or that of a quick run.
    pub(crate) fn pick<T>(&self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }

    pub(crate) fn agent(&self) -> Subject {
        self.under.agent.unwrap_or(Subject::Registro)
    }

    pub(crate) async fn empty_database(&self) -> Result<Database> {
        let store = self.under.store.context("this workload runs on a database")?;
        Database::fresh(store, self.server.as_deref()).await
    }

    /// A database that already holds what was asked for.
    pub(crate) async fn database(&self, agent: &str) -> Result<Database> {
        let database = self.empty_database().await?;
        rig::prepare(&database, ChannelKind::Webchat, agent).await?;
        let stored = self.under.stored;
        if stored > 0 {
            eprintln!("  storing {stored} conversations");
            fill::conversations(&database, stored).await?;
        }
        Ok(database)
    }
}
