//! An errand that a customer's turn has for the shop, named by the type of its input.

use domain::Caller;

/// An errand of a customer's turn: its input, and whom it is done for.
pub struct Request<I> {
    pub caller: Caller,
    pub input: I,
}
