//! Two groups at once lock rows in one order, so that neither waits for the other.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::WorkspaceId;
use futures::future::{join_all, poll_immediate};
use store::sql::{Driver, Tx};
use store::{Point, StoreResult, statement};
use store_postgres::PostgresDriver;
use store_postgres::testing::{Session, connect};
use tokio::sync::Notify;

use crate::counters::{open, shop};
use crate::groups::{RAISE, row, with_rows, work};

/// Keeps one of the tasks that run groups busy until it is told to go on.
struct Busy<F>(Arc<Notify>, F);

async fn busy(driver: &PostgresDriver) -> Busy<impl Future<Output = StoreResult<()>> + '_> {
    let (reached, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let waits = {
        let (reached, go_on) = (Arc::clone(&reached), Arc::clone(&go_on));
        work(move |_| {
            let (reached, go_on) = (Arc::clone(&reached), Arc::clone(&go_on));
            Box::pin(async move {
                reached.notify_one();
                go_on.notified().await;
                Ok(())
            })
        })
    };
    let mut waiting = Box::pin(driver.write(Point::StepOutcome, waits));
    tokio::select! {
        ended = &mut waiting => panic!("it did not wait: {ended:?}"),
        () = reached.notified() => {}
    }
    Busy(go_on, waiting)
}

/// A row of a tenant.
type Place = (WorkspaceId, u128);

/// Starts a group that changes these rows, in this order, and counts its runs.
async fn start<'d>(
    driver: &'d PostgresDriver,
    busy: Busy<impl Future<Output = StoreResult<()>>>,
    places: [Place; 2],
    runs: &Arc<AtomicU32>,
) -> impl Future<Output = Vec<StoreResult<()>>> + 'd {
    let raise = |(workspace, of): Place| {
        let runs = Arc::clone(runs);
        let raise = work(move |tx| {
            runs.fetch_add(1, Ordering::SeqCst);
            tx.scope(workspace);
            tx.write(statement!(RAISE, workspace, row(of), 1_i64));
            Box::pin(async { Ok(()) })
        });
        driver.write(Point::StepOutcome, raise)
    };
    let mut group = Box::pin(join_all(places.map(raise)));
    // Both wait in the queue before the task that is to take them is free.
    assert!(poll_immediate(&mut group).await.is_none());
    busy.0.notify_one();
    busy.1.await.unwrap();
    group
}

/// Returns once so many sessions wait for a lock.
async fn waiting(watcher: &Session, many: i64) {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while watcher.query_one(WAITING, &[]).await.unwrap().get::<_, i64>(0) < many {}
}

/// Runs two groups, the second with the rows the other way round. If it locked the last row first,
/// each group would hold the row the other waits for as soon as the first row is free.
async fn cross([first, last]: [Place; 2]) -> u32 {
    let (urls, driver) = open(1).await;
    for workspace in [shop(), WorkspaceId::from_slug("other")] {
        with_rows(&driver, workspace, &[1, 2]).await;
    }
    let (holder, watcher) = (connect(&urls.superuser).await, connect(&urls.superuser).await);
    let hold = format!(
        "BEGIN; SELECT 1 FROM counters WHERE workspace_id = '{}' AND name = '{}' FOR UPDATE",
        first.0,
        row(first.1)
    );
    holder.batch_execute(&hold).await.unwrap();
    let (one, other) = (busy(&driver).await, busy(&driver).await);
    let runs = Arc::default();
    let one = start(&driver, one, [first, last], &runs).await;
    waiting(&watcher, 1).await;
    let other = start(&driver, other, [last, first], &runs).await;
    waiting(&watcher, 2).await;
    holder.batch_execute("COMMIT").await.unwrap();
    let (one, other) = tokio::join!(one, other);
    assert!(one.iter().chain(&other).all(Result::is_ok), "{one:?} {other:?}");
    runs.load(Ordering::SeqCst)
}

#[tokio::test]
async fn two_groups_over_the_same_rows_lock_them_in_one_order() {
    assert_eq!(cross([(shop(), 1), (shop(), 2)]).await, 4, "nobody was run again");
}

#[tokio::test]
async fn two_groups_over_the_same_tenants_lock_their_rows_in_one_order() {
    let mut tenants = [shop(), WorkspaceId::from_slug("other")];
    tenants.sort_unstable();
    assert_eq!(cross(tenants.map(|tenant| (tenant, 1))).await, 4, "nobody was run again");
}
