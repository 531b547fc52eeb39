//! `recado graph`: a flow's modes, or the graph that each turn walks, from the definition that runs.

use std::process::ExitCode;

use agents::{FlowAgent, FormAgent};
use anyhow::Result;
use graph::{END, Graph, Owned, Problem};
use pack::files::{Flow, Mode};

use crate::args::GraphOptions;
use crate::exit::Outcome;
use crate::packs;

pub(crate) fn graph(options: &GraphOptions) -> Outcome {
    let opened = packs::named(&options.pack, &options.config)?.open()?;
    for agent in &opened.pack.agents {
        println!("{}", drawing(&agent.agent, options)?.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn drawing(agent: &pack::Agent, options: &GraphOptions) -> Result<String> {
    Ok(match (agent, options.turn, options.svg) {
        (pack::Agent::Form(_), _, false) => FormAgent::mermaid(),
        (pack::Agent::Form(_), _, true) => FormAgent::svg(),
        (pack::Agent::Flow(_), true, false) => FlowAgent::mermaid(),
        (pack::Agent::Flow(_), true, true) => FlowAgent::svg(),
        (pack::Agent::Flow(spec), false, false) => pack::flow_mermaid(&spec.flow),
        (pack::Agent::Flow(spec), false, true) => modes(&spec.flow)?.svg(),
    })
}

/// The modes and the ways between them, as a graph that is drawn and never run.
fn modes(flow: &Flow) -> Result<Graph<Owned<()>>> {
    let ends = flow.modes.iter().filter(|mode| mode.end).map(|mode| mode.name.as_str()).collect();
    match connected(flow, ends) {
        Ok(graph) => Ok(graph),
        // A conversation may also end with a person, from any mode: drawn where no other end is.
        Err(error) => {
            let endless = error.problems.iter().filter_map(|problem| match problem {
                Problem::NoWayToEnd { node } => Some(node.as_str()),
                _ => None,
            });
            let ends = flow.modes.iter().filter(|mode| mode.end).map(|mode| mode.name.as_str());
            Ok(connected(flow, ends.chain(endless).collect())?)
        }
    }
}

fn connected(flow: &Flow, ends: Vec<&str>) -> Result<Graph<Owned<()>>, graph::BuildError> {
    let mut builder = Graph::<Owned<()>>::builder().start(&flow.initial);
    for mode in &flow.modes {
        builder = builder.sync(&mode.name, |(): &mut ()| ());
        let ways = ways(mode, ends.contains(&mode.name.as_str()));
        builder = match ways.as_slice() {
            [] => builder.end(&mode.name),
            [only] => builder.edge(&mode.name, only),
            several => builder.route(&mode.name, "its ways", several, |(): &()| END),
        };
    }
    builder.build()
}

fn ways(mode: &Mode, ends: bool) -> Vec<&str> {
    let mut ways: Vec<&str> = Vec::new();
    for to in mode.to.iter().map(|way| way.mode.as_str()).chain(ends.then_some(END)) {
        if !ways.contains(&to) {
            ways.push(to);
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn somnio() -> Flow {
        let place = packs::find("somnio", std::path::Path::new("/nowhere")).unwrap();
        let opened = place.open().unwrap();
        match &opened.pack.agents[0].agent {
            pack::Agent::Flow(spec) => spec.flow.clone(),
            pack::Agent::Form(_) => panic!("somnio is a flow"),
        }
    }

    fn options(turn: bool, svg: bool) -> GraphOptions {
        let config = crate::args::WithConfig { config: None };
        GraphOptions { config, pack: "somnio".to_owned(), turn, svg }
    }

    #[test]
    fn a_flow_is_drawn_by_its_modes_and_by_what_a_turn_walks() {
        let flow = somnio();
        let agent = pack::Agent::Flow(pack::FlowSpec { flow: flow.clone(), form: None, commerce: None });
        let modes = drawing(&agent, &options(false, false)).unwrap();
        let drawn = drawing(&agent, &options(false, true)).unwrap();
        for mode in &flow.modes {
            assert!(modes.contains(&mode.name), "{}", mode.name);
            assert!(drawn.contains(&mode.name), "{}", mode.name);
        }
        assert!(modes.starts_with("stateDiagram-v2") && drawn.contains("<svg"));
        let turn = drawing(&agent, &options(true, false)).unwrap();
        assert_eq!(turn, FlowAgent::mermaid());
        assert_eq!(drawing(&agent, &options(true, true)).unwrap(), FlowAgent::svg());
    }

    #[test]
    fn modes_that_never_end_are_drawn_too() {
        let mut flow = somnio();
        for mode in &mut flow.modes {
            mode.end = false;
        }
        assert!(modes(&flow).unwrap().svg().contains("compra_confirmada"));
    }
}
