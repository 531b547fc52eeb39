//! The engine: takes arrivals in, works lanes, runs turns over a journaled context, and sends.

mod alarm;
mod connected;
mod context;
mod engine;
mod failure;
mod handoff;
mod held;
mod intake;
mod lane;
mod leases;
mod media;
mod model;
mod pacer;
mod pieces;
mod places;
mod question;
mod roster;
mod scheduler;
mod send;
mod spent;
mod trial;
mod turn;

pub use connected::{Connected, Outlet};
pub use engine::{Engine, Parts, Settings};
pub use intake::{Intake, IntakeError, Taken};
pub use media::{MediaKeeper, MediaOutlet};
pub use roster::{Fixed, Roster};
