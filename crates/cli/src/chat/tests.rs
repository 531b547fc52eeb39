//! The engine and the rehearsal that tests run on go the same way.

use std::path::Path;
use std::sync::Arc;

use agents::Agent;
use domain::{Clock, SystemClock};
use eval::{Happened, Rehearsal};
use futures::executor::block_on;
use pack::files::{Case, OperatorAct, Step};
use tools::Registry;

use super::cast::{Cast, Voice};
use super::show::Shown;
use super::stage::{Act, Stage};
use crate::packs::Place;

fn act(step: &Step) -> Act {
    match (&step.say, step.wait, &step.operator) {
        (Some(said), ..) => Act::Say(said.texts().to_vec()),
        (_, Some(wait), _) => Act::Wait(wait),
        (_, _, Some(OperatorAct::Take)) => Act::Take,
        (_, _, Some(OperatorAct::Say(text))) => Act::Write(text.clone()),
        _ => Act::Return(None),
    }
}

fn rehearse(rehearsal: &mut Rehearsal, step: &Step) -> Vec<Happened> {
    block_on(async {
        match act(step) {
            Act::Say(texts) => rehearsal.say(&texts).await.into_iter().collect(),
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

/// Replies, path, fields, status, models and refusals, as one text to compare.
fn rehearsed(turns: &[Happened]) -> Vec<String> {
    let one = |turn: &Happened| {
        let fields = serde_json::to_string(&turn.state.datos_capturados).unwrap();
        let decided = decided(&turn.trace);
        format!("{decided} {fields} {} {:?}", turn.status.as_str(), turn.replies)
    };
    turns.iter().map(one).collect()
}

fn played(turns: &[Shown]) -> Vec<String> {
    let one = |turn: &Shown| {
        let fields = serde_json::to_string(&turn.fields).unwrap();
        let decided = decided(&turn.trace);
        let replies: Vec<_> = turn.sent.iter().map(|line| line.text.reveal().clone()).collect();
        format!("{decided} {fields} {} {replies:?}", turn.status.as_str())
    };
    // A message to a person and an operator's own words are no turn of the agent.
    turns.iter().filter(|turn| !turn.trace.path.is_empty()).map(one).collect()
}

fn decided(trace: &domain::TurnTrace) -> String {
    let path: Vec<_> = trace.path.iter().map(|step| step.node.as_str()).collect();
    let asked = trace.asked.iter().map(|asked| asked.component.as_str()).collect::<Vec<_>>();
    format!("{path:?} {:?} {asked:?} {:?}", trace.band, trace.refused)
}

/// The step at which the two part, if they do.
async fn parting(agent: &Arc<dyn Agent>, tools: &Registry, case: &Case) -> Option<String> {
    let script = case.model.as_ref().map(eval::script);
    let voice = script.clone().map_or(Voice::Nobody, Voice::Script);
    let cast = Cast { agent: Arc::clone(agent), tools: tools.clone(), voice };
    let began = SystemClock::default().now();
    let mut stage = Stage::set(&cast, began).await.unwrap();
    let mut rehearsal = Rehearsal::new(Arc::clone(&cast.agent), cast.tools.clone(), began);
    if let Some(script) = &script {
        rehearsal.with_model(script);
    }
    for step in &case.steps {
        let act = act(step);
        let on_engine = played(&stage.perform(&act).await.unwrap());
        let in_memory = rehearsed(&rehearse(&mut rehearsal, step));
        if in_memory != on_engine {
            let (name, act) = (&case.name, act.to_string());
            return Some(format!(
                "{name}: {act}\n  in memory {in_memory:#?}\n  on engine {on_engine:#?}"
            ));
        }
    }
    None
}

/// Plays a pack's own conversations both ways; how many of them asked a model.
async fn compared(name: &str) -> (usize, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs").join(name);
    let opened = Place::Folder(folder).open().unwrap();
    // Learning takes its time, so it is done once.
    let Cast { agent, tools, .. } = Cast::of(&opened, Voice::Nobody).unwrap();
    let files = pack::load_cases(&opened.source, &[]).unwrap();
    // A conversation begins with its first message; one begun in the middle has no engine's way.
    let whole = |case: &&Case| case.given.is_empty() && case.spent_tokens == 0;
    let (mut all, mut with_model) = (0, 0);
    let mut partings = Vec::new();
    for case in files.iter().flat_map(|file| &file.cases.0).filter(whole) {
        partings.extend(parting(&agent, &tools, case).await);
        all += 1;
        with_model += usize::from(case.model.is_some());
    }
    assert!(partings.is_empty(), "{} of {all} part:\n{}", partings.len(), partings.join("\n"));
    (all, with_model)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forms_tests_go_the_same_way_in_memory_and_on_the_engine() {
    let (all, _) = compared("registro").await;
    assert!(all > 20, "only {all} conversations were compared");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flows_tests_go_the_same_way_in_memory_and_on_the_engine() {
    let (all, with_model) = compared("somnio").await;
    assert!(all > 100, "only {all} conversations were compared");
    assert!(with_model > 10, "only {with_model} conversations asked a model");
}
