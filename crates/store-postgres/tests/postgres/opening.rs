//! Opening: which databases and roles are accepted, and which are refused.

use std::sync::Arc;

use domain::Timestamp;
use futures::future::join_all;
use store::contract::upgrade;
use store::sql::Driver;
use store::{Attention, AttentionFilter, Conversations, OrderFilter, Orders, Packs, StoreError};
use store_postgres::testing::{Urls, connect, fresh_database};
use store_postgres::{Options, Patience, PostgresDriver};
use uuid::Uuid;

async fn refusal(options: Options) -> String {
    match PostgresDriver::open(options).await {
        Err(StoreError::Unusable(text)) => text,
        Err(other) => panic!("refused for the wrong reason: {other}"),
        Ok(_) => panic!("opened"),
    }
}

async fn tables(urls: &Urls) -> i64 {
    let count = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    connect(&urls.superuser).await.query_one(count, &[]).await.unwrap().get(0)
}

/// Creates a role that may not serve as the application's.
async fn role(urls: &Urls, name: &str, attributes: &str) -> String {
    let superuser = connect(&urls.superuser).await;
    let unique: String = superuser
        .query_one("SELECT $1::text || '_' || current_database()", &[&name])
        .await
        .unwrap()
        .get(0);
    superuser.batch_execute(&format!("CREATE ROLE {unique} LOGIN {attributes}")).await.unwrap();
    urls.app.replace("recado_app", &unique)
}

#[tokio::test]
async fn a_superuser_is_refused_before_anything_is_written() {
    let urls = fresh_database().await;
    let options = Options {
        url: urls.superuser.clone(),
        owner_url: None,
        pool_size: 2,
        patience: Patience::default(),
    };
    let text = refusal(options).await;
    assert!(text.contains("is a superuser") && text.contains("CREATE ROLE"), "{text}");
    assert_eq!(tables(&urls).await, 0);
}

#[tokio::test]
async fn a_role_that_bypasses_row_security_is_refused() {
    let urls = fresh_database().await;
    let url = role(&urls, "bypass", "BYPASSRLS").await;
    let text = refusal(Options { url, ..urls.options() }).await;
    assert!(text.contains("has BYPASSRLS") && text.contains("CREATE ROLE"), "{text}");
    assert_eq!(tables(&urls).await, 0);
}

#[tokio::test]
async fn a_superuser_that_became_a_harmless_role_is_refused() {
    let urls = fresh_database().await;
    let url = format!("{}?options=-c%20role%3Drecado_app", urls.superuser);
    let text = refusal(Options { url, ..urls.options() }).await;
    assert!(text.contains("is a superuser"), "{text}");
}

#[tokio::test]
async fn a_role_with_row_security_off_is_refused() {
    let urls = fresh_database().await;
    let url = format!("{}?options=-c%20row_security%3Doff", urls.app);
    let text = refusal(Options { url, ..urls.options() }).await;
    assert!(text.contains("row_security is off"), "{text}");
}

#[tokio::test]
async fn nodes_that_start_at_once_on_an_empty_database_all_succeed() {
    let urls = fresh_database().await;
    let opened = join_all((0..4).map(|_| PostgresDriver::open(urls.options()))).await;
    for driver in opened {
        driver.unwrap();
    }
    let owner = connect(&urls.owner).await;
    let newest = "SELECT max(version) FROM schema_migrations";
    let applied: i64 = owner.query_one(newest, &[]).await.unwrap().get(0);
    assert_eq!(applied, store::SCHEMA_VERSION);
}

#[tokio::test]
async fn nodes_without_an_owner_that_start_at_once_all_succeed() {
    let urls = fresh_database().await;
    let superuser = connect(&urls.superuser).await;
    superuser.batch_execute("GRANT CREATE ON SCHEMA public TO recado_app").await.unwrap();
    let options = Options { owner_url: None, ..urls.options() };
    let opened = join_all((0..4).map(|_| PostgresDriver::open(options.clone()))).await;
    for driver in opened {
        let facts = driver.unwrap().durability(Timestamp::from_millis(0)).await.unwrap();
        assert!(facts.role_owns_tables);
    }
}

#[tokio::test]
async fn a_migrated_database_needs_no_owner() {
    let urls = fresh_database().await;
    PostgresDriver::open(urls.options()).await.unwrap();
    PostgresDriver::open(Options { owner_url: None, ..urls.options() }).await.unwrap();
}

