//! Transactions of many callers that run as one: each gets the result and the rows it would get
//! alone.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use domain::WorkspaceId;
use futures::future::join_all;
use store::sql::{Driver, Look, Row, Sql, Tx, TxFuture};
use store::{Point, StoreError, StoreResult, statement};
use store_postgres::testing::connect;
use store_postgres::{PgTx, PostgresDriver};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::counters::{ADD, add, open, shop, values};

const ADD_EACH: Sql =
    Sql::each("INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3)");
const ADD_NEW: Sql = Sql::each(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3) \
     ON CONFLICT (workspace_id, name) DO NOTHING RETURNING name",
);
const ADD_QUIETLY: Sql = Sql::each(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3) \
     ON CONFLICT (workspace_id, name) DO NOTHING",
);
const ADD_TO: Sql = Sql::each(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3) \
     ON CONFLICT (workspace_id, name) DO UPDATE SET value = counters.value + excluded.value",
);
const ADD_TOLD: Sql = Sql::each(
    "INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3) RETURNING value",
);
pub(crate) const RAISE: Sql = Sql::each(
    "UPDATE counters SET value = value + ?3 WHERE workspace_id = ?1 AND name = (?2::uuid)::text",
);
const DOUBLE: Sql = Sql::each(
    "UPDATE counters SET value = value * 2 WHERE workspace_id = ?1 AND name = (?2::uuid)::text",
);
const READ: Sql = Sql::each(
    "SELECT value FROM counters WHERE workspace_id = ?1 AND name = (?2::uuid)::text FOR UPDATE",
);
const SEEN: Sql = Sql::both("SELECT value FROM counters ORDER BY value");
const LANES: Sql = Sql::both("SELECT 1 FROM lanes");
const COMMIT: Sql = Sql::both("SELECT pg_current_xact_id()::text");

pub(crate) type Work<R> = Box<dyn for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync>;

pub(crate) fn work<R>(
    work: impl for<'t> Fn(&'t mut PgTx) -> TxFuture<'t, R> + Send + Sync + 'static,
) -> Work<R> {
    Box::new(work)
}

/// Runs all of them as one, in this order: they are queued together before the first is taken.
async fn together<R: Send + 'static>(
    driver: &PostgresDriver,
    works: Vec<Work<R>>,
) -> Vec<StoreResult<R>> {
    join_all(works.into_iter().map(|work| driver.write(Point::StepOutcome, work))).await
}

pub(crate) fn row(of: u128) -> Uuid {
    Uuid::from_u128(of)
}

fn raise(tx: &mut PgTx, of: u128, by: i64) {
    tx.scope(shop());
    tx.write(statement!(RAISE, shop(), row(of), by));
}

fn put(tx: &mut PgTx, of: u128, value: i64) {
    tx.scope(shop());
    tx.write(statement!(ADD_EACH, shop(), row(of).to_string(), value));
}

/// Adds rows with these numbers, each with the value 0.
pub(crate) async fn with_rows(
    driver: &PostgresDriver,
    workspace: WorkspaceId,
    rows: &'static [u128],
) {
    let fill = work(move |tx| {
        tx.scope(workspace);
        for of in rows {
            tx.write(statement!(ADD, workspace, row(*of).to_string(), 0_i64));
        }
        Box::pin(async { Ok(()) })
    });
    driver.write(Point::Setup, fill).await.unwrap();
}

fn first(rows: &[Row]) -> Option<i64> {
    rows.first().map(|row| row.int(0).unwrap())
}

