//! The journaled context: every call a turn makes is a step, recorded once and replayed.

use std::collections::HashMap;
use std::sync::Arc;

use agents::{Context, ModelAsk, ModelError, Preview, Said, Spoken};
use async_trait::async_trait;
use domain::{
    Authority, Caller, Consent, ModelReply, Pii, Proposal, Spending, Standing, Step, StepKey,
    StepStatus, Terms, Timestamp, ToolError, ToolSpec, ToolUse,
};
use metrics::counter;
use serde_json::{Value, json};
use store::{
    Deed, DeedError, Intent, Lease, OpenTurn, Outside, Read, StoreError, When, hit_outside,
};
use tools::{OutsideCall, Prepared, Registry};

use crate::model::Asked;
use crate::trial::Trial;
use crate::turn::{Turn, TurnRunner};

/// Attempts at a call that may be repeated.
const CALL_ATTEMPTS: u32 = 3;

pub(crate) struct JournaledContext<'a> {
    pub(crate) runner: &'a TurnRunner,
    pub(crate) lease: Lease,
    pub(crate) caller: Caller,
    /// When the caller's session began.
    pub(crate) session_began: Timestamp,
    pub(crate) turn: OpenTurn,
    /// The ownership epoch under which all is done.
    pub(crate) read_epoch: i64,
    /// When it began to run, in ticks.
    pub(crate) began: u64,
    /// Whether the channel shows a text while it grows.
    pub(crate) shows_drafts: bool,
    tools: Registry,
    pub(crate) recorded: HashMap<StepKey, Step>,
    /// The reads since the last commit, to be recorded with the next.
    reads: Vec<Read>,
    /// Whether this run committed a step.
    pub(crate) has_acted: bool,
    /// How often each call was made in this run, by its key without the count.
    seen: HashMap<String, u32>,
    /// The tools called, for the audit trail.
    pub(crate) used: Vec<ToolUse>,
    /// The questions put to models, with their cost.
    pub(crate) asked: Asked,
    /// The customer's yes, once something was done by it.
    pub(crate) used_consent: Option<Consent>,
    /// Why the turn can no longer commit.
    pub(crate) interrupted: Option<StoreError>,
    /// For a turn that may be what ended earlier processes.
    trial: Option<&'a mut Trial>,
}

impl<'a> JournaledContext<'a> {
    pub(crate) fn new(
        runner: &'a TurnRunner,
        turn: &Turn<'_>,
        tools: Registry,
        trial: Option<&'a mut Trial>,
    ) -> Self {
        let work = turn.work;
        let recorded = work.steps.iter().map(|step| (step.key.clone(), step.clone())).collect();
        Self {
            runner,
            lease: work.lease,
            caller: Caller {
                workspace: work.conversation.workspace,
                conversation: work.conversation.id,
                contact: work.conversation.contact.id,
                session: turn.session_id,
                authority: turn.consent.map_or(Authority::Turn, Authority::Agreed),
            },
            session_began: turn.session.map_or(turn.open.started_at, |session| session.created_at),
            turn: turn.open.clone(),
            read_epoch: work.conversation.epoch,
            began: runner.ticks.nanos(),
            shows_drafts: turn.outlet.channel.kind.delivers_by_commit(),
            tools,
            recorded,
            reads: Vec::new(),
            has_acted: false,
            seen: HashMap::new(),
            used: Vec::new(),
            asked: Asked::default(),
            used_consent: None,
            interrupted: None,
            trial,
        }
    }

    /// Waits for somebody outside from here on: others may compute meanwhile.
    pub(crate) async fn waits(&mut self) -> Result<(), ToolError> {
        let runner = self.runner;
        match &mut self.trial {
            Some(trial) => trial.wait(runner).await.map_err(|error| self.interrupt(error)),
            None => Ok(()),
        }
    }

