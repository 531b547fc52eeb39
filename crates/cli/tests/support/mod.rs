//! The harness of the crash suite: real processes, a sink that plays the outside, and the checker
//! of what came of it all.

mod cluster;
mod customer;
mod desk;
mod history;
mod lines;
mod node;
mod random;
mod sink;
mod site;
mod wait;

pub(crate) use cluster::Cluster;
pub(crate) use customer::{Customer, message};
pub(crate) use history::{APOLOGY, Findings, accounted, check, rest};
pub(crate) use node::Node;
pub(crate) use random::Random;
pub(crate) use sink::Answer;
pub(crate) use site::{Kind, Setting, Site};
pub(crate) use wait::until;
