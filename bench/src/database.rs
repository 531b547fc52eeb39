//! Fresh databases to measure on: a SQLite file, or a database on the private PostgreSQL.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use store::Store;
use tempfile::TempDir;
use tokio_postgres::{Client, Config, NoTls};

/// Connections per node, as `recado serve` has.
pub(crate) const POOL: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

pub(crate) struct Database {
    pub(crate) place: Place,
    /// For the SQLite file and the configurations of nodes.
    pub(crate) folder: TempDir,
}

pub(crate) enum Place {
    Sqlite { path: PathBuf },
    Postgres { superuser: String, owner: String, app: String },
}

impl Database {
    /// `server` is the superuser's address of the PostgreSQL to use.
    pub(crate) async fn fresh(kind: Kind, server: Option<&str>) -> Result<Self> {
        let folder = folder()?;
        let place = match kind {
            Kind::Sqlite => Place::Sqlite { path: folder.path().join("recado.db") },
            Kind::Postgres => {
                let server = server.context("no PostgreSQL: run `make bench`")?;
                create(server).await.context("cannot create a database")?
            }
        };
        Ok(Self { place, folder })
    }

    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>> {
        Ok(match &self.place {
            Place::Sqlite { path } => {
                let options = store_sqlite::Options { path: path.clone(), takes_over_lanes: true };
                Arc::new(store_sqlite::open(&options)?)
            }
            Place::Postgres { owner, app, .. } => {
                let options = store_postgres::Options {
                    url: app.clone(),
                    owner_url: Some(owner.clone()),
                    pool_size: POOL,
                    patience: store_postgres::Patience::default(),
                };
                Arc::new(store_postgres::open(options).await?)
            }
        })
    }

    /// The lines of a configuration that name this database.
    pub(crate) fn yaml(&self) -> String {
        match &self.place {
            Place::Sqlite { path } => format!("database: sqlite:{}\n", path.display()),
            Place::Postgres { owner, app, .. } => {
                format!("database: {app}\ndatabase_owner: {owner}\n")
            }
        }
    }
}

/// A folder beside the build, since `/tmp` may be memory, where a sync costs nothing.
pub(crate) fn folder() -> Result<TempDir> {
    let program = std::env::current_exe().context("where is this program?")?;
    let beside = program.parent().and_then(|release| release.parent()).context("no folder")?;
    tempfile::Builder::new().prefix("bench-").tempdir_in(beside).context("cannot make a folder")
}

pub(crate) async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // The connection ends with the client; an error shows in the client's next call.
    tokio::spawn(connection);
    Ok(client)
}

async fn create(server: &str) -> Result<Place> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("bench_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let client = connect(server).await?;
    for role in ["bench_owner", "bench_app"] {
        let known = client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", &[&role]).await?;
        if known.is_empty() {
            let create = format!("CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS");
            client.batch_execute(&create).await?;
        }
    }
    client.batch_execute(&format!("CREATE DATABASE {name} OWNER bench_owner")).await?;
    let config: Config = server.parse()?;
    let host = match config.get_hosts() {
        [tokio_postgres::config::Host::Tcp(host), ..] => host.clone(),
        _ => anyhow::bail!("the PostgreSQL to measure has no TCP address"),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let url = |user: &str| format!("postgres://{user}@{host}:{port}/{name}");
    Ok(Place::Postgres {
        superuser: url(config.get_user().unwrap_or("postgres")),
        owner: url("bench_owner"),
        app: url("bench_app"),
    })
}
