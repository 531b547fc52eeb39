//! A turn played: the customer does something, and a scripted model answers it with moves.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::{ToolSpec, ToolUse};
use futures::executor::block_on;
use pack::files::{Case, Said, Script, ScriptLine, Step};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use super::customer::{Kind, Line, SILENCE};
use super::moves::Move;
use super::scene::{Scene, stands};
use super::shown::{Shown, texts};
use crate::{Happened, Rehearsal};

const ORCHESTRATOR: &str = "orchestrator";

/// A move that is always refused, so that the model is asked once more.
const NOWHERE: &str = "?";

/// The prices of the goods the shop sells, by sku.
pub(super) type Prices = BTreeMap<String, Decimal>;

/// A conversation that has come somewhere.
pub(super) struct Reached {
    pub(super) rehearsal: Rehearsal,
    pub(super) scene: Scene,
    pub(super) shown: Shown,
    pub(super) prices: Arc<Prices>,
    /// How it came so far, as a test tells it.
    pub(super) story: Case,
}

/// Where a turn begins.
pub(super) struct Opening {
    pub(super) at: Arc<Reached>,
    /// The customer's line of this turn.
    pub(super) line: Line,
    /// That line as a model is shown it.
    pub(super) framed: String,
    /// Spent before this turn's own moves.
    pub(super) spent: Spent,
}

/// How much of the bounds a place has taken to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spent {
    /// Moves of the model.
    pub(super) moves: usize,
    /// Turns in which it moved, the one that is played counted.
    pub(super) turns: usize,
}

impl Spent {
    /// Whether a place was not reached by as little before, which is noted: one that was reached by
    /// more is played on from again, because more can follow now.
    pub(super) fn is_least(self, known: &mut HashMap<u64, Vec<Self>>, place: u64) -> bool {
        let spent = known.entry(place).or_default();
        let least = !spent.iter().any(|one| one.moves <= self.moves && one.turns <= self.turns);
        if least {
            spent.push(self);
        }
        least
    }
}

/// A model's answer in one turn: what the message means, if it is asked that, and its moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) detected: Option<String>,
    pub(super) moves: Vec<Arc<Move>>,
}

impl Answer {
    /// All texts that the model itself made.
    pub(super) fn own_words(&self) -> Vec<&str> {
        self.moves.iter().flat_map(|one| texts(&one.input)).collect()
    }
}

/// The result of a turn.
pub(super) struct Played {
    pub(super) rehearsal: Rehearsal,
    /// A silence may be several turns, or none.
    pub(super) turns: Vec<Happened>,
    pub(super) scene: Scene,
}

/// How a turn ends.
pub(super) struct End {
    pub(super) scene: Scene,
    /// The tools it called, by name.
    pub(super) tools: Vec<String>,
}

impl Played {
    pub(super) fn end(&self) -> End {
        let tools = self.tools().into_iter().map(|used| used.name.clone()).collect();
        End { scene: self.scene.clone(), tools }
    }

    pub(super) fn replies(&self) -> Vec<&str> {
        self.turns.iter().flat_map(|turn| &turn.replies).map(String::as_str).collect()
    }

    pub(super) fn tools(&self) -> Vec<&ToolUse> {
        self.turns.iter().flat_map(|turn| &turn.tools).collect()
    }

    /// The prompts that were put to a model.
    pub(super) fn prompts(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().flat_map(|turn| &turn.asked).map(|ask| &*ask.request.system)
    }

    pub(super) fn asked(&self, component: &str) -> bool {
        self.turns.iter().flat_map(|turn| &turn.asked).any(|ask| ask.component == component)
    }
}

/// A turn, with how things stood after its moves.
pub(super) struct Probed {
    pub(super) played: Played,
    /// The tools the model is offered next; none if it is no longer asked.
    pub(super) offered: Option<Vec<ToolSpec>>,
    /// Whether it is no longer asked because its last move was refused.
    pub(super) refused: bool,
}