#[tokio::test]
async fn many_at_once_share_a_commit_and_each_has_its_own_answer() {
    let (_, driver) = open(1).await;
    let one = |of: u32| {
        work(move |tx| {
            Box::pin(async move {
                let of = u128::from(of);
                put(tx, of, i64::try_from(of * 10).unwrap());
                let read = statement!(READ, shop(), row(of));
                let none = statement!(READ, shop(), row(of + 100));
                let answers = tx.query_all(vec![read, none, statement!(COMMIT)]).await?;
                assert!(answers[1].is_empty(), "what is not there is nobody's");
                Ok((first(&answers[0]).unwrap(), answers[2][0].text(0)?.to_owned()))
            })
        })
    };
    let callers = [5, 2, 8, 1, 7, 3, 6, 4];
    let told = together(&driver, callers.map(one).into()).await;
    let told: Vec<_> = told.into_iter().map(Result::unwrap).collect();
    let values_told: Vec<_> = told.iter().map(|(value, _)| *value).collect();
    assert_eq!(values_told, callers.map(|of| i64::from(of) * 10));
    assert!(told.iter().all(|(_, commit)| *commit == told[0].1), "{told:?}");
    assert_eq!(values(&driver).await, [10, 20, 30, 40, 50, 60, 70, 80]);
}

#[tokio::test]
async fn tenants_of_one_group_see_and_write_their_own_alone() {
    let (_, driver) = open(1).await;
    let other = WorkspaceId::from_slug("other");
    let of = |workspace: Option<WorkspaceId>, value: i64| {
        work(move |tx| {
            Box::pin(async move {
                if let Some(workspace) = workspace {
                    tx.scope(workspace);
                    tx.write(statement!(ADD_EACH, workspace, "a", value));
                }
                let commit = tx.query(statement!(COMMIT)).await?[0].text(0)?.to_owned();
                let seen = tx.query(statement!(SEEN)).await?;
                Ok((seen.iter().map(|row| row.int(0).unwrap()).collect::<Vec<_>>(), commit))
            })
        })
    };
    let works = vec![of(Some(shop()), 1), of(Some(other), 2), of(None, 3)];
    let told: Vec<_> = together(&driver, works).await.into_iter().map(Result::unwrap).collect();
    let seen: Vec<_> = told.iter().map(|(seen, _)| seen.clone()).collect();
    assert_eq!(seen, [vec![1], vec![2], vec![]], "whoever names no tenant sees nothing");
    assert!(told.iter().all(|(_, commit)| *commit == told[0].1), "{told:?}");
}

#[tokio::test]
async fn lanes_of_all_tenants_are_open_only_to_whoever_of_a_group_asked_for_that() {
    let (urls, driver) = open(1).await;
    let superuser = connect(&urls.superuser).await;
    let lane = "INSERT INTO lanes (workspace_id, conversation_id) \
                VALUES (gen_random_uuid(), gen_random_uuid())";
    superuser.batch_execute(lane).await.unwrap();
    let lanes = |all: bool| {
        work(move |tx| {
            Box::pin(async move {
                if all {
                    tx.scope_scheduler();
                }
                Ok(tx.query(statement!(LANES)).await?.len())
            })
        })
    };
    let told = together(&driver, vec![lanes(true), lanes(false)]).await;
    assert_eq!(told, [Ok(1), Ok(0)]);
}

/// The ways in which a member of a group goes wrong.
#[derive(Clone, Copy, Debug)]
enum Fault {
    GuardAtTheEnd,
    GuardBeforeAQuery,
    GuardOfWhatIsThere,
    Error,
    Panic,
    AgainstTheSchema,
    WrongKindOfValue,
}

fn go_wrong(tx: &mut PgTx, fault: Fault) -> TxFuture<'_, ()> {
    Box::pin(async move {
        add(tx, "no trace", 1);
        let absent = statement!(RAISE, shop(), row(404), 1_i64);
        match fault {
            Fault::GuardAtTheEnd => tx.guard(absent, StoreError::LaneLost),
            Fault::GuardBeforeAQuery => {
                tx.guard(absent, StoreError::LaneLost);
                tx.query(statement!(COMMIT)).await?;
            }
            Fault::GuardOfWhatIsThere => {
                let there = statement!(ADD_QUIETLY, shop(), row(1).to_string(), 9_i64);
                tx.guard(there, StoreError::LaneLost);
            }
            Fault::Error => {
                tx.query(statement!(COMMIT)).await?;
                return Err(StoreError::LaneLost);
            }
            Fault::Panic => panic!("planned"),
            Fault::AgainstTheSchema => put(tx, 1, 9),
            Fault::WrongKindOfValue => tx.write(statement!(ADD, shop(), "b", "secret")),
        }
        Ok(())
    })
}

