//! Models asked by a turn: the answer and its price are one commit, and a budget is kept first.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agents::{Context, ModelAsk, ModelError, Preview};
use domain::{
    Budget, Cost, ModelCall, ModelEvent, ModelReply, Spending, Step, StepStatus, Usage, WorkspaceId,
};
use llm::{Answered, DEADLINE, FailureKind, LEAST, estimate};
use metrics::counter;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Charged, Intent, Outside, StoreError, When, hit_outside};
use tokio::sync::mpsc;

use crate::context::JournaledContext;
use crate::question;
use crate::turn::TurnRunner;

/// How long a turn may take with all its models: it ends in a reply, with them or without.
const TURN: Duration = Duration::from_secs(45);

/// The part of `TURN` kept back for the rest of the turn.
const RESERVE: Duration = Duration::from_secs(3);

/// A day of spending is the last 24 hours.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A conversation's epoch as long as no person had it.
const FIRST_EPOCH: i64 = 1;

/// The calls of models that a turn has made so far, summed up.
#[derive(Default)]
pub(crate) struct Asked {
    before: Option<Spending>,
    /// Of this turn, whether answered now or in an earlier run.
    cost: Cost,
    tokens: u64,
    /// Tokens by what part of the agent asked.
    pub(crate) by_component: Vec<(String, u64)>,
    pub(crate) drafted: bool,
}

impl Asked {
    fn count(&mut self, calls: &[ModelCall]) {
        for call in calls {
            let tokens = call.usage.total();
            self.cost = self.cost.plus(call.cost);
            self.tokens += tokens;
            self.by_component.push((call.component.clone(), tokens));
        }
    }
}

/// The cost reserved for calls under way, so that many at once do not outspend a workspace.
#[derive(Default)]
pub(crate) struct Reserved(Mutex<HashMap<WorkspaceId, i64>>);

impl Reserved {
    fn change(&self, workspace: WorkspaceId, by: i64) -> i64 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = all.entry(workspace).or_default();
        *sum += by;
        let now = *sum;
        if now == 0 {
            all.remove(&workspace);
        }
        now
    }
}

/// Gives back what was set apart, however the call ends.
struct Reservation<'e> {
    reserved: &'e Reserved,
    workspace: WorkspaceId,
    cost: Cost,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.reserved.change(self.workspace, -self.cost.0);
    }
}

/// A model step as the journal keeps it.
#[derive(Serialize, Deserialize)]
struct Recorded {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<ModelReply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Whether it answered, and not in the form that was asked for.
    #[serde(default, skip_serializing_if = "is_false")]
    malformed: bool,
    calls: Vec<ModelCall>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A model's answer as the journal keeps it. An answer that cannot be written down is a failed one, now and
/// in every run after this: it was paid for, and is not taken for one that said nothing.
fn journaled(recorded: &impl Serialize, status: StepStatus) -> (StepStatus, Value) {
    match serde_json::to_value(recorded) {
        Ok(output) => (status, output),
        Err(error) => {
            let error = format!("the model's answer cannot be written down: {error}");
            (StepStatus::Failed, json!({ "error": error, "calls": [] }))
        }
    }
}

impl<'e> JournaledContext<'e> {
    pub(crate) async fn ask_model(
        &mut self,
        ask: &ModelAsk,
        preview: Option<Preview<'_>>,
    ) -> Result<ModelReply, ModelError> {
        if self.interrupted.is_some() {
            return Err(ModelError::Interrupted);
        }
        let runner = self.runner;
        if !self.serves(&ask.models) {
            return Err(ModelError::NoModel);
        }
        let workspace = self.lease.workspace;
        let written = question::written(ask, workspace, &runner.kept_texts);
        let (input, texts) = written.map_err(|error| {
            ModelError::Failed(format!(
                "the question cannot be written down, and was not asked: {error}"
            ))
        })?;
        let intent = self.intent_of(&format!("model.{}", ask.component), input);
        let intent = Intent { texts, ..intent };
        if let Some(step) = self.recorded.get(&intent.key).cloned() {
            return self.replayed(&step);
        }
        let _reservation = self.afford(ask).await?;
        let left = self.time_left();
        if left < LEAST {
            return Err(ModelError::Failed("no time is left in this turn".to_owned()));
        }
        self.waits().await.map_err(|_| ModelError::Interrupted)?;
        let is_full = runner.models.is_full(workspace);
        let aside = is_full.then(|| runner.places.step_aside(workspace)).flatten();
        hit_outside(Outside::ModelCall, When::Before);
        let Answered { result, calls } = self.answer(ask, preview, left).await;
        hit_outside(Outside::ModelCall, When::After);
        drop(aside);
        self.goes_on().await.map_err(|_| ModelError::Interrupted)?;
        let outcome = if result.is_ok() { "answered" } else { "failed" };
        counter!("recado_model_calls_total", "outcome" => outcome).increment(1);
        let status = if result.is_ok() { StepStatus::Done } else { StepStatus::Failed };
        let failure = result.as_ref().err();
        let malformed = ask.request.output.is_some()
            && failure.is_some_and(|failure| failure.kind == FailureKind::Malformed);
        let recorded = Recorded {
            malformed,
            error: failure.map(|failure| match malformed {
                true => failure.message.clone(),
                false => failure.to_string(),
            }),
            reply: result.ok(),
            calls: calls.clone(),
        };
        let (status, output) = journaled(&recorded, status);
        let (session, contact) = (self.caller.session, self.caller.contact);
        let charged = Charged { session, contact, calls };
        let intent = self.with_reads(intent);
        let record =
            || runner.store.record_answer(&intent, status, &output, &charged, runner.now());
        let stored = runner.leases.patiently(self.lease, record).await;
        let step = stored.map_err(|error| self.stop(error))?;
        runner.kept_texts.add(workspace, &intent.texts);
        self.replayed(&step)
    }

