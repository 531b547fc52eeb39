//! The form suite: whole registrations through the real binary, killed, reloaded and lied to.

mod applicant;
mod bad_input;
mod crowd;
mod empty_folder;
mod ground;
mod kills;
mod memory;
mod record;
mod registration;
mod reload;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the crash suite uses the rest of the kit")]
mod support;
mod timers;
mod whole;

pub(crate) use support::on_both_stores;
