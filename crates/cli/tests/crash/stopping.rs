//! Stopping in order, and being alone on a file.

use futures::future::join_all;
use tokio::time::{Duration, Instant};

use crate::load::customers;
use crate::scenarios::held;
use crate::support::{Answer, Customer, Kind, Site, accounted, check};

/// The time a stop may take, by contract.
const DRAIN: Duration = Duration::from_secs(30);

crate::on_both_stores!(a_stop_finishes_what_is_under_way_and_leaves_the_rest_to_the_next_start,);

async fn a_stop_finishes_what_is_under_way_and_leaves_the_rest_to_the_next_start(kind: Kind) {
    let site = Site::new(kind).await;
    let mut node = site.start().await;
    let mut customers = customers(&site, 5);
    site.sink.next_sends([Answer::Hold; 5]);
    join_all(customers.iter_mut().map(|customer| customer.says("uno"))).await;
    held(&site, 5).await;
    join_all(customers.iter_mut().map(|customer| customer.says("dame un turno"))).await;

    let since = Instant::now();
    node.terminate();
    node.logs("stopping").await;
    site.sink.open_gate();
    let status = node.ended().await;
    assert_eq!(status.code(), Some(0), "{}", node.log());
    assert!(since.elapsed() < DRAIN, "it took {:?}", since.elapsed());
    assert_eq!(site.sink.sent().len(), 5, "only what was under way is finished");

    let node = site.start().await;
    accounted(&site, &customers.iter().collect::<Vec<_>>()).await;
    join_all(customers.iter_mut().map(|customer| customer.says("tres"))).await;
    check(&site, &[&node], &customers.iter().collect::<Vec<_>>()).await.assert_clear();
    assert_eq!(site.sink.overlaps(), 0, "two sends to one number at once");
}

/// The file of a stopped node is all there is, so that a copy of it is a backup.
#[tokio::test]
async fn a_stop_leaves_everything_in_the_file_and_nothing_beside_it() {
    let site = Site::new(Kind::Sqlite).await;
    let mut ana = Customer::new(&site, "5491101");
    for word in ["uno", "dos", "tres"] {
        let node = site.start().await;
        ana.says(word).await;
        ana.is_answered().await;
        node.stop().await;
        let log = site.database_file().with_extension("db-wal");
        assert!(!log.exists(), "{} is left", log.display());
    }
}

#[tokio::test]
async fn a_second_node_on_a_sqlite_file_is_refused_and_the_first_goes_on() {
    let site = Site::new(Kind::Sqlite).await;
    let node = site.start().await;
    let second = site.run(&["serve"], None).await;
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("another `recado serve` runs on"), "{said}");
    assert!(said.contains("use PostgreSQL for several nodes"), "{said}");
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
