//! Conversations that have come as far as a customer may be when something odd is written: every
//! mode of every shipped pack, and every question that one asks.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use agents::{Agent, FlowAgent, FormAgent};
use domain::{SessionState, Ticks};
use eval::{CaseResult, Rehearsal, Stage, Suite};
use futures::executor::block_on;
use pack::files::Case;
use pack::{Cases, Source};
use serde_json::{Value, json};
use tools::Registry;

/// Where a conversation stands, and how it came there.
pub(crate) struct Standing {
    pub(crate) name: &'static str,
    /// The mode that it is in then.
    pub(crate) mode: &'static str,
    given: Value,
    said: &'static [&'static str],
}

struct Still;

impl Ticks for Still {
    fn nanos(&self) -> u64 {
        0
    }
}

/// A pack that is shipped.
pub(crate) struct Shipped {
    agent: Arc<dyn Agent>,
    stage: Stage,
    /// The pack's own conversations, by file.
    cases: Vec<Cases>,
    pub(crate) standings: Vec<Standing>,
}

impl Shipped {
    pub(crate) fn open(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs").join(name);
        let source = Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"));
        let read = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}"));
        let pack = Arc::new(read.pack);
        let ticks = Arc::new(Still);
        let agent: Arc<dyn Agent> = match &pack.agents[0].agent {
            pack::Agent::Flow(flow) => {
                Arc::new(FlowAgent::new(name, Arc::clone(&pack), flow, &source, ticks).unwrap())
            }
            pack::Agent::Form(form) => {
                Arc::new(FormAgent::new(name, Arc::clone(&pack), form, &source, ticks).unwrap())
            }
        };
        let nodes: Vec<&str> = match &pack.agents[0].agent {
            pack::Agent::Flow(_) => FlowAgent::nodes(),
            pack::Agent::Form(_) => FormAgent::nodes(),
        };
        let cases = pack::load_cases(&source, &nodes);
        let cases = cases.unwrap_or_else(|findings| panic!("{findings}"));
        let stage = Stage::of(&pack, &source).unwrap();
        let standings = match name {
            "almacen" => almacen(),
            "somnio" => somnio(),
            _ => registro(),
        };
        Self { agent, stage, cases, standings }
    }

    /// The results of the pack's own conversations.
    pub(crate) fn converse(&self) -> Vec<CaseResult> {
        let cases = self.cases.iter().flat_map(|file| {
            let one = |(index, case)| (file.file.as_str(), index, case);
            file.cases.0.iter().enumerate().map(one)
        });
        let suite = Suite {
            agent: Arc::clone(&self.agent),
            tools: Registry::builtin(),
            cases: cases.collect(),
            stage: self.stage.clone(),
        };
        eval::run(&suite, available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }

    /// A conversation that stands there.
    pub(crate) fn bring(&self, standing: &Standing) -> Rehearsal {
        let case = Case { now: Some("2026-11-17T15:00".to_owned()), ..Case::default() };
        let now = self.stage.time(&case).unwrap().unwrap();
        let records = self.stage.set(&case, now).unwrap();
        let agent = Arc::clone(&self.agent);
        let mut customer = Rehearsal::new(agent, Registry::builtin(), now).with_records(records);
        if let Value::Object(data) = &standing.given {
            let data = data.clone();
            customer.given(SessionState { data, ..SessionState::default() }, 0);
        }
        let mut mode = None;
        for text in standing.said {
            mode = block_on(customer.say(&[(*text).to_owned()])).map(|happened| happened.mode);
        }
        if let Some(mode) = mode {
            assert_eq!(mode, standing.mode, "{} does not lead there", standing.name);
        }
        customer
    }
}

fn standing(
    name: &'static str,
    mode: &'static str,
    given: Value,
    said: &'static [&'static str],
) -> Standing {
    Standing { name, mode, given, said }
}

