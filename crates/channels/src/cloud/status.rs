//! What a webhook says of messages we sent.

use domain::{DeliveryReport, DeliveryStatus, OutboundId, Reference};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::errors;
use crate::fields::{self, Raw};

#[derive(Deserialize)]
struct Status<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    status: Raw<'a>,
    #[serde(borrow)]
    biz_opaque_callback_data: Raw<'a>,
    #[serde(borrow)]
    errors: Raw<'a>,
}

/// What a status comes to.
pub(super) enum Told {
    Report(DeliveryReport),
    /// The message with this id was deleted.
    Deleted(String),
    /// Nothing that we have a word for.
    Nothing,
}

pub(super) fn told(raw: &RawValue) -> Result<Told, String> {
    let said: Status<'_> = fields::object(raw, "the status")?;
    let id = fields::id(said.id, "id")?;
    let status = match fields::required(said.status, "status")?.as_str() {
        "sent" => DeliveryStatus::Sent,
        "delivered" => DeliveryStatus::Delivered,
        // A voice message that was played was read.
        "read" | "played" => DeliveryStatus::Read,
        "failed" => DeliveryStatus::Failed,
        "deleted" => return Ok(Told::Deleted(id)),
        _ => return Ok(Told::Nothing),
    };
    let ours = |raw| fields::id(raw, "biz_opaque_callback_data").ok()?.parse::<OutboundId>().ok();
    let reference = match ours(said.biz_opaque_callback_data) {
        Some(ours) => Reference::Ours(ours),
        None => Reference::Theirs(id),
    };
    let mut report = DeliveryReport::new(reference, status);
    if status == DeliveryStatus::Failed {
        let problem = errors::first(said.errors);
        report.window_closed = problem.closes_window();
        report.error = Some(problem.told());
    }
    Ok(Told::Report(report))
}
