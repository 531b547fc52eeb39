//! Plans: the database finds the rows of every statement of a turn by key, however many rows are
//! stored and whenever the plan was made.

use store::sql::{Sql, message_path, statements_beside, statements_of_a_turn, statements_of_lists};
use store_postgres::PostgresDriver;
use store_postgres::testing::{Session, connect, for_many, fresh_database};

/// The number of conversations in a filled database: enough that reading all of them is never the
/// cheapest plan. `RECADO_PLAN_ROWS` asks for more, up to a million, which takes minutes to fill
/// in.
#[expect(clippy::disallowed_methods, reason = "how many is for whoever runs the tests to say")]
fn many() -> u32 {
    let asked = std::env::var("RECADO_PLAN_ROWS").ok();
    asked.map_or(20_000, |rows| rows.parse().expect("RECADO_PLAN_ROWS is a number"))
}

/// The distribution of rows over tenants.
#[derive(Clone, Copy, Debug)]
enum Spread {
    OneTenant,
    TenantEach,
}

impl Spread {
    fn workspace(self) -> &'static str {
        match self {
            Self::OneTenant => "'01900000-0000-7000-8000-000000000001'::uuid",
            Self::TenantEach => "('01910000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid",
        }
    }
}

/// Rows of every table that a turn reads; `$w` is the tenant and `$N` the Nth id of row `i`.
const ROWS: [&str; 21] = [
    "INSERT INTO workspaces (id, slug, created_at) SELECT DISTINCT $w, $w::text, 0 FROM $all",
    "INSERT INTO channels (workspace_id, id, kind, agent_id, max_messages, created_at) \
     SELECT DISTINCT $w, 'c', 'webchat', 'a', 10, 0 FROM $all",
    "INSERT INTO contacts (workspace_id, id, created_at) SELECT $w, $1, 0 FROM $all",
    "INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address, created_at) \
     SELECT $w, $2, 'c', $1, i, 0 FROM $all",
    "INSERT INTO contact_terms (workspace_id, term, conversation_id) SELECT $w, i, $2 FROM $all",
    "INSERT INTO contact_identities (workspace_id, channel_id, external_id, contact_id, \
            conversation_id) SELECT $w, 'c', i, $1, $2 FROM $all",
    "INSERT INTO lanes (workspace_id, conversation_id, wake_at) SELECT $w, $2, i FROM $all",
    "INSERT INTO webhook_inbox (workspace_id, id, channel_id, external_id, conversation_id, kind, \
            status, payload, sent_at, received_at) \
     SELECT $w, $3, 'c', i, $2, 'message', CASE WHEN i % 9 = 0 THEN 'pending' ELSE 'done' END, \
            '{}', i, i FROM $all",
    "INSERT INTO agent_sessions (workspace_id, id, agent_id, conversation_id, contact_id, status, \
            created_at, updated_at, last_activity_at) \
     SELECT $w, $4, 'a', $2, $1, 'active', i, i, i FROM $all",
    "INSERT INTO session_state (workspace_id, session_id, intents_vistos, templates_enviados, \
            datos_capturados, updated_at) SELECT $w, $4, '[]', '[]', '{}', 0 FROM $all",
    "INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content, \
            tools_called, created_at) SELECT $w, $4, 1, $5, 'user', 'hola', '[]', i FROM $all",
    "INSERT INTO outbox (workspace_id, id, conversation_id, author, priority, epoch, content, \
            status, rank, next_attempt_at, created_at, updated_at, tried_at) \
     SELECT $w, $6, $2, 'bot', 1, 1, 'hola', 'sent', CASE WHEN i % 9 = 0 THEN 0 ELSE 3 END, \
            i, i, i, i FROM $all",
    "INSERT INTO timers (workspace_id, id, conversation_id, key, condition, payload, status, \
            armed_at, due_at) SELECT $w, $7, $2, 'k', 'always', '{}', 'armed', i, i FROM $all",
    "INSERT INTO agent_steps (workspace_id, turn_id, step_key, conversation_id, tool, kind, input, \
            status, output, created_at) \
     SELECT $w, $5, 'k', $2, 't', 'local', '{}', 'done', '{}', i FROM $all",
    "INSERT INTO products (workspace_id, id, name, category, description, aliases, active) \
     SELECT $w, i, i, 'c' || i % 100, '', '[]', 1 FROM $all",
    "INSERT INTO product_variants (workspace_id, sku, product_id, place, label, price, currency, \
            aliases, active, data, category, on_sale, popularity) \
     SELECT $w, i, i, 0, '', 1, 'ARS', '[]', 1, '{}', 'c' || i % 100, 1, 0 FROM $all",
    "INSERT INTO product_terms (workspace_id, sku, term, weight, popularity) \
     SELECT $w, i, i, 1, 0 FROM $all",
    "INSERT INTO stock_items (workspace_id, sku) SELECT $w, i FROM $all",
    "INSERT INTO orders (workspace_id, id, number, contact_id, conversation_id, status, currency, \
            total, lines, created_at, updated_at) \
     SELECT $w, $6, i, $1, $2, 'confirmed', 'ARS', 1, '[]', i, i FROM $all",
    "INSERT INTO handoffs (workspace_id, id, conversation_id, session_id, contact_id, \
            trigger_type, trigger_reason, context, status, created_at) \
     SELECT $w, $7, $2, $4, $1, 'customer_request', '', '{}', \
            CASE WHEN i % 9 = 0 THEN 'pending' ELSE 'resolved' END, i FROM $all",
    "INSERT INTO carts (workspace_id, session_id, cart, updated_at) SELECT $w, $4, '{}', 0 FROM $all",
];

