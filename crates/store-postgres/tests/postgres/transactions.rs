//! A transaction happens whole or not at all, and leaves its connection clean.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::{Timestamp, WorkspaceId};
use serde_json::json;
use store::sql::{Cell, Driver, Row, Sql, Tx};
use store::{Point, StoreError, StoreResult, statement};
use store_postgres::testing::{Urls, connect, fresh_database};
use store_postgres::{Options, PgTx, PostgresDriver};
use tokio::sync::{Barrier, Notify};
use uuid::Uuid;

const ADD: Sql = Sql::both("INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3)");
const BUMP: Sql =
    Sql::both("UPDATE counters SET value = value + 1 WHERE workspace_id = ?1 AND name = ?2");
const GET: Sql = Sql::both("SELECT value FROM counters WHERE workspace_id = ?1 ORDER BY name");
const PID: Sql = Sql::both("SELECT pg_backend_pid()");

fn shop() -> WorkspaceId {
    WorkspaceId::from_slug("shop")
}

async fn open(pool_size: usize) -> (Urls, PostgresDriver) {
    let urls = fresh_database().await;
    let options = Options {
        pool_size,
        ..urls.options()
    };
    let driver = PostgresDriver::open(options).await.unwrap();
    (urls, driver)
}

fn add(tx: &mut PgTx, name: &str, value: i64) {
    tx.scope(shop());
    tx.write(statement!(ADD, shop(), name, value));
}

async fn values(driver: &PostgresDriver) -> Vec<i64> {
    let rows = driver
        .read(|tx| {
            Box::pin(async move {
                tx.scope(shop());
                tx.query(statement!(GET, shop())).await
            })
        })
        .await
        .unwrap();
    rows.iter().map(|row| row.int(0).unwrap()).collect()
}

async fn pid(driver: &PostgresDriver) -> i64 {
    let rows = driver
        .read(|tx| Box::pin(tx.query(statement!(PID))))
        .await
        .unwrap();
    rows[0].int(0).unwrap()
}

#[tokio::test]
async fn held_back_writes_are_seen_by_the_queries_after_them() {
    let (_, driver) = open(1).await;
    let answers = driver
        .write(Point::Setup, |tx| {
            Box::pin(async move {
                add(tx, "a", 1);
                add(tx, "b", 2);
                tx.query_all(vec![statement!(GET, shop()), statement!(PID)])
                    .await
            })
        })
        .await
        .unwrap();
    assert_eq!(
        answers[0],
        [Row(vec![Cell::Int(1)]), Row(vec![Cell::Int(2)])]
    );
    assert_eq!(answers[1].len(), 1);
    assert_eq!(values(&driver).await, [1, 2]);
}

#[tokio::test]
async fn a_failed_guard_undoes_the_writes_before_and_after_it() {
    let (_, driver) = open(1).await;
    for read_afterwards in [false, true] {
        let ended: StoreResult<()> = driver
            .write(Point::Setup, move |tx| {
                Box::pin(async move {
                    add(tx, "before", 1);
                    tx.guard(
                        statement!(BUMP, shop(), "before"),
                        StoreError::VersionConflict,
                    );
                    tx.guard(statement!(BUMP, shop(), "absent"), StoreError::LaneLost);
                    add(tx, "after", 1);
                    if read_afterwards {
                        tx.query(statement!(GET, shop())).await?;
                    }
                    Ok(())
                })
            })
            .await;
        assert_eq!(ended, Err(StoreError::LaneLost));
        assert_eq!(values(&driver).await, [] as [i64; 0]);
    }
}

#[tokio::test]
async fn a_failure_that_the_work_ignores_still_undoes_it() {
    let (_, driver) = open(1).await;
    let ended = driver
        .write(Point::Setup, |tx| {
            Box::pin(async move {
                add(tx, "a", 1);
                add(tx, "a", 1);
                let _ = tx.query(statement!(GET, shop())).await;
                Ok(())
            })
        })
        .await;
    let text = ended.unwrap_err().to_string();
    assert!(
        text.contains("counters_pkey") && !text.contains("(shop"),
        "{text}"
    );
    assert_eq!(values(&driver).await, [] as [i64; 0]);
}

