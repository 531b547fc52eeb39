//! The store contract on SQLite, and tests of cases that only a file meets.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Handoff, HandoffId, NodeId, Order, OrderStatus, StepKey, Timestamp, Trigger};
use serde_json::{Value, json};
use store::contract::{Fixture, World, upgrade};
use store::{
    Attention, AttentionFilter, Conversations, Deed, DeedError, GiveBack, Intent, Lanes, OpenTurn,
    Orders, Packs, ReconcileKind, Records, Room, Store, StoreError, TurnCommit,
};
use store_sqlite::{Options, SqliteStore, open};
use tempfile::TempDir;
use uuid::Uuid;

store::contract_suite!(Folder::new());

/// A database file in a folder of its own.
#[derive(Clone)]
struct Folder(Arc<TempDir>);

impl Folder {
    fn new() -> Self {
        Self(Arc::new(tempfile::tempdir().expect("a folder")))
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("data").join("recado.db")
    }

    fn options(&self) -> Options {
        Options { path: self.path(), takes_over_lanes: false }
    }

    fn open(&self) -> SqliteStore {
        open(&self.options()).expect("the database opens")
    }
}

#[async_trait]
impl Fixture for Folder {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(Folder::open(self))
    }
}

#[test]
fn a_file_from_a_newer_recado_is_refused_and_left_alone() {
    let folder = Folder::new();
    drop(folder.open());
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    file.pragma_update(None, "user_version", 99).unwrap();
    match open(&folder.options()) {
        Err(StoreError::Unusable(text)) => assert!(text.contains("newer recado"), "{text}"),
        Err(other) => panic!("refused for the wrong reason: {other}"),
        Ok(_) => panic!("opened"),
    }
    let version: i64 = file.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[tokio::test]
async fn a_file_of_the_first_version_is_brought_forward_with_its_sessions() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    file.execute_batch(include_str!("../migrations/1_spine.sql")).unwrap();
    file.execute_batch(
        "PRAGMA user_version = 1;
         INSERT INTO workspaces VALUES (x'00000000000000000000000000000001', 'a', 1);
         INSERT INTO agent_sessions (workspace_id, id, agent_id, conversation_id, contact_id, status,
                created_at, updated_at, last_activity_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000002', 'demo',
                x'00000000000000000000000000000003', x'00000000000000000000000000000004', 'active',
                1, 1, 1);
         INSERT INTO session_state (workspace_id, session_id, intents_vistos, templates_enviados,
                datos_capturados, updated_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000002', '[]',
                '[]', '{\"n\": 1}', 1);
         INSERT INTO agent_turns (workspace_id, session_id, turn_number, id, role, content,
                tools_called, created_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000002', 1,
                x'00000000000000000000000000000005', 'user', 'hola', '[]', 1);
         INSERT INTO agent_steps VALUES (x'00000000000000000000000000000001',
                x'00000000000000000000000000000005', 'cobrar#0', x'00000000000000000000000000000003',
                'cobrar', 'outside', '{}', 'unknown', '\"no answer\"', 7, 8);
         INSERT INTO outbox (workspace_id, id, conversation_id, author, priority, epoch, content,
                status, rank, next_attempt_at, error, created_at, updated_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000006',
                x'00000000000000000000000000000003', 'bot', 1, 1, 'buenas', 'failed', 4, 1, 'no', 1, 1);
         INSERT INTO channels VALUES (x'00000000000000000000000000000001', 'web', 'webchat', 'demo',
                50, 1);
         INSERT INTO contacts (workspace_id, id, created_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000004', 1);
         INSERT INTO conversations (workspace_id, id, channel_id, contact_id, address,
                last_customer_message_at, created_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000003', 'web',
                x'00000000000000000000000000000004', 'ana', 9, 1);
         INSERT INTO contact_identities
         VALUES (x'00000000000000000000000000000001', 'web', 'AR.1',
                x'00000000000000000000000000000004', x'00000000000000000000000000000003'),
                (x'00000000000000000000000000000001', 'web', '549',
                x'00000000000000000000000000000004', x'00000000000000000000000000000003'),
                (x'00000000000000000000000000000001', 'web', '550',
                x'00000000000000000000000000000007', x'00000000000000000000000000000008');",
    )
    .unwrap();
    drop(file);
    let store = folder.open();
    let names = names_brought_forward(&folder);
    let expected = [("549", Some("AR.1")), ("550", None), ("AR.1", Some("549"))];
    assert_eq!(names, expected.map(|(name, beside)| (name.into(), beside.map(Into::into), 0)));
    let (workspace, conversation) = (Uuid::from_u128(1).into(), Uuid::from_u128(3).into());
    let session = store.session(workspace, conversation).await.unwrap().unwrap();
    assert_eq!(session.agent_version, "");
    assert_eq!(session.state.data["n"], 1);
    assert!(session.state.memory.is_empty());
    let lines = store.transcript(workspace, conversation, 10).await.unwrap().lines;
    assert_eq!((lines[0].content.reveal().as_str(), &lines[0].trace), ("hola", &None));
    assert_eq!(store.pack(workspace, "demo", "").await.unwrap(), None);
    let shown = store.summary(workspace, conversation).await.unwrap();
    assert_eq!(shown.active_at.millis(), 9);
    let items = store.reconcile_items(workspace, &AttentionFilter::first(100)).await.unwrap();
    let kinds: Vec<_> = items.iter().map(|item| (item.kind, item.what.reveal().as_str())).collect();
    assert_eq!(kinds, [(ReconcileKind::Undelivered, "buenas"), (ReconcileKind::Step, "cobrar")]);
    assert_eq!((items[1].since.millis(), items[1].error.as_deref()), (7, Some("\"no answer\"")));
}

#[tokio::test]
async fn a_session_under_way_survives_the_upgrade() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    for migration in upgrade::migrations(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")) {
        file.execute_batch(&migration).unwrap();
    }
    file.pragma_update(None, "user_version", upgrade::VERSION).unwrap();
    file.execute_batch(&upgrade::rows(|id| format!("x'{}'", id.simple()))).unwrap();
    drop(file);
    upgrade::goes_on(Arc::new(folder.open())).await;

    let file = rusqlite::Connection::open(folder.path()).unwrap();
    let columns = "SELECT pack_seleccionado || ' ' || min_data_at || ' ' || choices || ' ' ||
                          milestones || ' ' || json_extract(intents_vistos, '$[2].orden')
                   FROM session_state";
    let columns: String = file.query_row(columns, [], |row| row.get(0)).unwrap();
    let expected = "3x 1780000001000 {\"entrega\":\"envio\",\"pago\":\"efectivo\"} \
                    {\"confirmed_at\":1780000001000} 3";
    assert_eq!(columns, expected, "names that have a column are in it, and nowhere else");
}

