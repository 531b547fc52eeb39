//! The engine and the rehearsal that tests run on go the same way.

use std::path::Path;
use std::sync::Arc;

use domain::{Clock, SystemClock};
use eval::{Happened, Rehearsal};
use futures::executor::block_on;
use pack::files::{Case, OperatorAct, Step};
use tools::Registry;

use super::show::Shown;
use super::stage::{Act, Stage};
use crate::packs::Place;
use crate::ticks::SystemTicks;

fn act(step: &Step) -> Act {
    match (&step.say, step.wait, &step.operator) {
        (Some(text), ..) => Act::Say(text.clone()),
        (_, Some(wait), _) => Act::Wait(wait),
        (_, _, Some(OperatorAct::Take)) => Act::Take,
        (_, _, Some(OperatorAct::Say(text))) => Act::Write(text.clone()),
        _ => Act::Return(None),
    }
}

fn rehearse(rehearsal: &mut Rehearsal, step: &Step) -> Vec<Happened> {
    block_on(async {
        match act(step) {
            Act::Say(text) => rehearsal.say(&text).await.into_iter().collect(),
            Act::Wait(wait) => rehearsal.wait(wait.ms()).await,
            Act::Return(note) => vec![rehearsal.give_back(note).await],
            Act::Take => {
                rehearsal.take();
                Vec::new()
            }
            Act::Write(_) => Vec::new(),
        }
    })
}

/// Replies, path, fields and status, as one text to compare.
fn rehearsed(turns: &[Happened]) -> Vec<String> {
    let one = |turn: &Happened| {
        let path: Vec<_> = turn.trace.path.iter().map(|step| step.node.as_str()).collect();
        let fields = serde_json::to_string(&turn.state.datos_capturados).unwrap();
        format!("{path:?} {fields} {} {:?}", turn.status.as_str(), turn.replies)
    };
    turns.iter().map(one).collect()
}

fn played(turns: &[Shown]) -> Vec<String> {
    let one = |turn: &Shown| {
        let path: Vec<_> = turn.trace.path.iter().map(|step| step.node.as_str()).collect();
        let fields = serde_json::to_string(&turn.fields).unwrap();
        let replies: Vec<_> = turn.sent.iter().map(|line| line.text.reveal().clone()).collect();
        format!("{path:?} {fields} {} {replies:?}", turn.status.as_str())
    };
    // A message to a person and an operator's own words are no turn of the agent.
    turns.iter().filter(|turn| !turn.trace.path.is_empty()).map(one).collect()
}

async fn compare(agent: &Arc<dyn agents::Agent>, case: &Case) {
    let began = SystemClock::default().now();
    let mut stage = Stage::set(Arc::clone(agent), began).await.unwrap();
    let mut rehearsal = Rehearsal::new(Arc::clone(agent), Registry::builtin(), began);
    for step in &case.steps {
        let on_engine = played(&stage.perform(&act(step)).await.unwrap());
        let in_memory = rehearsed(&rehearse(&mut rehearsal, step));
        assert_eq!(in_memory, on_engine, "{}: {:?}", case.name, act(step).to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packs_tests_go_the_same_way_in_memory_and_on_the_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/registro");
    let opened = Place::Folder(folder).open().unwrap();
    let agent = opened.agent("registro", Arc::new(SystemTicks::start())).unwrap();
    let files = pack::load_cases(&opened.source, &[]).unwrap();
    // A conversation begins with its first message; one begun in the middle has no engine's way.
    let whole = |case: &&Case| case.given.is_empty();
    let mut compared = 0;
    for case in files.iter().flat_map(|file| &file.cases.0).filter(whole) {
        compare(&agent, case).await;
        compared += 1;
    }
    assert!(compared > 20, "only {compared} conversations were compared");
}
