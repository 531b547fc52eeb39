//! Models by name, as the engine calls them; retries are made here and nowhere else.

mod breaker;
mod judge;
mod limits;
mod route;
mod run;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::{
    Backoff, Clock, Cost, IdSource, ModelCall, ModelReply, ModelRequest, Usage, WorkspaceId,
};

use crate::{CallFailure, Events, Prices};

use breaker::Breaker;
use limits::Shares;
use run::Run;

pub use judge::judged;
pub use route::{ModelSource, ModelVendor};

/// The most time for a question to the models: a turn ends within 45 s, and the reply still has to
/// be written and stored.
pub const DEADLINE: Duration = Duration::from_secs(40);

/// The least time for a call: a call that cannot be answered in time is neither made nor paid.
pub const LEAST: Duration = Duration::from_secs(5);

/// A random number from 0 to the given one.
pub type Jitter = Arc<dyn Fn(u64) -> u64 + Send + Sync>;

/// Randomness from the product's own source of ids.
pub fn jitter(ids: Arc<dyn IdSource>) -> Jitter {
    Arc::new(move |most| {
        let (_, low) = ids.next().as_u64_pair();
        // The two highest bits are fixed by the kind of id.
        (low & (u64::MAX >> 2)) % most.saturating_add(1)
    })
}

/// The limits on calls to models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Attempts in all, over the whole chain.
    pub attempts: u32,
    /// Calls of one workspace under way at once.
    pub at_once: usize,
    /// Calls of one workspace in any minute.
    pub per_minute: u32,
    /// The longest pause before the next attempt; the actual one is random up to this.
    pub backoff: Backoff,
    /// Failures in a row after which a provider is left alone.
    pub breaker_failures: u32,
    /// How long the provider is left alone.
    pub breaker_open_ms: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            attempts: 3,
            at_once: 16,
            per_minute: 600,
            backoff: Backoff { base_ms: 500, max_ms: 4_000 },
            breaker_failures: 5,
            breaker_open_ms: 30_000,
        }
    }
}

/// The outcome of a question, with every attempt at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    pub result: Result<ModelReply, CallFailure>,
    /// In order, the failed ones too, because they may have been paid.
    pub calls: Vec<ModelCall>,
}

/// A source and its health.
struct Served {
    source: ModelSource,
    breaker: Breaker,
}

/// All configured models.
pub struct Models {
    served: Vec<Served>,
    prices: Prices,
    limits: Limits,
    shares: Shares,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    unpriced: Mutex<BTreeSet<String>>,
}

impl Models {
    pub fn new(
        sources: Vec<ModelSource>,
        prices: Prices,
        limits: Limits,
        clock: Arc<dyn Clock>,
        jitter: Jitter,
    ) -> Self {
        let breaker = || Breaker::new(limits.breaker_failures, limits.breaker_open_ms);
        Self {
            served: sources
                .into_iter()
                .map(|source| Served { source, breaker: breaker() })
                .collect(),
            prices,
            shares: Shares::new(limits.at_once, limits.per_minute),
            limits,
            clock,
            jitter,
            unpriced: Mutex::default(),
        }
    }

    /// Whether any source serves the model.
    pub fn serves(&self, model: &str) -> bool {
        self.route(model).is_some()
    }

    /// Whether the workspace has as many calls under way as it may: the next one has to wait.
    pub fn is_full(&self, workspace: WorkspaceId) -> bool {
        self.shares.is_full(workspace)
    }

    /// Sends the request to the first model of the chain that answers. Retries are made here and
    /// nowhere else; a further attempt is announced with `ModelEvent::Again`.
    pub async fn ask(
        &self,
        workspace: WorkspaceId,
        component: &str,
        chain: &[String],
        request: &ModelRequest,
        deadline: Duration,
        events: &mut Events<'_>,
    ) -> Answered {
        let mut run = Run::new(self, workspace, component, request, deadline);
        let result = run.through(chain, events).await;
        Answered { result, calls: run.calls }
    }

    /// The cost of a call; zero for a model without a price, which is logged once.
    pub fn price(&self, model: &str, usage: Usage) -> Cost {
        self.price_at_provider(self.route(model).map_or(model, |(_, named)| named), usage)
    }

    /// The price of a model by its name at its provider.
    fn price_at_provider(&self, named: &str, usage: Usage) -> Cost {
        if let Some(cost) = self.prices.cost(named, usage) {
            return cost;
        }
        let mut unpriced = self.unpriced.lock().unwrap_or_else(PoisonError::into_inner);
        if unpriced.insert(named.to_owned()) {
            tracing::warn!(model = named, "no price is known for the model; it counts as free");
        }
        Cost::default()
    }

    /// The models used whose price is not known.
    pub fn unpriced(&self) -> Vec<String> {
        let unpriced = self.unpriced.lock().unwrap_or_else(PoisonError::into_inner);
        unpriced.iter().cloned().collect()
    }

    /// The provider that serves a model, and the model's name there.
    fn route<'a>(&self, model: &'a str) -> Option<(&Served, &'a str)> {
        let (place, named) = route::route(self.served.iter().map(|one| &one.source), model)?;
        Some((&self.served[place], named))
    }
}
