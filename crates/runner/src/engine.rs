//! The engine: its parts put together once at start, each with what it needs and no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::time::Duration;

use domain::{Backoff, Clock, Cost, IdSource, NodeId, Repeats, Ticks};
use llm::Models;
use store::{Conversations, Inbox, Lanes, Outbox, Setup, Store, StoreResult};
use tokio::sync::Mutex;
use tools::Registry;

use crate::alarm::Alarm;
use crate::lane::LaneWorker;
use crate::leases::Leases;
use crate::model::Reserved;
use crate::pacer::Pacer;
use crate::pieces::Pieces;
use crate::places::Places;
use crate::question::Kept;
use crate::scheduler::{Scheduler, Stop};
use crate::send::OutboxRunner;
use crate::spent::Days;
use crate::turn::TurnRunner;
use crate::{Connected, Intake, Outlet, Roster};

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
    /// The most that models may cost one workspace in 24 hours, whatever its packs allow.
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

/// The parts of which an engine is made.
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

/// Takes arrivals in and works lanes, until it is told to stop.
pub struct Engine {
    intake: Arc<Intake>,
    connected: Arc<Connected>,
    scheduler: Arc<Scheduler>,
    stop: Stop,
}

impl Engine {
    pub fn new(parts: Parts) -> Arc<Self> {
        let Parts { store, clock, ids, settings, .. } = &parts;
        let lanes: Arc<dyn Lanes + Send + Sync> = store.clone();
        let setup: Arc<dyn Setup + Send + Sync> = store.clone();
        let connected = Arc::new(Connected::new(parts.outlets.clone(), parts.roster.clone()));
        let node = NodeId(ids.next());
        let leases = Leases::new(node, settings.lease_ms, lanes.clone(), clock.clone());
        let leases = Arc::new(leases);
        let (clock_of_alarm, safety_poll_ms) = (clock.clone(), settings.safety_poll_ms);
        let alarm = Arc::new(Alarm { store: setup, clock: clock_of_alarm, safety_poll_ms });
        let places = Places::new(settings.workers);
        let stop = Stop::default();
        let worker = LaneWorker {
            lanes: lanes.clone(),
            clock: clock.clone(),
            connected: connected.clone(),
            leases: leases.clone(),
            stop: stop.clone(),
            turns: turns(&parts, &connected, &leases, &alarm, &places),
            outbox: outbox(&parts, &connected, &leases, &alarm),
            waiting_lanes: Repeats::default(),
        };
        let scheduler = Arc::new(Scheduler {
            lanes,
            clock: clock.clone(),
            alarm,
            leases,
            places,
            stop: stop.clone(),
            worker,
            claims: AtomicU64::new(0),
            is_running: AtomicBool::new(false),
            not_claimed: Repeats::default(),
            not_renewed: Repeats::default(),
        });
        let inbox: Arc<dyn Inbox + Send + Sync> = store.clone();
        let conversations: Arc<dyn Conversations + Send + Sync> = store.clone();
        let intake = Arc::new(Intake {
            inbox,
            conversations,
            clock: clock.clone(),
            ids: ids.clone(),
            connected: connected.clone(),
            scheduler: scheduler.clone(),
            pieces: Pieces::default(),
            refused_at: AtomicI64::new(0),
        });
        Arc::new(Self { intake, connected, scheduler, stop })
    }

    /// The intake of the messages and reports that channels bring.
    pub fn intake(&self) -> &Arc<Intake> {
        &self.intake
    }

    /// The channels it serves.
    pub fn connected(&self) -> &Arc<Connected> {
        &self.connected
    }

    /// Works lanes until told to stop, then finishes the turns under way, for at most `drain`.
    pub async fn run(self: Arc<Self>, drain: Duration) {
        Arc::clone(&self.scheduler).run(drain).await;
    }

    /// Works everything that is due, one lane after another: for chat and tests, whose clock
    /// stands still meanwhile.
    pub async fn run_until_idle(&self) -> StoreResult<()> {
        self.scheduler.run_until_idle().await
    }

    pub fn stop(&self) {
        self.stop.stop();
    }

    pub fn is_stopping(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Returns once the engine has been told to stop.
    pub async fn stopped(&self) {
        self.stop.stopped().await;
    }

    /// Lanes this node is working on.
    pub fn busy(&self) -> usize {
        self.scheduler.leases.held.len()
    }
}

fn turns(
    parts: &Parts,
    connected: &Arc<Connected>,
    leases: &Arc<Leases>,
    alarm: &Arc<Alarm>,
    places: &Arc<Places>,
) -> TurnRunner {
    TurnRunner {
        store: parts.store.clone(),
        clock: parts.clock.clone(),
        ticks: parts.ticks.clone(),
        ids: parts.ids.clone(),
        roster: parts.roster.clone(),
        connected: connected.clone(),
        tools: parts.tools.clone(),
        models: parts.models.clone(),
        settings: parts.settings,
        alarm: alarm.clone(),
        leases: leases.clone(),
        places: places.clone(),
        kept_texts: Kept::default(),
        reserved: Reserved::default(),
        days: Days::default(),
        suspects: Arc::default(),
        reviving: Mutex::new(()),
    }
}

fn outbox(
    parts: &Parts,
    connected: &Arc<Connected>,
    leases: &Arc<Leases>,
    alarm: &Arc<Alarm>,
) -> OutboxRunner {
    let lanes: Arc<dyn Lanes + Send + Sync> = parts.store.clone();
    let outbox: Arc<dyn Outbox + Send + Sync> = parts.store.clone();
    OutboxRunner {
        outbox,
        lanes,
        clock: parts.clock.clone(),
        alarm: alarm.clone(),
        leases: leases.clone(),
        connected: connected.clone(),
        pacer: Pacer::default(),
        ambiguous: Repeats::default(),
        settings: parts.settings,
    }
}
