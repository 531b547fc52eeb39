//! The context of a rehearsal: a clock that is told, and tools that act in memory.

use std::collections::BTreeMap;

use agents::{Context, ModelAsk, ModelError, Preview, Said, Spoken, ToolError};
use async_trait::async_trait;
use domain::{
    Authority, Caller, Consent, Contact, ContactId, ConversationId, ModelReply, Order, Pii,
    Proposal, SessionId, Spending, Standing, Timestamp, ToolSpec, ToolUse, TurnId, WorkspaceId,
};
use llm::{CallFailure, FailureKind, Player, estimate, judged};
use pack::files::Meanwhile;
use serde_json::{Map, Value, json};
use store::{Deed, MemoryRecords, Records};
use tools::{Prepared, Registry};
use uuid::Uuid;

use crate::stage::{reprice, stock};

/// The one contact and conversation of a rehearsal.
pub(crate) const CALLER: Caller = Caller {
    workspace: WorkspaceId(Uuid::nil()),
    conversation: ConversationId(Uuid::nil()),
    contact: ContactId(Uuid::nil()),
    session: SessionId(Uuid::nil()),
    authority: Authority::Turn,
};

/// Attempts at a model that may answer the next time, as the engine makes them.
const MODEL_ATTEMPTS: u32 = 3;

/// The records on which local tools act.
#[derive(Clone, Default)]
pub(crate) struct World {
    records: MemoryRecords,
    /// How many of the next calls fail, by tool.
    fails: BTreeMap<String, u32>,
}

impl World {
    pub(crate) fn new(records: MemoryRecords) -> Self {
        Self { records, fails: BTreeMap::new() }
    }

    pub(crate) async fn meanwhile(&mut self, meanwhile: &Meanwhile) -> Result<(), String> {
        for (sku, units) in &meanwhile.stock {
            stock(&mut self.records, sku, *units).await?;
        }
        for (sku, price) in &meanwhile.prices {
            reprice(&mut self.records, sku, *price).await?;
        }
        self.fails.extend(meanwhile.fails.clone());
        Ok(())
    }

    /// Whether the next call of this tool is one of those that fail.
    fn fails(&mut self, tool: &str) -> bool {
        match self.fails.get_mut(tool) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    /// The one contact, who is written down when first asked for, as one is who first writes.
    pub(crate) async fn contact(&mut self) -> Contact {
        if let Ok(Some(contact)) = self.records.contact(CALLER.contact).await {
            return contact;
        }
        let contact = Contact { id: CALLER.contact, name: None, phone: None, data: Map::new() };
        // Memory refuses no contact.
        let _ = self.records.put_contact(&contact).await;
        contact
    }

    /// Does what the store would: one that is refused has changed nothing.
    async fn run(&mut self, deed: &dyn Deed, now: Timestamp) -> Result<Value, String> {
        let before = self.records.clone();
        self.records.set_now(now);
        let done = deed.run(&mut self.records).await.map_err(|error| error.to_string());
        if done.is_err() {
            self.records = before;
        }
        done
    }

    /// Keeps the last summary as the turn left it, where the next one's tools look for it.
    pub(crate) async fn keep(&mut self, session: SessionId, proposal: &Proposal) {
        // Memory refuses no proposal.
        let _ = self.records.put_proposal(session, proposal).await;
    }

    pub(crate) fn records(&self) -> &MemoryRecords {
        &self.records
    }

    /// The orders as tests speak of them.
    pub(crate) fn orders(&self) -> Vec<String> {
        let line = |order: &Order| format!("{} {}", order.status.as_str(), order.total.normalize());
        self.records.all_orders().into_iter().map(line).collect()
    }
}

pub(crate) struct RehearsedContext<'a> {
    pub(crate) now: Timestamp,
    pub(crate) session: SessionId,
    pub(crate) turn: TurnId,
    pub(crate) epoch: i64,
    pub(crate) consent: Option<Consent>,
    /// The yes, once something was done by it.
    pub(crate) used_consent: Option<Consent>,
    pub(crate) tools: &'a Registry,
    pub(crate) world: &'a mut World,
    pub(crate) used: Vec<ToolUse>,
    /// The scripted answers of the session's models; `None` has no model.
    pub(crate) model: Option<&'a mut Player>,
    /// The questions that were put to those models.
    pub(crate) asked: Vec<ModelAsk>,
    /// Tokens the session has spent.
    pub(crate) tokens: &'a mut u64,
    /// Tokens it had spent before this turn.
    pub(crate) before: u64,
    /// The lines of the session so far.
    pub(crate) lines: &'a [Spoken],
}

impl RehearsedContext<'_> {
    fn caller(&self) -> Caller {
        let authority = self.consent.map_or(Authority::Turn, Authority::Agreed);
        Caller { session: self.session, authority, ..CALLER }
    }

    async fn act(&mut self, tool: &str, input: &Value) -> Result<Value, ToolError> {
        if self.world.fails(tool) {
            return Err(ToolError::Refused("it did not work".to_owned()));
        }
        match self.tools.prepare(&self.caller(), tool, input) {
            Ok(Prepared::Local { deed, .. }) => {
                self.world.run(&*deed, self.now).await.map_err(ToolError::Refused)
            }
            Ok(Prepared::Suggested(answer)) => Ok(answer),
            // Nothing outside is called in a rehearsal.
            Ok(Prepared::Outside(_)) => Err(ToolError::NoSuchTool(tool.to_owned())),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl Context for RehearsedContext<'_> {
    fn now(&self) -> Timestamp {
        self.now
    }

    async fn propose(&mut self, tool: &str, input: Value) -> Result<Proposal, ToolError> {
        let deed = self.tools.propose(&self.caller(), tool, &input)?;
        let terms = self.world.run(&*deed, self.now).await.map_err(ToolError::Refused)?;
        let Some(terms) = serde_json::from_value(terms).unwrap_or_default() else {
            return Err(ToolError::Refused(format!("`{tool}` needs no yes as things stand")));
        };
        Ok(Proposal {
            turn: self.turn,
            shown_at: self.now,
            epoch: self.epoch,
            tool: tool.to_owned(),
            input,
            terms,
            said: Pii::default(),
            messages: Vec::new(),
            standing: Standing::Open,
        })
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
        self.asked.push(ask.clone());
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
        let result = self.act(tool, &input).await;
        let needs_yes = self.tools.get(tool).is_some_and(|offered| offered.spec().needs_yes);
        if needs_yes && result.is_ok() {
            self.used_consent = self.used_consent.or(self.consent);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use store::DeedError;

    struct ThinksBetter;

    #[async_trait]
    impl Deed for ThinksBetter {
        async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
            let number = records.take_number("caja").await?;
            match number {
                2 => DeedError::refused(format!("not {number}")),
                _ => Ok(json!([number, records.now()])),
            }
        }
    }

    #[test]
    fn a_deed_that_is_refused_has_changed_nothing() {
        let mut world = World::default();
        let now = Timestamp::from_millis(5);
        assert_eq!(block_on(world.run(&ThinksBetter, now)), Ok(json!([1, now])));
        for _ in 0..2 {
            assert_eq!(block_on(world.run(&ThinksBetter, now)), Err("not 2".to_owned()));
        }
    }
}
