//! The engine in one process under a virtual clock, every test on SQLite and on PostgreSQL.

/// Makes two tests of each function named: one per store.
macro_rules! on_both_stores {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::kit::On::Sqlite).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test($crate::kit::On::Postgres).await;
            })*
        }
    };
}

mod consent;
mod crashes;
mod deliveries;
mod failures;
mod fairness;
mod handoffs;
mod kit;
mod media;
mod messages;
mod models;
mod models_budget;
mod models_drafts;
mod models_failing;
mod numbers;
mod outages;
mod outbox;
mod pace;
mod phone;
mod races;
mod reads;
mod recovery;
mod reports;
mod retries;
mod sessions;
mod stopping;
mod takeover;
mod takeover_effects;
mod timers;
mod timers_dropped;
mod tools;
mod traces;
mod unsaid;
mod versions;
mod window;
