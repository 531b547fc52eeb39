//! The words of the product as plain data: no I/O, no ambient time, no randomness of its own.

mod backoff;
mod caller;
mod channel;
mod clock;
mod confidence;
mod content;
mod conversation;
mod event;
mod handoff;
mod id;
mod model;
mod money;
mod network;
mod order;
mod outbound;
mod pace;
mod pii;
mod proposal;
mod rate;
mod repeats;
pub mod rules;
mod session;
mod shop;
mod step;
mod text;
mod timer;
mod tool;
mod trace;
mod visits;

pub use backoff::Backoff;
pub use caller::{Authority, Caller};
pub use channel::{Burst, Channel, ChannelId, ChannelKind, SERVICE_WINDOW_MS};
pub use clock::{Clock, SystemClock, Ticks, Timestamp, VirtualClock};
pub use confidence::{Confidence, OutOfRange};
pub use content::{Answer, Basket, Card, Content, Media, PaymentNews, Picked};
pub use conversation::{Contact, Conversation, Identity, Owner, Workspace};
pub use event::{Event, EventKind, Inbound, OperatorEvent};
pub use handoff::{Handoff, HandoffRequest, HandoffStatus, Trigger, Unattended};
pub use id::{
    ContactId, ConversationId, EventId, HandoffId, IdSource, KeyId, NodeId, OrderId, OutboundId,
    PaymentId, SeededIds, SessionId, SystemIds, TimerId, TurnId, WorkspaceId,
};
pub use model::{
    Budget, Cost, ModelCall, ModelEvent, ModelMessage, ModelPart, ModelReply, ModelRequest,
    OutputSchema, Prompt, Speaker, Spending, StopReason, ToolSpec, ToolUseMode, Usage,
};
pub use money::{Currency, Money, MoneyError, money_text};
pub use network::{Network, NoNetwork};
pub use order::{Order, OrderLine, OrderStatus};
pub use outbound::{
    Approved, Author, DeliveryReport, DeliveryStatus, NewOutbound, Outbound, Priority, Reference,
    ReplyOption,
};
pub use pace::{Pace, PairPace};
pub use pii::Pii;
pub use proposal::{Consent, Proposal, Standing, Terms, TermsItem};
pub use rate::{Gcra, Rate};
pub use repeats::Repeats;
pub use session::{
    Role, SESSION_WINDOW_MS, SeenIntent, Session, SessionState, SessionStatus, ToolUse, TurnEntry,
};
pub use shop::{
    Account, Cart, CartLine, Item, Payment, Product, Reservation, Stock, Variant, title,
};
pub use step::{Step, StepKey, StepKind, StepStatus};
pub use text::{revealed, storable, visible};
pub use timer::{ArmTimer, Timer, TimerCondition};
pub use tool::ToolError;
pub use trace::{AskedModel, PathStep, Tier, Tokens, TurnTrace};
pub use visits::VisitLimits;