async fn fill(superuser: &Session, spread: Spread) {
    let many = many();
    for rows in ROWS {
        let mut text = rows.replace("$w", spread.workspace());
        text = text.replace("$all", &format!("generate_series(1, {many}) i"));
        for id in 1..=7 {
            let made = format!("('0190{id:04}-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid");
            text = text.replace(&format!("${id}"), &made);
        }
        superuser.batch_execute(&text).await.unwrap_or_else(|error| panic!("{error:?}: {text}"));
    }
}

/// A statement under a name of its own on a connection, with its parameters left open.
struct Prepared {
    text: String,
    call: String,
}

/// Prepares every statement, for one and for many.
async fn prepared(client: &Session, statements: Vec<Sql>) -> Vec<Prepared> {
    let mut all = Vec::new();
    for sql in statements {
        let one = sql.postgres.replace('?', "$");
        let types = client.prepare(&one).await.unwrap_or_else(|error| panic!("{error:?}: {one}"));
        let mut texts = vec![one];
        texts.extend(sql.each.then(|| for_many(sql, types.params())));
        for text in texts {
            let name = format!("s{}", all.len());
            let types = client.prepare(&text).await.unwrap_or_else(|error| panic!("{error:?}"));
            let named = |name: &str| match name.strip_prefix('_') {
                Some(of) => format!("{of}[]"),
                None => name.to_owned(),
            };
            let types: Vec<_> = types.params().iter().map(|one| named(one.name())).collect();
            let open = vec!["NULL"; types.len()].join(", ");
            let (declared, call) = match types.is_empty() {
                true => (String::new(), name.clone()),
                false => (format!("({})", types.join(", ")), format!("{name}({open})")),
            };
            client.batch_execute(&format!("PREPARE {name}{declared} AS {text}")).await.unwrap();
            all.push(Prepared { text, call });
        }
    }
    all
}

/// The plan of a statement, if it reads a table from end to end or by the tenant alone.
async fn wrong(client: &Session, statement: &Prepared) -> Option<String> {
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE {}", statement.call);
    let rows = client.query(&explain, &[]).await.unwrap_or_else(|error| panic!("{error:?}"));
    let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let by_tenant = |at: usize| {
        let condition = plan[at].trim().strip_prefix("Index Cond: ")?;
        let columns = condition.trim_matches(['(', ')']).split(" AND ");
        // A tenant has a handful of channels, so reading all of them is fine.
        let few = plan[at.saturating_sub(1)].contains(" on channels ");
        (!few && columns.into_iter().all(|one| one.contains("workspace_id ="))).then_some(())
    };
    let is_bare = |at: usize| {
        let scans = ["Index Scan using", "Index Only Scan using"];
        let is_scan = scans.iter().any(|scan| plan[at].contains(scan));
        // The first entry of an index is one row, however long the index is.
        let is_first = at > 0 && plan[at - 1].contains("Limit");
        is_scan && !is_first && !plan.get(at + 1).is_some_and(|next| next.contains("Index Cond"))
    };
    let seq = plan.iter().any(|line| line.contains("Seq Scan"));
    let wide = (0..plan.len()).any(|at| by_tenant(at).is_some());
    let bare = (0..plan.len()).any(is_bare);
    (seq || wide || bare).then(|| format!("{}\n{}\n", statement.text, plan.join("\n")))
}

async fn all_right(client: &Session, statements: &[Prepared], when: &str) {
    let mut found = String::new();
    for statement in statements {
        found.extend(wrong(client, statement).await);
    }
    assert!(found.is_empty(), "{when}:\n{found}");
}

#[tokio::test]
async fn every_statement_of_a_message_goes_by_its_key_whatever_is_stored() {
    for spread in [Spread::OneTenant, Spread::TenantEach] {
        let urls = fresh_database().await;
        drop(PostgresDriver::open(urls.options()).await.unwrap());
        let superuser = connect(&urls.superuser).await;
        let client = connect(&urls.app).await;
        client.batch_execute(store_postgres::testing::MESSAGE_PATH).await.unwrap();
        let statements = prepared(&client, statements_of_a_turn()).await;
        all_right(&client, &statements, "with nothing stored").await;
        fill(&superuser, spread).await;
        all_right(&client, &statements, "grown since the plans were made").await;
        superuser.batch_execute("ANALYZE").await.unwrap();
        all_right(&client, &statements, &format!("{spread:?}, with fresh statistics")).await;
    }
}

#[tokio::test]
async fn what_no_message_waits_for_is_understood_too() {
    let urls = fresh_database().await;
    drop(PostgresDriver::open(urls.options()).await.unwrap());
    prepared(&connect(&urls.app).await, statements_beside()).await;
}

#[tokio::test]
async fn what_a_list_shows_of_a_conversation_is_found_by_its_keys() {
    let urls = fresh_database().await;
    drop(PostgresDriver::open(urls.options()).await.unwrap());
    let (superuser, client) = (connect(&urls.superuser).await, connect(&urls.app).await);
    client.batch_execute(store_postgres::testing::MESSAGE_PATH).await.unwrap();
    let lists = prepared(&client, statements_of_lists()).await;
    all_right(&client, &lists, "with nothing stored").await;
    fill(&superuser, Spread::OneTenant).await;
    all_right(&client, &lists, "grown since the plans were made").await;
}

#[test]
fn what_is_run_for_many_at_once_is_known_beforehand() {
    let known = message_path();
    let many: Vec<Sql> = statements_of_a_turn().into_iter().filter(|sql| sql.each).collect();
    for sql in many {
        assert!(known.contains(&sql), "{}", sql.postgres);
    }
}