    /// Goes on after such a wait.
    pub(crate) async fn goes_on(&mut self) -> Result<(), ToolError> {
        let runner = self.runner;
        match &mut self.trial {
            Some(trial) => trial.compute(runner).await.map_err(|error| self.interrupt(error)),
            None => Ok(()),
        }
    }

    pub(crate) fn intent(&mut self, tool: &str, input: &Value) -> Intent {
        self.intent_of(tool, input.to_string().into())
    }

    /// The same for an input that is written out.
    pub(crate) fn intent_of(&mut self, tool: &str, input: Arc<str>) -> Intent {
        let first = StepKey::of(tool, &input, 0);
        let seen = self.seen.entry(first.0.clone()).or_default();
        let occurrence = std::mem::replace(seen, *seen + 1);
        let key = if occurrence == 0 { first } else { StepKey::of(tool, &input, occurrence) };
        let key = self.recorded_before_upgrade(tool, &input, occurrence).unwrap_or(key);
        Intent {
            lease: self.lease,
            turn: self.turn.clone(),
            read_epoch: self.read_epoch,
            key,
            tool: tool.to_owned(),
            input,
            texts: Vec::new(),
            reads: Vec::new(),
        }
    }

    /// The key under which an older version of the engine recorded this call in this turn, if it did.
    fn recorded_before_upgrade(&self, tool: &str, input: &str, nth: u32) -> Option<StepKey> {
        if self.recorded.is_empty() {
            return None;
        }
        let key = StepKey::before_sha256(tool, input, nth);
        self.recorded.contains_key(&key).then_some(key)
    }

    /// The step is about to be committed, and what was read before it with it.
    pub(crate) fn with_reads(&mut self, intent: Intent) -> Intent {
        self.has_acted = true;
        Intent { reads: std::mem::take(&mut self.reads), ..intent }
    }

    async fn step(&mut self, tool: &str, input: &Value) -> Result<Value, ToolError> {
        if self.interrupted.is_some() {
            return Err(ToolError::Interrupted);
        }
        let intent = self.intent(tool, input);
        let recorded = self.recorded.get(&intent.key).cloned();
        if let Some(step) = recorded.clone().filter(|step| step.status != StepStatus::Intended) {
            return replay(step);
        }
        let prepared = self.tools.prepare(&self.caller, tool, input)?;
        if recorded.is_none() {
            self.tools.admit(&self.caller, tool, self.runner.now())?;
        }
        match prepared {
            Prepared::Local { deed, reads: true } => self.look_up(intent, &deed).await,
            Prepared::Local { deed, reads: false } => self.act_here(intent, deed).await,
            Prepared::Outside(call) => {
                self.act_outside(intent, input, &call, recorded.is_some()).await
            }
            Prepared::Suggested(answer) => Ok(answer),
        }
    }

    /// Reads without a commit. If the turn goes on to act, what it acted on is recorded with that.
    async fn look_up(&mut self, intent: Intent, deed: &Arc<dyn Deed>) -> Result<Value, ToolError> {
        let (runner, now) = (self.runner, self.runner.now());
        let workspace = self.lease.workspace;
        let read = || async {
            match runner.store.consult(workspace, Arc::clone(deed), now).await {
                Ok(output) => Ok((StepStatus::Done, output)),
                Err(DeedError::Refused(reason)) => Ok((StepStatus::Failed, json!(reason))),
                Err(DeedError::Store(error)) => Err(error),
            }
        };
        let read = runner.leases.patiently(self.lease, read).await;
        let (status, output) = read.map_err(|error| self.interrupt(error))?;
        let Intent { key, tool, input, .. } = intent;
        let step = Step { key, tool, status, output, at: now };
        self.reads.push(Read { step: step.clone(), input });
        replay(step)
    }

    async fn act_here(&mut self, intent: Intent, deed: Arc<dyn Deed>) -> Result<Value, ToolError> {
        let intent = self.with_reads(intent);
        let now = self.runner.now();
        let recorded = self.runner.store.record_local(&intent, deed, now).await;
        recorded.map_err(|error| self.interrupt(error)).and_then(replay)
    }

