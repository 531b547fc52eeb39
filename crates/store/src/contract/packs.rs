//! Stored packs: kept once per version and workspace.

use std::collections::BTreeMap;

use domain::Workspace;

use super::world::World;
use crate::StoredPack;

fn pack(name: &str, version: &str, text: &str) -> StoredPack {
    let files =
        [("pack.yaml", text), ("prompts/saludo.md", "¡Hola, {nombre}! «ñ» 👍\r\n\ttab \"x\"\\")];
    let source: BTreeMap<_, _> =
        files.map(|(path, text)| (path.to_owned(), text.to_owned())).into_iter().collect();
    StoredPack { name: name.to_owned(), version: version.to_owned(), source }
}

pub(super) async fn a_pack_is_read_as_it_was_kept(world: World) {
    let kept = pack("registro", "v1", "agent: registro");
    world.store.keep_pack(world.workspace(), &kept, world.now()).await.unwrap();
    let empty = StoredPack { source: BTreeMap::new(), ..pack("vacío", "v1", "") };
    world.store.keep_pack(world.workspace(), &empty, world.now()).await.unwrap();
    let world = world.reopened().await;
    for kept in [kept, empty] {
        let read = world.store.pack(world.workspace(), &kept.name, "v1").await.unwrap();
        assert_eq!(read, Some(kept));
    }
}

pub(super) async fn a_pack_kept_twice_is_one_and_stays_as_it_was(world: World) {
    let first = pack("registro", "v1", "first");
    for text in ["first", "first", "another"] {
        let again = pack("registro", "v1", text);
        world.store.keep_pack(world.workspace(), &again, world.now()).await.unwrap();
        world.pass_ms(1_000);
        let read = world.store.pack(world.workspace(), "registro", "v1").await.unwrap();
        assert_eq!(read.as_ref(), Some(&first));
    }
}

pub(super) async fn a_pack_kept_by_two_nodes_at_once_is_one(world: World) {
    let (other, now) = (world.another_node().await, world.now());
    for round in 0..10 {
        let kept = pack("registro", &format!("v{round}"), "same");
        let (here, there) = tokio::join!(
            world.store.keep_pack(world.workspace(), &kept, now),
            other.keep_pack(world.workspace(), &kept, now)
        );
        here.unwrap();
        there.unwrap();
        let read = other.pack(world.workspace(), "registro", &kept.version).await.unwrap();
        assert_eq!(read, Some(kept));
    }
}

pub(super) async fn a_pack_is_found_by_its_name_and_version_alone(world: World) {
    let all = [pack("registro", "v1", "a"), pack("registro", "v2", "b"), pack("somnio", "v1", "c")];
    for kept in &all {
        world.store.keep_pack(world.workspace(), kept, world.now()).await.unwrap();
    }
    for kept in all {
        let read = world.store.pack(world.workspace(), &kept.name, &kept.version).await.unwrap();
        assert_eq!(read, Some(kept));
    }
    for (name, version) in [("registro", "v3"), ("somnio", "v2"), ("otro", "v1"), ("registro", "")]
    {
        let read = world.store.pack(world.workspace(), name, version).await.unwrap();
        assert_eq!(read, None, "{name} {version}");
    }
}

pub(super) async fn a_workspace_reads_no_pack_of_another(world: World) {
    world.add_channel("vecina", "web").await;
    let other = Workspace::named("vecina").id;
    let (ours, theirs) = (pack("registro", "v1", "ours"), pack("registro", "v1", "theirs"));
    world.store.keep_pack(world.workspace(), &ours, world.now()).await.unwrap();
    assert_eq!(world.store.pack(other, "registro", "v1").await.unwrap(), None);
    world.store.keep_pack(other, &theirs, world.now()).await.unwrap();
    for (workspace, kept) in [(world.workspace(), ours), (other, theirs)] {
        assert_eq!(world.store.pack(workspace, "registro", "v1").await.unwrap(), Some(kept));
    }
}
