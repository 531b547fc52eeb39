//! The store contract on PostgreSQL; what only this driver goes through is tested beside it.

use std::sync::Arc;

use async_trait::async_trait;
use store::Store;
use store::contract::{Fixture, World};
use store_postgres::open;
use store_postgres::testing::{Urls, connect, fresh_database};

store::contract_suite!(Database::new().await);

/// A database of its own, used by the application's role.
#[derive(Clone)]
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

/// Otherwise a message of the bot could leave after the takeover was committed: whoever sends has
/// the lane locked from the moment it compares the owner until its intent is committed.
#[tokio::test]
async fn a_takeover_waits_for_a_send_that_is_being_decided() {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let database = Database::new().await;
    let world = World::new(database.clone()).await;
    let id = world.hear("ana", "hola").await;
    let sender = connect(&database.0.superuser).await;
    sender.batch_execute("BEGIN; SELECT 1 FROM lanes FOR UPDATE").await.unwrap();

    let mut taking = world.store.take(world.workspace(), id, "marta", world.now());
    let watcher = connect(&database.0.superuser).await;
    let waits =
        async { while watcher.query_one(WAITING, &[]).await.unwrap().get::<_, i64>(0) == 0 {} };
    tokio::select! {
        taken = &mut taking => panic!("it did not wait: {taken:?}"),
        () = waits => {}
    }
    sender.batch_execute("COMMIT").await.unwrap();
    taking.await.unwrap();
}
