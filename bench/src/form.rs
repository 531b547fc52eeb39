//! The form of the pack that ships, whose parts some workloads measure alone.

use std::sync::Arc;

use agents::FormAgent;
use anyhow::{Result, anyhow};
use pack::files::Form;
use pack::{Pack, Source};

use crate::stopwatch::Stopwatch;
use crate::subject::{Subject, shipped};

pub(crate) struct Registro {
    source: Source,
    pub(crate) pack: Arc<Pack>,
}

impl Registro {
    pub(crate) fn read() -> Result<Self> {
        let source = shipped(Subject::Registro.name())?;
        let loaded = pack::read(&source).map_err(|findings| anyhow!("{findings}"))?;
        Ok(Self { source, pack: Arc::new(loaded.pack) })
    }

    pub(crate) fn form(&self) -> &Form {
        match &self.pack.agents[0].agent {
            pack::Agent::Form(form) => form,
            pack::Agent::Flow(_) => panic!("the agent of `registro` is a form"),
        }
    }

    /// With the clock that times its nodes, as in the binary.
    pub(crate) fn agent(&self) -> Result<FormAgent> {
        let (pack, ticks) = (Arc::clone(&self.pack), Arc::new(Stopwatch::start()));
        let name = Subject::Registro.name();
        Ok(FormAgent::new(name, pack, self.form(), &self.source, ticks)?)
    }
}
