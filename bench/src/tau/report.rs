//! The results of a run, counted and told.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use tools::Registry;

use super::documents::Left;
use super::task::Task;
use super::world::{World, same};

/// As many tasks that went wrong as are told of.
const SHOWN: usize = 10;

/// As much as is told of how a call ended.
const ENDED: usize = 160;

/// Tasks held against what was recorded of them.
#[derive(Default, Serialize)]
pub(super) struct Tally {
    pub(super) tasks: usize,
    pub(super) calls: usize,
    pub(super) calls_equal: usize,
    pub(super) diffs_equal: usize,
    pub(super) hashes_equal: usize,
    /// Changes that were to be made, were made too often, and were not made.
    pub(super) writes: u64,
    pub(super) writes_doubled: u64,
    pub(super) writes_lost: u64,
    pub(super) wrong: Vec<String>,
}

impl Tally {
    pub(super) fn compare(
        &mut self,
        world: &World,
        registry: &Registry,
        task: &Task,
        ended: &[Result<Value, String>],
        left: &Left,
    ) {
        self.tasks += 1;
        self.outcomes(task, ended);
        self.written(task, &task.writes(registry), &left.writes);
        if same(&world.diff(&left.part), &task.diff) {
            self.diffs_equal += 1;
        } else {
            self.wrong.push(format!("{}: other changes than recorded", task.id));
        }
        if world.hash_with(&left.part) == task.hash {
            self.hashes_equal += 1;
        } else {
            self.wrong.push(format!("{}: another hash than recorded", task.id));
        }
    }

    /// Notes a count that is not what it should be.
    pub(super) fn expect(&mut self, task: &Task, what: &str, counted: i64, expected: usize) {
        if usize::try_from(counted) != Ok(expected) {
            self.wrong.push(format!("{}: {counted} {what}, not {expected}", task.id));
        }
    }

    fn outcomes(&mut self, task: &Task, ended: &[Result<Value, String>]) {
        self.calls += task.calls.len();
        if ended.len() != task.calls.len() {
            self.wrong.push(format!("{}: {} of {} calls", task.id, ended.len(), task.calls.len()));
        }
        for (call, ended) in task.calls.iter().zip(ended) {
            if call.fits(ended) {
                self.calls_equal += 1;
            } else {
                let ended: String = format!("{ended:?}").chars().take(ENDED).collect();
                self.wrong.push(format!("{}: {} ended in {ended}", task.id, call.name));
            }
        }
    }

    fn written(
        &mut self,
        task: &Task,
        wanted: &BTreeMap<String, u64>,
        made: &BTreeMap<String, u64>,
    ) {
        self.writes += wanted.values().sum::<u64>();
        for tool in wanted.keys().chain(made.keys().filter(|tool| !wanted.contains_key(*tool))) {
            let count = |counts: &BTreeMap<String, u64>| counts.get(tool).copied().unwrap_or(0);
            let (wanted, made) = (count(wanted), count(made));
            self.writes_doubled += made.saturating_sub(wanted);
            self.writes_lost += wanted.saturating_sub(made);
            if wanted != made {
                self.wrong.push(format!("{}: {tool} {made} times, not {wanted}", task.id));
            }
        }
    }
}

/// The deaths of the process while it worked.
#[derive(Default, Serialize)]
pub(super) struct Ordeal {
    /// By us, while turns were under way.
    pub(super) kills: u32,
    /// Of those, at a named point.
    pub(super) at_points: u32,
    /// Of those, with a write on record whose turn was not over.
    pub(super) after_writes: u32,
    pub(super) messages: usize,
    /// Answers that models gave, and those that are on record.
    pub(super) asked: u64,
    pub(super) answers: u64,
    /// Asked although the answer was on record.
    pub(super) asked_again: u64,
}

/// The figures of one run.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) run: String,
    pub(super) seconds: f64,
    #[serde(flatten)]
    pub(super) tally: Tally,
    #[serde(flatten)]
    pub(super) ordeal: Option<Ordeal>,
}

impl Report {
    pub(super) fn print(&self) {
        let Self { run, seconds, tally, ordeal } = self;
        let Tally { tasks, calls, calls_equal, diffs_equal, hashes_equal, .. } = tally;
        println!(
            "{run}: {tasks} tasks, {calls} calls in {seconds:.1} s; equal: {calls_equal} outcomes, \
             {diffs_equal} changes, {hashes_equal} hashes; {} writes, {} doubled, {} lost",
            tally.writes, tally.writes_doubled, tally.writes_lost,
        );
        if let Some(ordeal) = ordeal {
            println!(
                "  {} kills, {} of them at named points and {} after a write; {} messages; {} answers on record, {} \
                 asked for, {} asked for again although on record",
                ordeal.kills,
                ordeal.at_points,
                ordeal.after_writes,
                ordeal.messages,
                ordeal.answers,
                ordeal.asked,
                ordeal.asked_again
            );
        }
        for wrong in tally.wrong.iter().take(SHOWN) {
            println!("  wrong: {wrong}");
        }
    }
}
