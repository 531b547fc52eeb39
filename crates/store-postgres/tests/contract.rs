//! The store contract on PostgreSQL, and tests of cases that only this driver meets.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Content, Identity, Inbound, StepKey};
use futures::future::join_all;
use serde_json::json;
use store::contract::{Fixture, World};
use store::{Arrival, Intent, OpenTurn, Store, StoreError};
use store_postgres::open;
use store_postgres::testing::{Urls, connect, fresh_database};
use uuid::Uuid;

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

/// Counts the sessions that wait for a lock in this database.
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A step waits for the takeover, and then goes by the state after it.
#[tokio::test]
async fn a_step_that_waits_for_a_takeover_is_not_taken() {
    let database = Database::new().await;
    let world = World::new(database.clone()).await;
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let turn =
        OpenTurn { turn: Uuid::from_u128(7).into(), started_at: world.now(), events: vec![] };
    let (lease, read_epoch) = (work.lease, work.conversation.epoch);
    let (tool, input, reads) = ("cobrar".to_owned(), json!({}), vec![]);
    let key = StepKey::new(&tool, &input, 0);
    let (input, texts) = (input.to_string().into(), vec![]);
    let intent = Intent { lease, turn, read_epoch, key, tool, input, texts, reads };
    let taker = connect(&database.0.superuser).await;
    let take = "BEGIN; SELECT 1 FROM lanes FOR UPDATE; \
                UPDATE conversations SET owner = 'human', epoch = epoch + 1";
    taker.batch_execute(take).await.unwrap();

    let mut intending = world.store.intend(&intent, world.now());
    let watcher = connect(&database.0.superuser).await;
    let waits =
        async { while watcher.query_one(WAITING, &[]).await.unwrap().get::<_, i64>(0) == 0 {} };
    tokio::select! {
        intended = &mut intending => panic!("it did not wait: {intended:?}"),
        () = waits => {}
    }
    taker.batch_execute("COMMIT").await.unwrap();
    assert_eq!(intending.await, Err(StoreError::VersionConflict));
}

/// The sender has the lane locked from the moment it compares the owner until its intent is
/// committed, because otherwise a message of the bot could leave after the takeover was committed.
#[tokio::test]
async fn a_takeover_waits_for_a_send_that_is_being_decided() {
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

/// The customers are met in one transaction, in which no lock keeps them apart.
#[tokio::test]
async fn of_those_who_come_with_one_number_to_one_node_at_once_one_holds_it() {
    let world = World::new(Database::new().await).await;
    for round in 0..4_u128 {
        let number = format!("54911{round}");
        let arrival = |name: u128| {
            let id = |kind: u128| Uuid::from_u128(1 + round * 100 + name * 10 + kind);
            let own = format!("{name}.{round}");
            let (alias, phone) = (Some(number.as_str().into()), Some(number.as_str().into()));
            let from = Identity { alias, phone, ..Identity::new(own.as_str()) };
            let content = Content::text("hola");
            let item = Inbound { external_id: own, from, content, edits: None, sent_at: None };
            let (event, contact, conversation) = (id(1).into(), id(2).into(), id(3).into());
            vec![Arrival { item, event, contact, conversation }]
        };
        let accept = |name| world.store.accept(world.channel(), arrival(name), None, world.now());
        let accepted = join_all((1..=4).map(accept)).await;
        let mut reached = Vec::new();
        for one in accepted {
            let id = one.unwrap().accepted[0].conversation;
            let conversation = world.store.get(world.workspace(), id).await.unwrap();
            let has_phone = conversation.contact.phone.is_some();
            reached.push((*conversation.address.reveal() == number, has_phone));
        }
        let holders = reached.iter().filter(|one| **one == (true, true)).count();
        let others = reached.iter().filter(|one| **one == (false, false)).count();
        assert_eq!((holders, others), (1, 3), "round {round}: {reached:?}");
    }
}
