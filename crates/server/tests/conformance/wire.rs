//! Both wires: what a provider's webhook says, in its own words, signed as it signs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

pub(crate) const NUMBER: &str = "100200300";
pub(crate) const SECRET: &str = "firma";
pub(crate) const WORD: &str = "palabra";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Infobip,
    Cloud,
}

/// The messages that a customer may send.
#[derive(Clone, Debug)]
pub(crate) enum Sent {
    Text(String),
    Button(&'static str, &'static str),
    Row(&'static str, &'static str),
    File(&'static str),
    Place,
    Card,
    Heart,
    NoHeart,
    Order,
}

impl Wire {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Infobip => "/webhooks/infobip/tienda",
            Self::Cloud => "/webhooks/whatsapp/tienda",
        }
    }

    /// A customer's message; `at` is in seconds.
    pub(crate) fn message(self, from: &str, id: &str, at: i64, sent: &Sent) -> Value {
        match self {
            Self::Infobip => json!({
                "from": from, "to": "573001112233", "integrationType": "WHATSAPP", "messageId": id,
                "receivedAt": instant(at), "message": infobip(sent), "contact": {"name": "Ana"},
            }),
            Self::Cloud => {
                let (kind, part) = cloud(sent);
                json!({"from": from, "id": id, "timestamp": at.to_string(), "type": kind, kind: part})
            }
        }
    }

    /// A report on a message of ours.
    pub(crate) fn report(self, reference: &str, word: &str) -> Value {
        match (self, word) {
            (Self::Infobip, "read") => json!({"messageId": reference, "seenAt": instant(0)}),
            (Self::Infobip, word) => {
                let group = match word {
                    "sent" => "PENDING",
                    "delivered" => "DELIVERED",
                    _ => "UNDELIVERABLE",
                };
                json!({"messageId": reference, "status": {"groupName": group, "name": "WHY"}})
            }
            (Self::Cloud, word) => {
                let errors = json!([{"code": 131026, "title": "WHY"}]);
                let mut status = json!({"id": format!("wamid.{reference}"), "status": word,
                       "biz_opaque_callback_data": reference});
                if word == "failed" {
                    status["errors"] = errors;
                }
                status
            }
        }
    }

    /// A delivery with all of these messages and reports.
    pub(crate) fn body(self, messages: &[Value], reports: &[Value]) -> Vec<u8> {
        let body = match self {
            Self::Infobip => json!({"results": ([messages, reports].concat())}),
            Self::Cloud => json!({"object": "whatsapp_business_account", "entry": [{"id": "1",
            "changes": [{"field": "messages", "value": {
                "messaging_product": "whatsapp",
                "metadata": {"phone_number_id": NUMBER},
                "contacts": [{"wa_id": "573001234567", "profile": {"name": "Ana"}}],
                "messages": messages, "statuses": reports,
            }}]}]}),
        };
        body.to_string().into_bytes()
    }

    pub(crate) fn signature(self, secret: &str, body: &[u8]) -> (&'static str, String) {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(body);
        let mac = mac.finalize().into_bytes();
        let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        match self {
            Self::Infobip => ("x-ib-hmac-signature", STANDARD.encode(mac)),
            Self::Cloud => ("x-hub-signature-256", format!("sha256={hex}")),
        }
    }
}

fn instant(seconds: i64) -> String {
    domain::Timestamp::from_millis(seconds * 1_000).to_string()
}

fn infobip(sent: &Sent) -> Value {
    match sent {
        Sent::Text(text) => json!({"type": "TEXT", "text": text}),
        Sent::Button(id, title) => {
            json!({"type": "INTERACTIVE_BUTTON_REPLY", "id": id, "title": title})
        }
        Sent::Row(id, title) => json!({"type": "INTERACTIVE_LIST_REPLY", "id": id, "title": title}),
        Sent::File(url) => json!({"type": "IMAGE", "url": url, "caption": "mi foto"}),
        Sent::Place => json!({"type": "LOCATION", "latitude": 4.6, "longitude": -74.1}),
        Sent::Card => json!({"type": "CONTACT", "contacts": [
            {"name": {"formattedName": "Luis"}, "phones": [{"phone": "+57 1", "waId": "571"}]},
        ]}),
        Sent::Heart => json!({"type": "REACTION", "emoji": "❤", "action": "REACT"}),
        Sent::NoHeart => json!({"type": "REACTION", "emoji": "❤", "action": "UNREACT"}),
        Sent::Order => json!({"type": "ORDER", "catalogId": "c", "productItems": [
            {"productRetailerId": "pan", "quantity": 2, "itemPrice": 9.5, "currency": "COP"}]}),
    }
}

fn cloud(sent: &Sent) -> (&'static str, Value) {
    match sent {
        Sent::Text(text) => ("text", json!({"body": text})),
        Sent::Button(id, title) => (
            "interactive",
            json!({"type": "button_reply", "button_reply": {"id": id, "title": title}}),
        ),
        Sent::Row(id, title) => {
            ("interactive", json!({"type": "list_reply", "list_reply": {"id": id, "title": title}}))
        }
        Sent::File(id) => {
            let id = id.rsplit('/').next().unwrap();
            ("image", json!({"id": id, "mime_type": "image/jpeg", "caption": "mi foto"}))
        }
        Sent::Place => ("location", json!({"latitude": 4.6, "longitude": -74.1})),
        Sent::Card => (
            "contacts",
            json!([{"name": {"formatted_name": "Luis"}, "phones": [{"phone": "+57 1", "wa_id": "571"}]}]),
        ),
        Sent::Heart => ("reaction", json!({"message_id": "wamid.0", "emoji": "❤"})),
        Sent::NoHeart => ("reaction", json!({"message_id": "wamid.0"})),
        Sent::Order => (
            "order",
            json!({"catalog_id": "c", "product_items": [
            {"product_retailer_id": "pan", "quantity": 2, "item_price": 9.5, "currency": "COP"}]}),
        ),
    }
}
