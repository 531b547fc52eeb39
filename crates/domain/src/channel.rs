//! A channel: a way in and out for a workspace, and its treatment of bursts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::WorkspaceId;

/// How long after the customer's last message a business may write freely on a channel that has
/// a window; from then on it may only send templates that were approved.
pub const SERVICE_WINDOW_MS: i64 = 24 * 60 * 60 * 1000;

/// The channel's name in the configuration and in its webhook address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelId(pub String);

impl fmt::Display for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<&str> for ChannelId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    /// The page and its API: a committed message is delivered, because the page reads the store.
    Webchat,
    /// WhatsApp through Infobip.
    Infobip,
    /// WhatsApp through Meta's own Cloud API.
    #[serde(rename = "whatsapp_cloud")]
    WhatsappCloud,
}

impl ChannelKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Webchat => "webchat",
            Self::Infobip => "infobip",
            Self::WhatsappCloud => "whatsapp_cloud",
        }
    }

    /// Whether a committed reply is already where its reader looks, so that nothing is sent.
    pub fn delivers_by_commit(self) -> bool {
        self == Self::Webchat
    }

    /// Whether free text may only be sent within [`SERVICE_WINDOW_MS`] of the customer's last
    /// message.
    pub fn has_window(self) -> bool {
        match self {
            Self::Webchat => false,
            Self::Infobip | Self::WhatsappCloud => true,
        }
    }
}

/// The rule by which messages that come close together are merged into one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// The turn waits until no message has come for this long; 0 answers the waiting ones at once.
    pub quiet_ms: i64,
    /// The turn waits no longer than this after the first message.
    pub cap_ms: i64,
    /// The most messages in a turn; the rest wait for the next.
    pub max_messages: u32,
}

impl Default for Burst {
    fn default() -> Self {
        Self { quiet_ms: 0, cap_ms: 10_000, max_messages: 50 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    pub workspace: WorkspaceId,
    pub kind: ChannelKind,
    /// The agent that answers on this channel.
    pub agent: String,
    pub burst: Burst,
}
