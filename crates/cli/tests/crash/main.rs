//! The crash suite: the real binary, killed, frozen, starved and lied to, and what came of it.

mod deliveries;
mod kills;
mod kit;
mod load;
mod nodes;
mod outages;
mod points;
mod recovery;
mod refusals;
mod scenarios;
mod stopping;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other suites use the rest of the kit")]
mod support;
mod takeovers;

pub(crate) use support::on_both_stores;
