//! Reads beside each other: a workspace's search holds up nobody else's reads.

use std::sync::{Arc, Barrier};

use domain::WorkspaceId;
use store::sql::{Driver, Look, Sql, Tx};
use store::statement;
use store_sqlite::{Options, SqliteDriver};

const ONE: Sql = Sql::both("SELECT 1");

#[tokio::test]
async fn a_search_that_takes_for_ever_holds_up_no_other_read() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { path: folder.path().join("recado.db"), takes_over_lanes: false };
    let driver = Arc::new(SqliteDriver::open(&options).unwrap());
    let (shop, other) = (WorkspaceId::from_slug("shop"), WorkspaceId::from_slug("other"));
    let done = Arc::new(Barrier::new(3));
    let search = |wait: bool| {
        let (driver, done) = (Arc::clone(&driver), Arc::clone(&done));
        tokio::spawn(async move {
            let look = driver.read(Look::long(shop), move |tx| {
                if wait {
                    done.wait();
                }
                Box::pin(tx.query(statement!(ONE)))
            });
            look.await.unwrap()
        })
    };
    // Every thread that takes long reads is busy with one that does not end.
    let searches: Vec<_> = (0..2).map(|_| search(true)).collect();
    let waits: Vec<_> = (0..20).map(|_| search(false)).collect();
    for look in [Look::short(shop), Look::short(other), Look::engine()] {
        let rows = driver.read(look, |tx| Box::pin(tx.query(statement!(ONE)))).await.unwrap();
        assert_eq!(rows[0].int(0).unwrap(), 1);
    }
    tokio::task::spawn_blocking(move || done.wait()).await.unwrap();
    for search in searches.into_iter().chain(waits) {
        search.await.unwrap();
    }
}

#[tokio::test]
async fn a_store_that_is_closed_leaves_no_log_beside_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { path: folder.path().join("recado.db"), takes_over_lanes: false };
    let driver = SqliteDriver::open(&options).unwrap();
    let shop = WorkspaceId::from_slug("shop");
    for _ in 0..10 {
        driver.read(Look::short(shop), |tx| Box::pin(tx.query(statement!(ONE)))).await.unwrap();
    }
    assert!(folder.path().join("recado.db-wal").exists());
    drop(driver);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
