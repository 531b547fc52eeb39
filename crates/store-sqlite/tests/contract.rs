//! The store contract on SQLite, and what only a file can go through.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::NodeId;
use store::contract::{Fixture, World};
use store::{Conversations, Lanes, Packs, Store, StoreError};
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
                x'00000000000000000000000000000005', 'user', 'hola', '[]', 1);",
    )
    .unwrap();
    drop(file);
    let store = folder.open();
    let (workspace, conversation) = (Uuid::from_u128(1).into(), Uuid::from_u128(3).into());
    let session = store.session(workspace, conversation).await.unwrap().unwrap();
    assert_eq!(session.agent_version, "");
    assert_eq!(session.state.datos_capturados["n"], 1);
    assert!(session.state.scratch.is_empty());
    let lines = store.transcript(workspace, conversation, 10).await.unwrap().lines;
    assert_eq!((lines[0].content.reveal().as_str(), &lines[0].trace), ("hola", &None));
    assert_eq!(store.pack(workspace, "demo", "").await.unwrap(), None);
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
    let folder = Folder::new();
    std::thread::scope(|scope| {
        let opening: Vec<_> = (0..8).map(|_| scope.spawn(|| folder.open())).collect();
        for opened in opening {
            opened.join().expect("opened");
        }
    });
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
        store.claim(node, now, 10_000, 10).await.unwrap()
    };
    assert!(claim(folder.open()).await.is_empty(), "who only opens the file ends no lease");
    let engine = open(&Options { takes_over_lanes: true, ..folder.options() }).unwrap();
    let taken = claim(engine).await;
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].attempts.crashed, 1);
    assert!(taken[0].lease.fence > lease.fence);
}
