//! Files: each fetched by one node at a time, and none while the provider's error budget is spent.

use domain::{Content, EventId, Media};

use super::world::{World, one};
use crate::{ErrorBudget, Kept, MediaClaim, MediaEnd, MediaJob, MediaRow, MediaStatus};

const BUDGET: ErrorBudget = ErrorBudget { failures: 3, within_ms: 60_000, pause_ms: 30_000 };
const LEASE_MS: i64 = 5_000;

pub(super) async fn a_file_comes_with_its_message_and_is_fetched_by_one(world: World) {
    let event = hear_file(&world, "m1").await;
    hear_file(&world, "m1").await;
    let job = one(claim(&world).await.jobs);
    assert_eq!((job.id, job.attempt, job.deleted), (event, 1, false));
    assert_eq!(job.file.id.as_deref(), Some("file-m1"));
    assert_eq!(job.file.caption, None, "the words are the message's");
    assert!(claim(&world).await.jobs.is_empty(), "somebody has it");
    world.store.record_media(&job, fetched("abc"), world.now()).await.unwrap();
    world.pass_ms(60_000);
    assert_eq!(claim(&world).await, MediaClaim::default());
    let row = one(rows(&world, &job).await);
    assert_eq!((row.id, row.status, row.size), (event, MediaStatus::Fetched, Some(3)));
    assert_eq!((row.sha256.as_deref(), row.mime.as_deref()), (Some("abc"), Some("image/jpeg")));
}