    /// The yes that a call outside needs is used up before it, in a step of its own: a call that is
    /// made again after a crash finds it used by its own turn.
    async fn use_consent(
        &mut self,
        tool: &str,
        input: &Value,
        consent: Arc<dyn Deed>,
    ) -> Result<(), ToolError> {
        let intent = self.intent(&format!("{tool}.consent"), input);
        let recorded = self.recorded.get(&intent.key).cloned();
        match recorded {
            Some(step) => replay(step),
            None => self.act_here(intent, consent).await,
        }
        .map(drop)
    }

    /// `begun` says that an earlier run committed the intent and never learned the outcome.
    async fn act_outside(
        &mut self,
        intent: Intent,
        input: &Value,
        call: &OutsideCall,
        begun: bool,
    ) -> Result<Value, ToolError> {
        if let Some(consent) = &call.consent {
            self.use_consent(&intent.tool, input, Arc::clone(consent)).await?;
        }
        let intent = self.with_reads(intent);
        if begun && !call.repeatable() {
            let unknown = ToolError::Unknown("the process ended during the call".to_owned());
            return self.record(&intent, Err(unknown)).await;
        }
        // Also when it is on record: after a takeover nothing is called again either.
        let intended = self.runner.store.intend(&intent, self.runner.now()).await;
        intended.map_err(|error| self.interrupt(error))?;
        self.waits().await?;
        // A holder that was paused since the commit and has a successor must not act.
        let held = self.runner.leases.still_holds(self.lease).await;
        held.map_err(|error| self.interrupt(error))?;
        let key = intent.key.idempotency_key(self.turn.turn);
        let attempts = if call.repeatable() { CALL_ATTEMPTS } else { 1 };
        let mut outcome = Err(ToolError::Unknown("never called".to_owned()));
        for _ in 0..attempts {
            hit_outside(Outside::ToolCall, When::Before);
            outcome = call.attempt(input, &key).await;
            hit_outside(Outside::ToolCall, When::After);
            if !matches!(outcome, Err(ToolError::Unknown(_))) {
                break;
            }
        }
        self.goes_on().await?;
        self.record(&intent, call.conclude(outcome)).await
    }

    async fn record(
        &mut self,
        intent: &Intent,
        outcome: Result<Value, ToolError>,
    ) -> Result<Value, ToolError> {
        let (status, output) = match &outcome {
            Ok(output) => (StepStatus::Done, output.clone()),
            Err(ToolError::Unknown(reason)) => (StepStatus::Unknown, json!(reason)),
            Err(error) => (StepStatus::Failed, json!(error.to_string())),
        };
        counter!("recado_tool_calls_total", "outcome" => status.as_str()).increment(1);
        let runner = self.runner;
        let record = || runner.store.record_outcome(intent, status, &output, runner.now());
        let recorded = runner.leases.patiently(self.lease, record).await;
        recorded.map_err(|error| match error {
            // An earlier attempt was committed after all: the turn runs again on what it recorded.
            StoreError::NotFound(_) => self.interrupt(StoreError::VersionConflict),
            error => self.interrupt(error),
        })?;
        outcome
    }

    /// A yes is used up by what was done by it, and by what may have been done.
    fn note_consent(&mut self, tool: &str, result: &Result<Value, ToolError>) {
        let needs_yes = self.tools.get(tool).is_some_and(|offered| offered.spec().needs_yes);
        let done = matches!(result, Ok(_) | Err(ToolError::Unknown(_)));
        if let (Authority::Agreed(consent), true) = (self.caller.authority, needs_yes && done) {
            self.used_consent = Some(consent);
        }
    }

    pub(crate) fn interrupt(&mut self, error: StoreError) -> ToolError {
        self.interrupted = Some(error);
        ToolError::Interrupted
    }
}

