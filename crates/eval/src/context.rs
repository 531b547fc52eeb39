//! The context of a rehearsal: a clock that is told, and tools that act in memory.

use std::collections::BTreeMap;

use agents::{Context, ModelAsk, ModelError, Preview, Said, Spoken, ToolError};
use async_trait::async_trait;
use domain::{
    ContactId, ConversationId, ModelReply, OrderId, OrderStatus, Pii, SessionId, Spending,
    Timestamp, ToolSpec, ToolUse, WorkspaceId,
};
use llm::{CallFailure, FailureKind, Player, estimate, judged};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use store::Effect;
use tools::{Caller, Prepared, Refusal, Registry};
use uuid::Uuid;

/// The one contact and conversation of a rehearsal.
const CALLER: Caller = Caller {
    workspace: WorkspaceId(Uuid::nil()),
    conversation: ConversationId(Uuid::nil()),
    contact: ContactId(Uuid::nil()),
    session: SessionId(Uuid::nil()),
};

/// Attempts at a model that may answer the next time, as the engine makes them.
const MODEL_ATTEMPTS: u32 = 3;

#[derive(Clone)]
struct Order {
    id: OrderId,
    status: OrderStatus,
    total: Decimal,
}

/// What local tools have done so far.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) counters: BTreeMap<String, u64>,
    pub(crate) contact_name: Option<Pii>,
    pub(crate) contact_phone: Option<Pii>,
    pub(crate) contact_data: Map<String, Value>,
    /// The orders in the order of their numbers.
    orders: Vec<Order>,
    others: u128,
}

impl World {
    /// Does what the store would, with the same answers.
    fn apply(&mut self, effect: Effect) -> Result<Value, String> {
        match effect {
            Effect::TakeNumber { counter } => {
                let number = self.counters.entry(counter).or_default();
                *number += 1;
                Ok(json!({ "number": *number }))
            }
            Effect::CreateContact { .. } => {
                self.others += 1;
                Ok(json!({ "contact": ContactId(Uuid::from_u128(self.others)) }))
            }
            Effect::UpdateContact { contact, name, phone, data } => {
                self.contact_name = name.map(Pii::new).or(self.contact_name.take());
                self.contact_phone = phone.map(Pii::new).or(self.contact_phone.take());
                self.contact_data.extend(data);
                Ok(json!({ "contact": contact }))
            }
            Effect::CreateOrder { status, total, .. } => {
                let number = self.orders.len() + 1;
                let id = OrderId(Uuid::from_u128(number as u128));
                self.orders.push(Order { id, status, total });
                Ok(json!({ "order": id, "number": number, "status": status, "total": total }))
            }
            Effect::SetOrderStatus { order, status, .. } => self.set_order_status(order, status),
        }
    }

    fn set_order_status(&mut self, id: OrderId, status: OrderStatus) -> Result<Value, String> {
        let found = self.orders.iter_mut().zip(1..).find(|(order, _)| order.id == id);
        let Some((order, number)) = found else {
            return Err(format!("the contact has no order {id}"));
        };
        if !order.status.may_become(status) {
            let (stands, status) = (order.status.as_str(), status.as_str());
            return Err(format!("an order that is {stands} cannot become {status}"));
        }
        order.status = status;
        Ok(json!({ "order": id, "number": number, "status": status }))
    }
}

impl World {
    /// The orders as tests speak of them.
    pub(crate) fn orders(&self) -> Vec<String> {
        let line = |order: &Order| format!("{} {}", order.status.as_str(), order.total.normalize());
        self.orders.iter().map(line).collect()
    }
}

pub(crate) struct RehearsedContext<'a> {
    pub(crate) now: Timestamp,
    pub(crate) tools: &'a Registry,
    pub(crate) world: &'a mut World,
    pub(crate) used: Vec<ToolUse>,
    /// What the session's models answer; none has no model.
    pub(crate) model: Option<&'a mut Player>,
    /// Tokens the session has spent.
    pub(crate) tokens: &'a mut u64,
    /// Tokens it had spent before this turn.
    pub(crate) before: u64,
    /// What was said in the session.
    pub(crate) lines: &'a [Spoken],
}

impl RehearsedContext<'_> {
    fn act(&mut self, tool: &str, input: &Value) -> Result<Value, ToolError> {
        match self.tools.prepare(&CALLER, tool, input) {
            Ok(Prepared::Local(effect)) => self.world.apply(effect).map_err(ToolError::Refused),
            Ok(Prepared::Suggested(answer)) => Ok(answer),
            // Nothing outside is called in a rehearsal.
            Ok(Prepared::Outside(_)) | Err(Refusal::NoSuchTool(_)) => {
                Err(ToolError::NoSuchTool(tool.to_owned()))
            }
            Err(refusal) => Err(ToolError::Refused(refusal.to_string())),
        }
    }
}

#[async_trait]
impl Context for RehearsedContext<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn tools(&self, names: &[String]) -> Vec<ToolSpec> {
        let named = |name: &String| self.tools.get(name);
        names.iter().filter_map(named).map(|offered| offered.spec().for_model()).collect()
    }

    fn serves(&self, _models: &[String]) -> bool {
        self.model.is_some()
    }

    async fn ask(
        &mut self,
        ask: &ModelAsk,
        _preview: Option<Preview<'_>>,
    ) -> Result<ModelReply, ModelError> {
        let Some(player) = &mut self.model else { return Err(ModelError::NoModel) };
        let limit = ask.budget.session_tokens;
        if limit.is_some_and(|limit| *self.tokens + u64::from(estimate(&ask.request)) > limit) {
            return Err(ModelError::Spent("session tokens".to_owned()));
        }
        let mut attempt = 1;
        loop {
            let answer = player.answer(&ask.component, &ask.request);
            match answer.and_then(|reply| judged(&ask.request, reply)) {
                Ok(reply) => {
                    *self.tokens += reply.usage.total();
                    return Ok(reply);
                }
                Err(failure) => {
                    *self.tokens += failure.usage.total();
                    if !failure.kind.retryable() || attempt >= MODEL_ATTEMPTS {
                        return Err(failed(ask, failure));
                    }
                    attempt += 1;
                }
            }
        }
    }

    async fn spending(&mut self) -> Spending {
        Spending { session_tokens: self.before, ..Spending::default() }
    }

    async fn said(&mut self, last: usize) -> Said {
        let before = self.lines.len().saturating_sub(last);
        Said { lines: self.lines[before..].to_vec(), before }
    }

    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError> {
        let result = self.act(tool, &input);
        let output = match &result {
            Ok(output) => output.clone(),
            Err(error) => json!(error.to_string()),
        };
        self.used.push(ToolUse { name: tool.to_owned(), input, ok: result.is_ok(), output });
        result
    }
}

/// As the engine tells it.
fn failed(ask: &ModelAsk, failure: CallFailure) -> ModelError {
    let malformed = failure.kind == FailureKind::Malformed && ask.request.output.is_some();
    match malformed {
        true => ModelError::Malformed(failure.message),
        false => ModelError::Failed(failure.to_string()),
    }
}
