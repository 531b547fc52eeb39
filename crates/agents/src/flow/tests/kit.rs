//! A small flow with models, and a context that answers for them and remembers what it was asked.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Contact, ContactId, Content, Event, EventId, EventKind, ModelPart, ModelReply, Pii, Proposal,
    Role, Session, SessionState, Spending, Standing, StopReason, Terms, Ticks, Timestamp, ToolSpec,
    TurnId, Usage,
};
use futures::executor::block_on;
use pack::Source;
use serde_json::{Map, Value, json};

use crate::{
    Agent, Context, FlowAgent, ModelAsk, ModelError, Outcome, Preview, Said, Spoken, ToolError,
    TurnInput,
};

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_767_798_000_000);

/// All the models there can be.
pub(super) const MODELS: &str = "
models:
  detector: { model: leer, max_tokens: 500 }
  orchestrator: { model: decidir, max_tokens: 2000 }
  writer: { model: escribir, max_tokens: 300 }
";

pub(super) struct NoTicks;

impl Ticks for NoTicks {
    fn nanos(&self) -> u64 {
        0
    }
}

/// The flow that `recado new` writes, with more in its pack.yaml and something of a file changed.
pub(super) fn agent(manifest: &str, changes: &[(&str, &str, &str)]) -> FlowAgent {
    agent_with(manifest, changes, None)
}

/// The same, with one more file.
pub(super) fn agent_with(
    manifest: &str,
    changes: &[(&str, &str, &str)],
    more: Option<(&str, &str)>,
) -> FlowAgent {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/scaffold/flow");
    let source = Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"));
    let files = source.iter().map(|(path, text)| {
        let mut text = text.replace("{NAME}", "almuerzos");
        if path == "pack.yaml" {
            text.push_str(manifest);
        }
        for (_, old, new) in changes.iter().filter(|(file, ..)| *file == path) {
            assert!(text.contains(old), "{path} has no `{old}`");
            text = text.replace(old, new);
        }
        (path.to_owned(), text)
    });
    let more = more.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let source = Source::new(files.chain(more).collect::<Vec<_>>());
    let pack = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}")).pack;
    let pack::Agent::Flow(spec) = pack.agents[0].agent.clone() else { panic!("no flow") };
    let (pack, ticks) = (Arc::new(pack), Arc::new(NoTicks));
    FlowAgent::new("almuerzos", pack, &spec, &source, ticks).unwrap()
}

