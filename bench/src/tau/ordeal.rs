//! The tasks worked through by a flow with a model, in a process that is killed again and again.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use store::{Outside, Point, When};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};

use super::node::{AGENT, Message};
use super::oracle::Oracle;
use super::random::Random;
use super::report::{Ordeal, Report, Tally};
use super::script::{Script, message};
use super::side::{Side, Step};
use super::task::Task;
use super::world::World;
use super::{hall, retail};
use crate::database::{Database, Place};
use crate::stopwatch::Stopwatch;

/// Conversations under way at once.
const CROWD: usize = 8;

/// How often the database is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Without a message answered for this long, nothing more is coming.
const STALLED_S: f64 = 60.0;

/// A process that does not come to its point, or asks its model nothing, is killed after this.
const PATIENCE_MS: f64 = 2_000.0;

/// The longest that a process lives once it has asked its model: some answers, or a turn and more.
const LIFE_MS: u64 = 80;

/// Commits that answering a message passes through.
const POINTS: [Point; 7] = [
    Point::InboxAccept,
    Point::LaneClaim,
    Point::StepAnswer,
    Point::StepLocal,
    Point::TurnCommit,
    Point::TurnSuspect,
    Point::DraftPut,
];

#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) kills: u32,
    pub(super) seed: u64,
}

pub(super) async fn run(
    name: &str,
    database: &Database,
    world: &World,
    tasks: &[Task],
    plan: Plan,
) -> Result<Report> {
    hall::furnish(&*database.open().await?, world, tasks, AGENT).await?;
    let side = Arc::new(Side::of(database).await?);
    let oracle = Oracle::start(tasks, Arc::clone(&side)).await?;
    let watch = Stopwatch::start();
    let mut work = Work {
        database,
        oracle: &oracle,
        tasks,
        side: &side,
        random: Random(plan.seed),
        waiting: BTreeMap::new(),
        begun: 0,
        done: 0,
        ordeal: Ordeal::default(),
    };
    work.through(plan.kills).await?;
    let mut ordeal = work.ordeal;
    let seconds = watch.seconds();
    ordeal.asked = oracle.asked();
    ordeal.asked_again = oracle.asked_again();
    let mut tally = settle(database, &side, world, tasks, &mut ordeal).await?;
    if ordeal.asked_again > 0 {
        let again = ordeal.asked_again;
        tally.wrong.push(format!("{again} answers were asked for again although on record"));
    }
    Ok(Report { run: name.to_owned(), seconds, tally, ordeal: Some(ordeal) })
}

/// The engine's process.
struct Running {
    child: Child,
    lines: ChildStdin,
    since: Stopwatch,
    /// Whether it will kill itself at a point.
    armed: bool,
    /// How long it lives once it has asked its model.
    life_ms: f64,
    /// What the model was asked before it came.
    asked_before: u64,
    /// Since it asked the model.
    busy: Option<Stopwatch>,
}

struct Work<'a> {
    database: &'a Database,
    oracle: &'a Oracle,
    tasks: &'a [Task],
    side: &'a Side,
    random: Random,
    /// The part that the customer of a place waits for.
    waiting: BTreeMap<usize, usize>,
    begun: usize,
    done: usize,
    ordeal: Ordeal,
}

