//! A whole turn of the form agent in memory: what of a turn is not the store's.

use anyhow::Result;
use domain::Ticks;

use crate::alone::Alone;
use crate::form::Registro;
use crate::measure::Measures;
use crate::plan::Plan;
use crate::process::cpu_seconds;
use crate::script;
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

/// Turns of one conversation before its later ones are timed.
const LONG: u64 = 1_000;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    let registro = Registro::read()?;
    let mut alone = Alone::with(registro.agent()?);
    let turns = plan.pick(40_000, 4_000);
    // Work done only the first time, such as building a regex's states, is not the cost of a turn.
    timed(&mut alone, 0..turns / 10, true).await?;
    let before = cpu_seconds(std::process::id());
    let taken = Spread::of(timed(&mut alone, 0..turns, true).await?);
    // By processor time, since another program's share of a core is not ours to count.
    measures.add("form.rate", turns as f64 / (cpu_seconds(std::process::id()) - before));
    measures.add("form.p50", taken.p50());
    measures.add("form.p99", taken.p99());

    alone.begin_anew();
    timed(&mut alone, 0..LONG, false).await?;
    let late_us = timed(&mut alone, LONG..LONG + 100, false).await?;
    measures.add("form.long_p50", Spread::of(late_us).p50());
    Ok(())
}

/// Microseconds of each turn over these lines of the script; either a conversation begins anew with
/// each form or it goes on and on.
async fn timed(alone: &mut Alone, lines: std::ops::Range<u64>, anew: bool) -> Result<Vec<f64>> {
    let mut taken_us = Vec::new();
    for n in lines {
        let line = script::line(n / script::LENGTH, n);
        if anew && script::opens(&line) {
            alone.begin_anew();
        }
        alone.hear(&[line]);
        let watch = Stopwatch::start();
        let outcome = alone.turn().await?;
        taken_us.push(watch.nanos() as f64 / 1000.0);
        alone.settle(outcome);
    }
    Ok(taken_us)
}
