//! Small transactions over the counters of one workspace, for tests to build on.

use domain::WorkspaceId;
use store::sql::{Driver, Look, Sql, Tx};
use store::statement;
use store_postgres::testing::{Urls, fresh_database};
use store_postgres::{Options, PgTx, PostgresDriver};

pub(crate) const ADD: Sql =
    Sql::both("INSERT INTO counters (workspace_id, name, value) VALUES (?1, ?2, ?3)");
pub(crate) const BUMP: Sql =
    Sql::both("UPDATE counters SET value = value + 1 WHERE workspace_id = ?1 AND name = ?2");
pub(crate) const GET: Sql =
    Sql::both("SELECT value FROM counters WHERE workspace_id = ?1 ORDER BY name");
pub(crate) const PID: Sql = Sql::both("SELECT pg_backend_pid()");

pub(crate) fn shop() -> WorkspaceId {
    WorkspaceId::from_slug("shop")
}

pub(crate) async fn open(pool_size: usize) -> (Urls, PostgresDriver) {
    let urls = fresh_database().await;
    let options = Options { pool_size, ..urls.options() };
    let driver = PostgresDriver::open(options).await.unwrap();
    (urls, driver)
}

pub(crate) fn add(tx: &mut PgTx, name: &str, value: i64) {
    tx.scope(shop());
    tx.write(statement!(ADD, shop(), name, value));
}

pub(crate) async fn values(driver: &PostgresDriver) -> Vec<i64> {
    let rows = driver
        .read(Look::engine(), |tx| {
            Box::pin(async move {
                tx.scope(shop());
                tx.query(statement!(GET, shop())).await
            })
        })
        .await
        .unwrap();
    rows.iter().map(|row| row.int(0).unwrap()).collect()
}

pub(crate) async fn pid(driver: &PostgresDriver) -> i64 {
    let rows = driver.read(Look::engine(), |tx| Box::pin(tx.query(statement!(PID)))).await.unwrap();
    rows[0].int(0).unwrap()
}