/// The outcome of the call's first run.
fn replay(step: Step) -> Result<Value, ToolError> {
    let reason = || step.output.as_str().unwrap_or_default().to_owned();
    match step.status {
        StepStatus::Done => Ok(step.output),
        StepStatus::Failed => Err(ToolError::Refused(reason())),
        StepStatus::Unknown | StepStatus::Intended => Err(ToolError::Unknown(reason())),
    }
}

/// The terms that a tool reckoned. Without any it needs no yes; terms that cannot be read are no terms,
/// and never a call that needs none.
fn terms_of(tool: &str, answer: Value) -> Result<Terms, ToolError> {
    let unreadable = |error| {
        ToolError::Refused(format!(
            "the terms of `{tool}` cannot be read, so that nothing is proposed: {error}"
        ))
    };
    let terms: Option<Terms> = serde_json::from_value(answer).map_err(unreadable)?;
    terms.ok_or_else(|| ToolError::Refused(format!("`{tool}` needs no yes as things stand")))
}

#[async_trait]
impl Context for JournaledContext<'_> {
    fn now(&self) -> Timestamp {
        self.turn.started_at
    }

    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError> {
        let result = self.step(tool, &input).await;
        self.note_consent(tool, &result);
        let output = match &result {
            Ok(output) => output.clone(),
            Err(error) => json!(error.to_string()),
        };
        self.used.push(ToolUse { name: tool.to_owned(), input, ok: result.is_ok(), output });
        result
    }

    async fn propose(&mut self, tool: &str, input: Value) -> Result<Proposal, ToolError> {
        if self.interrupted.is_some() {
            return Err(ToolError::Interrupted);
        }
        let intent = self.intent(&format!("{tool}.terms"), &input);
        let answer = match self.recorded.get(&intent.key).cloned() {
            Some(step) => replay(step)?,
            None => {
                let deed = self.tools.propose(&self.caller, tool, &input)?;
                self.look_up(intent, &deed).await?
            }
        };
        let terms = terms_of(tool, answer)?;
        Ok(Proposal {
            turn: self.turn.turn,
            // Shown when the turn commits, which puts the time right.
            shown_at: self.turn.started_at,
            epoch: self.read_epoch,
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

    fn serves(&self, models: &[String]) -> bool {
        models.iter().any(|model| self.runner.models.serves(model))
    }

    async fn ask(
        &mut self,
        ask: &ModelAsk,
        preview: Option<Preview<'_>>,
    ) -> Result<ModelReply, ModelError> {
        self.ask_model(ask, preview).await
    }

    async fn spending(&mut self) -> Spending {
        match self.spent_before().await {
            Ok(before) => before,
            Err(error) => {
                self.interrupt(error);
                Spending::default()
            }
        }
    }

    async fn said(&mut self, last: usize) -> Said {
        let runner = self.runner;
        let last = u32::try_from(last).unwrap_or(u32::MAX);
        let read = || runner.store.said(self.lease.workspace, self.caller.session, last);
        match runner.leases.patiently(self.lease, read).await {
            Ok(said) => {
                let before = (said.total as usize).saturating_sub(said.lines.len());
                // Characters that nobody sees are kept on record, and read to nobody.
                let spoken = |line: store::Line| Spoken {
                    role: line.role,
                    text: domain::visible(line.content.reveal()),
                };
                Said { lines: said.lines.into_iter().map(spoken).collect(), before }
            }
            Err(error) => {
                self.interrupt(error);
                Said::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_cannot_be_read_are_said_to_be_so_and_not_to_need_no_yes() {
        let refused = |answer: Value| match terms_of("place_order", answer) {
            Err(ToolError::Refused(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(Value::Null), "`place_order` needs no yes as things stand");
        for answer in [json!({ "ok": true }), json!({ "items": [] }), json!([]), json!("sí")] {
            let reason = refused(answer);
            assert!(reason.starts_with("the terms of `place_order` cannot be read"), "{reason}");
        }
        let terms = terms_of("place_order", json!({ "items": [], "digest": "abc" }));
        assert_eq!(terms.unwrap().digest, "abc");
    }
}
