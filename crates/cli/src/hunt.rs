//! `recado hunt`: looks for a way in which a model that is out to harm gets anywhere with a flow.

use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use domain::Ticks;
use eval::hunt::{Bounds, Breadth, Prey, Progress, RULES, Report, hunt as search};
use eval::{Stage, Suite};
use host::{BadPack, Missing, SystemTicks, Toolbox};
use serde_json::{Value, json};

use crate::args::HuntOptions;
use crate::exit::{FAILED_CHECK, Outcome, Usage};
use crate::packs;

pub(crate) fn hunt(options: &HuntOptions) -> Outcome {
    let mut reports = Vec::new();
    for name in &options.packs {
        let (pack, report, seconds) = run(name, options)?;
        if !options.json {
            print(&pack, &report, seconds);
        }
        reports.push((pack, report, seconds));
    }
    if options.json {
        let all: Vec<_> =
            reports.iter().map(|(pack, report, seconds)| data(pack, report, *seconds)).collect();
        println!("{}", serde_json::to_string_pretty(&all)?);
    }
    let found = reports.iter().any(|(_, report, _)| !report.violations.is_empty());
    Ok(if found { ExitCode::from(FAILED_CHECK) } else { ExitCode::SUCCESS })
}

fn run(name: &str, options: &HuntOptions) -> Result<(String, Report, f64)> {
    let place = packs::named(name, &options.config)?;
    let opened = place.open()?;
    let bad = |findings: pack::Findings| BadPack {
        folder: place.folder(),
        findings: findings.into_vec(),
    };
    let cases = pack::load_cases(&opened.source, &opened.nodes()).map_err(bad)?;
    let ticks = Arc::new(SystemTicks::start());
    let pack = opened.pack.manifest.name.clone();
    let suite = Suite {
        agent: opened.agent(&pack, Arc::<SystemTicks>::clone(&ticks))?,
        // A tool outside is declared, so that a call is checked, and not called.
        tools: Toolbox::indoors().registry(&opened.pack.tools, Missing::StandIn)?,
        cases: cases.iter().flat_map(pack::Cases::listed).collect(),
        stage: Stage::of(&opened.pack, &opened.source).map_err(anyhow::Error::msg)?,
    };
    let Some(prey) = Prey::new(&opened.pack, &suite) else {
        let why = format!("{pack} is no flow: a model has no moves in it to make");
        return Err(Usage(why).into());
    };
    let bounds = Bounds {
        moves: options.depth,
        turns: options.turns,
        plays: usize::MAX,
        breadth: if options.few { Breadth::Few } else { Breadth::All },
        threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
    };
    let began = ticks.nanos();
    let seconds = || (ticks.nanos() - began) as f64 / 1e9;
    let mut shown = 0.0;
    let mut go_on = |progress: &Progress| {
        if seconds() - shown >= 1.0 {
            shown = seconds();
            tell(&pack, progress, shown);
        }
        seconds() < options.seconds as f64
    };
    let report = search(&prey, &bounds, &mut go_on).map_err(anyhow::Error::msg)?;
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    Ok((pack, report, seconds()))
}

/// How far it has come, on one line that is written over where there is a person to see it.
fn tell(pack: &str, progress: &Progress, seconds: f64) {
    let Progress { moves, plays, places, violations } = progress;
    let line = format!(
        "{pack}: {plays} turns played, {places} places, up to {moves} moves, {violations} found, \
         {seconds:.0} s"
    );
    match std::io::stderr().is_terminal() {
        true => eprint!("\r\x1b[K{line}"),
        false => eprintln!("{line}"),
    }
    // A line that is not shown is not worth an error.
    let _ = std::io::stderr().flush();
}

/// The whole of what is printed is a file of tests.
fn print(pack: &str, report: &Report, seconds: f64) {
    for violation in &report.violations {
        let rule = RULES.iter().find(|rule| rule.name == violation.rule);
        println!("# {}", rule.map_or("", |rule| rule.says));
        println!("{}", violation.test);
    }
    let modes: Vec<_> =
        report.modes.iter().map(|(mode, count)| format!("{mode} {count}")).collect();
    let end = match report.complete {
        true => "every sequence within the bounds was played",
        false => "it was stopped: there are more sequences than were played",
    };
    let found = match report.violations.len() {
        0 => "no way was found".to_owned(),
        1 => "1 way was found".to_owned(),
        many => format!("{many} ways were found"),
    };
    println!(
        "# {pack}: {found}; {end} ({} turns, up to {} moves, {seconds:.0} s).\n# Places looked at: {}.",
        report.progress.plays,
        report.progress.moves,
        modes.join(", ")
    );
}

fn data(pack: &str, report: &Report, seconds: f64) -> Value {
    let found: Vec<_> = report
        .violations
        .iter()
        .map(|one| {
            json!({
                "rule": one.rule, "how": one.how, "mode": one.mode, "moves": one.moves,
                "test": one.test,
            })
        })
        .collect();
    json!({
        "pack": pack, "violations": found, "complete": report.complete, "seconds": seconds,
        "turns": report.progress.plays, "places": report.modes,
    })
}

/// The rules on what must never happen, for the help.
pub(crate) fn rules() -> String {
    let mut text = "Examples:\n  recado hunt somnio\n  recado hunt packs/almacen --seconds 600\n  \
                    recado hunt somnio --depth 3 > packs/somnio/tests/hallazgos.yaml\n\n\
                    What must never happen:\n"
        .to_owned();
    for rule in RULES {
        text.push_str(&format!("  {}: {}\n", rule.name, rule.says));
    }
    text
}
