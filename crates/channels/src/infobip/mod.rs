//! WhatsApp through Infobip: who may call the webhook, what it says, and how a message is sent.

mod auth;
mod content;
mod fields;
mod send;
mod status;
mod webhook;

pub use auth::{Denied, SIGNATURE_HEADERS, WebhookAuth};
pub use send::Infobip;
pub use webhook::{BadItem, NotUnderstood, Parsed, parse};
