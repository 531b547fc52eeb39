//! The crash suite: the real binary, killed, frozen, starved and lied to, and what came of it.

mod deliveries;
mod kills;
mod kit;
mod load;
mod nodes;
mod outages;
mod points;
mod recovery;
mod refusals;
mod scenarios;
mod stopping;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the other suites use the rest of the kit")]
mod support;
mod takeovers;

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
