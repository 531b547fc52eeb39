//! Workspaces take turns at writing: whatever one of them floods the store with, another waits for
//! few of those.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use domain::{
    Channel, DeliveryReport, DeliveryStatus, Identity, NewOutbound, Reference, StepStatus,
    Timestamp, Workspace, WorkspaceId,
};
use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::doing::{deed, of_session};
use super::world::{WINDOW, World};
use crate::{
    ApiKey, Arrival, Charged, Deed, DeedError, Deleted, ErrorBudget, GiveBack, Intent, KeyRole,
    Lease, MediaEnd, MediaJob, MediaStatus, PhoneEcho, Point, Renamed, Resolution, SendOutcome,
    SessionWrite, Store, StoredKey, StoredPack, TurnCommit, Unreadable,
};

/// Writes of one workspace at once: more than SQLite groups in one commit.
const FLOOD: usize = 640;
/// Writes that another workspace may wait for: those that were with the driver when it came, and
/// as many that took the places of those.
const FEW: usize = 400;

/// The arguments of every write. All writes of a flood have the same, so most change nothing.
struct Known {
    store: Arc<dyn Store>,
    workspace: WorkspaceId,
    channel: Channel,
    now: Timestamp,
    lease: Lease,
    arrival: Arrival,
    echo: PhoneEcho,
    session: SessionWrite,
    intent: Intent,
    turn: TurnCommit,
    message: NewOutbound,
    key: StoredKey,
    charged: Charged,
    job: MediaJob,
}

type Write = fn(Arc<Known>) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// The table of the writes that are committed under each [`Point`]. A new point without a place in
/// it does not compile.
macro_rules! writes_of_points {
    ($($point:ident { $(|$it:ident| $write:expr,)* })*) => {
        fn writes(point: Point) -> Vec<Write> {
            match point {
                $(Point::$point => vec![$(
                    |$it: Arc<Known>| Box::pin(async move {
                        let _ended = $write.await;
                    }),
                )*],)*
            }
        }
    };
}

writes_of_points! {
    Setup {
        |it| it.store.ensure(&named(it.workspace), &[], it.now),
        |it| it.store.visitor_secret(it.workspace, "secreto", it.now),
    }
    PackKeep {
        |it| it.store.keep_pack(it.workspace, &pack(), it.now),
    }
    InboxAccept {
        |it| it.store.accept(&it.channel, vec![it.arrival.clone()], None, it.now),
        |it| it.store.rename(&it.channel, renamed(it.now), it.now),
    }
    InboxNote {
        |it| it.store.note(&it.channel, vec![it.arrival.clone()], it.session.clone(), it.now),
    }
    InboxUnreadable {
        |it| it.store.keep_unreadable(&it.channel, vec![unreadable(&it)], it.now),
    }
    InboxReport {
        |it| it.store.report(it.workspace, vec![report(&it)], it.now),
    }
    InboxForget {
        |it| it.store.forget(&it.channel, vec![deleted(&it)], it.now),
    }
    InboxPrune {
        |it| it.store.prune(it.workspace, it.now, None),
    }
    MediaClaim {
        |it| it.store.claim_media(&it.channel, BUDGET, it.now, it.now, 1),
    }
    MediaRecord {
        |it| it.store.record_media(&it.job, MediaEnd::new(MediaStatus::Failed), it.now),
    }
    // Each node claims in one loop and renews in one: neither comes in floods.
    LaneClaim {}
    LaneHeartbeat {}
    LaneRelease {
        |it| it.store.release(it.lease, it.now),
        |it| it.store.hand_back(it.lease, it.now),
    }
    StepIntent {
        |it| it.store.intend(&it.intent, it.now),
    }
    StepLocal {
        |it| it.store.record_local(&it.intent, refused(), it.now),
        |it| it.store.record_local(&it.intent, of_session(refused()), it.now),
    }
    StepOutcome {
        |it| it.store.record_outcome(&it.intent, StepStatus::Done, &json!({}), it.now),
    }
    StepAnswer {
        |it| it.store.record_answer(&it.intent, StepStatus::Done, &json!({}), &it.charged, it.now),
    }
    DraftPut {
        |it| it.store.put_draft(it.lease, it.turn.turn, 1, "bor", it.now),
    }
    TurnCommit {
        |it| it.store.commit(it.turn.clone()),
    }
    TurnSuspect {
        |it| it.store.try_alone(it.lease, false),
    }
    TurnFail {
        |it| it.store.fail(it.lease, "no", it.now, it.now),
    }
    TurnQuarantine {
        |it| it.store.commit(TurnCommit { set_aside: Some("no".into()), ..it.turn.clone() }),
    }
    OutboxIntend {
        |it| it.store.intend_send(it.lease, it.message.id, &"ana".into(), WINDOW, it.now),
    }
    OutboxRecord {
        |it| it.store.record_send(it.lease, sent(&it), it.now),
    }
    ConversationTake {
        |it| it.store.take(it.workspace, it.lease.conversation, "marta", it.now),
        |it| it.store.echo(&it.channel, it.echo.clone(), it.now),
    }
    ConversationReturn {
        |it| it.store.give_back(
            it.workspace, it.lease.conversation, "marta", GiveBack::default(), it.arrival.event, it.now,
        ),
    }
    ConversationSay {
        |it| it.store.say(
            it.workspace, it.lease.conversation, "marta", it.message.clone(), false, it.now,
        ),
    }
    HandoffAssign {
        |it| it.store.assign_handoff(it.workspace, Uuid::nil().into(), "jefa", "marta", it.now),
    }
    HandoffResolve {
        |it| it.store.resolve_handoff(it.workspace, Uuid::nil().into(), "jefa", "listo", it.now),
    }
    QuarantineRetry {
        |it| it.store.retry(it.workspace, Uuid::nil(), "marta", it.now),
    }
    ReconcileResolve {
        |it| it.store.reconcile(it.workspace, &absent(), Resolution::Dropped, "marta", it.now),
    }
    DeedPerform {
        |it| it.store.perform(
            it.workspace, "marta", "stock.set", "alm-1", Uuid::nil(), refused(), it.now,
        ),
    }
    TimerCancel {
        |it| it.store.cancel_timer(it.workspace, Uuid::nil().into(), "marta", it.now),
    }
    KeyAdd {
        |it| it.store.add_key(it.workspace, &it.key, "marta", it.now),
    }
    KeyRevoke {
        |it| it.store.revoke_key(it.workspace, it.key.key.id, "marta", it.now),
    }
    KeyUse {
        |it| it.store.key_used(it.workspace, it.key.key.id, it.now),
    }
    LivePrune {
        |it| it.store.prune_live(it.workspace, it.now),
    }
    ContactIndex {
        |it| it.store.index_contacts(it.workspace),
    }
}

