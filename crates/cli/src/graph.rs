//! `recado graph`: the graph a pack's agent walks, drawn from the definition that is run.

use std::process::ExitCode;

use agents::FormAgent;

use crate::args::GraphOptions;
use crate::exit::Outcome;
use crate::packs;

pub(crate) fn graph(options: &GraphOptions) -> Outcome {
    let opened = packs::named(&options.pack, &options.config)?.open()?;
    for agent in &opened.pack.agents {
        let drawing = match (&agent.agent, options.svg) {
            (pack::Agent::Form(_), false) => FormAgent::mermaid(),
            (pack::Agent::Form(_), true) => FormAgent::svg(),
        };
        println!("{}", drawing.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
