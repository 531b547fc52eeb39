//! Followers of streams: how many there may be, and how they are woken.

use std::sync::Arc;

use domain::{ConversationId, KeyId, WorkspaceId};
use store::Signals;

use crate::Gate;
use crate::guests::Guests;
use crate::hub::Hub;
use crate::peer::Peer;
use crate::places::{Place, Places};
use crate::problem::Problem;
use crate::visitor::Visitor;

/// Readers of live events: in all, of one workspace, and with one key.
const READERS: usize = 2_000;
const OF_A_WORKSPACE: usize = 250;
const WITH_A_KEY: usize = 50;
/// Pages of one visitor.
const OF_A_VISITOR: usize = 10;

pub(crate) struct Streams {
    visitors: Arc<Places<Visitor>>,
    addresses: Arc<Places<Peer>>,
    /// Pages of a workspace's chats: no more than half of all, so that one's strangers leave room for the
    /// customers of the others.
    chats: Arc<Places<WorkspaceId>>,
    pub(crate) guests: Arc<Guests>,
    workspaces: Arc<Places<WorkspaceId>>,
    keys: Arc<Places<KeyId>>,
}

/// A page's place, for as long as it is open.
pub(crate) type PagePlace = (Place<Visitor>, Place<Peer>, Place<WorkspaceId>);

/// Why a page gets no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// The visitor has the chat open too often.
    Windows,
    /// Others have theirs open: at this address, in this workspace or in all.
    Others,
}

/// A reader's place, for as long as it reads.
pub(crate) type ReaderPlace = (Place<WorkspaceId>, Place<KeyId>);

impl Streams {
    pub(crate) fn new(gate: &Gate) -> Self {
        let streams = gate.webchat_limits.map(|limits| limits.streams_per_address);
        let per_address = streams.map_or(usize::MAX, |streams| streams as usize);
        Self {
            visitors: Places::new(gate.pages, OF_A_VISITOR),
            addresses: Places::new(gate.pages, per_address),
            chats: Places::new(gate.pages, gate.pages.div_ceil(2)),
            guests: Guests::of(gate.guests),
            workspaces: Places::new(READERS, OF_A_WORKSPACE),
            keys: Places::new(READERS, WITH_A_KEY),
        }
    }

    /// A place for a visitor's page.
    pub(crate) fn page(
        &self,
        workspace: WorkspaceId,
        visitor: Visitor,
        peer: Peer,
    ) -> Result<PagePlace, NoPlace> {
        let others = self.chats.take(workspace).zip(self.addresses.take(peer));
        let (chat, address) = others.ok_or(NoPlace::Others)?;
        let visitor = self.visitors.take(visitor).ok_or(NoPlace::Windows)?;
        Ok((visitor, address, chat))
    }

    /// A place for whoever has shown this key.
    pub(crate) fn reader(
        &self,
        workspace: WorkspaceId,
        key: KeyId,
    ) -> Result<ReaderPlace, Problem> {
        let place =
            self.keys.take(key).and_then(|key| Some((self.workspaces.take(workspace)?, key)));
        place.ok_or_else(|| Problem::Wait {
            seconds: 10,
            text: format!(
                "too many follow events already: {WITH_A_KEY} with one key, {OF_A_WORKSPACE} in one \
                 workspace"
            ),
        })
    }
}

pub(crate) struct Hubs {
    /// A conversation has new lines.
    pub(crate) lines: Arc<Hub<ConversationId>>,
    /// A workspace has new live events.
    pub(crate) live: Arc<Hub<WorkspaceId>>,
    /// A visitor's first message was taken.
    pub(crate) begun: Arc<Hub<Visitor>>,
}

impl Hubs {
    /// Passes on what the store announces, for as long as it does.
    pub(crate) fn passing_on(signals: &Signals) -> Self {
        let hubs = Self { lines: Arc::default(), live: Arc::default(), begun: Arc::default() };
        tokio::spawn(Arc::clone(&hubs.lines).pass_on(signals.watch_lines()));
        tokio::spawn(Arc::clone(&hubs.live).pass_on(signals.watch_live()));
        hubs
    }
}

#[cfg(test)]
mod tests {
    use domain::Workspace;

    use super::*;

    #[test]
    fn the_pages_of_one_workspace_leave_room_for_those_of_another() {
        let streams = Streams::new(&Gate { pages: 4, ..Gate::default() });
        let page = |workspace: &str, number: u8| {
            let peer = Peer([203, 0, 113, number].into());
            streams.page(Workspace::named(workspace).id, Visitor::of(&number.to_string()), peer)
        };
        let first: Vec<_> = (0..4).map(|number| page("ruidosa", number)).collect();
        let taken = first.iter().filter(|place| place.is_ok()).count();
        assert_eq!((taken, first[3].as_ref().err()), (2, Some(&NoPlace::Others)));
        let second: Vec<_> = (4..8).map(|number| page("tranquila", number)).collect();
        assert_eq!(second.iter().filter(|place| place.is_ok()).count(), 2);
        drop(first);
        assert!(page("ruidosa", 9).is_ok(), "a page that is closed leaves its place");
    }
}
