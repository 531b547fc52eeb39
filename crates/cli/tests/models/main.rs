//! The model suite: `recado serve` with a model that fails in every way, in both wire formats.

mod faults;
#[path = "../support/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the crash suite uses the rest of the kit"
)]
mod support;
