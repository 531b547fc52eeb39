//! Hints between nodes over LISTEN and NOTIFY, on one connection of its own.
//!
//! NOTIFY takes a lock on the whole database when it commits, so the engine's transactions never
//! notify: hints are gathered here and sent in batches, after the commits they tell of.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::poll_fn;
use std::mem;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::{ConversationId, WorkspaceId};
use store::{Signals, StoreError};
use tokio::sync::Notify;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, NoTls, Socket};

use crate::error::from_postgres;

const LANES: &str = "recado_lanes";
const LINES: &str = "recado_lines";
const LIVE: &str = "recado_live";
/// The least time between two batches.
const PAUSE: Duration = Duration::from_millis(20);
const RECONNECT: Duration = Duration::from_secs(1);
/// A payload must stay under 8000 bytes; an id and its comma take 37.
const IDS_PER_PAYLOAD: usize = 200;
/// The most hints kept. More are dropped, which is allowed because hints may be lost, so that an
/// unavailable database does not fill the memory.
const MOST_PENDING: usize = 10_000;

/// Hints that are still to be sent to other nodes.
#[derive(Default)]
pub(crate) struct Hints {
    pending: Mutex<Pending>,
    added: Notify,
}

#[derive(Default)]
struct Pending {
    lanes: bool,
    lines: BTreeSet<ConversationId>,
    live: BTreeSet<WorkspaceId>,
}

impl Hints {
    pub(crate) fn wake_lanes(&self) {
        self.add(|pending| pending.lanes = true);
    }

    pub(crate) fn announce_lines(&self, conversation: ConversationId) {
        self.add(|pending| {
            if pending.lines.len() < MOST_PENDING {
                pending.lines.insert(conversation);
            }
        });
    }

    pub(crate) fn announce_live(&self, workspace: WorkspaceId) {
        self.add(|pending| {
            if pending.live.len() < MOST_PENDING {
                pending.live.insert(workspace);
            }
        });
    }

    fn add(&self, change: impl FnOnce(&mut Pending)) {
        change(&mut self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        self.added.notify_one();
    }

    fn take(&self) -> Pending {
        mem::take(&mut self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Pending {
    /// Channels and payloads, side by side.
    fn into_notifications(self) -> (Vec<&'static str>, Vec<String>) {
        let mut channels = Vec::new();
        let mut payloads = Vec::new();
        if self.lanes {
            channels.push(LANES);
            payloads.push(String::new());
        }
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let live: Vec<String> = self.live.iter().map(ToString::to_string).collect();
        for (channel, ids) in [(LINES, lines), (LIVE, live)] {
            for ids in ids.chunks(IDS_PER_PAYLOAD) {
                channels.push(channel);
                payloads.push(ids.join(","));
            }
        }
        (channels, payloads)
    }
}

/// Runs until it is aborted.
pub(crate) async fn listen(config: Config, signals: Arc<Signals>, hints: Arc<Hints>) {
    loop {
        let lost = match config.connect(NoTls).await {
            Ok((client, connection)) => {
                let own_pid = AtomicI32::new(0);
                tokio::select! {
                    lost = receive(connection, &signals, &own_pid) => lost,
                    Err(lost) = exchange(&client, &signals, &hints, &own_pid) => from_postgres(&lost),
                }
            }
            Err(error) => from_postgres(&error),
        };
        // Lanes are also polled, so an interruption delays work but does not stop it.
        tracing::warn!(%lost, "hints to and from other nodes are interrupted");
        tokio::time::sleep(RECONNECT).await;
    }
}

/// Drives the connection and passes on other nodes' hints, until the connection is lost.
async fn receive(
    mut connection: Connection<Socket, NoTlsStream>,
    signals: &Signals,
    own_pid: &AtomicI32,
) -> StoreError {
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notification(hint))) => {
                // A hint from this node itself is skipped, because its signals were raised
                // directly.
                if hint.process_id() != own_pid.load(Ordering::Relaxed) {
                    pass_on(hint.channel(), hint.payload(), signals);
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return from_postgres(&error),
            None => return StoreError::Unavailable("the connection was closed".to_owned()),
        }
    }
}

fn pass_on(channel: &str, payload: &str, signals: &Signals) {
    match channel {
        LANES => signals.wake_lanes(),
        LINES => payload
            .split(',')
            .filter_map(|id| id.parse().ok())
            .for_each(|id| signals.announce_lines(id)),
        LIVE => payload
            .split(',')
            .filter_map(|id| id.parse().ok())
            .for_each(|id| signals.announce_live(id)),
        _ => {}
    }
}

/// Subscribes, then sends the pending hints: the first one at once, later ones in batches.
async fn exchange(
    client: &Client,
    signals: &Signals,
    hints: &Hints,
    own_pid: &AtomicI32,
) -> Result<Infallible, Error> {
    const SEND: &str = "SELECT pg_notify(hint.channel, hint.payload) \
        FROM unnest($1::text[], $2::text[]) AS hint (channel, payload)";
    let pid = client.query_one("SELECT pg_backend_pid()", &[]).await?;
    own_pid.store(pid.get(0), Ordering::Relaxed);
    client.batch_execute(&format!("LISTEN {LANES}; LISTEN {LINES}; LISTEN {LIVE}")).await?;
    let send = client.prepare(SEND).await?;
    // Hints sent before we listened are lost and may have been about lanes, so all lanes are looked
    // at.
    signals.wake_lanes();
    loop {
        hints.added.notified().await;
        let (channels, payloads) = hints.take().into_notifications();
        if !channels.is_empty() {
            client.execute(&send, &[&channels, &payloads]).await?;
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn hints_are_told_once_in_payloads_the_database_takes() {
        let hints = Hints::default();
        for n in (0..450).chain(0..450) {
            hints.wake_lanes();
            hints.announce_lines(Uuid::from_u128(n).into());
        }
        let (channels, payloads) = hints.take().into_notifications();
        assert_eq!(channels, [LANES, LINES, LINES, LINES]);
        assert!(payloads.iter().all(|payload| payload.len() < 8000));

        let signals = Signals::default();
        let mut lines = signals.watch_lines();
        pass_on(LINES, &payloads[3], &signals);
        assert_eq!(lines.len(), 50);
        assert_eq!(lines.try_recv().unwrap(), Uuid::from_u128(400).into());
        assert!(hints.take().into_notifications().0.is_empty());
    }
}
