//! The memory of a form's conversation between turns: the fields, and where the talk stands.

use std::collections::BTreeMap;

use domain::{Handoff, SessionState, Timestamp, Trigger};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{AgentError, walk};

/// The fields and the talk of a form's conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversation {
    /// Collected values by field; null is a field the customer goes without.
    pub(crate) data: Map<String, Value>,
    pub(crate) talk: Talk,
}

/// Where the talk stands, apart from the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Talk {
    /// When the customer first wrote, or a person gave the conversation back.
    pub(crate) since: Option<Timestamp>,
    /// Whether the opening words were said.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) greeted: bool,
    /// Failed attempts by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) failed: BTreeMap<String, u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) correcting: Option<Correcting>,
    /// A value that would do, and waits for a yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proposed: Option<Proposed>,
    /// The field over which a person was offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offered_person: Option<String>,
    /// The field that was taken last: what an unnamed correction means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_field: Option<String>,
    /// Messages that sounded unhappy.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unhappy: u32,
    /// Messages in a row that nothing answered.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) unanswered: u32,
    /// Whether the customer was asked to confirm.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) confirming: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) confirmed: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) completed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) escalated: Option<Escalated>,
}

/// The thing that the next message is to correct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Correcting {
    /// The customer was asked which field.
    Unknown,
    /// The customer was asked for this field's right value.
    Field(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proposed {
    pub(crate) field: String,
    pub(crate) value: String,
}

/// Which policy gave the conversation to a person, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Escalated {
    pub(crate) policy: String,
    pub(crate) reason: String,
}

impl Escalated {
    pub(crate) fn handoff(&self) -> Handoff {
        let trigger = match self.policy.as_str() {
            "keyword" => Trigger::CustomerRequest,
            "sentiment" => Trigger::NegativeSentiment,
            "attempts" | "unanswered" => Trigger::NotUnderstood,
            _ => Trigger::Rule,
        };
        Handoff::new(trigger, format!("{}: {}", self.policy, self.reason))
    }
}

impl Conversation {
    /// The conversation, and what is told of the parts that cannot be read; the data is never
    /// forgotten.
    pub(crate) fn recall(state: &SessionState) -> (Self, Vec<String>) {
        let (mut talk, lost) = walk::recalled::<Talk>(&state.memory);
        let data = state.data.clone();
        talk.greeted |= !data.is_empty();
        (Self { data, talk }, lost)
    }

    pub(crate) fn remember(self, state: &mut SessionState) -> Result<(), AgentError> {
        state.data = self.data;
        state.memory = walk::stored(&self.talk)?;
        Ok(())
    }

    pub(crate) fn has(&self, field: &str) -> bool {
        self.data.contains_key(field)
    }

    /// Whether a value was given for it before, taken or not.
    pub(crate) fn was_given(&self, field: &str) -> bool {
        self.has(field) || self.talk.failed.contains_key(field)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
