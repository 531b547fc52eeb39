//! The search itself: breadth first, so that what is found is as short as it can be, and never twice
//! from two places that are alike.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::num::NonZero;
use std::sync::Arc;

use domain::SessionStatus;
use serde_json::json;

use super::Prey;
use super::customer::Kind;
use super::likeness::{Likeness, hash};
use super::moves::{self, Breadth, Known, Move};
use super::play::{Answer, End, Opening, Played, Probed, Reached, Spent};
use super::rules::{Last, Rule, Turn};
use super::scene::Scene;
use super::shown::Shown;
use super::start::starts;
use super::write;
use crate::run::in_parallel;

/// How many sequences are played between two looks at the clock.
const BATCH: usize = 64;

/// How far is looked.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most moves of a model, over all turns.
    pub moves: usize,
    /// The most turns in which it moves.
    pub turns: usize,
    /// The most turns that are played in all.
    pub plays: usize,
    pub breadth: Breadth,
    pub threads: NonZero<usize>,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Moves of the sequences that are being played.
    pub moves: usize,
    pub plays: usize,
    /// Places that are unlike each other.
    pub places: usize,
    pub violations: usize,
}

/// Something that must never happen, and how it happens.
#[derive(Clone, Debug)]
pub struct Violation {
    pub rule: &'static str,
    /// The harm that happened, in a sentence.
    pub how: String,
    /// Where the conversation stood when the turn began.
    pub mode: String,
    /// The moves of the last turn, as a person reads them.
    pub moves: Vec<String>,
    /// The conversation as a test of the pack, which fails while this can happen.
    pub test: String,
}

/// The findings of a search.
#[derive(Debug, Default)]
pub struct Report {
    pub violations: Vec<Violation>,
    pub progress: Progress,
    /// The modes in which a model was heard, with how many places in each were looked at.
    pub modes: BTreeMap<String, usize>,
    /// Whether all sequences within the bounds were played.
    pub complete: bool,
}

/// A sequence to be played.
struct Node {
    opening: Arc<Opening>,
    answer: Answer,
    parent: Option<Arc<Parent>>,
    /// How far it is from harm, as far as one can tell: what is near is played first.
    far: u32,
}

impl Node {
    /// Spent by the time its last move is made.
    fn spent(&self) -> Spent {
        let Spent { moves, turns } = self.opening.spent;
        Spent { moves: moves + self.answer.moves.len(), turns }
    }
}

/// Where the last move was made from.
struct Parent {
    place: u64,
    tools: usize,
    /// How the turn ends without that move.
    end: End,
}