#[tokio::test]
async fn whoever_of_a_group_goes_wrong_is_told_alone_and_leaves_no_trace() {
    use Fault::*;
    for fault in [
        GuardAtTheEnd,
        GuardBeforeAQuery,
        GuardOfWhatIsThere,
        Error,
        Panic,
        AgainstTheSchema,
        WrongKindOfValue,
    ] {
        let (_, driver) = open(1).await;
        with_rows(&driver, shop(), &[1, 2]).await;
        let well = |of: u128| {
            work(move |tx| {
                Box::pin(async move {
                    tx.scope(shop());
                    let new = statement!(ADD_QUIETLY, shop(), row(of + 10).to_string(), 7_i64);
                    tx.guard(new, StoreError::NotFound("row"));
                    let there = statement!(RAISE, shop(), row(of), 5_i64);
                    tx.guard(there, StoreError::NotFound("row"));
                    Ok(())
                })
            })
        };
        let works = vec![well(1), work(move |tx| go_wrong(tx, fault)), well(2)];
        let ended = together(&driver, works).await;
        let expected = match fault {
            GuardAtTheEnd | GuardBeforeAQuery | GuardOfWhatIsThere | Error => {
                matches!(ended[1], Err(StoreError::LaneLost))
            }
            Panic | AgainstTheSchema | WrongKindOfValue => {
                matches!(ended[1], Err(StoreError::Unusable(_)))
            }
        };
        assert!(expected, "{fault:?}: {ended:?}");
        assert_eq!((&ended[0], &ended[2]), (&Ok(()), &Ok(())), "{fault:?}");
        assert_eq!(values(&driver).await, [5, 5, 7, 7], "{fault:?}");
    }
}

#[tokio::test]
async fn a_value_that_cannot_be_sent_fails_its_caller_alone() {
    let (_, driver) = open(1).await;
    let (runs, wrong) = (Arc::default(), work(|tx| go_wrong(tx, Fault::WrongKindOfValue)));
    let works = vec![counted(&runs, 1), wrong, counted(&runs, 2)];
    let ended = together(&driver, works).await;
    assert_eq!((&ended[0], &ended[2]), (&Ok(()), &Ok(())), "nothing had been sent: {ended:?}");
    assert!(ended[1].is_err());
    assert_eq!(values(&driver).await, [1, 1]);
}

#[tokio::test]
async fn two_of_a_group_that_mean_one_row_change_it_one_after_the_other() {
    for guarded in [false, true] {
        let (_, driver) = open(1).await;
        with_rows(&driver, shop(), &[1, 2]).await;
        let raise = |of: u128, by: i64| {
            work(move |tx| {
                Box::pin(async move {
                    tx.scope(shop());
                    let raise = statement!(RAISE, shop(), row(of), by);
                    if guarded {
                        tx.guard(raise, StoreError::LaneLost);
                    } else {
                        tx.write(raise);
                    }
                    Ok(())
                })
            })
        };
        let ended = together(&driver, vec![raise(1, 1), raise(2, 10), raise(1, 100)]).await;
        assert_eq!(ended, [Ok(()), Ok(()), Ok(())]);
        assert_eq!(values(&driver).await, [101, 10], "guarded: {guarded}");
    }
}

