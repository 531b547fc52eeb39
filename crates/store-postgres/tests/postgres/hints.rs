//! Hints reach the other node, and only the other.

use std::time::Duration;

use domain::ConversationId;
use store::sql::Driver;
use store_postgres::PostgresDriver;
use store_postgres::testing::fresh_database;
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(20);

/// Two nodes on one database, both listening: a node wakes its lanes when it begins to listen.
async fn two_nodes() -> (PostgresDriver, PostgresDriver) {
    let urls = fresh_database().await;
    let first = PostgresDriver::open(urls.options()).await.unwrap();
    let second = PostgresDriver::open(urls.options()).await.unwrap();
    for node in [&first, &second] {
        timeout(PATIENCE, node.signals().lanes_woken()).await.expect("it listens");
    }
    (first, second)
}

async fn next(lines: &mut Receiver<ConversationId>) -> ConversationId {
    timeout(PATIENCE, lines.recv()).await.expect("a hint in time").unwrap()
}

#[tokio::test]
async fn a_wake_up_reaches_this_node_and_the_other() {
    let (first, second) = two_nodes().await;
    first.wake_lanes();
    for node in [&first, &second] {
        timeout(PATIENCE, node.signals().lanes_woken()).await.expect("woken");
    }
}

#[tokio::test]
async fn new_lines_are_announced_to_every_node_once() {
    let (first, second) = two_nodes().await;
    let (mut here, mut there) = (first.signals().watch_lines(), second.signals().watch_lines());
    let id = |n| ConversationId(Uuid::from_u128(n));
    first.announce_lines(id(1));
    assert_eq!(next(&mut there).await, id(1));
    second.announce_lines(id(2));
    assert_eq!(next(&mut there).await, id(2));
    // An echo of the first would come here before the second, which was sent after it.
    assert_eq!((next(&mut here).await, next(&mut here).await), (id(1), id(2)));
}

#[tokio::test]
async fn a_thousand_conversations_are_announced_without_losing_one() {
    let (first, second) = two_nodes().await;
    let mut there = second.signals().watch_lines();
    let ids: Vec<_> = (0..1_000).map(|n| ConversationId(Uuid::from_u128(n))).collect();
    ids.iter().for_each(|id| first.announce_lines(*id));
    for id in ids {
        assert_eq!(next(&mut there).await, id);
    }
}
