//! Wake-ups: hints that something changed, so that nobody has to poll. They may be lost; a slow
//! safety poll covers that.

use domain::{ConversationId, WorkspaceId};
use tokio::sync::{Notify, broadcast};

pub struct Signals {
    /// Some lane may be due.
    lanes: Notify,
    /// Some file may be waiting to be fetched. Only this node is told: others look from time to
    /// time.
    media: Notify,
    /// A conversation has new lines.
    lines: broadcast::Sender<ConversationId>,
    /// A workspace has new live events.
    live: broadcast::Sender<WorkspaceId>,
}

impl Default for Signals {
    fn default() -> Self {
        let (lines, live) = (broadcast::channel(1024).0, broadcast::channel(1024).0);
        Self { lanes: Notify::new(), media: Notify::new(), lines, live }
    }
}

impl Signals {
    pub fn wake_lanes(&self) {
        self.lanes.notify_one();
    }

    pub async fn lanes_woken(&self) {
        self.lanes.notified().await;
    }

    pub fn wake_media(&self) {
        self.media.notify_one();
    }

    pub async fn media_woken(&self) {
        self.media.notified().await;
    }

    pub fn announce_lines(&self, conversation: ConversationId) {
        // Without a listener nothing is lost, because lines are read from the store.
        let _ = self.lines.send(conversation);
    }

    pub fn watch_lines(&self) -> broadcast::Receiver<ConversationId> {
        self.lines.subscribe()
    }

    pub fn announce_live(&self, workspace: WorkspaceId) {
        // Without a listener nothing is lost, because events are read from the store.
        let _ = self.live.send(workspace);
    }

    pub fn watch_live(&self) -> broadcast::Receiver<WorkspaceId> {
        self.live.subscribe()
    }

    pub fn watchers(&self) -> usize {
        self.lines.receiver_count()
    }
}