#[tokio::test]
async fn of_two_in_a_group_that_add_one_row_the_first_is_told_that_it_is_new() {
    let (_, driver) = open(1).await;
    let is_new = |name: &'static str| {
        work(move |tx| {
            Box::pin(async move {
                tx.scope(shop());
                let rows = tx.query(statement!(ADD_NEW, shop(), name, 1_i64)).await?;
                Ok(!rows.is_empty())
            })
        })
    };
    assert_eq!(driver.write(Point::Setup, is_new("old")).await, Ok(true));
    let told = together(&driver, ["old", "new", "new", "old"].map(is_new).into()).await;
    assert_eq!(told, [Ok(false), Ok(true), Ok(false), Ok(false)]);
    assert_eq!(values(&driver).await, [1, 1]);
}

#[tokio::test]
async fn two_of_a_group_that_add_to_one_row_both_do() {
    let (_, driver) = open(1).await;
    let add_to = |by: i64| {
        work(move |tx| {
            tx.scope(shop());
            tx.write(statement!(ADD_TO, shop(), "sum", by));
            Box::pin(async { Ok(()) })
        })
    };
    let ended = together(&driver, [1, 10, 100].map(add_to).into()).await;
    assert_eq!(ended, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(values(&driver).await, [111]);
}

#[tokio::test]
async fn a_transaction_that_means_one_row_twice_changes_it_twice() {
    let (_, driver) = open(1).await;
    with_rows(&driver, shop(), &[1]).await;
    for point in [Point::Setup, Point::StepOutcome] {
        let twice = work(|tx| {
            Box::pin(async move {
                raise(tx, 1, 1);
                raise(tx, 1, 10);
                tx.guard(statement!(RAISE, shop(), row(1), 100_i64), StoreError::LaneLost);
                tx.write(statement!(ADD_TO, shop(), "sum", 1_i64));
                tx.write(statement!(ADD_TO, shop(), "sum", 1_i64));
                Ok(())
            })
        });
        driver.write(point, twice).await.unwrap();
    }
    assert_eq!(values(&driver).await, [222, 4]);
}

#[tokio::test]
async fn a_guard_looks_at_its_own_row_among_those_that_a_transaction_adds() {
    let (_, driver) = open(1).await;
    with_rows(&driver, shop(), &[1]).await;
    let add = |of: u128| statement!(ADD_QUIETLY, shop(), row(of).to_string(), 1_i64);
    let some_new = work(move |tx| {
        tx.scope(shop());
        tx.write(add(1));
        tx.guard(add(2), StoreError::LaneLost);
        Box::pin(async { Ok(()) })
    });
    assert_eq!(driver.write(Point::Setup, some_new).await, Ok(()));
    assert_eq!(values(&driver).await, [0, 1]);
}

#[tokio::test]
async fn the_statements_of_each_keep_their_order() {
    let (_, driver) = open(1).await;
    let steps = |of: u128, doubled_first: bool| {
        work(move |tx| {
            put(tx, of, 1);
            let double = statement!(DOUBLE, shop(), row(of));
            let raise = statement!(RAISE, shop(), row(of), 1_i64);
            let steps = if doubled_first { [double, raise] } else { [raise, double] };
            steps.into_iter().for_each(|step| tx.write(step));
            Box::pin(async { Ok(()) })
        })
    };
    let works = vec![steps(1, true), steps(2, false), steps(3, true), steps(4, false)];
    assert!(together(&driver, works).await.iter().all(Result::is_ok));
    assert_eq!(values(&driver).await, [3, 4, 3, 4]);
}

/// A job that adds a row and counts its runs.
fn counted(runs: &Arc<AtomicU32>, of: u128) -> Work<()> {
    let runs = Arc::clone(runs);
    work(move |tx| {
        runs.fetch_add(1, Ordering::SeqCst);
        put(tx, of, 1);
        Box::pin(async { Ok(()) })
    })
}

#[tokio::test]
async fn a_group_whose_commit_is_cut_short_is_unavailable_to_all_and_not_run_again() {
    const END: &str = "CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER \
            AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; \
        CREATE CONSTRAINT TRIGGER end_it AFTER INSERT ON counters DEFERRABLE INITIALLY DEFERRED \
            FOR EACH ROW EXECUTE FUNCTION end_it()";
    let (urls, driver) = open(1).await;
    let superuser = connect(&urls.superuser).await;
    superuser.batch_execute(END).await.unwrap();
    let runs = Arc::default();
    let ended = together(&driver, (1..=3).map(|of| counted(&runs, of)).collect()).await;
    assert!(ended.iter().all(|end| matches!(end, Err(StoreError::Unavailable(_)))), "{ended:?}");
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    assert_eq!(values(&driver).await, [] as [i64; 0]);
    superuser.batch_execute("DROP TRIGGER end_it ON counters").await.unwrap();
    let ended = together(&driver, (1..=3).map(|of| counted(&runs, of)).collect()).await;
    assert_eq!(ended, [Ok(()), Ok(()), Ok(())], "another connection takes its place");
}

#[tokio::test]
async fn a_group_that_is_cut_short_before_its_commit_is_run_again() {
    let (urls, driver) = open(1).await;
    let superuser = Arc::new(connect(&urls.superuser).await);
    let runs = Arc::new(AtomicU32::new(0));
    let cut = |of: u128| {
        let (superuser, runs) = (Arc::clone(&superuser), Arc::clone(&runs));
        work(move |tx| {
            let (superuser, runs) = (Arc::clone(&superuser), Arc::clone(&runs));
            Box::pin(async move {
                put(tx, of, 1);
                let asked = tx.query(statement!(Sql::both("SELECT pg_backend_pid()"))).await?;
                if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                    let end = format!("SELECT pg_terminate_backend({})", asked[0].int(0)?);
                    superuser.batch_execute(&end).await.unwrap();
                }
                Ok(())
            })
        })
    };
    let ended = together(&driver, vec![cut(1), cut(2)]).await;
    // The commit may have been sent before its connection was known to be gone.
    let gone = ended.iter().all(|end| matches!(end, Err(StoreError::Unavailable(_))));
    assert!(gone || ended.iter().all(Result::is_ok), "{ended:?}");
    assert_eq!(values(&driver).await.len(), if gone { 0 } else { 2 });
}

