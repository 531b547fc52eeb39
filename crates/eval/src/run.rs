//! Runs conversation tests, in parallel, in the order of their files.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agents::{Agent, UNANSWERED};
use domain::{SessionState, Timestamp};
use futures::executor::block_on;
use pack::files::{Case, OperatorAct, Returning, Step};
use serde_json::Value;
use tools::Registry;

use crate::compare::differences;
use crate::{Actual, Difference, Happened, Rehearsal, Stage};

/// When every rehearsal begins: a Wednesday morning in America.
const BEGINNING: Timestamp = Timestamp::from_millis(1_767_798_000_000);

/// Tests of one agent, each with where it is written.
pub struct Suite<'s> {
    pub agent: Arc<dyn Agent>,
    pub tools: Registry,
    pub cases: Vec<(&'s str, usize, &'s Case)>,
    pub stage: Stage,
}

#[derive(Clone, Debug)]
pub struct CaseResult {
    pub file: String,
    /// The case's place in the file, from zero.
    pub index: usize,
    pub name: String,
    pub failed: Vec<FailedStep>,
    pub turns: usize,
}

/// A step after which an expectation does not hold.
#[derive(Clone, Debug)]
pub struct FailedStep {
    pub step: usize,
    pub differences: Vec<Difference>,
}

impl FailedStep {
    /// A step that asks for something impossible.
    fn cannot(step: usize, reason: String) -> Self {
        let (expected, actual) = (Value::Null, Value::String(reason));
        Self { step, differences: vec![Difference { key: "error", expected, actual }] }
    }
}

/// Runs all cases on as many threads as asked for; the results keep their order.
pub fn run(suite: &Suite<'_>, threads: NonZero<usize>) -> Vec<CaseResult> {
    in_parallel(threads, &suite.cases, |(file, index, case)| run_case(suite, file, *index, case))
}

/// Does the same to all of them on some threads; what comes of each keeps its place.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    threads: NonZero<usize>,
    all: &[T],
    one: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = all.get(at) else { return results };
            results.push((at, one(item)));
        }
    };
    let mut results = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join().expect("a rehearsal panicked"));
        joined.flatten().collect::<Vec<_>>()
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

pub fn run_case(suite: &Suite<'_>, file: &str, index: usize, case: &Case) -> CaseResult {
    let mut result = CaseResult {
        file: file.to_owned(),
        index,
        name: case.name.clone(),
        failed: Vec::new(),
        turns: 0,
    };
    let mut rehearsal = match begin(suite, case) {
        Ok(rehearsal) => rehearsal,
        Err(reason) => {
            result.failed.push(FailedStep::cannot(0, reason));
            return result;
        }
    };
    if let Some(model) = &case.model {
        rehearsal.with_model(&host::script(model));
    }
    let mut before = None;
    for (at, step) in case.steps.iter().enumerate() {
        let happened = match block_on(take(&mut rehearsal, step)) {
            Ok(happened) => happened,
            Err(reason) => {
                result.failed.push(FailedStep::cannot(at, reason));
                return result;
            }
        };
        result.turns += happened.len();
        if happened.iter().any(|turn| turn.trace.notes.iter().any(|note| note == UNANSWERED)) {
            result.failed.push(FailedStep::cannot(at, format!("{UNANSWERED} of the customer")));
        }
        let actual = Actual::of(&happened, before.as_ref(), rehearsal.status());
        let differences = differences(&step.expect, &actual);
        if !differences.is_empty() {
            result.failed.push(FailedStep { step: at, differences });
        }
        before = Some(actual);
    }
    result
}

/// A rehearsal with all that was before it.
pub(crate) fn begin(suite: &Suite<'_>, case: &Case) -> Result<Rehearsal, String> {
    let now = suite.stage.time(case)?.unwrap_or(BEGINNING);
    let records = suite.stage.set(case, now)?;
    let agent = Arc::clone(&suite.agent);
    let mut rehearsal = Rehearsal::new(agent, suite.tools.clone(), now).with_records(records);
    if !case.given.is_empty() || case.spent_tokens > 0 {
        let data = case.given.clone().into_iter().collect();
        let state = SessionState { data, ..SessionState::default() };
        rehearsal.given(state, case.spent_tokens);
    }
    Ok(rehearsal)
}

/// Carries a step out; a checked step is exactly one act.
pub(crate) async fn take(rehearsal: &mut Rehearsal, step: &Step) -> Result<Vec<Happened>, String> {
    if let Some(said) = &step.say {
        return Ok(rehearsal.say(said.texts()).await.into_iter().collect());
    }
    if let Some(wait) = step.wait {
        return Ok(rehearsal.wait(wait.ms()).await);
    }
    if let Some(meanwhile) = &step.shop {
        rehearsal.meanwhile(meanwhile).await?;
    }
    Ok(match &step.operator {
        Some(OperatorAct::Return) => vec![rehearsal.return_to(&Returning::default()).await],
        Some(OperatorAct::ReturnTo(returning)) => vec![rehearsal.return_to(returning).await],
        Some(OperatorAct::Take) => {
            rehearsal.take();
            Vec::new()
        }
        Some(OperatorAct::Say(_)) | None => Vec::new(),
    })
}
