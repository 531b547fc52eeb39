//! Names for every commit and every call to the outside, so that a crash can be put at each.
//!
//! A store writes only through a function that takes a [`Point`], so a commit without a name
//! does not compile, and the crash suite walks [`Point::ALL`]. `RECADO_CRASH_AT=turn.commit:after:2`
//! kills the process the second time it has passed that commit.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

macro_rules! points {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum { $($variant,)* }

        impl $enum {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

points! {
    /// A transaction that the engine commits.
    Point {
        Setup = "setup",
        PackKeep = "pack.keep",
        InboxAccept = "inbox.accept",
        InboxNote = "inbox.note",
        InboxUnreadable = "inbox.unreadable",
        InboxReport = "inbox.report",
        InboxForget = "inbox.forget",
        InboxPrune = "inbox.prune",
        MediaClaim = "media.claim",
        MediaRecord = "media.record",
        LaneClaim = "lane.claim",
        LaneHeartbeat = "lane.heartbeat",
        LaneRelease = "lane.release",
        StepIntent = "step.intent",
        StepLocal = "step.local",
        StepOutcome = "step.outcome",
        StepAnswer = "step.answer",
        DraftPut = "draft.put",
        TurnCommit = "turn.commit",
        TurnSuspect = "turn.suspect",
        TurnFail = "turn.fail",
        TurnQuarantine = "turn.quarantine",
        OutboxIntend = "outbox.intend",
        OutboxRecord = "outbox.record",
        ConversationTake = "conversation.take",
        ConversationReturn = "conversation.return",
        ConversationSay = "conversation.say",
        HandoffAssign = "handoff.assign",
        HandoffResolve = "handoff.resolve",
        QuarantineRetry = "quarantine.retry",
        ReconcileResolve = "reconcile.resolve",
        DeedPerform = "deed.perform",
        TimerCancel = "timer.cancel",
        KeyAdd = "key.add",
        KeyRevoke = "key.revoke",
        KeyUse = "key.use",
        LivePrune = "live.prune",
        ContactIndex = "contact.index",
    }
}

impl Point {
    /// How long a commit may wait for another one to share its sync. Only the outcome of a send may
    /// wait, because its provider was waited for much longer: a crash meanwhile leaves hardly more
    /// ambiguous sends.
    fn patience(self) -> Duration {
        match self {
            Self::OutboxRecord => Duration::from_millis(5),
            _ => Duration::ZERO,
        }
    }

    /// How long a group of transactions may wait for one more: as long as its least patient one, and a
    /// read is never kept waiting.
    pub fn least_patience(group: impl Iterator<Item = Option<Self>>) -> Duration {
        group.map(|point| point.map_or(Duration::ZERO, Self::patience)).min().unwrap_or_default()
    }
}

points! {
    /// A call that leaves the process.
    Outside {
        ToolCall = "tool.call",
        ModelCall = "model.call",
        ChannelSend = "channel.send",
        MediaFetch = "media.fetch",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    After,
}

impl When {
    pub const ALL: [Self; 2] = [Self::Before, Self::After];

    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

struct Plan {
    name: String,
    when: String,
    left: AtomicU32,
}

// Fault testing is the one use of the environment outside the configuration.
#[expect(clippy::disallowed_methods)]
fn plan() -> Option<&'static Plan> {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    PLAN.get_or_init(|| {
        let text = std::env::var("RECADO_CRASH_AT").ok()?;
        let mut parts = text.split(':');
        Some(Plan {
            name: parts.next()?.to_owned(),
            when: parts.next()?.to_owned(),
            left: AtomicU32::new(parts.next().map_or(Some(1), |n| n.parse().ok())?),
        })
    })
    .as_ref()
}

/// Dies here if the plan says so.
pub fn hit(point: Point, when: When) {
    die_if_planned(point.name(), when);
}

/// Dies here if the plan says so.
pub fn hit_outside(outside: Outside, when: When) {
    die_if_planned(outside.name(), when);
}

fn die_if_planned(name: &str, when: When) {
    let Some(plan) = plan() else { return };
    if plan.name == name
        && plan.when == when.name()
        && plan.left.fetch_sub(1, Ordering::SeqCst) == 1
    {
        // SAFETY: both calls only take integers; the signal ends this process.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
}
