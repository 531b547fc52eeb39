//! A form on the pack that ships, a context without a world, and one node or turn at a time.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use domain::{
    Contact, ContactId, Content, Event, EventId, EventKind, ModelPart, ModelReply, SessionState,
    StopReason, Ticks, Timestamp, Usage,
};
use futures::executor::block_on;
use serde_json::{Map, Value, json};

use crate::form::heard::Heard;
use crate::form::memory::Conversation;
use crate::form::spec::Spec;
use crate::form::state::{Cause, GraphState};
use crate::{
    Agent, Context, FormAgent, ModelAsk, ModelError, Outcome, Preview, ToolError, TurnInput,
};

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_767_798_000_000);

pub(super) struct NoTicks;

impl Ticks for NoTicks {
    fn nanos(&self) -> u64 {
        0
    }
}

/// No tools, and a model only where answers are given.
#[derive(Default)]
pub(super) struct Alone {
    pub(super) now: Option<Timestamp>,
    pub(super) answers: VecDeque<String>,
    pub(super) asked: Vec<ModelAsk>,
}

#[async_trait]
impl Context for Alone {
    fn now(&self) -> Timestamp {
        self.now.unwrap_or(NOW)
    }

    async fn call(&mut self, tool: &str, _: Value) -> Result<Value, ToolError> {
        Err(ToolError::NoSuchTool(tool.to_owned()))
    }

    fn serves(&self, _models: &[String]) -> bool {
        true
    }

    async fn ask(
        &mut self,
        ask: &ModelAsk,
        _preview: Option<Preview<'_>>,
    ) -> Result<ModelReply, ModelError> {
        self.asked.push(ask.clone());
        let answer = self.answers.pop_front().ok_or(ModelError::NoModel)?;
        let text = match &ask.request.output {
            Some(_) => json!({ "answer": answer, "confidence": 0.8 }).to_string(),
            None => answer,
        };
        Ok(ModelReply {
            parts: vec![ModelPart::Text { text }],
            stop: StopReason::End,
            usage: Usage::default(),
            model: ask.models[0].clone(),
        })
    }
}

pub(super) fn registro() -> Arc<pack::Pack> {
    static PACK: LazyLock<Arc<pack::Pack>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/registro");
        Arc::new(pack::load(&folder).unwrap_or_else(|findings| panic!("{findings}")).pack)
    });
    Arc::clone(&PACK)
}

pub(super) fn form() -> pack::files::Form {
    match &registro().agents[0].agent {
        pack::Agent::Form(form) => form.clone(),
        pack::Agent::Flow(_) => panic!("the pack's agent is a form"),
    }
}

/// The form with something of it changed.
pub(super) fn agent_with(change: impl FnOnce(&mut pack::files::Form)) -> FormAgent {
    let mut form = form();
    change(&mut form);
    FormAgent::new("registro", registro(), &form, &pack::Source::default(), Arc::new(NoTicks))
        .unwrap()
}

pub(super) fn agent() -> FormAgent {
    agent_with(|_| {})
}

pub(super) fn spec_with(change: impl FnOnce(&mut pack::files::Form)) -> Spec {
    let mut form = form();
    change(&mut form);
    Spec::new(registro(), form).unwrap()
}

/// The values of a form up to a field, in its order.
pub(super) fn collected(fields: usize) -> Map<String, Value> {
    let all = [
        ("nombre", Value::from("Ana Gómez")),
        ("email", "ana@sol.co".into()),
        ("telefono", "3001112233".into()),
        ("empresa", "Sol SAS".into()),
        ("sitio_web", "https://sol.co".into()),
        ("presupuesto", 5_000_000.into()),
    ];
    all.into_iter().take(fields).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A conversation that has collected that much.
pub(super) fn conversation(fields: usize) -> Conversation {
    let mut conversation = Conversation { data: collected(fields), ..Conversation::default() };
    conversation.talk.since = Some(NOW);
    conversation.talk.greeted = true;
    conversation
}

/// Runs `act` on a state that has heard `message`.
pub(super) fn with_state<T>(
    spec: &Spec,
    conversation: Conversation,
    message: &str,
    context: &mut Alone,
    act: impl AsyncFnOnce(&mut GraphState<'_>, &mut Alone) -> T,
) -> T {
    let heard = Heard::new(spec, message, context.now());
    let mut state = GraphState::new(spec, context.now(), Cause::Message(&heard), conversation);
    block_on(act(&mut state, context))
}

pub(super) fn message(text: &str) -> Event {
    let kind = EventKind::Message(Content::text(text));
    Event { id: EventId(uuid::Uuid::nil()), at: NOW, kind }
}

/// Takes a whole turn.
pub(super) fn turn(
    agent: &FormAgent,
    state: &SessionState,
    event: Event,
    context: &mut Alone,
) -> Outcome {
    let contact = Contact {
        id: ContactId(uuid::Uuid::nil()),
        name: None,
        phone: None,
        data: Default::default(),
    };
    let mode = agent.initial_mode().to_owned();
    let input = TurnInput {
        events: vec![event],
        contact,
        mode,
        state: state.clone(),
        previous: None,
        consent: None,
    };
    block_on(agent.turn(&input, context)).unwrap()
}

pub(super) fn path(outcome: &Outcome) -> Vec<&str> {
    let trace = outcome.trace.as_ref().expect("a turn leaves its trace");
    trace.path.iter().map(|step| step.node.as_str()).collect()
}

pub(super) fn said(outcome: &Outcome) -> String {
    outcome.replies.iter().map(|reply| reply.text.reveal().clone()).collect::<Vec<_>>().join("\n")
}
