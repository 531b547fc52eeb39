//! A transaction happens whole or not at all, and reads the rows it should.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::Timestamp;
use serde_json::json;
use store::sql::{Cell, Driver, Look, Row, Sql, Tx, TxFuture};
use store::{Point, StoreError, StoreResult, statement};
use store_postgres::testing::{connect, fresh_database};
use store_postgres::{Options, Patience, PgTx, PostgresDriver};
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::counters::{ADD, BUMP, GET, PID, add, open, shop, values};

#[tokio::test]
async fn held_back_writes_are_seen_by_the_queries_after_them() {
    let (_, driver) = open(1).await;
    let answers = driver
        .write(Point::Setup, |tx| {
            Box::pin(async move {
                add(tx, "a", 1);
                add(tx, "b", 2);
                tx.query_all(vec![statement!(GET, shop()), statement!(PID)]).await
            })
        })
        .await
        .unwrap();
    assert_eq!(answers[0], [Row(vec![Cell::Int(1)]), Row(vec![Cell::Int(2)])]);
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
                    tx.guard(statement!(BUMP, shop(), "before"), StoreError::VersionConflict);
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
    assert!(text.contains("counters_pkey") && !text.contains("(shop"), "{text}");
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
    assert!(text.contains("text given where int8") && !text.contains("secret"), "{text}");
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
        .read(Look::engine(), |tx| Box::pin(tx.query(statement!(GET, shop()))))
        .await
        .unwrap();
    assert!(rows.is_empty());
}

#[tokio::test]
async fn reading_cannot_write() {
    let (_, driver) = open(1).await;
    let ended = driver
        .read(Look::engine(), |tx| {
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
    // There are three runs, or more when the undone transaction came back before the other went on.
    let runs = runs.load(Ordering::SeqCst);
    assert!(runs >= 3, "{runs}");
}

#[tokio::test]
async fn values_of_every_kind_come_back_as_they_went() {
    const ECHO: Sql = Sql::both(
        "SELECT ?1::bigint, ?2::int, ?3::smallint, ?4::float8, ?5::text, ?6::uuid, ?7::jsonb, \
                ?8::bool, ?9::text",
    );
    let (_, driver) = open(1).await;
    let rows = driver
        .read(Look::engine(), |tx| {
            let (id, document) = (Uuid::from_u128(7), json!({"a\0": ["b\0", 1]}));
            let absent = None::<i64>;
            let time = Timestamp::from_millis(i64::MAX);
            Box::pin(tx.query(statement!(
                ECHO, time, 2_i64, 3_i64, 0.5, "hola\0", id, document, 1_i64, absent
            )))
        })
        .await
        .unwrap();
    let document = "{\"a\u{fffd}\": [\"b\u{fffd}\", 1]}".to_owned();
    let expected = vec![
        Cell::Int(i64::MAX),
        Cell::Int(2),
        Cell::Int(3),
        Cell::Real(0.5),
        Cell::Text("hola\u{fffd}".to_owned()),
        Cell::Uuid(Uuid::from_u128(7)),
        Cell::Text(document),
        Cell::Int(1),
        Cell::Null,
    ];
    assert_eq!(rows, [Row(expected)]);
}

#[tokio::test]
async fn a_lock_that_is_not_given_up_is_waited_for_no_longer_than_allowed() {
    let urls = fresh_database().await;
    let patience = Patience { lock_ms: 20, ..Patience::default() };
    let driver = PostgresDriver::open(Options { patience, ..urls.options() }).await.unwrap();
    let write = |sql| {
        driver.write(Point::StepOutcome, move |tx: &mut PgTx| {
            Box::pin(async move {
                tx.scope(shop());
                tx.write(statement!(sql, shop(), "a", 1_i64));
                Ok(())
            })
        })
    };
    write(ADD).await.unwrap();
    let other = connect(&urls.superuser).await;
    other.batch_execute("BEGIN; UPDATE counters SET value = 7").await.unwrap();
    const SET: Sql =
        Sql::both("UPDATE counters SET value = ?3 WHERE workspace_id = ?1 AND name = ?2");
    let late = write(SET).await.unwrap_err();
    assert!(late.is_transient(), "waiting may cure it: {late}");
    other.batch_execute("ROLLBACK").await.unwrap();
    write(SET).await.unwrap();
    assert_eq!(values(&driver).await, [1]);
}

/// Writes a counter and then sleeps.
fn write_and_sleep(
    name: &'static str,
    seconds: f64,
) -> impl for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, Vec<Row>> {
    move |tx| {
        Box::pin(async move {
            add(tx, name, 1);
            tx.query(statement!(SLEEP, seconds)).await
        })
    }
}

fn read_and_sleep(tx: &mut PgTx) -> TxFuture<'_, Vec<Row>> {
    Box::pin(tx.query(statement!(SLEEP, 60.0)))
}

const SLEEP: Sql = Sql::both("SELECT pg_sleep(?1)::text");

#[tokio::test]
async fn a_statement_takes_no_longer_than_allowed_wherever_it_runs() {
    let urls = fresh_database().await;
    let patience = Patience { statement_ms: 500, ..Patience::default() };
    let driver = PostgresDriver::open(Options { patience, ..urls.options() }).await.unwrap();
    let long = |name| write_and_sleep(name, 60.0);
    // By itself, in groups of lanes and of deeds, on the connections for keys, and reading.
    let late = tokio::join!(
        driver.write(Point::Setup, long("a")),
        driver.write(Point::StepOutcome, long("b")),
        driver.write_together(Point::StepLocal, long("c")),
        driver.write(Point::LaneHeartbeat, long("d")),
        driver.read(Look::engine(), read_and_sleep),
        driver.read_together(Look::engine(), read_and_sleep),
    );
    let late = [late.0, late.1, late.2, late.3, late.4, late.5];
    for (place, ended) in late.into_iter().enumerate() {
        let error = ended.expect_err("it sleeps for a minute");
        assert!(error.is_transient(), "{place}: waiting may cure it: {error}");
        assert!(error.to_string().contains("57014"), "{place}: {error}");
    }
    assert_eq!(values(&driver).await, [] as [i64; 0], "what was written before is undone");
    driver.write(Point::StepOutcome, write_and_sleep("a", 0.0)).await.unwrap();
    assert_eq!(values(&driver).await, [1]);
}
