//! The store contract on SQLite, and what only a file can go through.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    Burst, Channel, ChannelKind, Content, Identity, Inbound, NodeId, Timestamp, Workspace,
};
use store::contract::Fixture;
use store::{Arrival, Inbox, Lanes, Setup, Store, StoreError};
use store_sqlite::{Options, SqliteStore, open};
use tempfile::TempDir;

store::contract_suite!(Folder::new());

/// A database file in a folder of its own.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
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
    let now = Timestamp::from_millis(1_780_000_000_000);
    let claim = async |store: &SqliteStore, node| {
        let node = NodeId(uuid::Uuid::from_u128(node));
        store.claim(node, now, 10_000, 10).await.unwrap()
    };
    let dead = folder.open();
    accept_one(&dead, now).await;
    let fence = claim(&dead, 1).await[0].lease.fence;
    drop(dead);

    let reader = folder.open();
    assert!(claim(&reader, 2).await.is_empty(), "who only opens the file ends no lease");
    let engine = open(&Options { takes_over_lanes: true, ..folder.options() });
    let taken = claim(&engine.unwrap(), 3).await;
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].attempts.crashed, 1);
    assert!(taken[0].lease.fence > fence);
}

async fn accept_one(store: &SqliteStore, now: Timestamp) {
    let workspace = Workspace::named("tienda");
    let channel = Channel {
        id: "whatsapp".into(),
        workspace: workspace.id,
        kind: ChannelKind::Infobip,
        agent: "ventas".into(),
        burst: Burst::default(),
    };
    let arrival = Arrival {
        item: Inbound {
            external_id: "m1".into(),
            from: Identity { external_id: "ana".into(), name: None, phone: None },
            content: Content::text("hola"),
            sent_at: None,
        },
        event: uuid::Uuid::from_u128(11).into(),
        contact: uuid::Uuid::from_u128(12).into(),
        conversation: uuid::Uuid::from_u128(13).into(),
    };
    let channels = std::slice::from_ref(&channel);
    store.ensure(&workspace, channels, now).await.unwrap();
    store.accept(&channel, vec![arrival], now).await.unwrap();
}
