//! A configuration opened into a running host: the store, agents with their tools, models, the engine,
//! and what a node does beside its turns.

pub mod built_in;
mod channels;
mod client;
mod error;
mod instance;
pub mod models;
mod open;
pub mod packs;
mod provision;
mod reload;
mod roster;
mod script;
mod solo;
mod stores;
mod ticks;
mod toolbox;
mod upkeep;

pub use channels::account;
pub use client::client;
pub use error::{HostError, with_causes};
pub use open::{Host, Running};
pub use packs::{BadPack, Opened, Place};
pub use provision::agents;
pub use roster::{DEMO, PackRoster};
pub use script::script;
pub use solo::{Solo, SoloParts};
pub use stores::{Use, agree_on_time, open_scratch, open_store};
pub use ticks::SystemTicks;
pub use toolbox::{Missing, Toolbox, unnamed};