#[tokio::test]
async fn a_statement_that_cannot_be_sent_keeps_the_commit_from_being_sent() {
    let (_, driver) = open(1).await;
    let ended = driver
        .write(Point::Setup, |tx| {
            Box::pin(async move {
                add(tx, "a", 1);
                tx.write(statement!(ADD, shop(), "b", "secret"));
                add(tx, "c", 1);
                Ok(())
            })
        })
        .await;
    let text = ended.unwrap_err().to_string();
    assert!(
        text.contains("text given where int8") && !text.contains("secret"),
        "{text}"
    );
    assert_eq!(values(&driver).await, [] as [i64; 0]);
}

#[tokio::test]
async fn without_a_scope_nothing_is_seen_or_written() {
    let (_, driver) = open(1).await;
    let write = |scoped: bool| {
        driver.write(Point::Setup, move |tx| {
            Box::pin(async move {
                if scoped {
                    tx.scope(shop());
                }
                tx.write(statement!(ADD, shop(), "a", 1_i64));
                Ok(())
            })
        })
    };
    write(true).await.unwrap();
    let text = write(false).await.unwrap_err().to_string();
    assert!(text.contains("row-level security"), "{text}");
    let rows = driver
        .read(|tx| Box::pin(tx.query(statement!(GET, shop()))))
        .await
        .unwrap();
    assert!(rows.is_empty());
}

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
    // The same key: this waits for the dropped transaction's lock, unless that is gone.
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
async fn reading_cannot_write() {
    let (_, driver) = open(1).await;
    let ended = driver
        .read(|tx| {
            Box::pin(async move {
                add(tx, "a", 1);
                tx.query(statement!(GET, shop())).await
            })
        })
        .await;
    assert!(ended.unwrap_err().to_string().contains("read-only"));
    assert_eq!(values(&driver).await, [] as [i64; 0]);
}

#[tokio::test]
async fn a_deadlock_is_resolved_by_running_the_work_again() {
    let urls = fresh_database().await;
    let superuser = connect(&urls.superuser).await;
    let soon = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 20', \
                current_database()); END $$";
    superuser.batch_execute(soon).await.unwrap();
    let driver = PostgresDriver::open(urls.options()).await.unwrap();
    driver
        .write(Point::Setup, |tx| {
            Box::pin(async move {
                add(tx, "a", 0);
                add(tx, "b", 0);
                Ok(())
            })
        })
        .await
        .unwrap();
    let (both, runs) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
    let cross = |first: &'static str, second: &'static str| {
        let (both, runs) = (Arc::clone(&both), Arc::clone(&runs));
        driver.write(Point::Setup, move |tx| {
            let (both, runs) = (Arc::clone(&both), Arc::clone(&runs));
            Box::pin(async move {
                tx.scope(shop());
                tx.write(statement!(BUMP, shop(), first));
                tx.query(statement!(PID)).await?;
                // Only the first run of each meets the other halfway.
                if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                    both.wait().await;
                }
                tx.write(statement!(BUMP, shop(), second));
                Ok(())
            })
        })
    };
    let (one, other) = tokio::join!(cross("a", "b"), cross("b", "a"));
    assert_eq!((one, other), (Ok(()), Ok(())));
    assert_eq!(values(&driver).await, [2, 2]);
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn values_of_every_kind_come_back_as_they_went() {
    const ECHO: Sql = Sql::both(
        "SELECT ?1::bigint, ?2::int, ?3::smallint, ?4::float8, ?5::text, ?6::uuid, ?7::jsonb, \
                ?8::bool, ?9::text",
    );
    let (_, driver) = open(1).await;
    let rows = driver
        .read(|tx| {
            let (id, document) = (Uuid::from_u128(7), json!({"a\0": ["b\0", 1]}));
            let absent = None::<i64>;
            let time = Timestamp::from_millis(i64::MAX);
            Box::pin(tx.query(statement!(
                ECHO, time, 2_i64, 3_i64, 0.5, "hola\0", id, document, 1_i64, absent
            )))
        })
        .await
        .unwrap();
    let document = json!({"a\u{fffd}": ["b\u{fffd}", 1]});
    let expected = vec![
        Cell::Int(i64::MAX),
        Cell::Int(2),
        Cell::Int(3),
        Cell::Real(0.5),
        Cell::Text("hola\u{fffd}".to_owned()),
        Cell::Uuid(Uuid::from_u128(7)),
        Cell::Json(document),
        Cell::Int(1),
        Cell::Null,
    ];
    assert_eq!(rows, [Row(expected)]);
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
    assert!(
        matches!(ended, Err(StoreError::Unavailable(_))),
        "{ended:?}"
    );
    assert_eq!(values(&driver).await, [] as [i64; 0]);
}
