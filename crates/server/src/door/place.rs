//! A connection as the door sees it: whether a request is under way on it, what it waits for otherwise, and
//! whether its time is over.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use metrics::counter;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How long the head of a request may take.
const HEAD_MS: u64 = 10_000;
/// How long a connection may say nothing between two requests.
const IDLE_MS: u64 = 60_000;
/// How long a caller may leave what it asked for unread.
const STALL_MS: u64 = 30_000;

/// A request is under way.
const BUSY: u64 = 0;
/// The connection was told to go.
const GONE: u64 = u64::MAX;
/// Marks a moment since when the rest of a request is waited for, whose head has come.
const BODY: u64 = 1 << 63;

/// The ways in which a connection waits, in the order in which they make room where there are as many of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
    /// For the rest of a head, or for the first of one.
    Head,
    /// For another request.
    Request,
    /// For the body of a request.
    Body,
}

/// A wait under way; it is another one as soon as the state differs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) wait: Wait,
    pub(super) ms: u64,
    state: u64,
}

/// A connection. The state is atomic and read without a lock, since every request changes it.
pub(super) struct Place {
    pub(super) number: u64,
    is_reserve: bool,
    began: Instant,
    /// Since when it waits for a whole request, or, with the mark, for a body, in milliseconds and one; or
    /// `BUSY`, or `GONE`.
    state: AtomicU64,
    /// Whether it ever brought a whole head.
    has_asked: AtomicBool,
    /// Whether a part of the next head has come.
    is_asking: AtomicBool,
    /// Since when an answer cannot be written, in milliseconds and one; 0 while it can.
    stalls: AtomicU64,
    /// The caller whose body is waited for, or was waited for last: behind a proxy it is one caller after another.
    caller: Mutex<Option<IpAddr>>,
    goes: Notify,
}

impl Place {
    pub(super) fn new(number: u64, is_reserve: bool) -> Arc<Self> {
        Arc::new(Self {
            number,
            is_reserve,
            began: Instant::now(),
            state: AtomicU64::new(1),
            has_asked: AtomicBool::new(false),
            is_asking: AtomicBool::new(false),
            stalls: AtomicU64::new(0),
            caller: Mutex::new(None),
            goes: Notify::new(),
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX) % BODY + 1
    }

    pub(super) fn is_reserve(&self) -> bool {
        self.is_reserve
    }

    /// A whole head has come; false if the connection was told to go just before.
    pub(super) fn begin(&self) -> bool {
        self.has_asked.store(true, Ordering::Relaxed);
        self.is_asking.store(false, Ordering::Relaxed);
        let stay = |state| (state != GONE).then_some(BUSY);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, stay).is_ok()
    }

    /// The request under way can go on only when more of this caller's body has come.
    fn lacks_body(&self, caller: IpAddr) {
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = Some(caller);
        let since = self.now() | BODY;
        let _ = self.state.compare_exchange(BUSY, since, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// The body is whole, or nobody waits for it any more.
    fn has_body(&self) {
        let busy = |state| (state != GONE && state >= BODY).then_some(BUSY);
        let _ = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, busy);
    }

    pub(super) fn caller(&self) -> Option<IpAddr> {
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request was answered.
    pub(super) fn rest(&self) {
        let now = self.now();
        let rest = |state| (state == BUSY || (state >= BODY && state != GONE)).then_some(now);
        let _ = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, rest);
    }

    /// Something was read.
    pub(super) fn heard(&self) {
        let state = self.state.load(Ordering::Relaxed);
        if state == BUSY || state >= BODY || self.is_asking.swap(true, Ordering::Relaxed) {
            return;
        }
        if self.has_asked.load(Ordering::Relaxed) {
            let now = self.now();
            let _ = self.state.compare_exchange(state, now, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// Whether what was to be written could be.
    pub(super) fn wrote(&self, could: bool) {
        let stalls = self.stalls.load(Ordering::Relaxed);
        match could {
            true if stalls != 0 => self.stalls.store(0, Ordering::Relaxed),
            false if stalls == 0 => self.stalls.store(self.now(), Ordering::Relaxed),
            _ => {}
        }
    }

    /// Whether an answer waits for its caller to read.
    pub(super) fn is_stalled(&self) -> bool {
        self.stalls.load(Ordering::Relaxed) != 0
    }

    pub(super) async fn told_to_go(&self) {
        self.goes.notified().await;
    }

    fn go(&self, why: &'static str) {
        self.state.store(GONE, Ordering::Release);
        self.goes.notify_one();
        counter!("recado_connections_ended_total", "why" => why).increment(1);
    }

    /// Goes if it is still in this wait.
    pub(super) fn go_if_still(&self, waiting: Waiting, why: &'static str) -> bool {
        let gone =
            self.state.compare_exchange(waiting.state, GONE, Ordering::AcqRel, Ordering::Relaxed);
        if gone.is_ok() {
            self.go(why);
        }
        gone.is_ok()
    }

    /// The wait under way, if there is one.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let state = self.state.load(Ordering::Acquire);
        if [BUSY, GONE].contains(&state) {
            return None;
        }
        let is_half =
            self.is_asking.load(Ordering::Relaxed) || !self.has_asked.load(Ordering::Relaxed);
        let wait = match state {
            BODY.. => Wait::Body,
            _ if is_half => Wait::Head,
            _ => Wait::Request,
        };
        Some(Waiting { wait, ms: self.now().saturating_sub(state % BODY), state })
    }

    /// Whether its time is over; it was told then. A body has a clock of its own.
    pub(super) fn is_over(&self) -> bool {
        let stalls = self.stalls.load(Ordering::Relaxed);
        if stalls != 0 && self.now().saturating_sub(stalls) >= STALL_MS {
            self.go("stalled");
            return true;
        }
        let Some(waiting) = self.waiting() else { return false };
        let (most_ms, why) = match waiting.wait {
            Wait::Head => (HEAD_MS, "half"),
            Wait::Request => (IDLE_MS, "idle"),
            Wait::Body => return false,
        };
        waiting.ms >= most_ms && self.go_if_still(waiting, why)
    }
}

/// Tells a place when the body of its request is waited for, and when no more.
pub(super) struct Reader {
    place: Arc<Place>,
    caller: IpAddr,
    is_waiting: bool,
}

impl Reader {
    pub(super) fn new(place: Arc<Place>, caller: IpAddr) -> Self {
        Self { place, caller, is_waiting: false }
    }

    /// More of the body has to come. A body that comes in pieces is one wait.
    pub(super) fn waits(&mut self) {
        if !self.is_waiting {
            self.is_waiting = true;
            self.place.lacks_body(self.caller);
        }
    }

    pub(super) fn has_all(&mut self) {
        if self.is_waiting {
            self.is_waiting = false;
            self.place.has_body();
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.has_all();
    }
}