/// Every name, the name beside it, and since when.
fn names_brought_forward(folder: &Folder) -> Vec<(String, Option<String>, i64)> {
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    let names = "SELECT external_id, beside, since FROM contact_identities ORDER BY external_id";
    let mut names = file.prepare(names).unwrap();
    let name = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    names.query_map([], name).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn orders_made_before_there_was_a_shop_are_brought_forward() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    for migration in [
        include_str!("../migrations/1_spine.sql"),
        include_str!("../migrations/2_versions.sql"),
        include_str!("../migrations/3_models.sql"),
    ] {
        file.execute_batch(migration).unwrap();
    }
    file.execute_batch(
        "PRAGMA user_version = 3;
         INSERT INTO orders (workspace_id, id, number, contact_id, conversation_id, status, currency,
                total, lines, data, created_at, updated_at)
         VALUES (x'00000000000000000000000000000001', x'00000000000000000000000000000002', 7,
                x'00000000000000000000000000000004', x'00000000000000000000000000000003',
                'confirmed', 'COP', '77900.10', '[]', '{\"a\": 1}', 5, 6);",
    )
    .unwrap();
    drop(file);
    let store = folder.open();
    let expected = Order {
        id: Uuid::from_u128(2).into(),
        number: 7,
        contact: Uuid::from_u128(4).into(),
        conversation: Uuid::from_u128(3).into(),
        status: OrderStatus::Confirmed,
        lines: vec![],
        currency: "COP".parse().unwrap(),
        total: "77900.10".parse().unwrap(),
        data: json!({ "a": 1 }).as_object().unwrap().clone(),
        created_at: Timestamp::from_millis(5),
        updated_at: Timestamp::from_millis(6),
    };
    let found = store.order(Uuid::from_u128(1).into(), 7).await.unwrap();
    assert_eq!(found, Some(expected));
}

