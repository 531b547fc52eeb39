//! Workspaces, contacts with their channel identities, and conversations with their owner.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ChannelId, ContactId, ConversationId, Pii, Timestamp, WorkspaceId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    pub id: WorkspaceId,
    /// The workspace's name in the configuration.
    pub slug: String,
}

impl Workspace {
    pub fn named(slug: &str) -> Self {
        Self { id: WorkspaceId::from_slug(slug), slug: slug.to_owned() }
    }
}

/// A customer's identity on one channel: an opaque id, because a phone number may be hidden.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    pub external_id: Pii,
    /// Another name of the same customer on the channel: a sender known by it is this customer.
    pub alias: Option<Pii>,
    pub name: Option<Pii>,
    pub phone: Option<Pii>,
}

impl Identity {
    pub fn new(external_id: impl Into<Pii>) -> Self {
        Self { external_id: external_id.into(), alias: None, name: None, phone: None }
    }

    /// The address for answers: the alias if there is one, because every sender takes a number.
    pub fn address(&self) -> &Pii {
        self.alias.as_ref().unwrap_or(&self.external_id)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    pub id: ContactId,
    pub name: Option<Pii>,
    pub phone: Option<Pii>,
    /// Further data, by the name of the field.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

/// The party that answers. Every change of owner raises the conversation's epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    Bot,
    Human,
}

impl Owner {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Human => "human",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Bot, Self::Human].into_iter().find(|owner| owner.as_str() == text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conversation {
    pub id: ConversationId,
    pub workspace: WorkspaceId,
    pub channel: ChannelId,
    pub contact: Contact,
    /// The contact's id on this channel: the address replies go to.
    pub address: Pii,
    pub owner: Owner,
    pub epoch: i64,
    pub assignee: Option<String>,
    pub last_customer_message_at: Option<Timestamp>,
}
