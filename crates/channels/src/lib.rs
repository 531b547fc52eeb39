//! Channels: wire formats in, domain values out, and the port through which messages leave.

pub mod infobip;
mod sender;
mod text;

pub use sender::{Outgoing, Receipt, SendError, Sender};
pub use text::visible;
