//! A webhook's statuses of messages we sent, and of payments they asked for.

use domain::{Content, DeliveryReport, DeliveryStatus, Inbound, OutboundId, Reference};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::errors;
use super::webhook::{Known, identity};
use crate::fields::{self, Raw};
use crate::goods;

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
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    recipient_id: Raw<'a>,
    #[serde(borrow)]
    recipient_user_id: Raw<'a>,
    #[serde(borrow)]
    timestamp: Raw<'a>,
    #[serde(borrow)]
    payment: Raw<'a>,
}

/// A status, once read.
pub(super) enum Told {
    Report(DeliveryReport),
    /// News of a payment.
    Payment(Box<Inbound>),
    /// The message with this id was deleted.
    Deleted(String),
    /// A status that we have no word for.
    Nothing,
}

pub(super) fn told(raw: &RawValue, known: &[Known]) -> Result<Told, String> {
    let said: Status<'_> = fields::object(raw, "the status")?;
    let id = fields::id(said.id, "id")?;
    if fields::string(said.kind, "type")?.as_deref() == Some("payment") {
        return payment(&said, &id, known).map(|news| Told::Payment(Box::new(news)));
    }
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

/// The news of a payment, under an id made of the news, because the provider gives such news no id
/// of their own.
fn payment(said: &Status<'_>, id: &str, known: &[Known]) -> Result<Inbound, String> {
    let status = fields::required(said.status, "status")?;
    let news = goods::payment(said.payment, Some(status.clone()), "payment")?;
    let own = news.transaction.as_ref().or(news.reference.as_ref());
    let own = own.map_or("", String::as_str);
    Ok(Inbound {
        external_id: format!("payment/{id}/{own}/{status}"),
        from: identity(said.recipient_id, said.recipient_user_id, "recipient_id", known)?,
        content: Content::Payment(news),
        edits: None,
        sent_at: fields::seconds(said.timestamp),
    })
}
