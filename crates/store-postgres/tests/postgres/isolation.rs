//! The database keeps tenants apart, even for statements that name no tenant.

use store_postgres::PostgresDriver;
use store_postgres::testing::{APP, Session, Urls, connect, fresh_database};
use tokio_postgres::error::SqlState;
use uuid::Uuid;

const OURS: Uuid = Uuid::from_u128(1);
const THEIRS: Uuid = Uuid::from_u128(2);

struct Table {
    name: String,
    /// The column that holds the tenant.
    tenant: &'static str,
}

/// Every table with a tenant's rows, from the catalogue: a new one is tested without being named.
async fn tenant_tables(session: &Session) -> Vec<Table> {
    const TABLES: &str = "SELECT c.relname::text FROM pg_class c \
        JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public' \
        WHERE c.relkind IN ('r', 'p') AND c.relname <> 'schema_migrations' ORDER BY 1";
    let names = session.query(TABLES, &[]).await.unwrap();
    let tables: Vec<Table> = names
        .iter()
        .map(|row| row.get::<_, String>(0))
        .map(|name| Table {
            tenant: if name == "workspaces" { "id" } else { "workspace_id" },
            name,
        })
        .collect();
    assert!(tables.len() >= 15, "the schema was not found");
    tables
}

/// Puts a row of a workspace into a table, with values that satisfy its columns and checks.
async fn fill(superuser: &Session, table: &Table, workspace: Uuid) {
    const COLUMNS: &str = "SELECT quote_ident(a.attname), format_type(a.atttypid, NULL), \
            (SELECT substring(pg_get_constraintdef(k.oid) FROM '''[^'']*''') \
               FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'c' \
                AND k.conkey = ARRAY[a.attnum] LIMIT 1) \
        FROM pg_attribute a \
        WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped \
          AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''";
    let columns = superuser.query(COLUMNS, &[&table.name]).await.unwrap();
    let mut names = Vec::new();
    let mut values = Vec::new();
    for column in &columns {
        let (name, kind): (String, String) = (column.get(0), column.get(1));
        values.push(match column.get::<_, Option<String>>(2) {
            Some(allowed) => allowed,
            None if name == table.tenant => format!("'{workspace}'"),
            None => match kind.as_str() {
                "uuid" => "gen_random_uuid()".to_owned(),
                "text" => "gen_random_uuid()::text".to_owned(),
                "jsonb" => "'{}'".to_owned(),
                _ => "1".to_owned(),
            },
        });
        names.push(name);
    }
    let (name, names, values) = (&table.name, names.join(", "), values.join(", "));
    let insert = format!("INSERT INTO {name} ({names}) VALUES ({values})");
    superuser.batch_execute(&insert).await.unwrap_or_else(|error| panic!("{insert}: {error:?}"));
}

/// An opened database with one row of each of two workspaces in every table.
async fn two_tenants() -> (Urls, Vec<Table>) {
    let urls = fresh_database().await;
    PostgresDriver::open(urls.options()).await.unwrap();
    let superuser = connect(&urls.superuser).await;
    let tables = tenant_tables(&superuser).await;
    superuser.batch_execute("SET session_replication_role = replica").await.unwrap();
    for table in &tables {
        fill(&superuser, table, OURS).await;
        fill(&superuser, table, THEIRS).await;
    }
    (urls, tables)
}

/// The tenants whose rows a session sees in a table.
async fn visible(session: &Session, table: &Table) -> Vec<Uuid> {
    let (name, tenant) = (&table.name, table.tenant);
    let select = format!("SELECT {tenant} FROM {name} ORDER BY 1");
    session.query(&select, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn every_tenant_table_is_closed_until_a_workspace_is_named() {
    let (urls, tables) = two_tenants().await;
    let app = connect(&urls.app).await;
    for table in &tables {
        assert_eq!(visible(&app, table).await, [] as [Uuid; 0], "{}", table.name);
    }
    // A transaction that named a tenant leaves the connection as closed as before.
    let named = format!("BEGIN; SELECT set_config('recado.workspace', '{OURS}', true); COMMIT");
    app.batch_execute(&named).await.unwrap();
    for table in &tables {
        assert_eq!(visible(&app, table).await, [] as [Uuid; 0], "{}", table.name);
    }
}

#[tokio::test]
async fn every_tenant_table_shows_and_takes_only_the_named_workspace() {
    let (urls, tables) = two_tenants().await;
    let app = connect(&urls.app).await;
    let name = format!("SELECT set_config('recado.workspace', '{OURS}', false)");
    app.batch_execute(&name).await.unwrap();
    for table in &tables {
        assert_eq!(visible(&app, table).await, [OURS], "{}", table.name);
        let (name, tenant) = (&table.name, table.tenant);
        let give_away = format!("UPDATE {name} SET {tenant} = '{THEIRS}'");
        let error = app.batch_execute(&give_away).await.unwrap_err();
        // Refused by the policy or, in the audit log, because rows there are never changed.
        assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn the_owner_of_the_tables_is_bound_as_well() {
    let (urls, tables) = two_tenants().await;
    let owner = connect(&urls.owner).await;
    for table in &tables {
        assert_eq!(visible(&owner, table).await, [] as [Uuid; 0], "{}", table.name);
    }
}

#[tokio::test]
async fn the_scheduler_sees_lanes_of_all_tenants_and_nothing_else() {
    let (urls, tables) = two_tenants().await;
    let app = connect(&urls.app).await;
    app.batch_execute("SELECT set_config('recado.scheduler', 'on', false)").await.unwrap();
    for table in &tables {
        let expected = if table.name == "lanes" { vec![OURS, THEIRS] } else { vec![] };
        assert_eq!(visible(&app, table).await, expected, "{}", table.name);
    }
}

#[tokio::test]
async fn the_application_owns_no_table_and_cannot_lift_the_protection() {
    let (urls, tables) = two_tenants().await;
    let app = connect(&urls.app).await;
    let owned = "SELECT count(*) FROM pg_tables WHERE tableowner = $1";
    assert_eq!(app.query_one(owned, &[&APP]).await.unwrap().get::<_, i64>(0), 0);
    for Table { name, .. } in &tables {
        for attack in [
            format!("ALTER TABLE {name} DISABLE ROW LEVEL SECURITY"),
            format!("ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY"),
            format!("DROP POLICY tenant ON {name}"),
            format!("TRUNCATE {name}"),
            format!("SET row_security = off; SELECT * FROM {name}"),
        ] {
            let error = app.batch_execute(&attack).await.unwrap_err();
            assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{attack}");
        }
    }
}

#[tokio::test]
async fn the_application_adds_to_the_audit_log_and_changes_nothing_in_it() {
    let (urls, _) = two_tenants().await;
    let app = connect(&urls.app).await;
    let name = format!("SELECT set_config('recado.workspace', '{OURS}', false)");
    app.batch_execute(&name).await.unwrap();
    let add = format!(
        "INSERT INTO audit_log (workspace_id, at, actor, action, subject, detail) \
         VALUES ('{OURS}', 1, 'a', 'b', 'c', '{{}}')"
    );
    app.batch_execute(&add).await.unwrap();
    for attack in ["UPDATE audit_log SET actor = 'nobody'", "DELETE FROM audit_log"] {
        let error = app.batch_execute(attack).await.unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{attack}");
    }
}
