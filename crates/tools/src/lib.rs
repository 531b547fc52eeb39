//! Tools: the actions a turn may ask for, on our own database or outside.

mod call;
mod consent;
pub mod egress;
pub mod http;
mod limits;
mod local;
pub mod mcp;
mod notify;
mod prepare;
mod registry;
mod schema;
pub mod shop;
mod spec;
mod tool;

pub use call::OutsideCall;
pub use consent::NeedsYes;
pub use egress::Egress;
pub use limits::Limits;
pub use notify::Notify;
pub use prepare::{Prepared, Refusal};
pub use registry::{Registry, RegistryError, Source};
pub use spec::{Authority, Caller, Class, Limit, Spec};
pub use tool::{CallError, LocalTool, Offered, OutsideTool, Tool, Vouched};
