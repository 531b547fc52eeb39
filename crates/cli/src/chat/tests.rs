//! The engine and the rehearsal that tests run on go the same way.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use async_trait::async_trait;
use domain::{Clock, SessionState, SystemClock};
use eval::{Happened, Rehearsal};
use futures::executor::block_on;
use host::{Missing, Opened, Place, Toolbox};
use pack::Pack;
use pack::files::{Case, OperatorAct, Step};
use tools::Registry;

use super::cast::{Cast, Voice};
use super::show::Shown;
use super::stage::{Act, Stage};

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
        let fields = serde_json::to_string(&turn.state.data).unwrap();
        let decided = decided(&turn.trace);
        let replies: Vec<_> = turn.replies.iter().map(|text| without_options(text)).collect();
        format!("{decided} {fields} {} {replies:?}", turn.status.as_str())
    };
    // The engine's own notices to a customer who waits are no turn of the agent.
    turns.iter().filter(|turn| !turn.trace.path.is_empty()).map(one).collect()
}

fn played(turns: &[Shown]) -> Vec<String> {
    let one = |turn: &Shown| {
        let fields = serde_json::to_string(&turn.fields).unwrap();
        let decided = decided(&turn.trace);
        let replies: Vec<_> =
            turn.sent.iter().map(|line| without_options(line.text.reveal())).collect();
        format!("{decided} {fields} {} {replies:?}", turn.status.as_str())
    };
    // A message to a person and an operator's own words are no turn of the agent.
    turns.iter().filter(|turn| !turn.trace.path.is_empty()).map(one).collect()
}

/// A reply without the numbered lines that the page shows in the place of buttons.
fn without_options(text: &str) -> String {
    let is_said = |line: &&str| {
        line.split_once(". ").is_none_or(|(number, _)| number.parse::<u32>().is_err())
    };
    text.lines().filter(is_said).collect::<Vec<_>>().join("\n")
}

fn decided(trace: &domain::TurnTrace) -> String {
    let path: Vec<_> = trace.path.iter().map(|step| step.node.as_str()).collect();
    let asked = trace.asked.iter().map(|asked| asked.component.as_str()).collect::<Vec<_>>();
    format!("{path:?} {:?} {asked:?} {:?}", trace.band, trace.refused)
}

/// An agent whose first turn finds what a test gives it, as if it had been told before.
struct Told {
    agent: Arc<dyn Agent>,
    given: SessionState,
    begun: AtomicBool,
}

#[async_trait]
impl Agent for Told {
    fn name(&self) -> &str {
        self.agent.name()
    }

    fn version(&self) -> &str {
        self.agent.version()
    }

    fn initial_mode(&self) -> &str {
        self.agent.initial_mode()
    }

    async fn turn(
        &self,
        input: &TurnInput,
        context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        if self.begun.swap(true, Ordering::Relaxed) {
            return self.agent.turn(input, context).await;
        }
        let input = TurnInput { state: self.given.clone(), ..input.clone() };
        self.agent.turn(&input, context).await
    }
}

