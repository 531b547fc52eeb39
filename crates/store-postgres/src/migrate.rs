//! Brings the schema forward, once however many nodes start, and lets the application use it.

use store::{Migration, SCHEMA_VERSION, StoreError, StoreResult, pending_migrations};
use tokio_postgres::{Client, Config, Error};

use crate::address;
use crate::error::{from_postgres, is_forbidden};
use crate::isolation::{check_tables, tenant_tables};

const MIGRATIONS: &[Migration] = store::migrations!();

/// The number of the advisory lock: "recado" in ASCII. Any number will do, as long as all versions
/// of recado agree on it.
const LOCK: i64 = 0x7265_6361_646f;

/// Migrates as the owner of the tables and grants `role` the rights of the application.
pub(crate) async fn as_owner(owner: &Config, role: &str) -> StoreResult<()> {
    let connected = address::connect(owner).await?;
    migrate(&connected.client, Some(role)).await
}

/// Migrates as the application itself, if the schema is not up to date already.
pub(crate) async fn as_application(client: &Client, role: &str) -> StoreResult<()> {
    let found = version(client, role).await?;
    if pending_migrations(MIGRATIONS, found)?.is_empty() {
        return Ok(());
    }
    migrate(client, None).await
}

/// Fails unless the application's own connection finds the schema of this build.
pub(crate) async fn check_version(client: &Client, role: &str) -> StoreResult<()> {
    if version(client, role).await? == SCHEMA_VERSION {
        return Ok(());
    }
    Err(StoreError::Unusable(format!(
        "the schema was brought forward, but the role \"{role}\" does not find it: the owner's URL \
         leads to another database, or to another schema. Compare the two URLs, and SHOW \
         search_path as both roles"
    )))
}

/// The newest applied migration that this connection finds, 0 if there is none.
async fn version(client: &Client, role: &str) -> StoreResult<i64> {
    applied(client).await.map_err(|error| {
        if is_forbidden(&error) {
            StoreError::Unusable(format!(
                "the database has a schema that the role \"{role}\" may not read. Start once with \
                 the owner's URL given as well: it grants the role what it needs"
            ))
        } else {
            from_postgres(&error)
        }
    })
}

async fn applied(client: &Client) -> Result<i64, Error> {
    // The catalogue is read instead of calling to_regclass, which may answer from this connection's
    // cache of before it waited for another node's migration; reading the catalogue renews that
    // cache.
    const HAS_TABLE: &str = "SELECT EXISTS (SELECT 1 FROM pg_class \
        WHERE relname = 'schema_migrations' AND relkind = 'r' AND pg_table_is_visible(oid))";
    const NEWEST: &str = "SELECT coalesce(max(version), 0) FROM schema_migrations";
    if !client.query_one(HAS_TABLE, &[]).await?.get::<_, bool>(0) {
        return Ok(0);
    }
    Ok(client.query_one(NEWEST, &[]).await?.get(0))
}

/// Applies all pending migrations or none. A failure leaves the connection inside no transaction.
async fn migrate(client: &Client, grant_to: Option<&str>) -> StoreResult<()> {
    run(client, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE").await?;
    match migrate_locked(client, grant_to).await {
        Ok(()) => run(client, "COMMIT").await,
        Err(error) => {
            // The connection itself may have failed; the first error is the one to tell.
            let _ = run(client, "ROLLBACK").await;
            Err(error)
        }
    }
}

async fn migrate_locked(client: &Client, grant_to: Option<&str>) -> StoreResult<()> {
    // The timeouts are lifted, because a large table takes its time, and so does another node's
    // migration.
    run(client, "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0").await?;
    // The lock is taken before anything is read, so that a node that waited here sees the other's
    // migration.
    run(client, &format!("SELECT pg_advisory_xact_lock({LOCK})")).await?;
    let found = applied(client).await.map_err(missing_right)?;
    let pending = pending_migrations(MIGRATIONS, found)?;
    if found == 0 && !pending.is_empty() {
        // An empty table may be left of a migration undone by hand.
        run(
            client,
            "CREATE TABLE IF NOT EXISTS schema_migrations \
                (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
        )
        .await?;
    }
    for migration in pending {
        tracing::info!(version = migration.version, "migrating the database");
        run(client, migration.sql).await?;
        client
            .execute("INSERT INTO schema_migrations (version) VALUES ($1)", &[&migration.version])
            .await
            .map_err(missing_right)?;
    }
    // The tables are checked before any right is given.
    check_tables(client).await?;
    match grant_to {
        Some(role) => grant(client, role).await,
        None => Ok(()),
    }
}

/// Grants the role its rights, at each start, because another role may have come and a new table
/// must be reachable.
async fn grant(client: &Client, role: &str) -> StoreResult<()> {
    const GRANTS: &str = concat!(
        "WITH tenant AS (",
        tenant_tables!(),
        ") \
         SELECT format('GRANT USAGE ON SCHEMA %I TO %I', n.nspname, $1::text) \
           FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid \
          WHERE c.oid = to_regclass('schema_migrations') AND $1::text <> current_user::text \
         UNION ALL \
         SELECT format('GRANT SELECT ON schema_migrations TO %I', $1::text) \
         UNION ALL \
         SELECT format('GRANT EXECUTE ON FUNCTION recado_workspace() TO %I', $1::text) \
         UNION ALL \
         SELECT format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', oid::regclass, $1::text) \
           FROM tenant WHERE name <> 'audit_log' \
         UNION ALL \
         SELECT format('REVOKE ALL ON %1$s FROM %2$I; GRANT SELECT, INSERT ON %1$s TO %2$I', \
                       oid::regclass, $1::text) \
           FROM tenant WHERE name = 'audit_log' AND $1::text <> current_user::text \
         UNION ALL \
         SELECT format('GRANT USAGE ON SEQUENCE %s TO %I', s.oid::regclass, $1::text) \
           FROM tenant t \
           JOIN pg_depend d ON d.refobjid = t.oid AND d.refclassid = 'pg_class'::regclass \
                           AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') \
           JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'"
    );
    let rows = client.query(GRANTS, &[&role]).await.map_err(missing_right)?;
    let grants: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    run(client, &grants.join(";\n")).await
}

async fn run(client: &Client, sql: &str) -> StoreResult<()> {
    client.batch_execute(sql).await.map_err(missing_right)
}

fn missing_right(error: Error) -> StoreError {
    match from_postgres(&error) {
        StoreError::Unusable(text) if is_forbidden(&error) => StoreError::Unusable(format!(
            "{text}: this role may not bring the schema forward. Nothing was changed. Give the URL \
             of the role that owns the tables (on an empty database: the one that owns the \
             database) as the owner's URL"
        )),
        other => other,
    }
}
