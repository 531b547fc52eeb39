//! Keys: kept as given, one name at a time, ended for good.

use domain::{KeyId, Timestamp, WorkspaceId};

use super::world::{World, one};
use crate::{ApiKey, KeyRole, StoreError, StoreResult, StoredKey};

fn key(world: &World, name: &str, role: KeyRole) -> StoredKey {
    let key = ApiKey {
        id: world.id(),
        name: name.to_owned(),
        role,
        created_at: world.now(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    StoredKey { secret_sha256: format!("{name}'s hash"), key }
}

async fn add(world: &World, key: &StoredKey) -> StoreResult<()> {
    world.store.add_key(world.workspace(), key, "marta", world.now()).await
}

async fn read(world: &World, id: KeyId) -> StoredKey {
    world.store.key(world.workspace(), id).await.unwrap().expect("a key")
}

async fn revoke(world: &World, id: KeyId) -> StoreResult<()> {
    world.store.revoke_key(world.workspace(), id, "marta", world.now()).await
}

pub(super) async fn a_key_is_read_as_it_was_kept(world: World) {
    let mut keys = Vec::new();
    for (name, role) in [("ana", KeyRole::Viewer), ("beto", KeyRole::Admin)] {
        let mut stored = key(&world, name, role);
        stored.key.expires_at = (name == "ana").then(|| world.now().plus_ms(5));
        add(&world, &stored).await.unwrap();
        assert_eq!(read(&world, stored.key.id).await, stored);
        keys.insert(0, stored.key);
        world.pass_ms(1);
    }
    assert_eq!(world.store.keys(world.workspace(), None, 100).await.unwrap(), keys, "newest first");
    assert_eq!(world.store.key(world.workspace(), world.id()).await.unwrap(), None);
}

pub(super) async fn a_name_is_one_keys_at_a_time(world: World) {
    let (first, second) = (key(&world, "ana", KeyRole::Viewer), key(&world, "ana", KeyRole::Admin));
    add(&world, &first).await.unwrap();
    let refused = add(&world, &second).await.unwrap_err();
    assert!(matches!(&refused, StoreError::Refused(text) if text.contains("ana")), "{refused:?}");
    assert_eq!(one(world.store.keys(world.workspace(), None, 100).await.unwrap()), first.key);
    revoke(&world, first.key.id).await.unwrap();
    add(&world, &second).await.unwrap();
    assert_eq!(read(&world, second.key.id).await, second);
}

pub(super) async fn a_key_is_revoked_once_and_for_good(world: World) {
    let stored = key(&world, "ana", KeyRole::Operator);
    add(&world, &stored).await.unwrap();
    assert!(stored.key.is_live(world.now()));
    world.pass_ms(1_000);
    revoke(&world, stored.key.id).await.unwrap();
    let revoked = read(&world, stored.key.id).await;
    assert_eq!(revoked.key.revoked_at, Some(world.now()));
    assert!(!revoked.key.is_live(world.now()));
    world.pass_ms(1_000);
    revoke(&world, stored.key.id).await.unwrap();
    assert_eq!(read(&world, stored.key.id).await, revoked, "it stays as it was");
    assert_eq!(revoke(&world, world.id()).await.unwrap_err(), StoreError::NotFound("key"));
}

pub(super) async fn a_keys_last_use_is_known_to_the_minute(world: World) {
    let (stored, other) =
        (key(&world, "ana", KeyRole::Viewer), key(&world, "beto", KeyRole::Viewer));
    add(&world, &stored).await.unwrap();
    add(&world, &other).await.unwrap();
    let start = world.now();
    let used = async |after_ms: i64| -> Option<i64> {
        world.pass_ms(after_ms);
        world.store.key_used(world.workspace(), stored.key.id, world.now()).await.unwrap();
        let last = read(&world, stored.key.id).await.key.last_used_at;
        last.map(|at: Timestamp| at.since_ms(start))
    };
    assert_eq!(used(1_000).await, Some(1_000));
    assert_eq!(used(59_999).await, Some(1_000), "within the minute nothing is written");
    assert_eq!(used(1).await, Some(61_000));
    assert_eq!(read(&world, other.key.id).await, other);
}

pub(super) async fn a_workspace_knows_no_key_of_another(world: World) {
    let other: WorkspaceId = world.add_channel("otra", "whatsapp").await.workspace;
    let stored = key(&world, "ana", KeyRole::Admin);
    add(&world, &stored).await.unwrap();
    let (store, id, now) = (&world.store, stored.key.id, world.now());
    assert_eq!(store.key(other, id).await.unwrap(), None);
    assert!(store.keys(other, None, 100).await.unwrap().is_empty());
    let revoked = store.revoke_key(other, id, "eva", now).await;
    assert_eq!(revoked.unwrap_err(), StoreError::NotFound("key"));
    store.key_used(other, id, now).await.unwrap();
    assert_eq!(read(&world, id).await, stored);
    // In another workspace the same name is another key's.
    store.add_key(other, &stored, "eva", now).await.unwrap();
    assert_eq!(one(store.keys(other, None, 100).await.unwrap()), stored.key);
}
