//! Stores conversations in bulk, as they lie after a finished exchange: to see how cost grows.
//!
//! Straight SQL, since a million turns through the engine would take longer than the measuring.

use anyhow::Result;
use domain::{Clock, SystemClock, Workspace};
use rusqlite::Connection;

use crate::database::{Database, Place, connect};
use crate::rig::{CHANNEL, WORKSPACE};

/// `{workspace}`, `{id:N}` (the Nth id of conversation `i`), `{channel}`, `{now}` and `{series}`
/// stand for what the dialects write differently.
const STATEMENTS: [&str; 10] = [
    "INSERT INTO contacts (workspace_id, id, conversation_id, name, phone, created_at) \
     SELECT {workspace}, {id:1}, {id:2}, 'Cliente ' || i, '5799' || i, {now} FROM {series}",
    "INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address, \
            last_customer_message_at, active_at, created_at) \
     SELECT {workspace}, {id:2}, {channel}, {id:1}, '5799' || i, {now}, {now} - i, {now} \
     FROM {series}",
    "INSERT INTO contact_identities (workspace_id, channel_id, external_id, contact_id, \
            conversation_id) \
     SELECT {workspace}, {channel}, '5799' || i, {id:1}, {id:2} FROM {series}",
    "INSERT INTO lanes (workspace_id, conversation_id, fence) \
     SELECT {workspace}, {id:2}, 1 FROM {series}",
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     SELECT {workspace}, {id:3}, {channel}, 'stored-' || i, {id:2}, 'message', 'done', \
            '{\"type\":\"text\",\"text\":\"Hola, buenas tardes\"}', {now}, {now} FROM {series}",
    "INSERT INTO agent_sessions (workspace_id, id, agent_id, conversation_id, contact_id, version, \
            status, turn_count, created_at, updated_at, last_activity_at) \
     SELECT {workspace}, {id:4}, 'registro', {id:2}, {id:1}, 1, 'active', 2, {now}, {now}, {now} \
     FROM {series}",
    "INSERT INTO session_state (workspace_id, session_id, intents_vistos, templates_enviados, \
            datos_capturados, updated_at) \
     SELECT {workspace}, {id:4}, '[]', '[]', '{\"nombre\":\"Juan Pérez\"}', {now} \
     FROM {series}",
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            tools_called, created_at) \
     SELECT {workspace}, {id:4}, 1, {id:5}, 'user', 'Hola, buenas tardes', '[]', {now} \
     FROM {series}",
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            tools_called, created_at) \
     SELECT {workspace}, {id:4}, 2, {id:5}, 'assistant', '¡Hola! ¿Cómo te llamas?', '[]', \
            {now} FROM {series}",
    "INSERT INTO outbox (workspace_id, id, conversation_id, author, priority, epoch, content, \
            status, rank, attempts, next_attempt_at, created_at, updated_at) \
     SELECT {workspace}, {id:6}, {id:2}, 'bot', 1, 1, '¡Hola! ¿Cómo te llamas?', 'sent', 3, \
            1, {now}, {now}, {now} FROM {series}",
];

pub(crate) async fn conversations(database: &Database, count: u64) -> Result<()> {
    let workspace = Workspace::named(WORKSPACE).id;
    let now = SystemClock::default().now().millis().to_string();
    match &database.place {
        Place::Sqlite { path } => {
            let connection = Connection::open(path)?;
            // Rows that are made up need not survive a power cut; the engine's own connection syncs
            // as ever.
            connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -256000;")?;
            let workspace = format!("unhex('{}')", workspace.0.simple());
            let series = format!(
                "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
                 WHERE i < {count}) SELECT i FROM n)"
            );
            let id = |n| format!("unhex(printf('0190%04x70008000%016x', {n}, i))");
            for statement in STATEMENTS {
                let text = written(statement, &workspace, &now, &series, &id);
                connection.execute_batch(&text)?;
            }
            index(database).await?;
            connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        }
        Place::Postgres { superuser, .. } => {
            let client = connect(superuser).await?;
            let workspace = format!("'{workspace}'::uuid");
            let series = format!("generate_series(1, {count}) AS n (i)");
            let id =
                |n| format!("('0190000{n}70008000' || lpad(to_hex(i::bigint), 16, '0'))::uuid");
            for statement in STATEMENTS {
                let text = written(statement, &workspace, &now, &series, &id);
                client.batch_execute(&text).await?;
            }
            index(database).await?;
            client.batch_execute("VACUUM ANALYZE").await?;
            client.batch_execute("CHECKPOINT").await?;
        }
    }
    Ok(())
}

/// Contacts are found by their names and numbers from the moment they are made.
async fn index(database: &Database) -> Result<()> {
    let store = database.open().await?;
    while store.index_contacts(Workspace::named(WORKSPACE).id).await? > 0 {}
    Ok(())
}

fn written(
    statement: &str,
    workspace: &str,
    now: &str,
    series: &str,
    id: &dyn Fn(u32) -> String,
) -> String {
    let text = statement
        .replace("{workspace}", workspace)
        .replace("{channel}", &format!("'{CHANNEL}'"))
        .replace("{now}", now)
        .replace("{series}", series);
    (1..=6).fold(text, |text, n| text.replace(&format!("{{id:{n}}}"), &id(n)))
}