/// A step's rows have the same ids when it is repeated, even if the step itself is gone.
#[tokio::test]
async fn what_a_step_makes_has_the_same_id_even_if_the_step_is_gone() {
    let folder = Folder::new();
    let world = World::new(folder.clone()).await;
    world.hear("ana", "dos almohadas").await;
    let lease = world.claim().await.lease;
    let turn =
        OpenTurn { turn: Uuid::from_u128(7).into(), started_at: world.now(), events: vec![] };
    let key = StepKey::new("pedido", &json!({}), 0);
    let (tool, input, texts, reads) = ("pedido".to_owned(), "{}".into(), vec![], vec![]);
    let intent = Intent { lease, turn, read_epoch: 1, key, tool, input, texts, reads };
    let step = async || {
        let made = world.store.record_local(&intent, Arc::new(MakeId), world.now()).await;
        made.unwrap().output
    };
    let made = step().await;
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    assert_eq!(file.execute("DELETE FROM agent_steps", []).unwrap(), 1);
    assert_eq!(step().await, made);
}

struct MakeId;

#[async_trait]
impl Deed for MakeId {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(json!(records.new_id()))
    }
}

#[tokio::test]
async fn what_people_do_with_a_handoff_is_in_the_audit_log() {
    let folder = Folder::new();
    let world = World::new(folder.clone()).await;
    let (workspace, now) = (world.workspace(), world.now());
    let conversation = world.hear("ana", "una persona").await;
    let work = world.claim().await;
    let handoff = HandoffId(Uuid::from_u128(7));
    let turn = TurnCommit {
        handoff: Some((handoff, Handoff::new(Trigger::CustomerRequest, "pidió una persona"))),
        ..world.turn(&work)
    };
    world.store.commit(turn).await.unwrap();
    world.store.assign_handoff(workspace, handoff, "jefa", "marta", now).await.unwrap();
    world.store.take(workspace, conversation, "marta", now).await.unwrap();
    world.store.resolve_handoff(workspace, handoff, "marta", "listo", now).await.unwrap();
    let (back, event) = (GiveBack::default(), Uuid::from_u128(8).into());
    world.store.give_back(workspace, conversation, "marta", back, event, now).await.unwrap();
    let echo = world.phone_echo("ana", "app.1", "hola");
    world.store.echo(world.channel(), echo, now).await.unwrap();

    let file = rusqlite::Connection::open(folder.path()).unwrap();
    let mut log =
        file.prepare("SELECT actor, action, subject FROM audit_log ORDER BY seq").unwrap();
    let line = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let log: Vec<(String, String, String)> =
        log.query_map([], line).unwrap().map(Result::unwrap).collect();
    let expected = [
        ("engine", "handoff", conversation.to_string()),
        ("jefa", "handoff.assign", handoff.to_string()),
        ("marta", "take", conversation.to_string()),
        ("marta", "handoff.resolve", handoff.to_string()),
        ("marta", "return", conversation.to_string()),
        ("phone", "echo", conversation.to_string()),
    ];
    let expected = expected.map(|(who, act, what)| (who.to_owned(), act.to_owned(), what));
    assert_eq!(log, expected);
}