#[tokio::test]
async fn of_reads_that_run_together_a_workspace_waits_for_no_more_than_two_groups_of_another() {
    let (_, driver) = open(1).await;
    let driver = Arc::new(driver);
    let order = Arc::new(Mutex::new(Vec::new()));
    let neighbour = WorkspaceId(Uuid::from_u128(77));
    // Each read has a task of its own, and the tasks begin in this order.
    let mut reads = JoinSet::new();
    for workspace in std::iter::repeat_n(shop(), 1_000).chain([neighbour]) {
        let (driver, order) = (Arc::clone(&driver), Arc::clone(&order));
        let see: Work<()> = work(move |tx| {
            order.lock().unwrap().push(workspace);
            Box::pin(async move {
                tx.scope(workspace);
                tx.query(statement!(SEEN)).await.map(drop)
            })
        });
        reads.spawn(async move { driver.read_together(Look::short(workspace), see).await });
    }
    assert!(reads.join_all().await.iter().all(Result::is_ok));
    let before = order.lock().unwrap().iter().position(|whose| *whose == neighbour);
    assert!(before.is_some_and(|before| before <= 3 * 64), "{before:?} of a thousand before it");
}

#[tokio::test]
async fn what_was_committed_is_not_run_again_because_its_answers_tell_nobody_apart() {
    let (_, driver) = open(1).await;
    let runs = Arc::new(AtomicU32::new(0));
    let add = |of: u128| {
        let runs = Arc::clone(&runs);
        work(move |tx| {
            runs.fetch_add(1, Ordering::SeqCst);
            tx.scope(shop());
            tx.write(statement!(ADD_TOLD, shop(), row(of).to_string(), 1_i64));
            Box::pin(async { Ok(()) })
        })
    };
    assert_eq!(together(&driver, vec![add(1), add(2)]).await, [Ok(()), Ok(())]);
    assert_eq!((runs.load(Ordering::SeqCst), values(&driver).await), (2, vec![1, 1]));
}
