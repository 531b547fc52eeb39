//! Tools: the actions a turn may ask for, on our own database or outside.

mod call;
mod consent;
pub mod egress;
mod errands;
pub mod http;
mod limits;
mod local;
pub mod mcp;
mod notify;
mod prepare;
mod registry;
mod schema;
mod spec;
mod tool;

pub use call::OutsideCall;
pub use egress::Egress;
pub use limits::Limits;
pub use notify::Notify;
pub use prepare::Prepared;
pub use registry::{Registry, RegistryError, Source};
pub use spec::{Class, Spec};
pub use tool::{LocalTool, Offered, OutsideTool, Tool, Vouched};
