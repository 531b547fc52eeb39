//! The operators' API and the web chat's, through the real router, on both stores.

mod acts;
mod attention;
mod auth;
mod conversations;
mod document;
mod events;
mod health;
mod keys;
mod kit;
mod mistakes;
mod neighbours;
mod pages;
mod shop;
mod socket;
mod tenants;
mod visitors;

/// Each test on both stores: a module per store, in it a test per function named.
macro_rules! on_both_stores {
    ($($test:ident,)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::kit::Shop::open(crate::kit::Kind::Sqlite).await).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test(crate::kit::Shop::open(crate::kit::Kind::Postgres).await).await;
            })*
        }
    };
}
pub(crate) use on_both_stores;
