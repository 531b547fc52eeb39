//! The one table: each figure with its target, its peers and how it stands to the best of them.
//!
//! Figures that nothing is expected of are in the JSON alone.

use std::fmt::Write;

use crate::database::POOL;
use crate::expectations::{ALL, Better, Expectation, Unit};
use crate::load;
use crate::measure::Measure;
use crate::plan::Conditions;

/// With a million stored conversations a start may take longer than an empty one.
const START_WITH_MANY_MS: f64 = 1000.0;
const MANY: u64 = 100_000;

pub(crate) fn render(machine: &str, quick: bool, figures: &[Measure]) -> String {
    let settings = runner::Settings::default();
    let mut text = format!(
        "Machine: {machine}\n\
         Settings: SQLite in WAL, each commit synced before it is told of; PostgreSQL with fsync, synchronous_commit and \
         full_page_writes on, {POOL} connections a node; {} workers, leases of {} s.\n",
        settings.workers,
        settings.lease_ms / 1000
    );
    if quick {
        text.push_str(
            "A quick run: it shows that everything works, and its figures mean little.\n",
        );
    }
    text.push_str("\n| | store | ours | target | | peers | to the best peer |\n");
    text.push_str("|---|---|---:|---:|---|---|---:|\n");
    for expectation in ALL.iter().chain(load::EXPECTED) {
        for figure in figures.iter().filter(|figure| figure.id == expectation.id) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", row(expectation, figure));
        }
    }
    text
}

fn row(expectation: &Expectation, figure: &Measure) -> String {
    let (unit, value) = (expectation.unit, figure.value);
    let goal = goal(expectation, figure);
    let target = goal.map_or(String::new(), |goal| {
        let sign = if expectation.better == Better::More { "≥" } else { "≤" };
        format!("{sign} {}", written(goal, unit))
    });
    let mark = match (goal, expectation.better) {
        (None, _) => "",
        (Some(goal), Better::More) if value >= goal => "met",
        (Some(goal), Better::Less) if value <= goal => "met",
        _ => "**missed**",
    };
    let rivals = expectation.rivals(figure.under.store);
    let peers: Vec<String> =
        rivals.iter().map(|(name, value)| format!("{name} {}", written(*value, unit))).collect();
    let ratio = match (rivals.first(), expectation.better) {
        (Some((_, best)), Better::More) => times(value / best),
        (Some((_, best)), Better::Less) => times(best / value),
        (None, _) => String::new(),
    };
    format!(
        "| {} | {} | {} | {target} | {mark} | {} | {ratio} |",
        expectation.name,
        conditions(figure),
        written(value, unit),
        peers.join("; ")
    )
}

fn goal(expectation: &Expectation, figure: &Measure) -> Option<f64> {
    let goal = expectation.goal(figure.under.store, figure.under.agent);
    if expectation.id == "idle.start" && figure.under.stored >= MANY {
        return Some(START_WITH_MANY_MS);
    }
    goal
}

fn conditions(figure: &Measure) -> String {
    let Conditions { store, stored, nodes, agent } = figure.under;
    let mut text = store.map_or("", |store| store.name()).to_owned();
    if let Some(agent) = agent {
        text = format!("{text}, {}", agent.name());
    }
    if stored > 0 {
        text = format!("{text}, {} stored", rounded(stored as f64));
    }
    if nodes > 1 {
        text = format!("{text}, {nodes} nodes");
    }
    text
}

fn times(ratio: f64) -> String {
    if ratio.is_finite() { format!("{} ×", rounded(ratio)) } else { String::new() }
}

fn written(value: f64, unit: Unit) -> String {
    let number = rounded(value);
    match unit {
        Unit::PerSecond => format!("{number}/s"),
        Unit::Ns => format!("{number} ns"),
        Unit::Us => format!("{number} µs"),
        Unit::Ms => format!("{number} ms"),
        Unit::Mib => format!("{number} MiB"),
        Unit::Seconds => format!("{number} s"),
        Unit::Count => number,
    }
}

/// Three digits that count, and thousands apart.
fn rounded(value: f64) -> String {
    if value != 0.0 && value.abs() < 10.0 && value.fract() != 0.0 {
        return format!("{value:.2}");
    }
    if value.abs() < 100.0 && value.fract() != 0.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Kind;
    use crate::subject::Subject;

    fn line(id: &str, store: Kind, value: f64) -> String {
        let agent = Some(Subject::Almacen);
        let under = Conditions { store: Some(store), agent, nodes: 1, stored: 0 };
        let figure = Measure { id: id.to_owned(), under, value };
        let text = render("a machine", false, &[figure]);
        text.lines().last().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_figure_stands_beside_its_target_and_its_peers() {
        assert_eq!(
            line("w2.saturated.rate", Kind::Postgres, 1_234.5),
            "| W2 saturated | PostgreSQL, almacen | 1,234/s | ≥ 1,500/s | **missed** | BullMQ stack 1,021/s; \
             Restate 770/s | 1.21 × |"
        );
        assert_eq!(
            line("w3.lag_p99", Kind::Sqlite, 16.0),
            "| W3 lag p99 | SQLite, almacen | 16 ms | ≤ 50 ms | met | BullMQ 160 ms | 10 × |"
        );
    }
}