#[test]
fn no_statement_of_a_turn_reads_more_than_its_own_rows() {
    let folder = Folder::new();
    drop(folder.open());
    let file = rusqlite::Connection::open(folder.path()).unwrap();
    let mut found = String::new();
    for sql in store::sql::statements_of_a_turn() {
        let explain = format!("EXPLAIN QUERY PLAN {}", sql.sqlite);
        let mut plan = file.prepare(&explain).unwrap();
        let mut steps = plan.raw_query();
        while let Some(step) = steps.next().unwrap() {
            let step: String = step.get("detail").unwrap();
            // Subqueries of one row each have an alias of one letter.
            let is_sum = ["SCAN s", "SCAN c", "SCAN w"].contains(&step.as_str());
            // A list or a value that was given, which is no table.
            let is_list = step.starts_with("SCAN t VIRTUAL TABLE") || step == "SCAN CONSTANT ROW";
            // The first entry of an index, whose order is wanted.
            let is_first = step == "SEARCH lanes USING COVERING INDEX lanes_wake (wake_at>?)"
                || step == "SCAN lanes USING COVERING INDEX lanes_queued";
            let is_wide =
                !is_first && step.starts_with("SCAN") || step.ends_with("(workspace_id=?)");
            if is_wide && !is_sum && !is_list {
                found += &format!("{step}: {}\n", sql.sqlite);
            }
        }
    }
    assert!(found.is_empty(), "{found}");
    for sql in store::sql::statements_beside() {
        file.prepare(sql.sqlite).unwrap_or_else(|error| panic!("{error}: {}", sql.sqlite));
    }
    // Without statistics SQLite plans by the schema alone: the plans stay whatever is stored.
    let statistics = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'";
    assert_eq!(file.query_row(statistics, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    std::fs::write(folder.path(), "hola, no soy una base de datos".repeat(100)).unwrap();
    assert!(matches!(open(&folder.options()), Err(StoreError::Unusable(_))));
}

#[test]
fn a_new_file_can_be_opened_by_many_at_once() {
    // Several files are opened, because whether two openers meet at the same step is chance.
    for folder in [(); 4].map(|()| Folder::new()) {
        std::thread::scope(|scope| {
            let opening: Vec<_> = (0..8).map(|_| scope.spawn(|| folder.open())).collect();
            for opened in opening {
                opened.join().expect("opened");
            }
        });
    }
}

#[tokio::test]
async fn a_store_that_is_closed_leaves_no_log_although_another_process_had_the_file_open() {
    for ends_first in [true, false] {
        let folder = Folder::new();
        let world = World::new(folder.clone()).await;
        world.hear("ana", "hola").await;
        let beside = folder.open();
        let now = world.now();
        beside.claim(NodeId(Uuid::from_u128(9)), now, 10_000, Room::for_any(10)).await.unwrap();
        if ends_first {
            drop(beside);
            world.hear("ana", "sigo aca").await;
            drop(world);
        } else {
            drop(world);
            drop(beside);
        }
        let log = folder.path().with_extension("db-wal");
        assert!(!log.exists(), "what is committed is in the file alone");
    }
}

#[tokio::test]
async fn a_new_engine_ends_the_leases_of_its_predecessor() {
    let folder = Folder::new();
    let world = World::new(folder.clone()).await;
    world.hear("ana", "hola").await;
    let (lease, now) = (world.claim().await.lease, world.now());
    drop(world);

    let claim = async |store: SqliteStore| {
        let node = NodeId(Uuid::from_u128(9));
        store.claim(node, now, 10_000, Room::for_any(10)).await.unwrap()
    };
    assert!(claim(folder.open()).await.is_empty(), "who only opens the file ends no lease");
    let engine = open(&Options { takes_over_lanes: true, ..folder.options() }).unwrap();
    let taken = claim(engine).await;
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].attempts.crashed, 1);
    assert!(taken[0].lease.fence > lease.fence);
}
