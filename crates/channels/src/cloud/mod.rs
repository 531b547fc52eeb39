//! WhatsApp through Meta's Cloud API: the webhook's caller, its body, and sending.

mod account;
mod auth;
mod content;
mod errors;
mod media;
mod send;
mod status;
mod webhook;

pub use account::{Account, AccountError};
pub use auth::{SIGNATURE_HEADER, WebhookAuth};
pub use media::CloudMedia;
pub use send::WhatsappCloud;
pub use webhook::parse;