#[tokio::test]
async fn an_empty_database_that_the_role_may_not_fill_is_refused_with_the_way_out() {
    let urls = fresh_database().await;
    let text = refusal(Options { owner_url: None, ..urls.options() }).await;
    assert!(text.contains("owner's URL"), "{text}");
    assert_eq!(tables(&urls).await, 0);
}

#[tokio::test]
async fn a_schema_that_the_role_cannot_see_is_refused_with_the_way_out() {
    let urls = fresh_database().await;
    PostgresDriver::open(urls.options()).await.unwrap();
    let url = role(&urls, "stranger", "").await;
    let text = refusal(Options {
        url: url.clone(),
        owner_url: None,
        pool_size: 2,
        patience: Patience::default(),
    })
    .await;
    assert!(text.contains("may not read"), "{text}");
    // With the owner's URL given as well, the unknown role is granted its rights.
    PostgresDriver::open(Options { url, ..urls.options() }).await.unwrap();
}

#[tokio::test]
async fn an_owner_of_another_database_is_noticed() {
    let (urls, others) = (fresh_database().await, fresh_database().await);
    let text = refusal(Options { owner_url: Some(others.owner), ..urls.options() }).await;
    assert!(text.contains("another database"), "{text}");
}

#[tokio::test]
async fn a_schema_from_a_newer_recado_is_refused_and_left_alone() {
    let urls = fresh_database().await;
    PostgresDriver::open(urls.options()).await.unwrap();
    let owner = connect(&urls.owner).await;
    owner.batch_execute("INSERT INTO schema_migrations (version) VALUES (999)").await.unwrap();
    for owner_url in [Some(urls.owner.clone()), None] {
        let text = refusal(Options { owner_url, ..urls.options() }).await;
        assert!(text.contains("version 999") && text.contains("newer recado"), "{text}");
    }
}

#[tokio::test]
async fn a_database_of_the_first_version_is_brought_forward_with_its_sessions() {
    let urls = fresh_database().await;
    let owner = connect(&urls.owner).await;
    owner.batch_execute(include_str!("../../migrations/1_spine.sql")).await.unwrap();
    owner
        .batch_execute(
            "CREATE TABLE schema_migrations
                (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
             INSERT INTO schema_migrations (version) VALUES (1);
             SELECT set_config('recado.workspace', '00000000-0000-0000-0000-000000000001', false);
             INSERT INTO agent_sessions (workspace_id, id, agent_id, conversation_id, contact_id,
                    status, created_at, updated_at, last_activity_at)
             VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002',
                    'demo', '00000000-0000-0000-0000-000000000003',
                    '00000000-0000-0000-0000-000000000004', 'active', 1, 1, 1);
             INSERT INTO session_state (workspace_id, session_id, intents_vistos,
                    templates_enviados, datos_capturados, updated_at)
             VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002',
                    '[]', '[]', '{\"n\": 1}', 1);
             INSERT INTO agent_steps VALUES ('00000000-0000-0000-0000-000000000001',
                    '00000000-0000-0000-0000-000000000005', 'cobrar#0',
                    '00000000-0000-0000-0000-000000000003', 'cobrar', 'outside', '{}', 'unknown',
                    '\"no answer\"', 7, 8);
             INSERT INTO workspaces VALUES ('00000000-0000-0000-0000-000000000001', 'a', 1);
             INSERT INTO channels VALUES ('00000000-0000-0000-0000-000000000001', 'web', 'webchat',
                    'demo', 50, 1);
             INSERT INTO contacts (workspace_id, id, created_at)
             VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000004',
                    1);
             INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address,
                    last_customer_message_at, created_at)
             VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000003',
                    'web', '00000000-0000-0000-0000-000000000004', 'ana', 9, 1);
             INSERT INTO contact_identities
             VALUES ('00000000-0000-0000-0000-000000000001', 'web', 'AR.1',
                    '00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-000000000003'),
                    ('00000000-0000-0000-0000-000000000001', 'web', '549',
                    '00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-000000000003'),
                    ('00000000-0000-0000-0000-000000000001', 'web', '550',
                    '00000000-0000-0000-0000-000000000007', '00000000-0000-0000-0000-000000000008');",
        )
        .await
        .unwrap();
    let store = store_postgres::open(urls.options()).await.unwrap();
    let (workspace, conversation) = (Uuid::from_u128(1).into(), Uuid::from_u128(3).into());
    let names = "SELECT external_id, beside FROM contact_identities WHERE since = 0 \
                 ORDER BY external_id COLLATE \"C\"";
    let names = owner.query(names, &[]).await.unwrap();
    let names: Vec<(&str, Option<&str>)> =
        names.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(names, [("549", Some("AR.1")), ("550", None), ("AR.1", Some("549"))]);
    let session = store.session(workspace, conversation).await.unwrap().unwrap();
    assert_eq!(session.agent_version, "");
    assert_eq!(session.state.data["n"], 1);
    assert!(session.state.memory.is_empty());
    // The application was given rights to the new tables too.
    assert_eq!(store.pack(workspace, "demo", "").await.unwrap(), None);
    assert!(
        store
            .orders(workspace, &OrderFilter::of_conversation(conversation))
            .await
            .unwrap()
            .is_empty()
    );
    let shown = store.summary(workspace, conversation).await.unwrap();
    assert_eq!(shown.active_at, Timestamp::from_millis(9), "of every tenant's conversations");
    let items = store.reconcile_items(workspace, &AttentionFilter::first(100)).await.unwrap();
    assert_eq!((items.len(), items[0].what.reveal().as_str()), (1, "cobrar"));
}

