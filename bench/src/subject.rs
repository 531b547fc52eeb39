//! The agents that are measured, of packs that ship, and what a workload may put around their turns.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use anyhow::{Result, anyhow};
use async_trait::async_trait;
use clap::ValueEnum;
use host::Opened;
use pack::Source;
use serde::{Deserialize, Serialize};

use crate::form::Registro;
use crate::stopwatch::Stopwatch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Subject {
    /// The form: each message fills in a field or corrects one
    Registro,
    /// The shop: each message puts goods into the cart or asks something
    Almacen,
}

impl Subject {
    /// Of the pack, and of the agent it makes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Registro => "registro",
            Self::Almacen => "almacen",
        }
    }

    /// With the clock that times its nodes, as in the binary.
    pub(crate) fn agent(self) -> Result<Arc<dyn Agent>> {
        Ok(match self {
            Self::Registro => Arc::new(Registro::read()?.agent()?),
            Self::Almacen => agent(self.name(), shipped(self.name())?)?,
        })
    }
}

/// The folder of packs in the repository this program was built from.
pub(crate) fn packs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs")
}

pub(crate) fn shipped(name: &str) -> Result<Source> {
    Source::read(&packs().join(name)).map_err(|findings| anyhow!("{findings}"))
}

/// The agent of a pack, under the name that channels know it by.
pub(crate) fn agent(name: &str, source: Source) -> Result<Arc<dyn Agent>> {
    let opened = Opened::read(source).map_err(|findings| anyhow!("{findings}"))?;
    Ok(opened.agent(name, Arc::new(Stopwatch::start()))?)
}

/// A workload's own work around a turn.
#[async_trait]
pub(crate) trait Around: Send + Sync {
    async fn turn(
        &self,
        agent: &dyn Agent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError>;
}

/// An agent in all but its turns, which go through a workload.
pub(crate) struct Measured<A> {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) around: A,
}

#[async_trait]
impl<A: Around> Agent for Measured<A> {
    fn name(&self) -> &str {
        self.agent.name()
    }

    fn version(&self) -> &str {
        self.agent.version()
    }

    fn source(&self) -> Option<&BTreeMap<String, String>> {
        self.agent.source()
    }

    fn initial_mode(&self) -> &str {
        self.agent.initial_mode()
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.around.turn(&*self.agent, input, context).await
    }
}