impl Opening {
    /// How far it is from harm: a yes is nearest where something was summed up, and any other
    /// message where something was confirmed.
    pub(super) fn far(&self) -> u32 {
        let near = match self.line.kind {
            Kind::Yes => self.at.shown.summary.is_some(),
            Kind::Question => self.at.scene.orders.iter().any(stands),
            _ => return 3,
        };
        if near { 0 } else { 2 }
    }

    /// The turn as it ends when the model has made these moves and makes no more.
    pub(super) fn play(&self, answer: &Answer) -> Played {
        self.played(self.script(answer))
    }

    /// The same, with what the model is offered after these moves: a last move that is refused
    /// makes the flow ask it once more, to which it says nothing.
    pub(super) fn probe(&self, answer: &Answer) -> Probed {
        let refused = answer.moves.last().is_some_and(|last| !last.offered);
        let mut calls = answer.moves.clone();
        if !refused {
            let input = json!({ "mode": NOWHERE });
            calls.push(Arc::new(Move { tool: "flow.go".to_owned(), input, offered: false }));
        }
        let asked_on = Answer { moves: calls, ..answer.clone() };
        let played = self.played(self.script(&asked_on));
        let asked = played.turns.iter().flat_map(|turn| &turn.asked);
        let asked = asked.filter(|ask| ask.component == ORCHESTRATOR).nth(1);
        let offered = asked.map(|ask| ask.request.tools.clone());
        let mut notes = played.turns.iter().flat_map(|turn| &turn.trace.refused);
        let refused = offered.is_none() && notes.any(|note| note.ends_with(NOWHERE));
        Probed { played, offered, refused }
    }

    fn played(&self, lines: Vec<ScriptLine>) -> Played {
        let mut rehearsal = self.at.rehearsal.clone();
        rehearsal.with_model(&host::script(&Script(lines)));
        let turns = match self.line.kind {
            Kind::Silence => block_on(rehearsal.wait(SILENCE.ms())),
            _ => {
                let said = std::slice::from_ref(&self.line.text);
                block_on(rehearsal.say(said)).into_iter().collect()
            }
        };
        let scene = Scene::of(&rehearsal);
        Played { rehearsal, turns, scene }
    }

    /// The lines by which a model answers so, to this message and to no other.
    pub(super) fn script(&self, answer: &Answer) -> Vec<ScriptLine> {
        let mut lines = Vec::new();
        if let Some(intent) = &answer.detected {
            let found = json!({
                "intent": intent, "confidence": 99, "alternatives": [], "reasoning": "",
            });
            lines.push(ScriptLine { json: Some(found), ..self.to("detector") });
        }
        if !answer.moves.is_empty() {
            let calls: Vec<_> =
                answer.moves.iter().map(|one| (one.tool.as_str(), &one.input)).collect();
            lines.push(self.calls(&calls));
        }
        lines
    }

    fn calls(&self, calls: &[(&str, &Value)]) -> ScriptLine {
        let call = |(tool, input): &(&str, &Value)| {
            Map::from_iter([((*tool).to_owned(), (*input).clone())])
        };
        let calls = calls.iter().map(call).collect();
        ScriptLine { calls: Some(calls), times: Some(1), ..self.to(ORCHESTRATOR) }
    }

    fn to(&self, component: &str) -> ScriptLine {
        let when = Some(self.framed.clone());
        ScriptLine { to: Some(component.to_owned()), when, ..ScriptLine::default() }
    }

    /// The story up to the end of this turn.
    pub(super) fn story(&self, answer: &Answer) -> Case {
        let mut story = self.at.story.clone();
        story.model.get_or_insert_default().0.extend(self.script(answer));
        story.steps.push(match self.line.kind {
            Kind::Silence => Step { wait: Some(SILENCE), ..Step::default() },
            _ => Step { say: Some(Said::One(self.line.text.clone())), ..Step::default() },
        });
        story
    }

    /// All the customer has written.
    pub(super) fn said(story: &Case) -> Vec<String> {
        let said = story.steps.iter().filter_map(|step| step.say.as_ref());
        said.flat_map(Said::texts).cloned().collect()
    }
}