pub(super) async fn a_claim_takes_no_more_files_than_asked_and_two_nodes_none_twice(world: World) {
    for place in 0..20 {
        hear_file(&world, &format!("m{place}")).await;
    }
    assert_eq!(claim(&world).await.jobs.len(), 8);
    let other = world.another_node().await;
    let until = world.now().plus_ms(LEASE_MS);
    let (channel, now) = (&world.channel, world.now());
    let (one, two) = tokio::join!(
        world.store.claim_media(channel, BUDGET, now, until, 5),
        other.claim_media(channel, BUDGET, now, until, 5),
    );
    let mut ids: Vec<_> =
        one.unwrap().jobs.into_iter().chain(two.unwrap().jobs).map(|job| job.id).collect();
    assert!(ids.len() <= 10);
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

pub(super) async fn who_vanished_with_a_file_is_followed_and_records_nothing(world: World) {
    hear_file(&world, "m1").await;
    let old = one(claim(&world).await.jobs);
    world.pass_ms(LEASE_MS - 1);
    let waiting = claim(&world).await;
    assert!(waiting.jobs.is_empty());
    assert_eq!(waiting.wake_at, Some(world.now().plus_ms(1)));
    world.pass_ms(1);
    let new = one(claim(&world).await.jobs);
    assert_eq!((new.id, new.attempt), (old.id, 2));
    world.store.record_media(&old, MediaEnd::new(MediaStatus::Failed), world.now()).await.unwrap();
    assert_eq!(one(rows(&world, &new).await).status, MediaStatus::Pending);
    world.store.record_media(&new, fetched("abc"), world.now()).await.unwrap();
    assert_eq!(one(rows(&world, &new).await).status, MediaStatus::Fetched);
}

pub(super) async fn a_file_that_failed_is_tried_when_told(world: World) {
    hear_file(&world, "m1").await;
    let job = one(claim(&world).await.jobs);
    let retry_at = Some(world.now().plus_ms(10_000));
    let again = MediaEnd {
        retry_at,
        error: Some("500".into()),
        failed: true,
        ..MediaEnd::new(MediaStatus::Pending)
    };
    world.store.record_media(&job, again, world.now()).await.unwrap();
    world.pass_ms(9_999);
    let claimed = claim(&world).await;
    assert_eq!((claimed.jobs.len(), claimed.wake_at), (0, retry_at));
    assert_eq!(one(rows(&world, &job).await).error.as_deref(), Some("500"));
    world.pass_ms(1);
    assert_eq!(one(claim(&world).await.jobs).attempt, 2);
}

pub(super) async fn a_spent_error_budget_pauses_its_channel_alone(world: World) {
    let failed = MediaEnd { failed: true, ..MediaEnd::new(MediaStatus::Failed) };
    for id in ["m1", "m2", "m3"] {
        hear_file(&world, id).await;
        let job = one(claim(&world).await.jobs);
        world.store.record_media(&job, failed.clone(), world.now()).await.unwrap();
        world.pass_ms(1_000);
    }
    let last = world.now().plus_ms(-1_000);
    hear_file(&world, "m4").await;
    let paused = claim(&world).await;
    assert_eq!((paused.jobs.len(), paused.wake_at), (0, Some(last.plus_ms(30_000))));
    let other = world.add_channel("tienda", "otro").await;
    let claimed = world.store.claim_media(&other, BUDGET, world.now(), world.now(), 8).await;
    assert_eq!(claimed.unwrap(), MediaClaim::default(), "another channel has nothing to wait for");
    world.pass_ms(29_000);
    let job = one(claim(&world).await.jobs);
    world.store.record_media(&job, failed, world.now()).await.unwrap();
    hear_file(&world, "m5").await;
    assert!(claim(&world).await.jobs.is_empty(), "one more failure, one more pause");
    world.pass_ms(60_000);
    assert_eq!(claim(&world).await.jobs.len(), 1);
}

pub(super) async fn a_file_that_was_taken_back_is_done_away_with(world: World) {
    for id in ["m1", "m2"] {
        hear_file(&world, id).await;
        let job = one(claim(&world).await.jobs);
        world.store.record_media(&job, fetched("abc"), world.now()).await.unwrap();
    }
    let workspace = world.workspace();
    assert!(world.store.keeps_media(workspace, "abc").await.unwrap());
    for (id, left) in [("m1", true), ("m2", false)] {
        let deleted = vec![crate::Deleted { external_id: id.to_owned(), event: world.id() }];
        world.store.forget(&world.channel, deleted, world.now()).await.unwrap();
        let job = one(claim(&world).await.jobs);
        assert!(job.deleted && job.sha256.as_deref() == Some("abc"));
        assert_eq!(job.file, Media::default(), "nor is it known where it was");
        assert_eq!(world.store.keeps_media(workspace, "abc").await.unwrap(), left, "{id}");
        let end = MediaEnd::new(MediaStatus::Deleted);
        world.store.record_media(&job, end, world.now()).await.unwrap();
        assert!(claim(&world).await.jobs.is_empty());
    }
}

pub(super) async fn a_file_taken_back_while_it_is_fetched_does_not_come_back(world: World) {
    hear_file(&world, "m1").await;
    let job = one(claim(&world).await.jobs);
    let deleted = vec![crate::Deleted { external_id: "m1".to_owned(), event: world.id() }];
    world.store.forget(&world.channel, deleted, world.now()).await.unwrap();
    world.store.record_media(&job, fetched("abc"), world.now()).await.unwrap();
    assert_eq!(one(rows(&world, &job).await).status, MediaStatus::Deleted);
    assert!(one(claim(&world).await.jobs).deleted);
}

fn fetched(sha256: &str) -> MediaEnd {
    let kept = Kept { sha256: sha256.to_owned(), size: 3, mime: Some("image/jpeg".into()) };
    MediaEnd { kept: Some(kept), ..MediaEnd::new(MediaStatus::Fetched) }
}

async fn hear_file(world: &World, id: &str) -> EventId {
    let mut arrival = world.arrival("ana", id, "");
    let event = arrival.event;
    arrival.item.content = Content::Media(Media {
        kind: "image".to_owned(),
        id: Some(format!("file-{id}")),
        caption: Some("mi foto".into()),
        ..Media::default()
    });
    world.accept(vec![arrival]).await;
    event
}

async fn claim(world: &World) -> MediaClaim {
    let until = world.now().plus_ms(LEASE_MS);
    let claimed = world.store.claim_media(&world.channel, BUDGET, world.now(), until, 8).await;
    claimed.expect("claimed")
}

async fn rows(world: &World, job: &MediaJob) -> Vec<MediaRow> {
    world.store.media(world.workspace(), job.conversation).await.expect("rows")
}
