//! The driver against a real PostgreSQL. What the store does through it is the contract suite's.

mod connections;
mod counters;
mod hints;
mod isolation;
mod live;
mod opening;
mod plans;
mod transactions;