fn almacen() -> Vec<Standing> {
    let nobody = || Value::Null;
    let ana = || json!({ "dni": "30111222", "nombre": "Ana Gómez", "direccion": "Mitre 450" });
    vec![
        standing("nothing was said", "IDLE", nobody(), &[]),
        standing("greeted", "IDLE", nobody(), &["hola"]),
        standing("asked about goods", "IDLE", nobody(), &["¿qué gaseosas tenés?"]),
        standing("asked which", "IDLE", nobody(), &["quiero una coca"]),
        standing("a cart", "COLLECTING_ORDER", nobody(), &["2 cocas de litro y medio"]),
        standing(
            "a cart and a question",
            "COLLECTING_ORDER",
            nobody(),
            &["2 cocas de litro y medio", "y una fanta de 500", "¿a qué hora cierran?"],
        ),
        standing(
            "a cart and asked which",
            "COLLECTING_ORDER",
            nobody(),
            &["2 cocas de litro y medio", "y una fanta"],
        ),
        standing(
            "asked how to get it",
            "NEEDS_DETAILS",
            nobody(),
            &["2 cocas de litro y medio", "confirmar"],
        ),
        standing(
            "asked for the document",
            "NEEDS_DETAILS",
            nobody(),
            &["2 cocas de litro y medio", "confirmar", "lo retiro"],
        ),
        standing(
            "asked for the name",
            "NEEDS_DETAILS",
            nobody(),
            &["2 cocas de litro y medio", "confirmar", "lo retiro", "30111222"],
        ),
        standing(
            "asked for the address",
            "NEEDS_DETAILS",
            json!({ "dni": "30111222", "nombre": "Ana Gómez" }),
            &["2 cocas de litro y medio", "confirmar", "con envío"],
        ),
        standing(
            "a summary",
            "AWAITING_CONFIRMATION",
            ana(),
            &["2 cocas de litro y medio", "confirmar"],
        ),
        standing(
            "a summary of several things",
            "AWAITING_CONFIRMATION",
            ana(),
            &["2 cocas de litro y medio y una fanta de 500", "confirmar"],
        ),
        standing(
            "a confirmed order",
            "DONE",
            ana(),
            &["2 cocas de litro y medio", "confirmar", "sí, confirmo"],
        ),
    ]
}

fn somnio() -> Vec<Standing> {
    let nobody = || Value::Null;
    let ana = || {
        json!({
            "nombre": "Ana Gómez", "telefono": "3001234567", "ciudad": "Cali",
            "direccion": "Calle 5 # 10-20",
        })
    };
    vec![
        standing("nothing was said", "conversacion", nobody(), &[]),
        standing("asked the price", "conversacion", nobody(), &["¿cuánto vale?"]),
        standing("asked for the data", "collecting_data", nobody(), &["quiero comprar"]),
        standing(
            "asked for the rest of the data",
            "collecting_data",
            nobody(),
            &["quiero comprar 3 frascos", "3001234567"],
        ),
        standing(
            "asked for the city",
            "collecting_data",
            json!({ "nombre": "Ana Gómez", "telefono": "3001234567" }),
            &["quiero comprar"],
        ),
        standing(
            "asked for the address",
            "collecting_data",
            json!({ "nombre": "Ana Gómez", "telefono": "3001234567", "ciudad": "Cali" }),
            &["quiero comprar"],
        ),
        standing("offered", "ofrecer_promos", ana(), &["quiero comprar"]),
        standing("a summary", "resumen", ana(), &["quiero comprar", "2"]),
        standing("a confirmed order", "compra_confirmada", ana(), &["quiero comprar", "2", "sí"]),
    ]
}

fn registro() -> Vec<Standing> {
    let nobody = || Value::Null;
    vec![
        standing("nothing was said", "recolectando", nobody(), &[]),
        standing("asked for the name", "recolectando", nobody(), &["hola"]),
        standing("asked for the mail", "recolectando", nobody(), &["Ana Gómez"]),
        standing("asked for the phone", "recolectando", nobody(), &["Ana Gómez", "ana@sol.co"]),
        standing(
            "asked for the company",
            "recolectando",
            nobody(),
            &["Ana Gómez", "ana@sol.co", "3001234567"],
        ),
        standing(
            "asked for the site",
            "recolectando",
            nobody(),
            &["Ana Gómez", "ana@sol.co", "3001234567", "Dulces Sol"],
        ),
        standing(
            "asked for the budget",
            "recolectando",
            nobody(),
            &["Ana Gómez", "ana@sol.co", "3001234567", "Dulces Sol", "https://sol.co"],
        ),
        standing(
            "all is known",
            "completo",
            nobody(),
            &["Ana Gómez", "ana@sol.co", "3001234567", "Dulces Sol", "https://sol.co", "5000000"],
        ),
    ]
}
