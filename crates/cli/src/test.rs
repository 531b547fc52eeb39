//! `recado test`: runs the conversations of packs and shows what differs, side by side.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agents::Agent;
use anyhow::{Context, Result};
use domain::Ticks;
use eval::{CaseResult, Difference, FailedStep, Stage, Suite};
use host::{BadPack, Missing, SystemTicks, Toolbox};
use pack::{Cases, Edit};
use serde_json::{Value, json};

use crate::args::TestOptions;
use crate::exit::{FAILED_CHECK, Outcome, Usage};
use crate::packs;

/// The tests of one pack, and how they ended.
struct Tested {
    folder: PathBuf,
    name: String,
    cases: Vec<Cases>,
    results: Vec<CaseResult>,
    seconds: f64,
}

pub(crate) fn test(options: &TestOptions) -> Outcome {
    let mut all = Vec::new();
    for name in &options.packs {
        let tested = run(name, options)?;
        if options.update {
            update(&tested)?;
        }
        all.push(tested);
    }
    if options.json {
        let report: Vec<_> = all.iter().map(Tested::json).collect();
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        all.iter().for_each(|tested| tested.print(options.update));
    }
    if let Some(file) = &options.junit {
        let documents: Vec<_> = all.iter().map(|tested| (tested.name.as_str(), tested)).collect();
        write_junit(file, &documents)?;
    }
    let failed = all.iter().any(|tested| tested.failures().next().is_some());
    Ok(if failed && !options.update { ExitCode::from(FAILED_CHECK) } else { ExitCode::SUCCESS })
}

fn run(name: &str, options: &TestOptions) -> Result<Tested> {
    let place = packs::named(name, &options.config)?;
    let folder = place.folder();
    let opened = place.open()?;
    let bad = |findings: pack::Findings| BadPack {
        folder: folder.clone(),
        findings: findings.into_vec(),
    };
    let cases = pack::load_cases(&opened.source, &opened.nodes()).map_err(bad)?;
    let ticks = Arc::new(SystemTicks::start());
    let name = opened.pack.manifest.name.clone();
    let agent: Arc<dyn Agent> = opened.agent(&name, Arc::<SystemTicks>::clone(&ticks))?;
    let wanted = |case: &str| options.filter.as_ref().is_none_or(|part| case.contains(part));
    let listed: Vec<_> =
        cases.iter().flat_map(Cases::listed).filter(|(_, _, case)| wanted(&case.name)).collect();
    if listed.is_empty() {
        let why = match &options.filter {
            Some(part) => format!("no test of {} has `{part}` in its name", folder.display()),
            None => format!("{} has no tests; write some in tests/*.yaml", folder.display()),
        };
        return Err(Usage(why).into());
    }
    // Tools outside are declared, so that a call is checked, and not called.
    let tools = Toolbox::indoors().registry(&opened.pack.tools, Missing::StandIn)?;
    let stage = Stage::of(&opened.pack, &opened.source).map_err(anyhow::Error::msg)?;
    let suite = Suite { agent, tools, cases: listed, stage };
    let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let began = ticks.nanos();
    let mut results = Vec::new();
    for _ in 0..options.repeat.max(1) {
        results = eval::run(&suite, threads);
    }
    let seconds = (ticks.nanos() - began) as f64 / 1e9 / f64::from(options.repeat.max(1));
    drop(suite);
    Ok(Tested { folder, name, cases, results, seconds })
}

impl Tested {
    fn failures(&self) -> impl Iterator<Item = &CaseResult> {
        self.results.iter().filter(|result| !result.failed.is_empty())
    }

    fn cases_of(&self, result: &CaseResult) -> Option<&Cases> {
        self.cases.iter().find(|cases| cases.file == result.file)
    }

    fn line(&self, result: &CaseResult) -> u64 {
        self.cases_of(result).map_or(0, |cases| cases.case_line(result.index))
    }

    fn place(&self, result: &CaseResult, line: u64) -> String {
        format!("{}:{line}", self.folder.join(&result.file).display())
    }

