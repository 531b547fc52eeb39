//! The customer's act before a model's turn: a yes, a no, a question, little, or nothing.

use pack::files::{Action, Duration, Flow, Intent, Means};
use pack::{FlowSpec, Pack};

/// A kind of thing that a customer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Yes,
    No,
    Question,
    /// Says what rules make little of, so that a model is asked what it means.
    Little,
    /// Lets the timers fall due.
    Silence,
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::Yes, Self::Question, Self::No, Self::Little, Self::Silence];
    pub(super) const SPOKEN: [Self; 4] = [Self::Yes, Self::Question, Self::No, Self::Little];
}

#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kind: Kind,
    /// The words that are written; empty for a silence.
    pub(super) text: String,
}

/// As long as a silence lasts, which is longer than the timers of a flow that is under way.
pub(super) const SILENCE: Duration = Duration::from_minutes(61);

/// The customers' words, each in several ways: a script answers a text that was not written before.
pub(super) struct Voice {
    yes: Vec<String>,
    no: Vec<String>,
    question: Vec<String>,
    little: Vec<String>,
}

impl Voice {
    /// A yes and a no as everybody says them, and questions from the pack's own examples.
    pub(super) fn of(pack: &Pack, flow: &FlowSpec) -> Self {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let informs = |intent: &&Intent| only_says(&flow.flow, &intent.name);
        let intents = pack.intents.intents.iter().filter(|one| one.means != Some(Means::Yes));
        let asked = intents.filter(informs).flat_map(|intent| &intent.examples);
        let asked = asked.filter(|text| text.split(' ').count() > 2);
        let question = asked.map(|text| format!("¿{}?", text.trim_matches(['¿', '?'])));
        Self {
            yes: own(&["sí, confirmo", "sí", "sí, claro", "confirmo"]),
            no: own(&["no", "no, gracias", "mejor no"]),
            question: question.take(4).collect(),
            little: own(&["y eso", "ajá y entonces", "bueno y"]),
        }
    }

    /// A line of this kind that is not among those said.
    pub(super) fn line(&self, kind: Kind, said: &[String]) -> Option<Line> {
        let ways = match kind {
            Kind::Yes => &self.yes,
            Kind::No => &self.no,
            Kind::Question => &self.question,
            Kind::Little => &self.little,
            Kind::Silence => return Some(Line { kind, text: String::new() }),
        };
        let text = ways.iter().find(|text| !said.contains(text))?.clone();
        Some(Line { kind, text })
    }
}

/// Whether the flow only says something to this intent, wherever it stands.
fn only_says(flow: &Flow, intent: &str) -> bool {
    let says = |actions: &Vec<Action>| actions.iter().all(|action| action.say.is_some());
    flow.intents.get(intent).is_some_and(says)
        && flow.modes.iter().all(|mode| mode.intents.get(intent).is_none_or(says))
}
