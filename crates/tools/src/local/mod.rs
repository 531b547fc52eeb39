//! Tools on our own database, one file a noun, and the turn's own replies.

mod contact;
mod handoff;
mod order;
mod price;
mod queue;
mod reply;

use std::sync::Arc;

use domain::ToolError;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Tool;

pub(crate) fn all() -> Vec<Tool> {
    vec![
        Tool::Local(Arc::new(contact::Create::default())),
        Tool::Local(Arc::new(contact::Update::default())),
        Tool::Local(Arc::new(order::Create::default())),
        Tool::Local(Arc::new(order::Update::default())),
        Tool::Local(Arc::new(queue::TakeNumber::default())),
        Tool::Reply(Arc::new(reply::message())),
        Tool::Reply(Arc::new(reply::template())),
        Tool::Reply(Arc::new(handoff::request())),
    ]
}

pub(crate) fn read<T: DeserializeOwned>(input: &Value) -> Result<T, ToolError> {
    T::deserialize(input)
        .map_err(|error| ToolError::BadInput(format!("the input does not fit: {error}")))
}

/// A text without the spaces around it; one that has nothing else is refused.
fn written(name: &str, text: &str) -> Result<String, ToolError> {
    match text.trim() {
        "" => Err(ToolError::BadInput(format!("the input does not fit: `{name}` is blank"))),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prepared, Registry};
    use domain::{Authority, Caller, Contact, ContactId, ConversationId, SessionId, WorkspaceId};
    use store::{MemoryRecords, Records};
    use uuid::Uuid;

    pub(super) fn caller() -> Caller {
        Caller {
            workspace: WorkspaceId::from_slug("a"),
            conversation: ConversationId(Uuid::from_u128(1)),
            contact: ContactId(Uuid::from_u128(2)),
            session: SessionId(Uuid::from_u128(3)),
            authority: Authority::Person,
        }
    }

    /// Records on which the built-in tools act, checks included.
    pub(super) struct Shop {
        pub(super) records: MemoryRecords,
    }

    impl Shop {
        pub(super) fn empty() -> Self {
            Self { records: MemoryRecords::default() }
        }

        /// The caller is known, and nothing of them.
        pub(super) async fn new() -> Self {
            let mut shop = Self::empty();
            let id = caller().contact;
            let contact = Contact { id, name: None, phone: None, data: Default::default() };
            shop.records.put_contact(&contact).await.unwrap();
            shop
        }

        pub(super) async fn call(&mut self, tool: &str, input: Value) -> Result<Value, String> {
            let deed = match Registry::builtin().prepare(&caller(), tool, &input) {
                Ok(Prepared::Local { deed, reads: false }) => deed,
                Ok(_) => panic!("{tool} does not act on our own database"),
                Err(refusal) => return Err(refusal.to_string()),
            };
            deed.run(&mut self.records).await.map_err(|error| error.to_string())
        }
    }
}