const BUDGET: ErrorBudget = ErrorBudget { failures: 1, within_ms: 1, pause_ms: 1 };

fn named(id: WorkspaceId) -> Workspace {
    Workspace { id, slug: id.to_string() }
}

fn absent() -> String {
    Uuid::nil().to_string()
}

fn pack() -> StoredPack {
    StoredPack { name: "ventas".into(), version: "v0".into(), source: Default::default() }
}

fn renamed(at: Timestamp) -> Renamed {
    Renamed { from: Identity::new("nadie"), to: Identity::new("alguien"), at }
}

fn unreadable(it: &Known) -> Unreadable {
    let (event, reason) = (it.arrival.event, "no".to_owned());
    Unreadable { external_id: "m2".into(), event, raw: json!({}), reason }
}

fn report(it: &Known) -> DeliveryReport {
    DeliveryReport::new(Reference::Ours(it.message.id), DeliveryStatus::Read)
}

fn deleted(it: &Known) -> Deleted {
    Deleted { external_id: "m3".into(), event: it.arrival.event }
}

fn refused() -> Arc<dyn Deed> {
    deed!(|_records| Err(DeedError::Refused("no".to_owned())))
}

fn sent(it: &Known) -> SendOutcome {
    SendOutcome::new(it.message.id, DeliveryStatus::Sent)
}

impl Known {
    /// Arguments around a customer of the world's own workspace, whose lane is held.
    async fn of(world: &World) -> Self {
        world.hear("ana", "hola").await;
        let work = world.claim().await;
        let (id, now) = (world.id(), world.now());
        let key = ApiKey {
            id,
            name: "marta".into(),
            role: KeyRole::Operator,
            created_at: now,
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
        };
        let contact = work.conversation.contact.id;
        Self {
            store: Arc::clone(&world.store),
            workspace: world.workspace(),
            channel: world.channel.clone(),
            now,
            lease: work.lease,
            arrival: world.arrival("ana", "m1", "hola"),
            echo: world.phone_echo("ana", "app.1", "hola"),
            session: world.new_session(),
            intent: world.intent(&work, "precio", 0),
            turn: world.turn(&work),
            message: world.operators("hola"),
            key: StoredKey { key, secret_sha256: String::new() },
            charged: Charged { session: world.id(), contact, calls: Vec::new() },
            job: MediaJob {
                workspace: world.workspace(),
                id: world.id(),
                conversation: work.conversation.id,
                file: domain::Media::default(),
                attempt: 1,
                deleted: false,
                sha256: None,
                since: now,
            },
        }
    }
}

pub(super) async fn of_many_that_write_at_once_a_workspace_waits_for_few_of_anothers(world: World) {
    let mut world = world;
    let own = Arc::new(Known::of(&world).await);
    world.channel = world.add_channel("otra", "whatsapp").await;
    let neighbours = Arc::new(Known::of(&world).await);
    let of_point = |point: Point| writes(point).into_iter().map(move |write| (point, write));
    for (point, write) in Point::ALL.iter().copied().flat_map(of_point) {
        let ended: Arc<Mutex<Vec<WorkspaceId>>> = Arc::default();
        let mut writing = JoinSet::new();
        for it in std::iter::repeat_n(&own, FLOOD).chain([&neighbours]) {
            let (it, ended) = (Arc::clone(it), Arc::clone(&ended));
            writing.spawn(async move {
                let workspace = it.workspace;
                write(it).await;
                ended.lock().unwrap().push(workspace);
            });
        }
        writing.join_all().await;
        let ended = ended.lock().unwrap();
        let before = ended.iter().position(|whose| *whose == neighbours.workspace);
        assert!(before.is_some_and(|before| before < FEW), "{point:?}: {before:?} before it");
    }
}
