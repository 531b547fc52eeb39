//! The driver against a real PostgreSQL; the store's own behaviour is the contract suite's.

mod connections;
mod counters;
mod groups;
mod hints;
mod isolation;
mod live;
mod locks;
mod opening;
mod plans;
mod silence;
mod transactions;
