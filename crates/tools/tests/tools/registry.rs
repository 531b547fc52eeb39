//! The checks before a tool does anything, and the outcome of a call.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::{Caller, ConversationId, Rate, Timestamp, ToolError};
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};
use tools::{
    Class, LocalTool, Offered, OutsideCall, OutsideTool, Prepared, Registry, RegistryError, Source,
    Spec, Tool,
};

use crate::kit::caller;

fn spec(name: &str) -> Spec {
    let input = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    Spec { input, ..Spec::of::<BTreeMap<String, Value>>(name, "a tool of the test") }
}

/// Answers what it is told to; without an answer it hangs.
struct Told {
    spec: Spec,
    idempotent: bool,
    answer: Option<Result<Value, ToolError>>,
}

impl Told {
    fn new(spec: Spec) -> Self {
        Self { spec, idempotent: false, answer: Some(Ok(json!("ok"))) }
    }
}

#[async_trait]
impl OutsideTool for Told {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn idempotent(&self) -> bool {
        self.idempotent
    }

    async fn call(&self, _: &Caller, _: &Value, _: &str) -> Result<Value, ToolError> {
        match &self.answer {
            Some(answer) => answer.clone(),
            None => pending().await,
        }
    }
}

/// Remembers for whom it acted.
struct Remembers(Spec, Arc<Mutex<Vec<Caller>>>);

impl LocalTool for Remembers {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn deed(&self, caller: &Caller, _: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        self.1.lock().unwrap().push(*caller);
        Ok(Arc::new(Nothing))
    }
}

struct Nothing;

#[async_trait]
impl Deed for Nothing {
    async fn run(&self, _: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(Value::Null)
    }
}

fn outside(tool: Told) -> OutsideCall {
    let name = tool.spec.name.clone();
    let mut registry = Registry::default();
    registry.add_outside(tool).unwrap();
    match registry.prepare(&caller(), &name, &json!({})) {
        Ok(Prepared::Outside(call)) => call,
        _ => panic!("{name} is outside"),
    }
}

#[test]
fn a_tool_on_our_own_database_reads_if_it_is_safe_however_it_is_held() {
    for (class, held, expected) in [
        (Class::Safe, None, true),
        (Class::Safe, Some(Class::Execute), true),
        (Class::Execute, None, false),
        (Class::Execute, Some(Class::Safe), false),
    ] {
        let mut registry = Registry::default();
        let spec = Spec { class, ..spec("a.b") };
        registry.add_local(Remembers(spec, Arc::default())).unwrap();
        registry.hold("a.b", held, None, false).unwrap();
        match registry.prepare(&caller(), "a.b", &json!({})) {
            Ok(Prepared::Local { reads, .. }) => assert_eq!(reads, expected, "{class:?} {held:?}"),
            _ => panic!("it is local"),
        }
    }
}

fn refusal(registry: &Registry, name: &str, input: Value) -> ToolError {
    registry.prepare(&caller(), name, &input).err().expect("a refusal")
}

#[test]
fn nothing_is_done_that_is_unknown_unfit_or_unapproved() {
    let acted = Arc::default();
    let mut registry = Registry::builtin();
    registry.add_local(Remembers(spec("a.b"), Arc::clone(&acted))).unwrap();
    let bulk = Spec { class: Class::Bulk, ..spec("a.todos") };
    registry.add_local(Remembers(bulk, Arc::clone(&acted))).unwrap();
    for (name, input, told) in [
        ("a.c", json!({}), "there is no tool `a.c`"),
        ("a_b", json!({}), "there is no tool `a_b`"),
        ("a.b", json!({ "n": "uno" }), "the input does not fit: `n` must be integer"),
        ("a.b", json!([]), "the input does not fit: the input must be object"),
        ("a.todos", json!({ "n": 1 }), "`a.todos` needs an approval"),
        ("a.todos", json!({ "n": "uno" }), "`a.todos` needs an approval"),
        (
            "whatsapp.message.send",
            json!({ "texto": "hola" }),
            "`whatsapp.message.send` is sent by the agent, as its reply",
        ),
        ("whatsapp.message.send", json!({}), "the input does not fit: `texto` is missing"),
        (
            "whatsapp.template.send",
            json!({ "plantilla": "a", "valores": { "b": 1 } }),
            "the input does not fit: `valores/b` must be string",
        ),
    ] {
        assert_eq!(refusal(&registry, name, input).to_string(), told, "{name}");
    }
    assert!(acted.lock().unwrap().is_empty());
    assert!(registry.prepare(&caller(), "a.b", &json!({ "n": 1 })).is_ok());
    assert_eq!(*acted.lock().unwrap(), [caller()]);
}

