//! The engine's parts, given once at start.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

use channels::Sender;
use domain::{
    Backoff, Channel, ChannelId, ChannelKind, Clock, Cost, IdSource, NodeId, Pace, Ticks, Timestamp,
};
use llm::Models;
use store::Store;
use store::fair::Gate;
use tokio::sync::Mutex;
use tools::Registry;

use crate::Roster;
use crate::held::Held;
use crate::intake::PIECES;
use crate::model::Reserved;
use crate::pacer::Pacer;
use crate::places::Places;
use crate::question::Kept;
use crate::scheduler::Stop;
use crate::spent::Days;

/// A channel with its way out; none where the reader reads the store.
#[derive(Clone)]
pub struct Outlet {
    pub channel: Channel,
    pub sender: Option<Arc<dyn Sender>>,
    pub pace: Pace,
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Lanes of one workspace worked on at once; those of all together are twice as many.
    pub workers: usize,
    pub lease_ms: i64,
    /// Attempts at a turn before its events are set aside.
    pub turn_attempts: u32,
    pub turn_backoff: Backoff,
    pub turn_timeout_ms: u64,
    /// Attempts at a send before it has failed.
    pub send_attempts: u32,
    pub send_backoff: Backoff,
    /// Attempts at a send that always comes too soon for its customer.
    pub paced_attempts: u32,
    /// How often lanes are looked at although nothing said that one is due.
    pub safety_poll_ms: i64,
    /// What models may cost one workspace in 24 hours, whatever its packs allow.
    pub workspace_day: Option<Cost>,
    /// When a workspace has spent so much of that, the rest is for contacts it knows.
    pub strangers_day: Option<Cost>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 1000,
            lease_ms: 10_000,
            turn_attempts: 3,
            turn_backoff: Backoff { base_ms: 500, max_ms: 30_000 },
            turn_timeout_ms: 60_000,
            send_attempts: 5,
            send_backoff: Backoff { base_ms: 1_000, max_ms: 60_000 },
            paced_attempts: 20,
            safety_poll_ms: 1_000,
            workspace_day: None,
            strangers_day: None,
        }
    }
}

/// What an engine is made of.
pub struct Parts {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    /// Measures how long an agent runs.
    pub ticks: Arc<dyn Ticks>,
    pub ids: Arc<dyn IdSource>,
    pub roster: Arc<dyn Roster>,
    pub outlets: Vec<Outlet>,
    pub tools: Registry,
    pub models: Arc<Models>,
    pub settings: Settings,
}

pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ticks: Arc<dyn Ticks>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) roster: Arc<dyn Roster>,
    pub(crate) outlets: HashMap<ChannelId, Outlet>,
    pub(crate) tools: Registry,
    pub(crate) models: Arc<Models>,
    pub(crate) kept_texts: Kept,
    pub(crate) reserved: Reserved,
    pub(crate) days: Days,
    pub(crate) settings: Settings,
    pub(crate) node: NodeId,
    pub(crate) held: Held,
    pub(crate) pacer: Pacer,
    pub(crate) stop: Stop,
    pub(crate) places: Arc<Places>,
    /// Passed by each piece of a delivery with more than one message.
    pub(crate) pieces: Gate,
    /// When the last message could not be stored, in milliseconds; 0 if it could.
    pub(crate) refused_at: AtomicI64,
    /// Claims made so far, so that each begins with another workspace.
    pub(crate) claims: AtomicU64,
    /// Whether lanes are claimed at all: not in a chat or a test, which work them one by one.
    pub(crate) is_running: AtomicBool,
    /// Held by the one turn at a time that computes and may be what ended earlier processes.
    pub(crate) suspects: Arc<Mutex<()>>,
    /// Held while leases are renewed: many who find theirs over renew them once, and what is known
    /// of them is never longer than what is stored.
    pub(crate) renewing: Mutex<()>,
    /// Held while an agent's old version is made again.
    pub(crate) reviving: Mutex<()>,
}

impl Engine {
    pub fn new(parts: Parts) -> Arc<Self> {
        let by_id = |outlet: Outlet| (outlet.channel.id.clone(), outlet);
        Arc::new(Self {
            node: NodeId(parts.ids.next()),
            store: parts.store,
            clock: parts.clock,
            ticks: parts.ticks,
            ids: parts.ids,
            roster: parts.roster,
            outlets: parts.outlets.into_iter().map(by_id).collect(),
            tools: parts.tools,
            models: parts.models,
            kept_texts: Kept::default(),
            reserved: Reserved::default(),
            days: Days::default(),
            settings: parts.settings,
            held: Held::default(),
            pacer: Pacer::default(),
            stop: Stop::default(),
            places: Places::new(parts.settings.workers),
            pieces: Gate::of(PIECES),
            refused_at: AtomicI64::new(0),
            claims: AtomicU64::new(0),
            is_running: AtomicBool::new(false),
            suspects: Arc::default(),
            renewing: Mutex::new(()),
            reviving: Mutex::new(()),
        })
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub fn outlet(&self, channel: &ChannelId) -> Option<&Outlet> {
        self.outlets.get(channel)
    }

    /// What the customers of a channel see its agent called.
    pub fn title(&self, outlet: &Outlet) -> String {
        let name = &outlet.channel.agent;
        self.roster.current(name).map_or_else(|| name.clone(), |agent| agent.title().to_owned())
    }

    /// The language that the customers of a channel read, as in `es-CO`.
    pub fn locale(&self, channel: &Channel) -> String {
        let agent = self.roster.current(&channel.agent);
        agent.map_or_else(String::new, |agent| agent.locale().to_owned())
    }

    /// Webchat channels by name.
    pub fn webchats(&self) -> Vec<&ChannelId> {
        let webchat = |outlet: &&Outlet| outlet.channel.kind == ChannelKind::Webchat;
        let mut ids: Vec<_> =
            self.outlets.values().filter(webchat).map(|outlet| &outlet.channel.id).collect();
        ids.sort_unstable();
        ids
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Lanes this node is working on.
    pub fn busy(&self) -> usize {
        self.held.len()
    }
}
