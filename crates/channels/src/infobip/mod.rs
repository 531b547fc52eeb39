//! WhatsApp through Infobip: who may call the webhook, what it says, and how a message is sent.

mod auth;
mod content;
mod media;
mod send;
mod status;
mod webhook;

pub use auth::{SIGNATURE_HEADERS, WebhookAuth};
pub use media::InfobipMedia;
pub use send::Infobip;
pub use webhook::parse;
