//! Messages that are changed where they were written, before and after they are answered.

use domain::{Content, Media};

use super::failures::setting_aside;
use super::forgetting::forget;
use super::world::{World, one, words};
use crate::{AttentionFilter, MediaStatus, StoreError, TurnCommit};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) async fn an_edit_takes_the_place_of_what_nobody_has_answered(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    world.pass_ms(1_000);
    world.accept(vec![world.arrival("ana", "m2", "y pan")]).await;
    let edited = one(world.accept(vec![world.edit("ana", "e1", "m1", "3 leches")]).await);
    assert!(!edited.duplicate);
    let again = world.accept(vec![world.edit("ana", "e1", "m1", "3 leches")]).await;
    assert!(one(again).duplicate);
    world.accept(vec![world.edit("ana", "e2", "m1", "4 leches")]).await;
    let work = world.claim().await;
    assert_eq!(words(&work), ["4 leches", "y pan"], "once, and in its place");
    let late = world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    assert!(one(late).duplicate, "a late copy brings the old words back for nobody");
}

pub(super) async fn an_edit_while_its_message_is_being_answered_is_answered_instead(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    let work = world.claim().await;
    world.accept(vec![world.edit("ana", "e1", "m1", "3 leches")]).await;
    let answered = TurnCommit { outbound: vec![world.message("van 2")], ..world.turn(&work) };
    let committed = world.store.commit(answered).await;
    assert_eq!(committed.unwrap_err(), StoreError::VersionConflict);
    let next = world.store.release(work.lease, world.now()).await.unwrap().unwrap();
    assert_eq!(words(&next), ["3 leches"]);
}

pub(super) async fn an_edit_of_what_was_answered_is_said_anew(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    world.pass_ms(60_000);
    world.accept(vec![world.edit("ana", "e1", "m1", "3 leches")]).await;
    let work = world.claim().await;
    assert_eq!(words(&work), ["3 leches"]);
    assert_eq!(work.events[0].at, world.now(), "it is what the customer says now");
}

pub(super) async fn an_edit_that_comes_before_its_message_stands_for_it(world: World) {
    world.accept(vec![world.edit("ana", "e1", "m1", "3 leches")]).await;
    let late = world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    assert!(one(late).duplicate);
    assert_eq!(words(&world.claim().await), ["3 leches"]);
}

pub(super) async fn an_edit_and_its_message_may_come_together(world: World) {
    let both = vec![world.edit("ana", "e1", "m1", "tres"), world.arrival("ana", "m1", "dos")];
    let accepted = world.accept(both).await;
    assert!(accepted.iter().all(|one| !one.duplicate));
    assert_eq!(words(&world.claim().await), ["tres"]);
}

pub(super) async fn what_was_deleted_is_not_brought_back_by_its_edit(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "mi clave es 1")]).await;
    forget(&world, &["m1", "m2"]).await;
    for (edit, original) in [("e1", "m1"), ("e2", "m2")] {
        let edited = world.accept(vec![world.edit("ana", edit, original, "mi clave es 2")]).await;
        assert!(one(edited).duplicate, "{original}");
    }
    assert!(world.ready().await.is_empty());
}

pub(super) async fn deleting_an_edited_message_takes_all_it_ever_said(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "mi clave es 1")]).await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    world.pass_ms(1_000);
    world.accept(vec![world.edit("ana", "e1", "m1", "mi clave es 2")]).await;
    let work = world.claim().await;
    let mut turn = world.turn(&work);
    let domain::EventKind::Message(content) = &work.events[0].kind else { panic!("{work:?}") };
    turn.entries[0].content = content.in_words().into();
    world.commit(turn).await;
    assert_eq!(
        world.lines("ana").await,
        ["user: mi clave es 1", "user: mi clave es 2 [edited before: mi clave es 1]",]
    );
    world.pass_ms(1_000);
    world.accept(vec![world.edit("ana", "e2", "m1", "mi clave es 3")]).await;
    let work = world.claim().await;
    let mut turn = world.turn(&work);
    let domain::EventKind::Message(content) = &work.events[0].kind else { panic!("{work:?}") };
    turn.entries[0].content = content.in_words().into();
    world.commit(turn).await;
    forget(&world, &["m1"]).await;
    assert_eq!(world.lines("ana").await, ["user: [deleted]"; 3]);
}

pub(super) async fn a_file_stays_with_its_message_when_that_is_edited(world: World) {
    let edit = |id: &str, original: &str| {
        let mut edit = world.edit("ana", id, original, "");
        edit.item.content = photo(original);
        edit
    };
    let mut first = world.arrival("ana", "m1", "");
    first.item.content = photo("m1");
    let conversation = one(world.accept(vec![first]).await).conversation;
    let unknown = edit("e0", "m0");
    let event = unknown.event;
    assert!(one(world.accept(vec![unknown]).await).brought_file, "its message never came");
    let edited = edit("e1", "m1");
    let ids = [event, edited.event];
    assert!(!one(world.accept(vec![edited]).await).brought_file, "it has come before");
    let rows = world.store.media(world.workspace(), conversation).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
    forget(&world, &["m1", "m0"]).await;
    let rows = world.store.media(world.workspace(), conversation).await.unwrap();
    assert!(rows.iter().all(|row| row.status == MediaStatus::Deleted), "{rows:?}");
}

pub(super) async fn an_edit_of_what_could_not_be_answered_is_a_new_message(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    let work = world.claim().await;
    world.commit(setting_aside(&world, &work, "it failed three times")).await;
    world.pass_ms(1_000);
    world.accept(vec![world.edit("ana", "e1", "m1", "3 leches")]).await;
    let work = world.claim().await;
    assert_eq!(words(&work), ["3 leches"]);
    assert!(!work.retried_by_hand && work.open_turn.is_none());
    assert!(
        world
            .store
            .quarantined(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
}

fn photo(id: &str) -> Content {
    Content::Media(Media {
        kind: "image".to_owned(),
        id: Some(format!("file-{id}")),
        ..Media::default()
    })
}

pub(super) async fn nobody_edits_what_another_wrote(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    let edited = world.accept(vec![world.edit("luis", "e1", "m1", "90 leches")]).await;
    assert!(one(edited).duplicate);
    assert_eq!(words(&world.claim().await), ["2 leches"]);
}

pub(super) async fn an_edit_from_long_ago_waits_for_a_person(world: World) {
    world.accept(vec![world.arrival("ana", "m1", "2 leches")]).await;
    let mut edit = world.edit("ana", "e1", "m1", "3 leches");
    edit.item.sent_at = Some(world.now().plus_ms(-9 * DAY_MS));
    assert!(one(world.accept(vec![edit]).await).set_aside);
    assert_eq!(words(&world.claim().await), ["2 leches"]);
}
