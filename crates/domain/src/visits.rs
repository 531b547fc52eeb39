//! The limits on strangers in a web chat, beyond which they are asked to wait.

/// The limits. Each figure may be used up at once, and comes back over a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitLimits {
    pub messages_per_visitor: u32,
    /// An address is one of IPv4, or a /64 of IPv6.
    pub messages_per_address: u32,
    /// Conversations begun from one address.
    pub new_per_address: u32,
    /// Conversations begun in one channel.
    pub new_per_channel: u32,
    /// Streams of one address that are open at once.
    pub streams_per_address: u32,
}

impl VisitLimits {
    /// Figures far above what people do, also for a whole office behind one address.
    pub const DEFAULT: Self = Self {
        messages_per_visitor: 30,
        messages_per_address: 300,
        new_per_address: 60,
        new_per_channel: 300,
        streams_per_address: 200,
    };
}
