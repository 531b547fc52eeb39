//! The tasks worked through by a flow with a model, in a process that is killed again and again.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use store::{Outside, Point, When};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};

use super::hall;
use super::node::{AGENT, Message};
use super::oracle::Oracle;
use super::random::Random;
use super::report::{Ordeal, Report};
use super::script::{Script, message};
use super::settle::settle;
use super::side::Side;
use super::task::{Call, Task};
use super::world::World;
use crate::database::{Database, Place};
use crate::stopwatch::Stopwatch;

/// Conversations under way at once.
const CROWD: usize = 8;

/// How often the database is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Without a message answered for this long, nothing more is coming.
const STALLED_S: f64 = 60.0;

/// A process to which what it should die of does not happen, and which does not get on either, is
/// killed after this.
const PATIENCE_MS: f64 = 5_000.0;

/// The longest that a process lives once it has asked its model: some answers, or a turn and more.
const LIFE_MS: u64 = 80;

/// Commits that answering a message passes through.
const POINTS: [Point; 6] = [
    Point::InboxAccept,
    Point::LaneClaim,
    Point::StepAnswer,
    Point::StepLocal,
    Point::TurnCommit,
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
    let mut random = Random(plan.seed);
    let tasks = &random.shuffled(tasks);
    hall::furnish(&*database.open().await?, world, tasks, AGENT).await?;
    let side = Arc::new(Side::of(database).await?);
    let oracle = Oracle::start(tasks, Arc::clone(&side)).await?;
    let watch = Stopwatch::start();
    let mut work = Work {
        database,
        oracle: &oracle,
        tasks,
        side: &side,
        random,
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
    death: Death,
    /// The number of questions to the model, and which such writes were on record, before it came.
    asked_before: u64,
    writes_before: BTreeMap<String, i64>,
    /// Since it asked the model.
    busy: Option<Stopwatch>,
}

/// The cause of a process's death.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Death {
    /// We kill it this long after it first asks its model.
    InTime(f64),
    /// We kill it once it has written, for a customer who still waits, what could be written twice
    /// without a trace but in its count.
    AfterWrite,
    /// The process kills itself at a named point.
    AtPoint,
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
        let mut running = self.start(kills).await?;
        let mut progress = Stopwatch::start();
        while self.done < self.tasks.len() {
            if self.look(&mut running, kills).await? {
                progress = Stopwatch::start();
            }
            ensure!(progress.seconds() < STALLED_S, "stalled with {:?} waiting", self.waiting);
            if let Some(status) = running.child.try_wait()? {
                ensure!(running.death == Death::AtPoint, "the engine ended by itself: {status}");
                self.ordeal.kills += 1;
                self.ordeal.at_points += 1;
                running = self.start(kills).await?;
            } else if self.is_due(kills, &mut running).await? {
                running.child.start_kill()?;
                running.child.wait().await?;
                self.ordeal.kills += 1;
                running = self.start(kills).await?;
            }
            tokio::time::sleep(LOOK).await;
        }
        drop(running.lines);
        let status = running.child.wait().await?;
        ensure!(status.success(), "the engine did not stop in order: {status}");
        Ok(())
    }

    /// The share of the tasks that belongs to so many kills: they are spread over all of them.
    fn share(&self, suffered: u32, kills: u32) -> usize {
        (self.tasks.len() * suffered as usize).div_ceil(kills as usize + 1)
    }

    /// A kill falls while somebody waits.
    async fn is_due(&mut self, kills: u32, running: &mut Running) -> Result<bool> {
        if running.busy.is_none() && self.oracle.asked() > running.asked_before {
            running.busy = Some(Stopwatch::start());
        }
        let suffered = self.ordeal.kills;
        if self.waiting.is_empty() || suffered >= kills || self.done < self.share(suffered, kills) {
            return Ok(false);
        }
        let has_come = match running.death {
            Death::InTime(ms) => running.busy.is_some_and(|busy| busy.ms() >= ms),
            Death::AfterWrite => {
                let writes = self.side.repeatable_writes().await?;
                let has_written = self.waiting.keys().any(|place| {
                    let name = hall::name(*place);
                    writes.get(&name) > running.writes_before.get(&name)
                });
                self.ordeal.after_writes += u32::from(has_written);
                has_written
            }
            Death::AtPoint => false,
        };
        // However slowly we look, no process outlives its share, so that all kills fall. A write is
        // looked for first: its customer's answer is held back, and others may be through meanwhile.
        let is_through = self.done >= self.share(suffered + 1, kills);
        Ok(has_come || is_through || running.since.ms() > PATIENCE_MS)
    }

    fn death(&mut self, kills: u32) -> Death {
        match self.ordeal.kills % 2 {
            0 if self.may_write_again(kills) => Death::AfterWrite,
            0 => Death::InTime(self.random.below(LIFE_MS) as f64),
            // The process that recovers from such a death dies again, at a point.
            _ => Death::AtPoint,
        }
    }

    /// Whether one of the tasks under way, or of those that the next process begins, has a repeatable
    /// write.
    fn may_write_again(&self, kills: u32) -> bool {
        let begins = self.begun..self.share(self.ordeal.kills + 1, kills).max(self.begun);
        let mut places = self.waiting.keys().copied().chain(begins);
        places.any(|place| self.tasks[place].calls.iter().any(Call::is_repeatable))
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
            && (self.begun < self.share(self.ordeal.kills + 1, kills) || self.waiting.is_empty())
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

    /// Starts the engine. A customer who waits writes again: nobody knows what the last process
    /// took in.
    async fn start(&mut self, kills: u32) -> Result<Running> {
        // The last process of all has nothing to die of.
        let death = match self.ordeal.kills < kills {
            true => self.death(kills),
            false => Death::InTime(f64::INFINITY),
        };
        self.oracle.hold_after_writes(death == Death::AfterWrite);
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["tau-node", "--oracle", &self.oracle.address.to_string()]);
        command.args(["--places", &self.tasks.len().to_string()]);
        match &self.database.place {
            Place::Sqlite { path } => command.arg("--sqlite").arg(path),
            Place::Postgres { app, .. } => command.args(["--postgres", app]),
        };
        if death == Death::AtPoint {
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
            death,
            asked_before: self.oracle.asked(),
            writes_before: self.side.repeatable_writes().await?,
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
