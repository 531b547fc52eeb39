//! The model layer against servers that speak the providers' wire, and its rules under a virtual
//! clock.

mod fake;
mod faults;
mod models;
mod providers;
mod refusals;
mod replies;
mod requests;
mod script;
mod secrets;
mod server;
mod tape;
mod timeouts;
