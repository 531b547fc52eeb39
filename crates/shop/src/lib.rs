//! The shop: what customers look for, put into carts and order, and what operators do about it.

pub mod cart;
pub mod catalogue;
mod commerce;
mod consent;
pub mod customer;
pub mod goods;
mod number;
mod opening;
pub mod order;
mod request;
pub mod search;
mod status;
mod stock;
mod view;

pub use commerce::{PaymentMethods, Profile, SetProfile, ShowProfile, profile};
pub use consent::{NeedsYes, TermsLine, digest, terms};
pub use number::{order_code, order_number};
pub use opening::{OpeningError, open};
pub use request::Request;
pub use status::{RecordPayment, SetOrderStatus, advance};
pub use stock::{CountStock, ReceiveStock, StockOf, WriteOffStock};

/// The most units of one line of a cart or an order.
pub const MOST_UNITS: u32 = 999;
/// The most lines of a cart or an order.
pub const MOST_LINES: usize = 50;