    fn print(&self, updated: bool) {
        for result in self.failures() {
            println!("FAILED {}: {}", self.place(result, self.line(result)), result.name);
            for step in &result.failed {
                self.print_step(result, step);
            }
        }
        let total = self.results.len();
        let failed = self.failures().count();
        let turns: usize = self.results.iter().map(|result| result.turns).sum();
        let rate = total as f64 / self.seconds.max(1e-9);
        let summary = match (failed, updated) {
            (0, _) => format!("{total} conversations passed"),
            (failed, true) => format!("{failed} of {total} conversations rewritten"),
            (failed, false) => format!("{failed} of {total} conversations failed"),
        };
        println!(
            "{}: {summary} ({turns} turns, {:.2} s, {rate:.0} a second)",
            self.name, self.seconds
        );
    }

    fn print_step(&self, result: &CaseResult, failed: &FailedStep) {
        let Some(cases) = self.cases_of(result) else { return };
        let steps = &cases.cases.0[result.index].steps;
        let step = &steps[failed.step];
        let what = match (&step.say, step.wait) {
            (Some(said), _) => format!("say: {}", said.texts().join(" / ")),
            (None, Some(wait)) => format!("wait: {wait}"),
            (None, None) => "operator".to_owned(),
        };
        println!("  step {}, {what}", failed.step + 1);
        for Difference { key, expected, actual } in &failed.differences {
            let line = cases.expect_line(result.index, failed.step, key);
            println!("    {}  {key}", self.place(result, line));
            println!("      expected  {}", shown(expected));
            println!("      actual    {}", shown(actual));
        }
    }

    fn json(&self) -> Value {
        let failures: Vec<_> = self
            .failures()
            .map(|result| {
                let steps: Vec<_> = result.failed.iter().map(step_json).collect();
                let place = self.place(result, self.line(result));
                json!({ "name": result.name, "place": place, "steps": steps })
            })
            .collect();
        json!({
            "pack": self.name, "conversations": self.results.len(), "failed": failures,
            "turns": self.results.iter().map(|result| result.turns).sum::<usize>(),
            "seconds": self.seconds,
        })
    }
}

fn step_json(failed: &FailedStep) -> Value {
    let one = |difference: &Difference| {
        json!({
            "key": difference.key, "expected": difference.expected, "actual": difference.actual,
        })
    };
    let differences: Vec<_> = failed.differences.iter().map(one).collect();
    json!({ "step": failed.step + 1, "differences": differences })
}

/// Text without its quotes, lists with arrows between their parts.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) if text.is_empty() => "no reply".to_owned(),
        Value::String(text) => text.replace('\n', "\n                "),
        Value::Array(parts) => {
            let part = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
            parts.iter().map(part).collect::<Vec<_>>().join(" → ")
        }
        other => other.to_string(),
    }
}

/// Rewrites the expectations that did not hold, and nothing else.
fn update(tested: &Tested) -> Result<()> {
    for cases in &tested.cases {
        let of_file = tested.failures().filter(|result| result.file == cases.file);
        let edits: Vec<Edit> = of_file.flat_map(edits).collect();
        if edits.is_empty() {
            continue;
        }
        let path = tested.folder.join(&cases.file);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let text = pack::rewrite(&text, &edits)
            .with_context(|| format!("cannot rewrite {}", path.display()))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Edits rewrite only facts; the parts that a reply must hold or lack are a person's to say.
fn edits(result: &CaseResult) -> Vec<Edit> {
    const FACTS: [&str; 15] = [
        "reply",
        "path",
        "fields",
        "mode",
        "tools",
        "templates",
        "intent",
        "status",
        "band",
        "tier",
        "models",
        "refused",
        "choices",
        "stamps",
        "orders",
    ];
    let mut edits = Vec::new();
    for failed in &result.failed {
        let step = format!("/{}/steps/{}/expect", result.index, failed.step);
        for difference in failed.differences.iter().filter(|one| FACTS.contains(&one.key)) {
            edits.push(Edit {
                path: format!("{step}/{}", difference.key),
                value: difference.actual.clone(),
            });
        }
    }
    edits
}

fn write_junit(file: &Path, tested: &[(&str, &Tested)]) -> Result<()> {
    let suites: Vec<_> =
        tested.iter().map(|(name, tested)| (*name, tested.results.as_slice())).collect();
    let line = |result: &CaseResult| {
        let found = tested.iter().find_map(|(_, one)| {
            let line = one.line(result);
            (line > 0).then_some(line)
        });
        found.unwrap_or_default()
    };
    let xml = eval::junit(&suites, line);
    std::fs::write(file, xml).with_context(|| format!("cannot write {}", file.display()))
}
