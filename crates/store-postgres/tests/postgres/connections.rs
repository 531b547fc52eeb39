//! However a transaction ends, its connection is clean or gone.

use std::sync::Arc;

use store::sql::{Driver, Tx};
use store::{Point, StoreError, StoreResult, statement};
use store_postgres::testing::connect;
use tokio::sync::Notify;

use crate::counters::{GET, PID, add, open, pid, shop, values};

#[tokio::test]
async fn a_transaction_that_was_dropped_leaves_nothing_open_in_the_pool() {
    let (_, driver) = open(1).await;
    let first = pid(&driver).await;
    let reached = Arc::new(Notify::new());
    let stuck = driver.write(Point::Setup, {
        let reached = Arc::clone(&reached);
        move |tx| {
            let reached = Arc::clone(&reached);
            Box::pin(async move {
                add(tx, "a", 1);
                tx.query(statement!(GET, shop())).await?;
                reached.notify_one();
                std::future::pending::<StoreResult<()>>().await
            })
        }
    });
    tokio::select! {
        _ = stuck => panic!("it waits for ever"),
        () = reached.notified() => {}
    }
    // This waits for the dropped transaction's lock on the same key, unless that lock is gone.
    driver
        .write(Point::Setup, |tx| {
            Box::pin(async move {
                add(tx, "a", 7);
                Ok(())
            })
        })
        .await
        .unwrap();
    assert_eq!(values(&driver).await, [7]);
    assert_ne!(pid(&driver).await, first);
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_commit_a_failure_and_a_read() {
    let (_, driver) = open(1).await;
    let first = pid(&driver).await;
    for error in [None, Some(StoreError::LaneLost)] {
        let _: StoreResult<()> = driver
            .write(Point::Setup, move |tx| {
                let error = error.clone();
                Box::pin(async move {
                    add(tx, "a", 1);
                    tx.query(statement!(GET, shop())).await?;
                    error.map_or(Ok(()), Err)
                })
            })
            .await;
    }
    assert_eq!(values(&driver).await, [1]);
    assert_eq!(pid(&driver).await, first);
}

#[tokio::test]
async fn a_connection_that_the_server_ends_is_unavailable_and_replaced() {
    let (urls, driver) = open(1).await;
    let end = format!("SELECT pg_terminate_backend({})", pid(&driver).await);
    let superuser = Arc::new(connect(&urls.superuser).await);
    let ended: StoreResult<()> = driver
        .write(Point::Setup, move |tx| {
            let (superuser, end) = (Arc::clone(&superuser), end.clone());
            Box::pin(async move {
                add(tx, "a", 1);
                tx.query(statement!(PID)).await?;
                superuser.batch_execute(&end).await.unwrap();
                Ok(())
            })
        })
        .await;
    assert!(matches!(ended, Err(StoreError::Unavailable(_))), "{ended:?}");
    assert_eq!(values(&driver).await, [] as [i64; 0]);
}
