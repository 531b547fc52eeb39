//! The journaled context: every call a turn makes is a step, recorded once and replayed.

use std::collections::HashMap;

use agents::{Context, ToolError};
use async_trait::async_trait;
use domain::{Step, StepKey, StepStatus, Timestamp, ToolUse};
use metrics::counter;
use serde_json::{Value, json};
use store::{Effect, Intent, LaneWork, Lease, OpenTurn, Outside, StoreError, When, hit_outside};
use tools::{CallError, OutsideTool, Tool};

use crate::Engine;

/// Attempts at a call that may be repeated.
const CALL_ATTEMPTS: u32 = 3;

pub(crate) struct JournaledContext<'a> {
    engine: &'a Engine,
    lease: Lease,
    turn: OpenTurn,
    recorded: HashMap<StepKey, Step>,
    /// How often each call was made in this run, by its key without the count.
    seen: HashMap<String, u32>,
    /// What was called, for the audit trail.
    pub(crate) used: Vec<ToolUse>,
    /// Why the turn can no longer commit.
    pub(crate) interrupted: Option<StoreError>,
}

impl<'a> JournaledContext<'a> {
    pub(crate) fn new(engine: &'a Engine, work: &LaneWork, turn: OpenTurn) -> Self {
        let recorded = work.steps.iter().map(|step| (step.key.clone(), step.clone())).collect();
        Self {
            engine,
            lease: work.lease,
            turn,
            recorded,
            seen: HashMap::new(),
            used: Vec::new(),
            interrupted: None,
        }
    }

    fn intent(&mut self, tool: &str, input: &Value) -> Intent {
        let call = StepKey::new(tool, input, 0).0;
        let occurrence = self.seen.entry(call).or_default();
        let key = StepKey::new(tool, input, *occurrence);
        *occurrence += 1;
        Intent {
            lease: self.lease,
            turn: self.turn.clone(),
            key,
            tool: tool.to_owned(),
            input: input.clone(),
        }
    }

    async fn step(&mut self, tool: &str, input: &Value) -> Result<Value, ToolError> {
        if self.interrupted.is_some() {
            return Err(ToolError::Interrupted);
        }
        let Some(found) = self.engine.tools.get(tool).cloned() else {
            return Err(ToolError::NoSuchTool(tool.to_owned()));
        };
        let intent = self.intent(tool, input);
        let recorded = self.recorded.get(&intent.key).cloned();
        match (recorded, found) {
            (Some(step), _) if step.status != StepStatus::Intended => replay(step),
            (_, Tool::Local(local)) => {
                let effect = local.effect(input).map_err(ToolError::Refused)?;
                self.act_here(&intent, effect).await
            }
            (recorded, Tool::Outside(outside)) => {
                self.act_outside(&intent, &*outside, recorded.is_some()).await
            }
        }
    }

    async fn act_here(&mut self, intent: &Intent, effect: Effect) -> Result<Value, ToolError> {
        let now = self.engine.now();
        let recorded = self.engine.store.record_local(intent, effect, now).await;
        recorded.map_err(|error| self.interrupt(error)).and_then(replay)
    }

    /// `begun` says that an earlier run committed the intent and never learned the outcome.
    async fn act_outside(
        &mut self,
        intent: &Intent,
        tool: &dyn OutsideTool,
        begun: bool,
    ) -> Result<Value, ToolError> {
        if begun && !tool.idempotent() {
            let unknown = CallError::Unknown("the process ended during the call".to_owned());
            return self.settle(intent, Err(unknown)).await;
        }
        if !begun {
            let intended = self.engine.store.intend(intent, self.engine.now()).await;
            intended.map_err(|error| self.interrupt(error))?;
        }
        // A holder that was paused since the commit must not act: its successor decides.
        if !self.engine.held.stands(self.lease, self.engine.now()) {
            return Err(self.interrupt(StoreError::LaneLost));
        }
        let key = intent.key.idempotency_key(self.turn.turn);
        let attempts = if tool.idempotent() { CALL_ATTEMPTS } else { 1 };
        let mut outcome = Err(CallError::Unknown("never called".to_owned()));
        for _ in 0..attempts {
            hit_outside(Outside::ToolCall, When::Before);
            outcome = tool.call(&intent.input, &key).await;
            hit_outside(Outside::ToolCall, When::After);
            if !matches!(outcome, Err(CallError::Unknown(_))) {
                break;
            }
        }
        self.settle(intent, outcome).await
    }

    async fn settle(
        &mut self,
        intent: &Intent,
        outcome: Result<Value, CallError>,
    ) -> Result<Value, ToolError> {
        let (status, output) = match &outcome {
            Ok(output) => (StepStatus::Done, output.clone()),
            Err(CallError::Refused(reason)) => (StepStatus::Failed, json!(reason)),
            Err(CallError::Unknown(reason)) => (StepStatus::Unknown, json!(reason)),
        };
        counter!("recado_tool_calls_total", "outcome" => status.as_str()).increment(1);
        let engine = self.engine;
        let record = || engine.store.record_outcome(intent, status, &output, engine.now());
        let settled = engine.patiently(self.lease, record).await;
        settled.map_err(|error| match error {
            // An earlier attempt was committed after all: the turn runs again on what it recorded.
            StoreError::NotFound(_) => self.interrupt(StoreError::VersionConflict),
            error => self.interrupt(error),
        })?;
        outcome.map_err(|error| match error {
            CallError::Refused(reason) => ToolError::Refused(reason),
            CallError::Unknown(reason) => ToolError::Unknown(reason),
        })
    }

    fn interrupt(&mut self, error: StoreError) -> ToolError {
        self.interrupted = Some(error);
        ToolError::Interrupted
    }
}

/// What the call returned the first time.
fn replay(step: Step) -> Result<Value, ToolError> {
    let reason = || step.output.as_str().unwrap_or_default().to_owned();
    match step.status {
        StepStatus::Done => Ok(step.output),
        StepStatus::Failed => Err(ToolError::Refused(reason())),
        StepStatus::Unknown | StepStatus::Intended => Err(ToolError::Unknown(reason())),
    }
}

#[async_trait]
impl Context for JournaledContext<'_> {
    fn now(&self) -> Timestamp {
        self.turn.started_at
    }

    async fn call(&mut self, tool: &str, input: Value) -> Result<Value, ToolError> {
        let result = self.step(tool, &input).await;
        let output = match &result {
            Ok(output) => output.clone(),
            Err(error) => json!(error.to_string()),
        };
        self.used.push(ToolUse { name: tool.to_owned(), input, ok: result.is_ok(), output });
        result
    }
}
