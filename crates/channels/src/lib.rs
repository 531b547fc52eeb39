//! Channels: wire formats in, domain values out, and the port through which messages leave.

mod cards;
pub mod cloud;
mod exchange;
mod fields;
pub mod infobip;
mod mac;
mod media;
mod offer;
mod sender;
mod text;
mod webhook;

pub use mac::Denied;
pub use media::{FetchError, Incoming, MediaHosts, MediaSource};
pub use offer::{Offered, offered};
pub use sender::{ChannelTrouble, Outgoing, Receipt, SendError, Sender};
pub use text::visible;
pub use webhook::{BadItem, Echo, NotUnderstood, Parsed};
