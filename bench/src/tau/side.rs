//! A look at the database from the side, while the process that works on it lives and dies.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use rusqlite::Connection;
use serde_json::Value;
use tokio_postgres::Client;

use crate::database::{Database, Place, connect};

const HANDLED: &str = "SELECT w.slug, count(*) FROM webhook_inbox i \
     JOIN workspaces w ON w.id = i.workspace_id WHERE i.status = 'done' GROUP BY w.slug";

const ANSWERS: &str = "SELECT w.slug, count(*) FROM agent_steps s \
     JOIN workspaces w ON w.id = s.workspace_id WHERE s.kind = 'model' GROUP BY w.slug";

const SET_ASIDE: &str = "SELECT w.slug, count(*) FROM webhook_inbox i \
     JOIN workspaces w ON w.id = i.workspace_id WHERE i.status = 'quarantined' GROUP BY w.slug";

const REPLIES: &str = "SELECT w.slug, count(*) FROM outbox o \
     JOIN workspaces w ON w.id = o.workspace_id GROUP BY w.slug";

// `Call::is_repeatable`, by their steps.
const REPEATABLE_WRITES: &str = "SELECT w.slug, count(*) FROM agent_steps s \
     JOIN workspaces w ON w.id = s.workspace_id \
     WHERE s.kind = 'local' AND s.status = 'done' AND s.tool LIKE '%_address' GROUP BY w.slug";

const STEPS: &str = "SELECT w.slug, s.tool, s.status, CAST(s.input AS TEXT), \
            CAST(s.output AS TEXT) FROM agent_steps s \
     JOIN workspaces w ON w.id = s.workspace_id WHERE s.kind = 'local' \
     ORDER BY s.created_at, s.step_key";

/// A tool's step as it is on record.
pub(super) struct Step {
    pub(super) tool: String,
    pub(super) input: Value,
    pub(super) ended: Result<Value, String>,
}

pub(super) enum Side {
    Sqlite(Mutex<Connection>),
    Postgres(Client),
}

impl Side {
    pub(super) async fn of(database: &Database) -> Result<Self> {
        Ok(match &database.place {
            Place::Sqlite { path } => {
                let connection = Connection::open(path)?;
                connection.busy_timeout(Duration::from_secs(10))?;
                Self::Sqlite(Mutex::new(connection))
            }
            Place::Postgres { superuser, .. } => Self::Postgres(connect(superuser).await?),
        })
    }

    /// Messages that were answered, by workspace.
    pub(super) async fn handled(&self) -> Result<BTreeMap<String, i64>> {
        self.counts(HANDLED).await
    }

    /// Messages that the engine gave up.
    pub(super) async fn set_aside(&self) -> Result<BTreeMap<String, i64>> {
        self.counts(SET_ASIDE).await
    }

    /// Answers of models on record, by workspace.
    pub(super) async fn answers(&self) -> Result<BTreeMap<String, i64>> {
        self.counts(ANSWERS).await
    }

    /// Writes on record that could be made twice without a trace in what is written, by workspace.
    pub(super) async fn repeatable_writes(&self) -> Result<BTreeMap<String, i64>> {
        self.counts(REPEATABLE_WRITES).await
    }

    /// Replies that customers got, by workspace.
    pub(super) async fn replies(&self) -> Result<BTreeMap<String, i64>> {
        self.counts(REPLIES).await
    }

    async fn counts(&self, query: &str) -> Result<BTreeMap<String, i64>> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                let mut query = connection.prepare_cached(query)?;
                let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(rows.collect::<Result<_, _>>()?)
            }
            Self::Postgres(client) => {
                let rows = client.query(query, &[]).await?;
                Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
            }
        }
    }

    /// The steps of tools, by workspace. Equal calls are in the order they were made.
    pub(super) async fn steps(&self) -> Result<BTreeMap<String, Vec<Step>>> {
        let rows: Vec<[String; 5]> = match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                let mut query = connection.prepare(STEPS)?;
                let columns = |row: &rusqlite::Row<'_>| {
                    Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])
                };
                query.query_map([], columns)?.collect::<Result<_, _>>()?
            }
            Self::Postgres(client) => {
                let rows = client.query(STEPS, &[]).await?;
                let columns = |row: &tokio_postgres::Row| std::array::from_fn(|at| row.get(at));
                rows.iter().map(columns).collect()
            }
        };
        let mut steps: BTreeMap<String, Vec<Step>> = BTreeMap::new();
        for [workspace, tool, status, input, output] in rows {
            let output: Value = serde_json::from_str(&output)?;
            let ended = if status == "done" { Ok(output) } else { Err(output.to_string()) };
            let step = Step { tool, input: serde_json::from_str(&input)?, ended };
            steps.entry(workspace).or_default().push(step);
        }
        Ok(steps)
    }
}
