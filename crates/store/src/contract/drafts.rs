//! Drafts: there for readers while a turn writes, and gone with its end.

use domain::{ConversationId, TurnId};

use super::world::World;
use crate::{GiveBack, LaneWork, TurnCommit};

pub(super) async fn a_draft_is_read_as_it_was_last_put(world: World) {
    let (work, turn) = writing(&world).await;
    let id = work.conversation.id;
    assert_eq!(draft(&world, id).await, None);
    for text in ["Buenas,", "Buenas, ¿qué talla ñ busca?"] {
        put(&world, &work, turn, text).await;
        assert_eq!(draft(&world, id).await.as_deref(), Some(text));
    }
    let next = world.id();
    put(&world, &work, next, "Otra vez").await;
    assert_eq!(draft(&world, id).await.as_deref(), Some("Otra vez"), "also of a later turn");
    assert_eq!(draft(&world, world.id()).await, None, "a draft is of one conversation");
}

pub(super) async fn a_draft_is_gone_with_the_commit_of_its_turn(world: World) {
    let (work, turn) = writing(&world).await;
    world.hear("luis", "hola").await;
    let other = world.claim().await;
    put(&world, &work, turn, "Buenas").await;
    put(&world, &other, turn, "Hola").await;
    let commit = TurnCommit { drafted: true, ..world.turn(&work) };
    world.commit(commit).await;
    assert_eq!(draft(&world, work.conversation.id).await, None);
    assert_eq!(draft(&world, other.conversation.id).await.as_deref(), Some("Hola"));
}

/// The turn knows whether there can be a draft, so other commits do not look for any.
pub(super) async fn a_turn_that_wrote_no_draft_clears_none(world: World) {
    let (work, turn) = writing(&world).await;
    put(&world, &work, turn, "Buenas").await;
    world.commit(world.turn(&work)).await;
    assert_eq!(draft(&world, work.conversation.id).await.as_deref(), Some("Buenas"));
}

pub(super) async fn a_takeover_ends_the_draft_and_what_is_written_on(world: World) {
    let (work, turn) = writing(&world).await;
    let (workspace, id) = (world.workspace(), work.conversation.id);
    put(&world, &work, turn, "Buenas").await;
    world.store.take(workspace, id, "marta", world.now()).await.unwrap();
    assert_eq!(draft(&world, id).await, None);
    put(&world, &work, turn, "Buenas, le").await;
    assert_eq!(draft(&world, id).await, None, "the bot writes on, and nobody is shown it");
    let back =
        world.store.give_back(workspace, id, "marta", GiveBack::default(), world.id(), world.now());
    back.await.unwrap();
    put(&world, &work, turn, "Buenas, le digo").await;
    assert_eq!(draft(&world, id).await, None, "a turn from before is run again first");
    let again = world.store.release(work.lease, world.now()).await.unwrap().expect("it waits");
    put(&world, &again, turn, "Buenas de nuevo").await;
    assert_eq!(draft(&world, id).await.as_deref(), Some("Buenas de nuevo"));
}

pub(super) async fn readers_are_told_of_a_draft_and_of_its_end(world: World) {
    let (work, turn) = writing(&world).await;
    let mut lines = world.store.signals().watch_lines();
    let id = work.conversation.id;
    put(&world, &work, turn, "Buenas").await;
    assert_eq!(lines.try_recv(), Ok(id));
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    assert_eq!(lines.try_recv(), Ok(id));

    world.hear("luis", "hola").await;
    let work = world.claim().await;
    world.commit(TurnCommit { drafted: true, ..world.turn(&work) }).await;
    assert_eq!(lines.try_recv(), Ok(work.conversation.id));
}

/// A held lane whose turn is under way.
async fn writing(world: &World) -> (LaneWork, TurnId) {
    world.hear("ana", "hola").await;
    (world.claim().await, world.id())
}

async fn put(world: &World, work: &LaneWork, turn: TurnId, text: &str) {
    let epoch = work.conversation.epoch;
    let put = world.store.put_draft(work.lease, turn, epoch, text, world.now()).await;
    put.expect("put");
}

async fn draft(world: &World, id: ConversationId) -> Option<String> {
    world.store.draft(world.workspace(), id).await.expect("a look")
}
