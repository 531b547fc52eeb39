//! The store contract on PostgreSQL; what only this driver goes through is tested beside it.

use std::sync::Arc;

use async_trait::async_trait;
use store::Store;
use store::contract::Fixture;
use store_postgres::open;
use store_postgres::testing::{Urls, fresh_database};

store::contract_suite!(Database::new().await);

/// A database of its own, used by the application's role.
struct Database(Urls);

impl Database {
    async fn new() -> Self {
        Self(fresh_database().await)
    }
}

#[async_trait]
impl Fixture for Database {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(self.0.options()).await.expect("the database opens"))
    }
}
