//! A question on its way through a chain of models.

use std::time::Duration;

use domain::{ModelCall, ModelEvent, ModelReply, ModelRequest, Timestamp, WorkspaceId};

use tokio::sync::OwnedSemaphorePermit;

use super::judge::judged;
use super::{LEAST, Models, Served};
use crate::{Ask, CallFailure, Events, FailureKind};

/// Extra time for a provider to end by itself, so that it can still report the tokens paid.
const GRACE: Duration = Duration::from_millis(100);

/// A wait for the workspace's turn counts from this length on; a shorter wait is the machine's own
/// pace.
const FELT_MS: i64 = 1_000;

const ANSWERED: &str = "answered";

pub(super) struct Run<'a> {
    models: &'a Models,
    workspace: WorkspaceId,
    component: &'a str,
    request: &'a ModelRequest,
    began: Timestamp,
    deadline: Duration,
    /// Whether the call waited so long for its workspace's place or minute that it lacks the time.
    has_waited: bool,
    pub(super) calls: Vec<ModelCall>,
}

/// A model and its provider.
struct Stop<'a> {
    served: &'a Served,
    model: &'a str,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        models: &'a Models,
        workspace: WorkspaceId,
        component: &'a str,
        request: &'a ModelRequest,
        deadline: Duration,
    ) -> Self {
        let began = models.clock.now();
        let (has_waited, calls) = (false, Vec::new());
        Self { models, workspace, component, request, began, deadline, has_waited, calls }
    }

    /// Tries each model of the chain, with repeats as long as an attempt is left for each model
    /// after it.
    pub(super) async fn through(
        &mut self,
        chain: &[String],
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let models = self.models;
        let stops: Vec<Stop<'_>> = chain
            .iter()
            .filter_map(|name| models.route(name).map(|(served, model)| Stop { served, model }))
            .collect();
        let message = format!("no provider serves any of [{}]", chain.join(", "));
        let mut last = CallFailure::new(FailureKind::NoModel, message);
        for (place, stop) in stops.iter().enumerate() {
            let after = stops.len() - place - 1;
            loop {
                let made = self.calls.len();
                let failure = match self.attempt(stop, events).await {
                    Ok(reply) => return Ok(reply),
                    Err(failure) => failure,
                };
                // The failure of a call that was made tells more than that the next one was not
                // made.
                if self.calls.len() > made || made == 0 {
                    last = failure.clone();
                }
                if self.attempts_left() == 0 || self.left().is_zero() {
                    return Err(last);
                }
                let Some(pause) = self.pause(&failure, after) else { break };
                tokio::time::sleep(pause).await;
            }
        }
        Err(last)
    }

    fn attempts_left(&self) -> usize {
        (self.models.limits.attempts as usize).saturating_sub(self.calls.len())
    }

    fn left(&self) -> Duration {
        let gone = self.models.clock.now().since_ms(self.began);
        self.deadline.saturating_sub(Duration::from_millis(gone.max(0).unsigned_abs()))
    }

    /// How long to wait before the same model is tried again; `None` if the next model's turn has
    /// come.
    fn pause(&self, failure: &CallFailure, after: usize) -> Option<Duration> {
        // The refused parameter is left out now, so no wait is needed.
        if failure.kind == FailureKind::UnsupportedParameter {
            return Some(Duration::ZERO);
        }
        if !failure.kind.retryable() || self.attempts_left() <= after {
            return None;
        }
        let made = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        let longest = self.models.limits.backoff.delay_ms(made).max(0).unsigned_abs();
        let pause = Duration::from_millis((self.models.jitter)(longest).min(longest));
        let pause = pause.max(failure.retry_after.unwrap_or_default());
        (pause < self.left()).then_some(pause)
    }

    async fn attempt(
        &mut self,
        stop: &Stop<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let models = self.models;
        let provider = &stop.served.source.provider;
        let left_alone = || {
            let message = format!("{} failed too often and is left alone", provider.name());
            CallFailure::new(FailureKind::BreakerOpen, message)
        };
        let (breaker, workspace) = (&stop.served.breaker, self.workspace);
        if breaker.is_open(workspace, models.clock.now()) {
            return Err(left_alone());
        }
        // The breaker is asked again after the wait, because other calls may meanwhile have found
        // out how the provider is.
        let _place = self.turn().await?;
        let permit = breaker.admit(workspace, models.clock.now()).ok_or_else(left_alone)?;
        if !self.calls.is_empty() {
            events(ModelEvent::Again);
        }
        let began = models.clock.now();
        let result = self.call(stop, events).await.map_err(|failure| self.blamed(failure));
        let ended = models.clock.now();
        permit
            .conclude(result.as_ref().is_err_and(|failure| failure.kind.blames_provider()), ended);
        self.note(stop, &result, ended.since_ms(began));
        result
    }

    /// Waits for the workspace's turn, as long as enough time is left for the call.
    async fn turn(&mut self) -> Result<OwnedSemaphorePermit, CallFailure> {
        let models = self.models;
        let longest = |left: Duration| {
            let too_late = || CallFailure::new(FailureKind::Busy, "no time is left for a call");
            left.checked_sub(LEAST).ok_or_else(too_late)
        };
        let asked = models.clock.now();
        let place = models.shares.place(self.workspace, longest(self.left())?).await?;
        let now = models.clock.now();
        let wait = models.shares.turn(self.workspace, now, longest(self.left())?)?;
        tokio::time::sleep(wait).await;
        let waited = models.clock.now().since_ms(asked);
        self.has_waited |= waited >= FELT_MS;
        Ok(place)
    }

    async fn call(
        &self,
        stop: &Stop<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let within = self.left();
        let ask =
            Ask { component: self.component, model: stop.model, request: self.request, within };
        let call = stop.served.source.provider.call(&ask, events);
        match tokio::time::timeout(within + GRACE, call).await {
            Ok(result) => judged(self.request, result?),
            Err(_) => {
                let message = format!("no answer within {within:?}");
                Err(CallFailure::new(FailureKind::TimeoutTotal, message))
            }
        }
    }

    /// The failure to hold against the provider. A call that ran out of the time left by its wait
    /// says nothing about the provider.
    fn blamed(&self, failure: CallFailure) -> CallFailure {
        let cut_short = failure.kind == FailureKind::TimeoutTotal && self.has_waited;
        let kind = if cut_short { FailureKind::CutShort } else { failure.kind };
        CallFailure { kind, ..failure }
    }

    fn note(&mut self, stop: &Stop<'_>, result: &Result<ModelReply, CallFailure>, ms: i64) {
        let (outcome, usage) = match result {
            Ok(reply) => (ANSWERED, reply.usage),
            Err(failure) => (failure.kind.as_str(), failure.usage),
        };
        self.calls.push(ModelCall {
            component: self.component.to_owned(),
            provider: stop.served.source.provider.name().to_owned(),
            model: stop.model.to_owned(),
            attempt: u32::try_from(self.calls.len() + 1).unwrap_or(u32::MAX),
            outcome: outcome.to_owned(),
            usage,
            cost: self.models.price_at_provider(stop.model, usage),
            ms: u32::try_from(ms.max(0)).unwrap_or(u32::MAX),
        });
    }
}
