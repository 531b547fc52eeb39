//! Strangers who want the real binary down: half requests, bodies for nobody, silence, broken deliveries.

mod bodies;
mod fuzzed;
mod halves;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the crash suite uses the rest of the kit")]
mod support;

pub(crate) use support::on_both_stores;