    /// The recorded answer of a call, from this run or an earlier one.
    fn replayed(&mut self, step: &Step) -> Result<ModelReply, ModelError> {
        let unreadable = |_| ModelError::Failed("the recorded answer cannot be read".to_owned());
        let recorded: Recorded = serde_json::from_value(step.output.clone()).map_err(unreadable)?;
        self.asked.count(&recorded.calls);
        let error = recorded.error.unwrap_or_default();
        recorded.reply.ok_or(match recorded.malformed {
            true => ModelError::Malformed(error),
            false => ModelError::Failed(error),
        })
    }

    fn stop(&mut self, error: StoreError) -> ModelError {
        self.interrupt(error);
        ModelError::Interrupted
    }

    fn time_left(&self) -> Duration {
        let nanos = self.runner.ticks.nanos().saturating_sub(self.began);
        let left = (TURN - RESERVE).saturating_sub(Duration::from_nanos(nanos));
        left.min(DEADLINE)
    }

    /// Puts the question, showing the text while it grows where the channel can.
    async fn answer(
        &mut self,
        ask: &ModelAsk,
        preview: Option<Preview<'_>>,
        left: Duration,
    ) -> Answered {
        let runner = self.runner;
        let preview = preview.filter(|_| self.shows_drafts);
        let (tell, mut told) = mpsc::unbounded_channel();
        let mut events = |event: ModelEvent| {
            // Nobody listens any more once the answer is whole.
            let _ = tell.send(event);
        };
        let workspace = self.lease.workspace;
        let asking = runner.models.ask(
            workspace,
            &ask.component,
            &ask.models,
            &ask.request,
            left,
            &mut events,
        );
        tokio::pin!(asking);
        let (mut text, mut shown) = (String::new(), String::new());
        loop {
            tokio::select! {
                biased;
                answered = &mut asking => return answered,
                Some(event) = told.recv() => {
                    match event {
                        ModelEvent::Text(more) => text.push_str(&more),
                        ModelEvent::Again => text.clear(),
                        ModelEvent::ToolCall { .. } => {}
                    }
                    let show = preview.and_then(|preview| preview(&text));
                    if let Some(show) = show.filter(|show| *show != shown) {
                        self.asked.drafted = true;
                        let (lease, turn, epoch) = (self.lease, self.turn.turn, self.read_epoch);
                        let put =
                            runner.store.put_draft(lease, turn, epoch, &show, runner.now()).await;
                        if let Err(error) = put {
                            tracing::debug!(%error, "a draft was not kept");
                        }
                        shown = show;
                    }
                }
            }
        }
    }

    pub(crate) async fn spent_before(&mut self) -> Result<Spending, StoreError> {
        if let Some(before) = self.asked.before {
            return Ok(before);
        }
        let runner = self.runner;
        let since = self.turn.started_at.plus_ms(-DAY_MS);
        let (caller, began, turn) = (self.caller, self.session_began, self.turn.turn);
        let read = || runner.store.spending(caller, began, turn, since);
        let before = runner.leases.patiently(self.lease, read).await?;
        self.asked.before = Some(before);
        Ok(before)
    }

