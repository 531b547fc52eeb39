//! How much strangers may do in a web chat before they are asked to wait.

/// Each figure may be used up at once, and comes back over a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitLimits {
    pub messages_per_visitor: u32,
    /// An address is one of IPv4, or a /64 of IPv6.
    pub messages_per_address: u32,
    /// Conversations begun from one address.
    pub new_per_address: u32,
    /// Conversations begun in one channel.
    pub new_per_channel: u32,
    /// Pages of one address that follow at once.
    pub streams_per_address: u32,
}

impl VisitLimits {
    /// Far above what people do, a whole office behind one address included.
    pub const DEFAULT: Self = Self {
        messages_per_visitor: 30,
        messages_per_address: 300,
        new_per_address: 60,
        new_per_channel: 300,
        streams_per_address: 200,
    };
}