/// Plays every sequence within the bounds; `go_on` is told how far it has come and may end it.
pub fn hunt(
    prey: &Prey<'_>,
    bounds: &Bounds,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Report, String> {
    let mut search = Search {
        prey,
        bounds,
        queue: BTreeMap::new(),
        within: HashMap::new(),
        between: HashMap::new(),
        forbade: BTreeSet::new(),
        found: BTreeSet::new(),
        report: Report::default(),
    };
    search.begin()?;
    while let Some(batch) = search.next() {
        if search.report.progress.plays >= bounds.plays || !go_on(&search.report.progress) {
            return Ok(search.report);
        }
        search.batch(batch);
    }
    search.report.complete = true;
    Ok(search.report)
}

struct Search<'s> {
    prey: &'s Prey<'s>,
    bounds: &'s Bounds,
    /// By how far each is.
    queue: BTreeMap<u32, VecDeque<Node>>,
    within: HashMap<u64, Vec<Spent>>,
    between: HashMap<u64, Vec<Spent>>,
    /// Where moves that are not offered were tried: the mode a turn began in, and what is offered.
    forbade: BTreeSet<(String, u64)>,
    /// The findings so far, by rule, mode and last move: one way to do harm is told once.
    found: BTreeSet<(&'static str, String, String)>,
    report: Report,
}

/// A place that was reached for the first time.
struct Fresh {
    node: Node,
    place: u64,
    probed: Probed,
}

impl Search<'_> {
    /// Every kind of place, with everything a customer may do there.
    fn begin(&mut self) -> Result<(), String> {
        for start in starts(self.prey)? {
            self.open(start, &Kind::ALL, Spent { moves: 0, turns: 1 }, 0);
        }
        Ok(())
    }

    /// All that a customer may do at a place between two turns.
    fn open(&mut self, at: Reached, kinds: &[Kind], spent: Spent, far: u32) {
        let said = Opening::said(&at.story);
        let at = Arc::new(at);
        for line in kinds.iter().filter_map(|kind| self.prey.voice.line(*kind, &said)) {
            let framed = self.prey.pack.frames.message(&line.text);
            let opening = Opening { at: Arc::clone(&at), line, framed, spent };
            let far = far + opening.far();
            let opening = Arc::new(opening);
            self.add(Node { opening, answer: Answer::default(), parent: None, far });
        }
    }

    fn likeness(&self) -> Likeness<'_> {
        Likeness { prey: self.prey, breadth: self.bounds.breadth }
    }

    fn add(&mut self, node: Node) {
        self.queue.entry(node.far).or_default().push_back(node);
    }

    /// The nearest ones that wait.
    fn next(&mut self) -> Option<Vec<Node>> {
        self.queue.retain(|_, nodes| !nodes.is_empty());
        let nodes = self.queue.values_mut().next()?;
        let most = nodes.len().min(BATCH);
        Some(nodes.drain(..most).collect())
    }

    /// Plays some sequences, and adds those that follow from them.
    fn batch(&mut self, nodes: Vec<Node>) {
        let threads = self.bounds.threads;
        self.report.progress.plays += nodes.len();
        let probed = in_parallel(threads, &nodes, |node| node.opening.probe(&node.answer));
        let fresh: Vec<Fresh> = nodes
            .into_iter()
            .zip(probed)
            .filter_map(|(node, probed)| self.fresh(node, probed))
            .collect();
        for fresh in fresh {
            let moves = fresh.node.spent().moves;
            self.report.progress.moves = self.report.progress.moves.max(moves);
            self.detections(&fresh);
            if moves < self.bounds.moves {
                self.further(&fresh);
            }
            self.turns(&fresh);
        }
        self.report.progress.places = self.within.len();
    }

    /// Everything that a model may take the message for, where it is asked.
    fn detections(&mut self, fresh: &Fresh) {
        let Fresh { node, probed, .. } = fresh;
        let answer = &node.answer;
        let first = answer.moves.is_empty() && answer.detected.is_none();
        if !first || !probed.played.asked("detector") {
            return;
        }
        for intent in self.prey.intents() {
            let answer = Answer { detected: Some(intent.to_owned()), moves: Vec::new() };
            let (opening, far) = (Arc::clone(&node.opening), node.far + 1);
            self.add(Node { opening, answer, parent: None, far });
        }
    }

    /// The place that a sequence leads to, if it leads anywhere, and nowhere that is known.
    fn fresh(&mut self, node: Node, probed: Probed) -> Option<Fresh> {
        if probed.refused {
            return None;
        }
        let place = self.place(&node, &probed);
        let strayed = strayed(&node, place, &probed);
        let last = strayed.then_some(Last { unoffered: true });
        // Looked at before places are compared: what was said is no part of a place.
        if self.is_broken(&node, &probed.played, last) || self.acts_after_handoff(&node, &probed) {
            return None;
        }
        let known = self.within.contains_key(&place);
        let fresh = node.spent().is_least(&mut self.within, place);
        if probed.offered.is_some() && !known {
            *self.report.modes.entry(node.opening.at.scene.mode.clone()).or_default() += 1;
        }
        fresh.then_some(Fresh { node, place, probed })
    }

    fn place(&self, node: &Node, probed: &Probed) -> u64 {
        let now = self.now(node, &probed.played);
        self.likeness().within(&node.opening, probed, &now)
    }

    /// The summaries and questions that the customer has been shown by the end of a turn.
    fn now(&self, node: &Node, played: &Played) -> Shown {
        let Reached { shown, scene, .. } = &*node.opening.at;
        let own = node.answer.own_words();
        shown.after(self.prey, &played.turns, &own, (scene, &played.scene))
    }

    /// Whether one more move does anything where the conversation was given away.
    fn acts_after_handoff(&mut self, node: &Node, probed: &Probed) -> bool {
        if probed.offered.is_some() || node.answer.moves.is_empty() {
            return false;
        }
        self.report.progress.plays += 1;
        let mut answer = node.answer.clone();
        let input = json!({ "text": moves::QUESTION });
        answer.moves.push(Arc::new(Move { tool: "flow.reply".to_owned(), input, offered: true }));
        let after = node.opening.play(&answer);
        let same = after.replies() == probed.played.replies()
            && after.tools().len() == probed.played.tools().len();
        let end = probed.played.end();
        let parent = Some(Arc::new(Parent { place: 0, tools: end.tools.len(), end }));
        let node = Node { opening: Arc::clone(&node.opening), answer, parent, far: node.far };
        !same && self.is_broken(&node, &after, Some(Last { unoffered: false }))
    }

    /// Notes what must never happen; whether it did.
    fn is_broken(&mut self, node: &Node, played: &Played, last: Option<Last>) -> bool {
        let opening = &*node.opening;
        let unmoved = End { scene: opening.at.scene.clone(), tools: Vec::new() };
        let without = node.parent.as_ref().map_or(&unmoved, |parent| &parent.end);
        let turn = Turn { prey: self.prey, opening, played, without, last };
        let Some((rule, broken)) = Rule::broken(&turn) else { return false };
        let last = node.answer.moves.last().map(|last| last.tool.clone()).unwrap_or_default();
        let mode = opening.at.scene.mode.clone();
        if self.found.insert((rule.name, mode.clone(), last)) {
            let number = self.report.violations.len() + 1;
            self.report.violations.push(Violation {
                rule: rule.name,
                how: broken.how.clone(),
                mode,
                moves: node.answer.moves.iter().map(|one| told(one)).collect(),
                test: write::test(number, rule, &broken, opening, &node.answer),
            });
            self.report.progress.violations = self.report.violations.len();
        }
        true
    }

    /// The same sequence with each further move.
    fn further(&mut self, fresh: &Fresh) {
        let Fresh { node, place, probed } = fresh;
        let Some(offered) = &probed.offered else { return };
        let (opening, scene) = (&node.opening, &probed.played.scene);
        let known = Known {
            scene,
            written: &opening.line.text,
            prompt: probed.played.prompts().next().unwrap_or_default(),
            skus: skus(opening, scene, self.bounds.breadth),
            breadth: self.bounds.breadth,
        };
        let mut moves = moves::offered(self.prey, offered, &known);
        let kind = hash(&json!(offered).to_string());
        if self.forbade.insert((opening.at.scene.mode.clone(), kind)) {
            moves.extend(moves::forbidden(self.prey, offered, &known));
        }
        let tools = probed.played.tools().len();
        let parent = Arc::new(Parent { place: *place, tools, end: probed.played.end() });
        for one in moves {
            let far = node.far + one.far();
            let mut answer = node.answer.clone();
            answer.moves.push(Arc::new(one));
            let (opening, parent) = (Arc::clone(opening), Some(Arc::clone(&parent)));
            self.add(Node { opening, answer, parent, far });
        }
    }

    /// Further turns of the same conversation.
    fn turns(&mut self, fresh: &Fresh) {
        let Fresh { node, probed, .. } = fresh;
        let played = &probed.played;
        let opening = &*node.opening;
        let mut spent = node.spent();
        spent.turns += usize::from(opening.line.kind != Kind::Silence);
        if spent.turns > self.bounds.turns || played.scene.status != SessionStatus::Active {
            return;
        }
        let next = Reached {
            rehearsal: played.rehearsal.clone(),
            scene: played.scene.clone(),
            shown: self.now(node, played),
            prices: Arc::clone(&opening.at.prices),
            story: opening.story(&node.answer),
        };
        let place = self.likeness().between(&next.scene, &next.shown);
        if spent.is_least(&mut self.between, place) {
            self.open(next, &Kind::SPOKEN, spent, node.far + 1);
        }
    }
}

/// Whether a move that was not offered did something.
fn strayed(node: &Node, place: u64, probed: &Probed) -> bool {
    let unoffered = node.answer.moves.last().is_some_and(|last| !last.offered);
    let tools = probed.played.tools().len();
    let moved = |parent: &Arc<Parent>| parent.place != place || parent.tools != tools;
    unoffered && node.parent.as_ref().is_some_and(moved)
}

/// The goods the customer has, then what else is sold.
fn skus(opening: &Opening, scene: &Scene, breadth: Breadth) -> Vec<String> {
    let ordered = scene.orders.iter().rev().flat_map(|order| &order.lines);
    let ordered = ordered.map(|line| &line.product);
    let own = scene.cart.lines.iter().map(|line| &line.sku).chain(ordered);
    let mut skus: Vec<String> = Vec::new();
    for sku in own.take(1).chain(opening.at.prices.keys()) {
        if !skus.contains(sku) && opening.at.prices.contains_key(sku) {
            skus.push(sku.clone());
        }
    }
    skus.truncate(if breadth == Breadth::Few { 1 } else { 2 });
    skus
}

/// A move as a person reads it.
fn told(one: &Move) -> String {
    format!("{} {}", one.tool, one.input)
}
