//! Tools from outside: the checks before a call, the way out, and the tools that go there.

mod egress;
mod errands;
mod http;
mod kit;
mod mcp;
mod registry;