impl Work<'_> {
    async fn through(&mut self, kills: u32) -> Result<()> {
        let mut running = self.start(false).await?;
        let mut progress = Stopwatch::start();
        while self.done < self.tasks.len() {
            if self.look(&mut running, kills).await? {
                progress = Stopwatch::start();
            }
            ensure!(progress.seconds() < STALLED_S, "stalled with {:?} waiting", self.waiting);
            if let Some(status) = running.child.try_wait()? {
                ensure!(running.armed, "the engine ended by itself: {status}");
                self.ordeal.kills += 1;
                self.ordeal.at_points += 1;
                running = self.start(false).await?;
            } else if self.is_due(kills, &mut running) {
                running.child.start_kill()?;
                running.child.wait().await?;
                self.ordeal.kills += 1;
                // What recovers from one death dies another, at a point of its own.
                let armed = !running.armed && self.ordeal.kills < kills;
                running = self.start(armed).await?;
            }
            tokio::time::sleep(LOOK).await;
        }
        drop(running.lines);
        let status = running.child.wait().await?;
        ensure!(status.success(), "the engine did not stop in order: {status}");
        Ok(())
    }

    /// The tasks that may be begun before the next kill: kills are spread over all of them.
    fn share(&self, kills: u32) -> usize {
        let (begun, all) = (self.ordeal.kills as usize + 1, kills as usize + 1);
        (self.tasks.len() * begun).div_ceil(all).min(self.tasks.len())
    }

    /// A kill falls while somebody waits and, but for a few, while the model is asked.
    fn is_due(&self, kills: u32, running: &mut Running) -> bool {
        if running.busy.is_none() && self.oracle.asked() > running.asked_before {
            running.busy = Some(Stopwatch::start());
        }
        if self.waiting.is_empty() || self.ordeal.kills >= kills {
            return false;
        }
        let lived = running.busy.is_some_and(|busy| busy.ms() >= running.life_ms);
        running.since.ms() > PATIENCE_MS || (lived && !running.armed)
    }

    /// Sees who was answered, and lets customers write what comes next. Whether anybody was.
    async fn look(&mut self, running: &mut Running, kills: u32) -> Result<bool> {
        let handled = self.side.handled().await?;
        let mut answered = false;
        for (place, part) in self.waiting.clone() {
            let count = handled.get(&hall::name(place)).copied().unwrap_or_default();
            if count <= i64::try_from(part)? {
                continue;
            }
            answered = true;
            if part + 1 < Script::of(place, &self.tasks[place]).messages() {
                self.waiting.insert(place, part + 1);
                self.write(running, place).await?;
            } else {
                self.waiting.remove(&place);
                self.done += 1;
            }
        }
        while self.begun < self.tasks.len()
            && self.waiting.len() < CROWD
            && (self.begun < self.share(kills) || self.waiting.is_empty())
        {
            let place = self.begun;
            self.begun += 1;
            self.waiting.insert(place, 0);
            self.write(running, place).await?;
        }
        Ok(answered)
    }

    /// Has the customer of a place write; to a process that just died, in vain.
    async fn write(&mut self, running: &mut Running, place: usize) -> Result<()> {
        let part = self.waiting[&place];
        let message = Message { place, part, text: message(place, part) };
        let line = format!("{}\n", serde_json::to_string(&message)?);
        let _ = running.lines.write_all(line.as_bytes()).await;
        Ok(())
    }

    /// Starts the engine. Whoever waits writes again: nobody knows what the last one took in.
    async fn start(&mut self, armed: bool) -> Result<Running> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["tau-node", "--oracle", &self.oracle.address.to_string()]);
        command.args(["--places", &self.tasks.len().to_string()]);
        match &self.database.place {
            Place::Sqlite { path } => command.arg("--sqlite").arg(path),
            Place::Postgres { app, .. } => command.args(["--postgres", app]),
        };
        if armed {
            command.env("RECADO_CRASH_AT", self.point());
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("cannot start the engine")?;
        let lines = child.stdin.take().context("the engine takes no input")?;
        let mut running = Running {
            child,
            lines,
            since: Stopwatch::start(),
            armed,
            life_ms: self.random.below(LIFE_MS) as f64,
            asked_before: self.oracle.asked(),
            busy: None,
        };
        for place in self.waiting.keys().copied().collect::<Vec<_>>() {
            self.write(&mut running, place).await?;
        }
        Ok(running)
    }

    /// Every other one just after a write: that is where a second run could write again.
    fn point(&mut self) -> String {
        let mut names: Vec<_> = POINTS.iter().map(|point| point.name()).collect();
        names.push(Outside::ModelCall.name());
        let (name, when) = match self.random.below(2) {
            0 => (Point::StepLocal.name(), When::After),
            _ => (self.random.pick(&names), self.random.pick(&When::ALL)),
        };
        format!("{name}:{}:{}", when.name(), 1 + self.random.below(3))
    }
}

/// Holds what is on record against the tasks.
async fn settle(
    database: &Database,
    side: &Side,
    world: &World,
    tasks: &[Task],
    ordeal: &mut Ordeal,
) -> Result<Tally> {
    let set_aside = side.set_aside().await?;
    ensure!(set_aside.is_empty(), "messages were given up: {set_aside:?}");
    let registry = retail::registry()?;
    let store = database.open().await?;
    let (answers, replies) = (side.answers().await?, side.replies().await?);
    let mut steps = side.steps().await?;
    let mut tally = Tally::default();
    for (place, task) in tasks.iter().enumerate() {
        let (script, workspace) = (Script::of(place, task), hall::name(place));
        let count = |of: &BTreeMap<String, i64>| of.get(&workspace).copied().unwrap_or_default();
        ordeal.messages += script.messages();
        ordeal.answers += u64::try_from(count(&answers))?;
        tally.expect(task, "answers on record", count(&answers), script.total());
        tally.expect(task, "replies", count(&replies), script.messages());
        let mut taken = steps.remove(&workspace).unwrap_or_default();
        let ended = ended(task, &mut taken);
        tally.expect(task, "steps too many", i64::try_from(taken.len())?, 0);
        tally.compare(world, &registry, task, &ended, &hall::left(&*store, place).await?);
    }
    Ok(tally)
}

/// How the calls of a task ended, taken from its steps; what is left of those nobody asked for.
fn ended(task: &Task, steps: &mut Vec<Step>) -> Vec<Result<Value, String>> {
    let mut ended = Vec::new();
    for call in &task.calls {
        let same = |step: &Step| step.tool == call.name && step.input == call.arguments;
        if let Some(place) = steps.iter().position(same) {
            ended.push(steps.remove(place).ended);
        }
    }
    ended
}
