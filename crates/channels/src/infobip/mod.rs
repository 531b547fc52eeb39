//! WhatsApp through Infobip: the webhook's caller, its body, and sending.

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
