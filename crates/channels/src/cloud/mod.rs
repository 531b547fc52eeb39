//! WhatsApp through Meta's Cloud API: who may call the webhook, what it says, how a message is sent.

mod account;
mod auth;
mod content;
mod errors;
mod media;
mod message;
mod send;
mod status;
mod webhook;

pub use account::{Account, AccountError};
pub use auth::{SIGNATURE_HEADER, WebhookAuth};
pub use media::CloudMedia;
pub use send::WhatsappCloud;
pub use webhook::parse;