/// The answer of a model.
pub(super) enum Answer {
    Text(&'static str),
    Json(Value),
    Calls(Vec<(&'static str, Value)>),
    /// Cut off in the middle of its calls.
    Cut(Vec<(&'static str, Value)>),
    /// Cut off in the middle of its words.
    CutWords(&'static str),
    Fails(ModelError),
}

/// No world but what it is given.
pub(super) struct Stage {
    pub(super) answers: VecDeque<Answer>,
    pub(super) asked: Vec<ModelAsk>,
    /// Whether each answer was shown while it grew.
    pub(super) previewed: Vec<bool>,
    pub(super) called: Vec<(String, Value)>,
    pub(super) lines: Vec<Spoken>,
    pub(super) spent: Spending,
    /// How a tool fails, if it does.
    pub(super) broken: Option<ToolError>,
    pub(super) turn: TurnId,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            answers: VecDeque::new(),
            asked: Vec::new(),
            previewed: Vec::new(),
            called: Vec::new(),
            lines: Vec::new(),
            spent: Spending::default(),
            broken: None,
            turn: TurnId(uuid::Uuid::nil()),
        }
    }
}

impl Stage {
    pub(super) fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self { answers: answers.into_iter().collect(), ..Self::default() }
    }

    pub(super) fn having_said(count: usize) -> Vec<Spoken> {
        let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let line = |at: usize| Spoken { role: role(at), text: format!("línea {at}") };
        (0..count).map(line).collect()
    }

    pub(super) fn components(&self) -> Vec<&str> {
        self.asked.iter().map(|ask| ask.component.as_str()).collect()
    }
}

#[async_trait]
impl Context for Stage {
    fn now(&self) -> Timestamp {
        NOW
    }

    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError> {
        self.called.push((tool.to_owned(), input));
        match &self.broken {
            Some(error) => Err(error.clone()),
            None => Ok(json!({ "order": "o1", "number": 7, "status": "confirmed" })),
        }
    }

    async fn propose(&mut self, tool: &str, input: Value) -> Result<Proposal, ToolError> {
        Ok(Proposal {
            turn: self.turn,
            shown_at: NOW,
            epoch: 0,
            tool: tool.to_owned(),
            input,
            terms: Terms::default(),
            said: Pii::default(),
            messages: Vec::new(),
            standing: Standing::Open,
        })
    }

    fn tools(&self, names: &[String]) -> Vec<ToolSpec> {
        let spec = |name: &String| ToolSpec {
            name: name.clone(),
            description: String::new(),
            input: json!({
                "type": "object",
                "properties": {
                    "nota": { "type": "string" },
                    "notes": { "type": "string" },
                    "moneda": { "type": "string" },
                },
                "required": ["moneda"],
            }),
        };
        names.iter().map(spec).collect()
    }

    fn serves(&self, _models: &[String]) -> bool {
        !self.answers.is_empty() || !self.asked.is_empty()
    }

    async fn ask(
        &mut self,
        ask: &ModelAsk,
        preview: Option<Preview<'_>>,
    ) -> Result<ModelReply, ModelError> {
        self.asked.push(ask.clone());
        self.previewed.push(preview.is_some());
        let call = |(name, input): (&str, Value)| ModelPart::ToolCall {
            id: format!("{name}-1"),
            name: name.to_owned(),
            input,
        };
        let text = |text: String| vec![ModelPart::Text { text }];
        let (parts, stop) = match self.answers.pop_front() {
            Some(Answer::Text(said)) => (text(said.to_owned()), StopReason::End),
            Some(Answer::Json(value)) => (text(value.to_string()), StopReason::End),
            Some(Answer::Calls(calls)) => {
                (calls.into_iter().map(call).collect(), StopReason::ToolCalls)
            }
            Some(Answer::Cut(calls)) => {
                (calls.into_iter().map(call).collect(), StopReason::MaxTokens)
            }
            Some(Answer::CutWords(said)) => (text(said.to_owned()), StopReason::MaxTokens),
            Some(Answer::Fails(error)) => return Err(error),
            None => return Err(ModelError::Failed("nothing left to say".to_owned())),
        };
        let usage = Usage { input: 10, output: 5, ..Usage::default() };
        Ok(ModelReply { parts, stop, usage, model: ask.models[0].clone() })
    }

    async fn spending(&mut self) -> Spending {
        self.spent
    }

    async fn said(&mut self, last: usize) -> Said {
        let before = self.lines.len().saturating_sub(last);
        Said { lines: self.lines[before..].to_vec(), before }
    }
}

/// Where a conversation stands between two turns.
#[derive(Clone)]
pub(super) struct Talk {
    pub(super) mode: String,
    pub(super) state: SessionState,
    pub(super) previous: Option<Session>,
    turns: u128,
}

impl Talk {
    pub(super) fn begun(agent: &FlowAgent) -> Self {
        let mode = agent.initial_mode().to_owned();
        Self { mode, state: SessionState::default(), previous: None, turns: 0 }
    }

    /// Asked to confirm an order.
    pub(super) fn summed_up(agent: &FlowAgent) -> Self {
        let mut talk = Self::begun(agent);
        let data = [("nombre", "Ana Gómez"), ("direccion", "Calle 45 # 12-30")];
        let data = data.into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
        talk.state.data = data.collect::<Map<_, _>>();
        talk.say(agent, "quiero un almuerzo", &mut Stage::default());
        assert_eq!(talk.mode, "resumen");
        talk
    }

    pub(super) fn say(&mut self, agent: &FlowAgent, text: &str, stage: &mut Stage) -> Outcome {
        let kind = EventKind::Message(Content::text(text));
        self.happens(agent, kind, stage)
    }

    pub(super) fn happens(
        &mut self,
        agent: &FlowAgent,
        kind: EventKind,
        stage: &mut Stage,
    ) -> Outcome {
        let id = EventId(uuid::Uuid::nil());
        let contact =
            Contact { id: ContactId(uuid::Uuid::nil()), name: None, phone: None, data: Map::new() };
        self.turns += 1;
        stage.turn = TurnId(uuid::Uuid::from_u128(self.turns));
        let events = vec![Event { id, at: NOW, kind }];
        let input = TurnInput {
            consent: crate::consent(&self.state, &events, stage.turn, 0),
            events,
            contact,
            mode: self.mode.clone(),
            state: self.state.clone(),
            previous: self.previous.take(),
        };
        let outcome = block_on(agent.turn(&input, stage)).unwrap();
        self.mode.clone_from(&outcome.mode);
        self.state = outcome.state.clone();
        outcome
    }
}

pub(super) fn said(outcome: &Outcome) -> String {
    let texts = outcome.replies.iter().map(|reply| reply.text.reveal().clone());
    texts.collect::<Vec<_>>().join("\n\n")
}

pub(super) fn refused(outcome: &Outcome) -> Vec<String> {
    outcome.trace.as_ref().map(|trace| trace.refused.clone()).unwrap_or_default()
}

pub(super) fn path(outcome: &Outcome) -> Vec<String> {
    let trace = outcome.trace.as_ref();
    let path = trace.map(|trace| trace.path.iter().map(|step| step.node.clone()).collect());
    path.unwrap_or_default()
}
