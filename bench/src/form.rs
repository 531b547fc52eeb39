//! The form agent of the pack that ships, and what a workload may put around its turns.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::{Agent, AgentError, Context, FormAgent, Outcome, TurnInput};
use anyhow::{Result, anyhow};
use async_trait::async_trait;
use pack::files::Form;
use pack::{Pack, Source};

use crate::stopwatch::Stopwatch;

/// The pack that is measured, and the agent it makes.
pub(crate) const NAME: &str = "registro";

pub(crate) struct Registro {
    source: Source,
    pub(crate) pack: Arc<Pack>,
}

/// The folder of packs in the repository this program was built from.
pub(crate) fn packs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs")
}

impl Registro {
    pub(crate) fn read() -> Result<Self> {
        let read = Source::read(&packs().join(NAME));
        let source = read.map_err(|findings| anyhow!("{findings}"))?;
        let loaded = pack::read(&source).map_err(|findings| anyhow!("{findings}"))?;
        Ok(Self { source, pack: Arc::new(loaded.pack) })
    }

    pub(crate) fn form(&self) -> &Form {
        match &self.pack.agents[0].agent {
            pack::Agent::Form(form) => form,
            pack::Agent::Flow(_) => panic!("the agent of `{NAME}` is a form"),
        }
    }

    /// With the clock that times its nodes, as in the binary.
    pub(crate) fn agent(&self) -> Result<FormAgent> {
        let (pack, ticks) = (Arc::clone(&self.pack), Arc::new(Stopwatch::start()));
        Ok(FormAgent::new(NAME, pack, self.form(), &self.source, ticks)?)
    }
}

/// What a workload does around a turn of the form.
#[async_trait]
pub(crate) trait Around: Send + Sync {
    async fn turn(
        &self,
        form: &FormAgent,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError>;
}

/// The form agent in all but its turns, which go through a workload.
pub(crate) struct Measured<A> {
    form: FormAgent,
    pub(crate) around: A,
}

impl<A: Around> Measured<A> {
    pub(crate) fn new(around: A) -> Result<Self> {
        Ok(Self { form: Registro::read()?.agent()?, around })
    }
}

#[async_trait]
impl<A: Around> Agent for Measured<A> {
    fn name(&self) -> &str {
        self.form.name()
    }

    fn version(&self) -> &str {
        self.form.version()
    }

    fn source(&self) -> Option<&BTreeMap<String, String>> {
        self.form.source()
    }

    fn initial_mode(&self) -> &str {
        self.form.initial_mode()
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        self.around.turn(&self.form, input, context).await
    }
}