    /// The spending of the workspace without this turn, including other turns' since this turn
    /// began.
    async fn spent_by_all(&self) -> Result<Cost, StoreError> {
        let (runner, workspace) = (self.runner, self.lease.workspace);
        let since = self.turn.started_at.plus_ms(-DAY_MS);
        let read =
            || runner.days.spent(&*runner.store, workspace, self.turn.turn, since, runner.now());
        runner.leases.patiently(self.lease, read).await
    }

    /// Whether the contact is known to the business: a person answered it before, or it first wrote
    /// a day ago or more. The conversation's id carries the time of its creation.
    fn is_known(&self) -> bool {
        let made = self.caller.conversation.0.get_timestamp().map(|made| made.to_unix());
        let made_ms = made.map(|(seconds, nanos)| {
            i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000)
                + i64::from(nanos / 1_000_000)
        });
        let day_ago = self.turn.started_at.plus_ms(-DAY_MS).millis();
        self.read_epoch > FIRST_EPOCH || made_ms.is_some_and(|made_ms| made_ms <= day_ago)
    }

    /// Whether the call fits into every limit, from an estimate; what it may cost is set apart.
    async fn afford(&mut self, ask: &ModelAsk) -> Result<Reservation<'e>, ModelError> {
        let tokens = estimate(&ask.request);
        let output = ask.request.max_tokens;
        let usage = Usage { input: tokens.saturating_sub(output), output, ..Usage::default() };
        let model = ask.models.first().map(String::as_str).unwrap_or_default();
        let runner: &'e TurnRunner = self.runner;
        let cost = runner.models.price(model, usage);
        let workspace = self.lease.workspace;
        let reserved = runner.reserved.change(workspace, cost.0);
        let reservation = Reservation { reserved: &runner.reserved, workspace, cost };
        let budget = within(ask.budget, runner.settings.workspace_day);
        // Read once its own is set apart: a call of another turn is then in the sums, still set
        // apart, or both, and never in neither.
        let strangers_day = runner.settings.strangers_day.filter(|_| !self.is_known());
        let by_all = match budget.workspace_day.or(strangers_day) {
            Some(_) => self.spent_by_all().await,
            None => Ok(Cost(0)),
        };
        let by_all = by_all.map_err(|error| self.stop(error))?;
        let before = self.spent_before().await.map_err(|error| self.stop(error))?;
        let spent = self.asked.cost;
        let limits = [
            ("the turn", budget.turn, spent.plus(cost)),
            ("the session", budget.session, before.session.plus(spent).plus(cost)),
            ("the contact", budget.contact_day, before.contact_day.plus(spent).plus(cost)),
            ("the workspace", budget.workspace_day, by_all.plus(spent).plus(Cost(reserved))),
            ("new contacts", strangers_day, by_all.plus(spent).plus(Cost(reserved))),
        ];
        for (whose, limit, sum) in limits {
            if limit.is_some_and(|limit| sum > limit) {
                return Err(spent_out(whose));
            }
        }
        let sum = before.session_tokens + self.asked.tokens + u64::from(tokens);
        if budget.session_tokens.is_some_and(|limit| sum > limit) {
            return Err(spent_out("the session's tokens"));
        }
        Ok(reservation)
    }
}

fn spent_out(whose: &str) -> ModelError {
    counter!("recado_model_budget_refusals_total").increment(1);
    ModelError::Spent(whose.to_owned())
}

/// The pack's budget, under what the operator allows.
fn within(budget: Budget, workspace_day: Option<Cost>) -> Budget {
    let least = match (budget.workspace_day, workspace_day) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    Budget { workspace_day: least, ..budget }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn an_answer_that_cannot_be_written_down_is_a_failed_one_and_never_an_empty_one() {
        let (status, output) = journaled(&BTreeMap::from([((1, 2), 3)]), StepStatus::Done);
        assert_eq!(status, StepStatus::Failed);
        let recorded: Recorded = serde_json::from_value(output).unwrap();
        assert!(recorded.reply.is_none() && !recorded.malformed);
        let error = recorded.error.unwrap();
        assert!(error.starts_with("the model's answer cannot be written down: "), "{error}");

        let (status, output) = journaled(&json!({ "calls": [] }), StepStatus::Done);
        assert_eq!((status, output), (StepStatus::Done, json!({ "calls": [] })));
    }
}
