//! The participants of a terminal conversation: the agent, its tools, and the answerer for models.

use std::sync::Arc;

use agents::{Agent, DemoAgent};
use anyhow::Result;
use domain::{SystemClock, SystemIds};
use host::{Missing, SystemTicks, Toolbox};
use llm::{Models, Script};
use pack::Pack;
use tools::Registry;

use crate::args::ChatOptions;
use crate::{packs, wiring};

/// The answerer for models.
pub(super) enum Voice {
    Nobody,
    Script(Script),
    Configured(Arc<Models>),
}

pub(super) struct Cast {
    pub(super) agent: Arc<dyn Agent>,
    /// Nothing outside is reached: what is tried out must not act on a real system.
    pub(super) tools: Registry,
    /// The pack that opens a shop.
    pub(super) pack: Option<Arc<Pack>>,
    pub(super) voice: Voice,
}

impl Cast {
    /// A pack's agent, or the one that is code.
    pub(super) fn choose(options: &ChatOptions) -> Result<Self> {
        let voice = voice(options)?;
        if options.pack == "demo" {
            let tools = Toolbox::indoors().own();
            return Ok(Self { agent: Arc::new(DemoAgent), tools, pack: None, voice });
        }
        let place = packs::named(&options.pack, &options.config)?;
        let opened = place.open()?;
        for warning in &opened.warnings {
            eprintln!("{}", host::packs::line(&place.folder(), warning));
        }
        Self::of(&opened, voice)
    }

    pub(super) fn of(opened: &host::Opened, voice: Voice) -> Result<Self> {
        let ticks = Arc::new(SystemTicks::start());
        let agent = opened.agent(&opened.pack.manifest.name, ticks)?;
        let tools = Toolbox::indoors().registry(&opened.pack.tools, Missing::StandIn)?;
        Ok(Self { agent, tools, pack: Some(Arc::clone(&opened.pack)), voice })
    }

    /// The models of one stage: a script begins anew on each. Providers live in real time, whatever
    /// the conversation's clock says.
    pub(super) fn models(&self) -> Result<Arc<Models>> {
        let clock = SystemClock::default();
        let ids = Arc::new(SystemIds::new(clock.clone()));
        match &self.voice {
            Voice::Nobody => Ok(host::models::nobody(Arc::new(clock), ids)),
            Voice::Script(script) => Ok(host::models::scripted(script, Arc::new(clock), ids)?),
            Voice::Configured(models) => Ok(Arc::clone(models)),
        }
    }
}

fn voice(options: &ChatOptions) -> Result<Voice> {
    if let Some(file) = &options.script {
        return Ok(Voice::Script(host::models::script(file)?));
    }
    if !options.models {
        return Ok(Voice::Nobody);
    }
    let config = wiring::load(&options.config)?;
    let clock = SystemClock::default();
    let ids = Arc::new(SystemIds::new(clock.clone()));
    Ok(Voice::Configured(host::models::configured(&config, Arc::new(clock), ids)?))
}
