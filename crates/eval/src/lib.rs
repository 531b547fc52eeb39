//! A pack's own tests: conversations rehearsed in memory and compared with what must come of them.

mod compare;
mod context;
pub mod hunt;
mod junit;
mod rehearsal;
mod run;
mod stage;

pub use compare::{Actual, Difference};
pub use junit::junit;
pub use rehearsal::{Cause, Happened, Rehearsal};
pub use run::{CaseResult, FailedStep, Suite, run, run_case};
pub use stage::Stage;
