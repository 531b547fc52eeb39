//! Refuses a role or a table for which the database would not keep tenants apart.

use store::{StoreError, StoreResult};
use tokio_postgres::Client;

use crate::error::from_postgres;

/// The tables that hold a tenant's rows, where this connection finds them.
macro_rules! tenant_tables {
    () => {
        "SELECT c.oid, c.relname::text AS name, c.relowner AS owner, \
                c.relrowsecurity AND c.relforcerowsecurity AS is_closed \
         FROM pg_class c \
         WHERE c.relnamespace = (SELECT relnamespace FROM pg_class \
                                 WHERE oid = to_regclass('schema_migrations')) \
           AND c.relkind IN ('r', 'p') \
           AND (c.relname = 'workspaces' OR EXISTS ( \
                SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid \
                   AND a.attname = 'workspace_id' AND NOT a.attisdropped))"
    };
}
pub(crate) use tenant_tables;

/// Returns the role's name.
pub(crate) async fn check_role(client: &Client) -> StoreResult<String> {
    // A session that became another role can become itself again, so both must be harmless.
    const ROLES: &str = "SELECT rolname::text, rolsuper, rolbypassrls, \
            current_setting('row_security') = 'on', rolname = current_user \
        FROM pg_roles WHERE rolname IN (current_user, session_user)";
    let roles = client.query(ROLES, &[]).await.map_err(|error| from_postgres(&error))?;
    let mut current = None;
    for row in &roles {
        let role: String = row.get(0);
        if row.get(1) {
            return Err(refuse(&role, "is a superuser"));
        }
        if row.get(2) {
            return Err(refuse(&role, "has BYPASSRLS"));
        }
        if !row.get::<_, bool>(3) {
            return Err(StoreError::Unusable(format!(
                "row_security is off for the database role \"{role}\", so PostgreSQL would not \
                 keep tenants apart. Nothing was written. Turn it on: \
                 ALTER ROLE \"{role}\" SET row_security = on;"
            )));
        }
        if row.get(4) {
            current = Some(role);
        }
    }
    current.ok_or_else(|| StoreError::Unusable("the database does not know our role".to_owned()))
}

fn refuse(role: &str, why: &str) -> StoreError {
    StoreError::Unusable(format!(
        "the database role \"{role}\" {why}, so PostgreSQL would not keep tenants apart: one wrong \
         query could show a workspace's customers to another. Nothing was written. Create a role \
         for the application and use it in the database URL:\n\
         \x20 CREATE ROLE recado_app LOGIN PASSWORD '...' NOSUPERUSER NOBYPASSRLS;\n\
         \"{role}\" may stay as the owner's URL, which only migrates."
    ))
}

pub(crate) async fn check_tables(client: &Client) -> StoreResult<()> {
    const TABLES: &str =
        concat!("SELECT name, is_closed FROM (", tenant_tables!(), ") t ORDER BY name");
    let tables = client.query(TABLES, &[]).await.map_err(|error| from_postgres(&error))?;
    for row in &tables {
        let (name, is_closed): (String, bool) = (row.get(0), row.get(1));
        if !is_closed {
            return Err(StoreError::Unusable(format!(
                "row security is not enabled and forced on the table \"{name}\", so its rows would \
                 be open to every tenant. As the table's owner: ALTER TABLE \"{name}\" ENABLE ROW \
                 LEVEL SECURITY; ALTER TABLE \"{name}\" FORCE ROW LEVEL SECURITY; and see that it \
                 has the policy the other tables have"
            )));
        }
    }
    Ok(())
}

/// Whether the role could undo the tables' protection, being their owner or a member of it.
pub(crate) async fn owns_tables(client: &Client) -> StoreResult<bool> {
    const OWNS: &str = concat!(
        "SELECT coalesce(bool_or(pg_has_role(owner, 'MEMBER')), false) FROM (",
        tenant_tables!(),
        ") t"
    );
    let row = client.query_one(OWNS, &[]).await.map_err(|error| from_postgres(&error))?;
    Ok(row.get(0))
}