/// The step at which the two part, if they do.
async fn parting(
    agent: &Arc<dyn Agent>,
    tools: Registry,
    case: &Case,
    (pack, shop): (Arc<Pack>, &eval::Stage),
) -> Option<String> {
    let script = case.model.as_ref().map(host::script);
    let voice = script.clone().map_or(Voice::Nobody, Voice::Script);
    let began = shop.time(case).unwrap().unwrap_or_else(|| SystemClock::default().now());
    let records = shop.set(case, began).unwrap();
    let mut rehearsal =
        Rehearsal::new(Arc::clone(agent), tools.clone(), began).with_records(records);
    let mut agent = Arc::clone(agent);
    if !case.given.is_empty() {
        let data = case.given.clone().into_iter().collect();
        let given = SessionState { data, ..SessionState::default() };
        rehearsal.given(given.clone(), 0);
        agent = Arc::new(Told { agent, given, begun: AtomicBool::new(false) });
    }
    let cast = Cast { agent, tools, pack: Some(pack), voice };
    let mut stage = Stage::set(&cast, began).await.unwrap();
    if let Some(script) = &script {
        rehearsal.with_model(script);
    }
    for step in &case.steps {
        let act = act(step);
        let shown = stage.perform(&act).await.unwrap();
        if let Some(last) = shown.last().filter(|turn| !turn.tools.is_empty()) {
            let why = stage.why().await.unwrap();
            let told = |tool: &domain::ToolUse| why.contains(&format!("calls    {}", tool.name));
            assert!(last.tools.iter().all(told), "{}: {why}", case.name);
        }
        let on_engine = played(&shown);
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

/// The pack with the catalogue that a test brings in the place of its own.
fn with_catalogue(opened: &Opened, brought: Option<&str>) -> Arc<Pack> {
    let Some(name) = brought else { return Arc::clone(&opened.pack) };
    let mut pack = Pack::clone(&opened.pack);
    let text = opened.source.get(&format!("tests/{name}")).unwrap();
    pack.data.insert("catalogo.csv".to_owned(), text.to_owned());
    Arc::new(pack)
}

/// Plays a pack's own conversations both ways; how many of them asked a model.
async fn compared(name: &str) -> (usize, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs").join(name);
    let opened = Place::Folder(folder).open().unwrap();
    // Learning takes its time, so it is done once.
    let Cast { agent, .. } = Cast::of(&opened, Voice::Nobody).unwrap();
    let files = pack::load_cases(&opened.source, &[]).unwrap();
    // Tokens spent before the first message are in no ledger: on the engine they cannot be told.
    let unspent = |case: &&Case| {
        let told = case.stock.is_empty() && case.orders_before.is_empty();
        case.spent_tokens == 0 && told && case.steps.iter().all(|step| step.shop.is_none())
    };
    let shop = eval::Stage::of(&opened.pack, &opened.source).unwrap();
    let (mut all, mut with_model) = (0, 0);
    let mut partings = Vec::new();
    for case in files.iter().flat_map(|file| &file.cases.0).filter(unspent) {
        // Each with limits of its own: together they are more than one business in an hour.
        let tools = Toolbox::indoors().registry(&opened.pack.tools, Missing::StandIn).unwrap();
        let pack = with_catalogue(&opened, case.catalogue.as_deref());
        partings.extend(parting(&agent, tools, case, (pack, &shop)).await);
        all += 1;
        with_model += usize::from(case.model.is_some());
    }
    assert!(partings.is_empty(), "{} of {all} part:\n{}", partings.len(), partings.join("\n"));
    (all, with_model)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forms_tests_go_the_same_way_in_memory_and_on_the_engine() {
    let (all, _) = compared("registro").await;
    assert!(all > 300, "only {all} conversations were compared");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shops_tests_go_the_same_way_in_memory_and_on_the_engine() {
    let (all, with_model) = compared("almacen").await;
    assert!(all > 200 && with_model > 20, "only {all} were compared, {with_model} with a model");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flows_tests_go_the_same_way_in_memory_and_on_the_engine() {
    let (all, with_model) = compared("somnio").await;
    assert!(all > 200, "only {all} conversations were compared");
    assert!(with_model > 10, "only {with_model} conversations asked a model");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_begins_anew_on_each_stage_and_its_calls_are_counted() {
    let place = host::packs::find("somnio", Path::new("/nowhere")).unwrap();
    let json = r#"{ intent: precio, confidence: 95, alternatives: [], reasoning: x }"#;
    let text = format!(
        "- {{ to: detector, times: 1, json: {json} }}\n- {{ to: orchestrator, fail: overloaded }}\n"
    );
    let script = host::script(&pack::read_script("guion.yaml", &text).unwrap());
    let cast = Cast::of(&place.open().unwrap(), Voice::Script(script)).unwrap();
    for _ in 0..2 {
        let mut stage = Stage::set(&cast, SystemClock::default().now()).await.unwrap();
        assert_eq!(stage.cost().await.unwrap(), "no model was asked");
        let said = Act::Say(vec!["y eso después cómo queda".to_owned()]);
        let shown = stage.perform(&said).await.unwrap();
        assert_eq!(shown[0].trace.tier, Some(domain::Tier::Model));
        let cost = stage.cost().await.unwrap();
        let asked = |outcome: &str| cost.lines().filter(|line| line.contains(outcome)).count();
        assert_eq!((asked("answered"), asked("overloaded")), (1, 3), "{cost}");
        assert!(stage.why().await.unwrap().contains("model    detector: scripted, answered"));
    }
}
