//! The form suite: whole registrations through the real binary, killed, reloaded and lied to.

mod applicant;
mod bad_input;
mod crowd;
mod empty_folder;
mod ground;
mod kills;
mod memory;
mod record;
mod registration;
mod reload;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the crash suite uses the rest of the kit")]
mod support;
mod timers;
mod whole;

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
