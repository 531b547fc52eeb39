//! The tests' kit: a world with a clock, scripted agents, tools and a phone line.

mod agents;
mod asker;
mod broken;
mod crowd;
mod faults;
mod fickle;
mod gate;
mod oracle;
mod outside;
mod phone;
mod process;
mod salesman;
mod shelf;
mod shop;
mod sign;
mod world;

pub(crate) use agents::{
    Clerk, Curious, Deadly, Echo, Elsewhere, Gated, Listener, Trouble, Troubled,
};
pub(crate) use asker::{Act, Asker};
pub(crate) use broken::Broken;
pub(crate) use crowd::Crowd;
pub(crate) use faults::Faults;
pub(crate) use fickle::Fickle;
pub(crate) use gate::Gate;
pub(crate) use oracle::{MODEL, Oracle, PRICE, Tells, USAGE};
pub(crate) use outside::{Call, Does, OutsideScript};
pub(crate) use phone::{Answer, Phone};
pub(crate) use salesman::Salesman;
pub(crate) use shelf::{Edition, Shelf};
pub(crate) use shop::Shop;
pub(crate) use sign::Sign;
pub(crate) use world::{LEASE_MS, LOOK, On, START, World};
