//! Infobip's wire as a whole: bodies its webhook sends, and a loopback server in its place.

mod hostile;
mod outcomes;
mod server;
mod webhook;