#[tokio::test]
async fn a_session_under_way_survives_the_upgrade() {
    let urls = fresh_database().await;
    let owner = connect(&urls.owner).await;
    for migration in upgrade::migrations(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")) {
        owner.batch_execute(&migration).await.unwrap();
    }
    let seen = format!(
        "CREATE TABLE schema_migrations
            (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
         INSERT INTO schema_migrations (version) SELECT generate_series(1, {});
         SELECT set_config('recado.workspace', '{}', false);",
        upgrade::VERSION,
        Uuid::from_u128(1)
    );
    owner.batch_execute(&seen).await.unwrap();
    owner.batch_execute(&upgrade::rows(|id| format!("'{id}'"))).await.unwrap();
    upgrade::goes_on(Arc::new(store_postgres::open(urls.options()).await.unwrap())).await;

    let columns = "SELECT concat_ws(' ', pack_seleccionado, min_data_at, choices, milestones,
                          intents_vistos -> 2 ->> 'orden')
                   FROM session_state";
    let columns: String = owner.query_one(columns, &[]).await.unwrap().get(0);
    let expected = "3x 1780000001000 {\"pago\": \"efectivo\", \"entrega\": \"envio\"} \
                    {\"confirmed_at\": 1780000001000} 3";
    assert_eq!(columns, expected, "names that have a column are in it, and nowhere else");
}

#[tokio::test]
async fn a_tenant_table_without_forced_row_security_is_refused_by_name() {
    let urls = fresh_database().await;
    PostgresDriver::open(urls.options()).await.unwrap();
    let owner = connect(&urls.owner).await;
    owner.batch_execute("ALTER TABLE timers NO FORCE ROW LEVEL SECURITY").await.unwrap();
    for owner_url in [Some(urls.owner.clone()), None] {
        let text = refusal(Options { owner_url, ..urls.options() }).await;
        assert!(text.contains("\"timers\""), "{text}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let url = "postgres://recado_app@127.0.0.1:1/recado".to_owned();
    let opened = PostgresDriver::open(Options {
        url,
        owner_url: None,
        pool_size: 1,
        patience: Patience::default(),
    })
    .await;
    assert!(matches!(opened, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn the_database_says_how_safe_it_is() {
    let urls = fresh_database().await;
    let driver = PostgresDriver::open(urls.options()).await.unwrap();
    let facts = driver.durability(Timestamp::from_millis(1_000)).await.unwrap();
    assert!(facts.engine.starts_with("PostgreSQL 1"), "{}", facts.engine);
    assert_eq!(facts.role.as_deref(), Some("recado_app"));
    assert!(!facts.role_owns_tables);
    assert!(facts.clock_behind_ms > 1_700_000_000_000);
    let fsync = connect(&urls.superuser).await.query_one("SHOW fsync", &[]).await.unwrap();
    assert_eq!(facts.durable_commits, fsync.get::<_, &str>(0) == "on", "{}", facts.detail);
}
