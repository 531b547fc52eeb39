//! Channels: wire formats in, domain values out, and the port through which messages leave.

mod cards;
pub mod cloud;
mod entries;
mod exchange;
mod fields;
mod goods;
pub mod infobip;
mod mac;
mod media;
mod offer;
mod reading;
mod sender;
mod webhook;

pub use mac::Denied;
pub use media::{FetchError, Incoming, MediaHosts, MediaSource};
pub use offer::{Offered, offered};
pub use sender::{ChannelTrouble, Outgoing, Receipt, SendError, Sender};
pub use webhook::{BadItem, Echo, NotUnderstood, Parsed, Renaming};