#[test]
fn a_suggestion_is_checked_and_does_nothing() {
    let acted = Arc::default();
    let mut registry = Registry::default();
    let suggest = Spec { class: Class::Suggest, ..spec("a.b") };
    registry.add_local(Remembers(suggest, Arc::clone(&acted))).unwrap();
    match registry.prepare(&caller(), "a.b", &json!({ "n": 1 })) {
        Ok(Prepared::Suggested(answer)) => assert_eq!(answer, json!({ "suggested": { "n": 1 } })),
        _ => panic!("a suggestion"),
    }
    assert!(matches!(refusal(&registry, "a.b", json!({ "n": "x" })), ToolError::BadInput(_)));
    assert!(acted.lock().unwrap().is_empty());
}

#[test]
fn a_tool_called_too_often_says_how_long_to_wait() {
    let limit = Some(Rate { count: 2, per: Duration::from_secs(60) });
    let mut registry = Registry::default();
    registry.add_outside(Told::new(Spec { limit, ..spec("a.b") })).unwrap();
    let admit = |caller: &Caller, ms| registry.admit(caller, "a.b", Timestamp::from_millis(ms));
    admit(&caller(), 0).unwrap();
    // A copy, such as a reload makes, counts on.
    registry.clone().admit(&caller(), "a.b", Timestamp::from_millis(0)).unwrap();
    let refused = admit(&caller(), 500).unwrap_err();
    assert_eq!(refused.to_string(), "`a.b` was called too often: wait 30 s");
    let other = Caller { conversation: ConversationId(uuid::Uuid::from_u128(99)), ..caller() };
    admit(&other, 500).unwrap();
    admit(&caller(), 30_000).unwrap();
}

#[test]
fn names_that_clash_or_are_none_are_refused_when_added() {
    let mut registry = Registry::builtin();
    for name in ["crm.contact.update", "crm_contact_update", "crm.contact_update"] {
        let added = registry.add_outside(Told::new(spec(name)));
        assert_eq!(added, Err(RegistryError::Taken("crm_contact_update".to_owned())));
    }
    for name in ["", "a b", "año", "a/b", &"a".repeat(65)] {
        let added = registry.add_outside(Told::new(spec(name)));
        assert_eq!(added, Err(RegistryError::BadName(name.to_owned())));
    }
    let bad = Spec { input: json!({ "type": "string" }), ..spec("a.b") };
    let added = registry.add_outside(Told::new(bad));
    assert!(matches!(added, Err(RegistryError::BadSchema { .. })), "{added:?}");
    assert!(registry.get("a.b").is_none());
}

#[test]
fn a_packs_own_tools_stand_beside_the_built_in_ones_and_replace_none() {
    let (builtin, mut own) = (Registry::builtin(), Registry::default());
    own.add_outside(Told::new(spec("envios.cotizar"))).unwrap();
    let merged = builtin.merged(&own).unwrap();
    let names = |registry: &Registry| -> Vec<String> {
        registry.specs().iter().map(|spec| spec.name.clone()).collect()
    };
    let mut expected = names(&builtin);
    expected.push("envios.cotizar".to_owned());
    expected.sort();
    assert_eq!(names(&merged), expected);
    assert!(builtin.get("envios.cotizar").is_none());
    own.add_outside(Told::new(spec("crm.order.create"))).unwrap();
    let clash = builtin.merged(&own).err();
    assert_eq!(clash, Some(RegistryError::Taken("crm_order_create".to_owned())));
}

