//! The Cloud API's wire as a whole: bodies its webhook sends, and a loopback server in its place.

mod errors;
mod hostile;
mod samples;
mod sending;
#[path = "../infobip/server.rs"]
mod server;
mod webhook;
