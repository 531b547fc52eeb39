//! `recado graph`: a flow's modes, or the graph that each turn walks, from the definition that runs.

use std::process::ExitCode;

use agents::{FlowAgent, FormAgent};

use crate::args::GraphOptions;
use crate::exit::Outcome;
use crate::packs;

pub(crate) fn graph(options: &GraphOptions) -> Outcome {
    let opened = packs::named(&options.pack, &options.config)?.open()?;
    for agent in &opened.pack.agents {
        println!("{}", drawing(&agent.agent, options.turn).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// A form's modes come of how its turns are walked, so it is drawn by its turns either way.
fn drawing(agent: &pack::Agent, turn: bool) -> String {
    match agent {
        pack::Agent::Form(_) => FormAgent::mermaid(),
        pack::Agent::Flow(_) if turn => FlowAgent::mermaid(),
        pack::Agent::Flow(spec) => pack::flow_mermaid(&spec.flow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_drawn_by_its_modes_and_by_what_a_turn_walks() {
        let place = host::packs::find("somnio", std::path::Path::new("/nowhere")).unwrap();
        let opened = place.open().unwrap();
        let agent = &opened.pack.agents[0].agent;
        let pack::Agent::Flow(spec) = agent else { panic!("somnio is a flow") };
        let modes = drawing(agent, false);
        assert!(modes.starts_with("stateDiagram-v2"));
        for mode in &spec.flow.modes {
            assert!(modes.contains(&mode.name), "{}", mode.name);
        }
        assert_eq!(drawing(agent, true), FlowAgent::mermaid());
    }
}