#[test]
fn a_tool_can_be_held_tighter_and_never_looser() {
    let mut registry = Registry::builtin();
    let limit = Rate { count: 1, per: Duration::from_secs(60) };
    registry.hold("crm.order.create", Some(Class::Suggest), Some(limit), false).unwrap();
    registry.hold("crm.order.update", Some(Class::Safe), None, false).unwrap();
    let spec = |name| Arc::clone(registry.get(name).unwrap().spec());
    let held = spec("crm.order.create");
    assert_eq!((held.class, held.limit), (Class::Suggest, Some(limit)));
    assert_eq!(spec("crm.order.update").class, Class::Execute);
    assert_eq!(Registry::builtin().get("crm.order.create").unwrap().spec().class, Class::Execute);
    let missing = registry.hold("crm.nada", None, None, false);
    assert_eq!(missing, Err(RegistryError::NoSuchTool("crm.nada".to_owned())));
}

/// Tools that come and go.
struct Coming(&'static str, Mutex<Vec<Offered>>);

impl Source for Coming {
    fn id(&self) -> &str {
        self.0
    }

    fn tools(&self) -> Vec<Offered> {
        self.1.lock().unwrap().clone()
    }
}

#[test]
fn a_sources_tools_appear_when_they_are_there_and_their_names_are_its_own() {
    let source = Arc::new(Coming("sistema", Mutex::default()));
    let mut registry = Registry::builtin();
    registry.add_source(source.clone()).unwrap();
    assert!(registry.get("sistema.leer").is_none());
    let tool = Tool::Outside(Arc::new(Told::new(spec("sistema.leer"))));
    source.1.lock().unwrap().push(Offered::new(tool).unwrap());
    assert!(registry.get("sistema.leer").is_some());
    assert!(registry.specs().iter().any(|spec| spec.name == "sistema.leer"));
    let added = registry.add_outside(Told::new(spec("sistema.otra")));
    assert_eq!(added, Err(RegistryError::Taken("sistema_otra".to_owned())));
    for (id, error) in [
        ("sistema", RegistryError::PrefixTaken("sistema".to_owned())),
        ("sistema.uno", RegistryError::PrefixTaken("sistema.uno".to_owned())),
        ("crm", RegistryError::Taken("crm_contact_create".to_owned())),
    ] {
        let added = registry.add_source(Arc::new(Coming(id, Mutex::default())));
        assert_eq!(added, Err(error), "{id}");
    }
    let mut other = Registry::default();
    other.add_source(source).unwrap();
    assert!(Registry::builtin().merged(&other).unwrap().get("sistema.leer").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_runs_past_its_time_may_have_acted() {
    let timeout = Duration::from_secs(7);
    let tool = Told { answer: None, ..Told::new(Spec { timeout, ..spec("a.b") }) };
    let began = tokio::time::Instant::now();
    let outcome = outside(tool).attempt(&json!({}), "clave").await;
    assert_eq!(outcome, Err(ToolError::Unknown("no answer within 7s".to_owned())));
    assert_eq!(began.elapsed().as_secs(), 7);
}

#[tokio::test]
async fn what_only_reads_or_takes_a_key_may_be_repeated_and_what_only_reads_never_acted() {
    let unknown = Err(ToolError::Unknown("quién sabe".to_owned()));
    for (class, idempotent, repeatable) in
        [(Class::Safe, false, true), (Class::Execute, true, true), (Class::Execute, false, false)]
    {
        let call = outside(Told { idempotent, ..Told::new(Spec { class, ..spec("a.b") }) });
        assert_eq!(call.repeatable(), repeatable);
        let refused = Err(ToolError::Refused("quién sabe".to_owned()));
        let expected = if class == Class::Safe { refused } else { unknown.clone() };
        assert_eq!(call.conclude(unknown.clone()), expected);
        assert_eq!(call.conclude(Ok(json!(1))), Ok(json!(1)));
    }
}

#[tokio::test]
async fn an_answer_too_long_to_keep_is_cut() {
    let answer = Some(Ok(json!({ "filas": vec!["x".repeat(1000); 100] })));
    let call = outside(Told { answer, ..Told::new(spec("a.b")) });
    let kept = call.attempt(&json!({}), "clave").await.unwrap();
    assert!(kept["text"].as_str().unwrap().len() <= 64 * 1024);
    assert!(kept["note"].as_str().unwrap().contains("this is the beginning"));
}
