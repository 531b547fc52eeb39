//! Infobip's status objects, in reports and in answers to a send, as the status of a message.

use domain::DeliveryStatus;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fields::{self, Raw};

/// Infobip's error for a text sent when the customer has not written for 24 h.
const NO_SESSION: &str = "EC_NO_SESSION";

/// The words that `status` and `error` objects share.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status<'a> {
    #[serde(borrow)]
    group_id: Raw<'a>,
    #[serde(borrow)]
    group_name: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    description: Raw<'a>,
}

impl Status<'_> {
    /// The delivery status of the status group, by its name or else its number.
    pub(super) fn delivery(&self) -> Option<DeliveryStatus> {
        let name = fields::string(self.group_name, "groupName").ok().flatten();
        match name.as_deref() {
            Some("PENDING") => Some(DeliveryStatus::Sent),
            Some("DELIVERED") => Some(DeliveryStatus::Delivered),
            Some("UNDELIVERABLE" | "EXPIRED" | "REJECTED") => Some(DeliveryStatus::Failed),
            _ => match self.group_id.map(RawValue::get)? {
                "1" => Some(DeliveryStatus::Sent),
                "3" => Some(DeliveryStatus::Delivered),
                "2" | "4" | "5" => Some(DeliveryStatus::Failed),
                _ => None,
            },
        }
    }

    /// Whether an `error` object holds an error: Infobip sends id 0 (`NO_ERROR`) if all went well.
    pub(super) fn is_error(&self) -> bool {
        self.id.is_some_and(|id| id.get() != "0")
    }

    /// Whether the customer last wrote too long ago for a text.
    pub(super) fn is_no_session(&self) -> bool {
        fields::string(self.name, "name").is_ok_and(|name| name.as_deref() == Some(NO_SESSION))
    }

    /// The name and the description, as far as they are given; a missing session is first named in
    /// our own words.
    pub(super) fn words(&self) -> String {
        let said =
            |raw, name| fields::string(raw, name).ok().flatten().filter(|said| !said.is_empty());
        match (said(self.name, "name"), said(self.description, "description")) {
            (Some(name), _) if name == NO_SESSION => format!("outside the 24 h window: {name}"),
            (Some(name), Some(description)) => format!("{name}: {description}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => "no reason given".to_owned(),
        }
    }
}
