//! The engine: takes arrivals in, works lanes, runs turns over a journaled context, and sends.

mod context;
mod engine;
mod failure;
mod handoff;
mod held;
mod intake;
mod lane;
mod media;
mod model;
mod pacer;
mod places;
mod question;
mod roster;
mod scheduler;
mod send;
mod spent;
mod takeover;
mod trial;
mod turn;

pub use engine::{Engine, Outlet, Parts, Settings};
pub use intake::{IntakeError, Taken};
pub use media::{MediaKeeper, MediaOutlet};
pub use roster::{Fixed, Roster};
