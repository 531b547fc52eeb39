//! The harness of the crash suite: real processes, a sink that plays the outside, and the checker
//! of what came of it all.

mod books;
mod caller;
mod cluster;
mod customer;
mod desk;
mod history;
mod lines;
mod meta;
mod node;
mod oracle;
mod random;
mod shop;
mod sink;
mod site;
mod wait;
mod wire;

pub(crate) use caller::{Caller, Via};
pub(crate) use cluster::Cluster;
pub(crate) use customer::{Customer, message};
pub(crate) use desk::Open;
pub(crate) use history::{APOLOGY, Findings, accounted, check, rest};
pub(crate) use meta::{META, signature};
pub(crate) use node::Node;
pub(crate) use oracle::{Fault, Oracle, SOLD};
pub(crate) use random::Random;
pub(crate) use shop::{Shop, model as model_of};
pub(crate) use sink::{Answer, FILE};
pub(crate) use site::{Kind, PASSWORD, Setting, Site, USER};
pub(crate) use wait::until;
pub(crate) use wire::Wire;

/// Each test on both stores: a module per store, in it a test per function named.
macro_rules! on_both_stores {
    ($($test:ident,)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::support::Kind::Sqlite).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::support::Kind::Postgres).await;
            })*
        }
    };
}
pub(crate) use on_both_stores;
