//! The configuration: reads `recado.yaml`, lays the environment over it, and reports every mistake.
//!
//! The file becomes a tree in which each value knows where it was written (`tree`); variables
//! named `RECADO_…` replace values in that tree (`overrides`); `validate` checks it against
//! `schema`; `read`, `channel`, `gate`, `models` and `systems` turn it into a [`Config`]. Each of them goes on after a
//! mistake, so that a person corrects a file once, not once per mistake.

mod address;
mod channel;
mod database;
mod environment;
mod expand;
mod gate;
mod load;
mod mistakes;
mod models;
mod overrides;
mod read;
mod schema;
mod settings;
mod systems;
mod tree;
mod validate;

pub use address::Address;
pub use database::Database;
pub use environment::Environment;
pub use load::{DEFAULT_FILE, load};
pub use mistakes::{ConfigErrors, Mistake};
pub use settings::{
    ChannelConfig, ChannelSettings, CloudSettings, Config, InfobipSettings, LogFormat, McpServer,
    McpTransport, ModelLimits, NamedSecret, Notify, Provider, ProviderKind, System, WebhookAuth,
};

/// A commented `recado.yaml` to start from.
pub fn example() -> &'static str {
    include_str!("../recado.example.yaml")
}
