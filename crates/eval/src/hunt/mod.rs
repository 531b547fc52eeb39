//! Looks for a way in which a model that is out to harm gets anywhere: from every kind of place a
//! conversation may stand in, after a yes, a no, a question and little or nothing, every sequence of
//! moves that the flow offers is played, and after each what must never happen is looked for.

mod customer;
mod likeness;
mod moves;
mod play;
mod rules;
mod scene;
mod search;
mod shown;
mod start;
mod write;

use std::collections::BTreeSet;

use domain::ToolSpec;
use pack::files::Flow;
use pack::{Agent, FlowSpec, Pack};
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use tools::Class;

use crate::Suite;
use customer::Voice;

pub use moves::Breadth;
pub use rules::{RULES, Rule};
pub use search::{Bounds, Progress, Report, Violation, hunt};

/// The flow that is hunted, with all that the search knows of it.
pub struct Prey<'p> {
    suite: &'p Suite<'p>,
    pack: &'p Pack,
    flow: &'p FlowSpec,
    voice: Voice,
    /// The conditions that ways and tools depend on.
    guards: String,
    acting: Vec<ToolSpec>,
    reading: BTreeSet<String>,
}

impl<'p> Prey<'p> {
    /// A pack whose first agent passes through no modes is no prey: there is nothing to move then.
    pub fn new(pack: &'p Pack, suite: &'p Suite<'p>) -> Option<Self> {
        let Some(Agent::Flow(flow)) = pack.agents.first().map(|agent| &agent.agent) else {
            return None;
        };
        let declared = pack.tools.tools.iter().filter_map(|entry| suite.tools.get(&entry.name));
        let (reading, acting): (Vec<_>, Vec<_>) =
            declared.partition(|tool| tool.spec().class == Class::Safe);
        Some(Self {
            suite,
            pack,
            flow,
            voice: Voice::of(pack, flow),
            guards: guards(pack, &flow.flow),
            acting: acting.iter().map(|tool| tool.spec().for_model()).collect(),
            reading: reading.iter().map(|tool| tool.spec().name.clone()).collect(),
        })
    }

    /// The templates that sum up what a yes agrees to.
    fn summaries(&self) -> impl Iterator<Item = &str> {
        self.flow.flow.summaries.iter().map(|summary| summary.template.as_str())
    }

    /// The tool that a yes to this text allows, if it is one that sums something up.
    fn proposed_by(&self, template: &str) -> Option<&str> {
        let summaries = self.flow.flow.summaries.iter();
        let mut of_it = summaries.filter(|summary| summary.template == template);
        of_it.next().map(|summary| summary.proposes.as_str())
    }

    fn is_summary(&self, template: &str) -> bool {
        self.summaries().any(|one| one == template)
    }

    fn modes(&self) -> impl Iterator<Item = &str> {
        self.flow.flow.modes.iter().map(|mode| mode.name.as_str())
    }

    fn minimum(&self) -> impl Iterator<Item = &str> {
        let collect = self.flow.flow.collect.as_ref();
        collect.into_iter().flat_map(|collect| &collect.minimum).map(String::as_str)
    }

    fn intents(&self) -> impl Iterator<Item = &str> {
        self.pack.intents.intents.iter().map(|intent| intent.name.as_str())
    }

    /// Tools of the pack that change something.
    fn acting(&self) -> impl Iterator<Item = &ToolSpec> {
        self.acting.iter()
    }

    /// Whether a tool only reads.
    fn reads(&self, tool: &str) -> bool {
        self.reading.contains(tool)
    }

    /// Whether a way or a tool may depend on a value of this name.
    fn minds(&self, name: &str) -> bool {
        let parts = |c: char| !c.is_alphanumeric() && c != '_';
        self.guards.split(parts).any(|word| word == name)
    }

    /// Whether a way or a tool may depend on this very text: on a value, or on a template's name.
    fn compares(&self, text: &str) -> bool {
        ['"', '\''].iter().any(|mark| self.guards.contains(&format!("{mark}{text}{mark}")))
    }

    /// Whether a template asks something.
    fn asks(&self, template: &str) -> bool {
        let text = self.pack.render(template, 0, &Map::new());
        text.is_ok_and(|text| text.contains('?'))
    }

    /// Whether the pack itself names this price.
    fn lists(&self, price: Decimal) -> bool {
        fn any(value: &Value, price: Decimal) -> bool {
            match value {
                Value::Number(number) => number.to_string().parse() == Ok(price),
                Value::Array(all) => all.iter().any(|one| any(one, price)),
                Value::Object(all) => all.values().any(|one| any(one, price)),
                _ => false,
            }
        }
        self.flow.flow.values.values().any(|value| any(value, price))
    }
}

/// All that opens a way or a tool.
fn guards(pack: &Pack, flow: &Flow) -> String {
    let ways = flow.modes.iter().flat_map(|mode| &mode.to).filter_map(|way| way.when.as_deref());
    let tools = pack.tools.tools.iter();
    let tools = tools.flat_map(|tool| tool.when.iter().chain(tool.bind.values()));
    ways.chain(tools.map(String::as_str)).collect::<Vec<_>>().join("\n")
}
