//! The process that is killed: the real engine, the flow and a real provider, fed by its parent.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use domain::Backoff;
use llm::{ModelSource, ModelVendor, OpenAi, Timeouts, TokenLimit};
use pack::Source;
use runner::{IntakeError, Settings};
use serde::{Deserialize, Serialize};
use store::Store;
use tokio::io::{AsyncBufReadExt, BufReader};

use super::hall;
use crate::database::POOL;
use crate::subject;

/// The name that channels know the flow by.
pub(super) const AGENT: &str = "retail";

/// How long a dead process holds a conversation on PostgreSQL.
const LEASE_MS: i64 = 1_000;

#[derive(Args)]
pub(crate) struct Node {
    /// How many workspaces there are
    #[arg(long)]
    places: usize,
    /// The model's address
    #[arg(long)]
    oracle: String,
    /// A SQLite file
    #[arg(long)]
    sqlite: Option<PathBuf>,
    /// Or a PostgreSQL database
    #[arg(long)]
    postgres: Option<String>,
}

/// A line the parent writes: a message of the customer of that place.
#[derive(Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) place: usize,
    pub(super) part: usize,
    pub(super) text: String,
}

impl Node {
    /// Works until its parent writes no more.
    pub(crate) async fn run(&self) -> Result<()> {
        let store = self.open().await?;
        let agent = subject::agent(AGENT, pack()?)?;
        let settings = Settings {
            lease_ms: LEASE_MS,
            // The process's deaths are our doing: no message is to blame for them.
            turn_attempts: u32::MAX,
            turn_backoff: Backoff { base_ms: 10, max_ms: 100 },
            ..Settings::default()
        };
        let engine = hall::engine(store, agent, self.places, vec![self.provider()?], settings)?;
        let running = tokio::spawn(Arc::clone(&engine).run(hall::DRAIN));
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = lines.next_line().await? {
            let Message { place, part, text } = serde_json::from_str(&line)?;
            while let Err(error) = hall::say(&engine, place, part, text.clone()).await {
                // A customer whose message was not taken sends it again.
                ensure!(matches!(error, IntakeError::NotNow(_)), "{error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        engine.stop();
        Ok(running.await?)
    }

    async fn open(&self) -> Result<Arc<dyn Store>> {
        if let Some(path) = &self.sqlite {
            let options = store_sqlite::Options { path: path.clone(), takes_over_lanes: true };
            return Ok(Arc::new(store_sqlite::open(&options)?));
        }
        let url = self.postgres.clone().context("neither --sqlite nor --postgres")?;
        let options = store_postgres::Options {
            url,
            owner_url: None,
            pool_size: POOL,
            patience: store_postgres::Patience::default(),
        };
        Ok(Arc::new(store_postgres::open(options).await?))
    }

    #[expect(clippy::disallowed_methods, reason = "the bench stands where the binary would")]
    fn provider(&self) -> Result<ModelSource> {
        // A second call finds it installed, which is all that is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().retry(reqwest::retry::never()).build()?;
        let base_url = format!("http://{}/v1", self.oracle);
        let timeouts = Timeouts {
            first_byte: Duration::from_secs(10),
            between_events: Duration::from_secs(10),
            total: Duration::from_secs(20),
        };
        let token_limit = TokenLimit::for_base(&base_url);
        let id = "oracle".to_owned();
        let provider = OpenAi {
            id,
            base_url,
            api_key: None,
            client,
            timeouts,
            token_limit,
            refusals: Default::default(),
        };
        Ok(ModelSource {
            provider: Arc::new(provider),
            vendor: ModelVendor::Any,
            models: Vec::new(),
        })
    }
}

fn pack() -> Result<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs/retail");
    Source::read(&folder).map_err(|findings| anyhow!("{findings}"))
}
