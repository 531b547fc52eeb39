//! Files that customers sent: fetched once, kept by their hash, and no conversation waits for them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use bytes::Bytes;
use channels::{FetchError, Incoming, MediaSource, Parsed};
use domain::{Channel, Content, Inbound, Media};
use runner::{MediaKeeper, MediaOutlet};
use sha2::{Digest, Sha256};
use store::{MediaRow, MediaStatus};

use crate::kit::{Crowd, LOOK, On, World};

on_both_stores![
    a_file_is_kept_by_its_hash_once_and_its_conversation_waits_for_nothing,
    a_file_that_does_not_come_is_tried_later_and_later_and_given_up,
    a_file_that_is_not_the_one_sent_is_not_kept,
    a_file_too_large_or_from_elsewhere_is_refused_at_once,
    after_a_week_nobody_asks_any_more,
    a_file_that_is_gone_is_not_asked_for_again,
    twenty_failures_pause_the_channel_for_half_an_hour,
    a_file_taken_back_is_removed_unless_another_message_has_it,
    a_file_whose_fetcher_vanished_is_fetched_by_the_next,
    files_that_do_not_come_hold_back_those_of_no_other_channel,
    channels_of_one_workspace_have_their_turns,
];

const HOUR_MS: i64 = 60 * 60 * 1000;
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone)]
enum Gives {
    Bytes(Vec<u8>),
    /// So many megabytes of zeros.
    Zeros(usize),
    /// Some bytes, and then it breaks off.
    Part,
    Error(FetchError),
    /// A photo, once the crowd may go.
    Late(Crowd),
}

/// Gives files out as scripted, the last one for ever.
#[derive(Clone, Default)]
struct Provider {
    script: Arc<Mutex<VecDeque<Gives>>>,
    /// The files that were asked for, and when.
    asked: Arc<Mutex<Vec<(String, i64)>>>,
    clock: Option<domain::VirtualClock>,
}

struct File(VecDeque<Result<Bytes, FetchError>>);

#[async_trait]
impl Incoming for File {
    fn mime(&self) -> Option<String> {
        Some("image/png".to_owned())
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        self.0.pop_front().transpose()
    }
}

#[async_trait]
impl MediaSource for Provider {
    async fn open(&self, file: &Media) -> Result<Box<dyn Incoming>, FetchError> {
        let now = self
            .clock
            .as_ref()
            .map_or(0, |clock| domain::Clock::now(clock).since_ms(crate::kit::START));
        self.asked.lock().unwrap().push((file.id.clone().unwrap_or_default(), now));
        let gives = {
            let mut script = self.script.lock().unwrap();
            if script.len() > 1 { script.pop_front() } else { script.front().cloned() }
        };
        let chunks: VecDeque<_> = match gives.expect("a script") {
            Gives::Bytes(bytes) => {
                bytes.chunks(3).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect()
            }
            Gives::Zeros(megabytes) => {
                let chunk = Bytes::from(vec![0; 1024 * 1024]);
                (0..megabytes).map(|_| Ok(chunk.clone())).collect()
            }
            Gives::Part => {
                [Ok(Bytes::from_static(b"medio")), Err(FetchError::Failed("broke off".to_owned()))]
                    .into()
            }
            Gives::Error(error) => return Err(error),
            Gives::Late(crowd) => {
                crowd.stand().await;
                [Ok(Bytes::from_static(PHOTO))].into()
            }
        };
        Ok(Box::new(File(chunks)))
    }
}

struct Room {
    world: World,
    provider: Provider,
    keeper: Arc<MediaKeeper>,
    folder: tempfile::TempDir,
}

impl Room {
    async fn new(on: On, script: impl IntoIterator<Item = Gives>) -> Self {
        Self::of(World::new(on).await, script)
    }

    /// The script is for the world's own channel; its neighbours give a photo each time.
    fn of(world: World, script: impl IntoIterator<Item = Gives>) -> Self {
        let provider = Provider {
            script: Arc::new(Mutex::new(script.into_iter().collect())),
            clock: Some(world.clock.clone()),
            ..Provider::default()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let photos = Arc::new(Mutex::new([Gives::Bytes(PHOTO.to_vec())].into()));
        let outlet = |channel: &Channel, script| {
            let source = Arc::new(Provider { script, ..provider.clone() });
            MediaOutlet { channel: channel.clone(), source }
        };
        let mut outlets = vec![outlet(&world.channel, Arc::clone(&provider.script))];
        outlets.extend(world.neighbours.iter().map(|one| outlet(one, Arc::clone(&photos))));
        let (store, clock) = (Arc::clone(&world.store), Arc::new(world.clock.clone()));
        let keeper = MediaKeeper::new(store, clock, outlets, folder.path().join("media"));
        Self { world, provider, keeper, folder }
    }

    async fn sends(&self, from: &str, id: &str, sha256: Option<String>) {
        self.sends_by(&self.world.channel, from, id, sha256).await;
    }

    async fn sends_by(&self, by: &Channel, from: &str, id: &str, sha256: Option<String>) {
        let file = Media {
            kind: "image".to_owned(),
            id: Some(format!("file-{id}")),
            sha256,
            caption: Some("mi foto".into()),
            ..Media::default()
        };
        let content = Content::Media(file);
        let message = Inbound { content, ..self.world.inbound(from, id, "") };
        let taken = self.world.node().intake().ingest(&by.id, vec![message]).await;
        assert_eq!(taken.expect("taken in").new, 1);
    }

    async fn fetch(&self) {
        self.keeper.run_until_idle().await.expect("fetched");
    }

    /// Fetches whatever becomes due, a minute at a time.
    async fn fetch_for_ms(&self, ms: i64) {
        for _ in 0..ms / 60_000 {
            self.fetch().await;
            self.world.pass_ms(60_000);
        }
    }

    async fn row(&self, from: &str) -> MediaRow {
        let id = self.world.id_of(from).await;
        let rows = self.world.store.media(self.world.channel.workspace, id).await.expect("rows");
        rows.into_iter().next_back().expect("a row")
    }

    fn kept(&self) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        files(&self.folder.path().join("media"), &mut found);
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        found.iter().map(|path| (name(path), path.metadata().unwrap().len())).collect()
    }

    fn asked(&self) -> Vec<i64> {
        self.provider.asked.lock().unwrap().iter().map(|(_, at)| *at).collect()
    }

    /// The files of all channels, in the order in which they were asked for.
    fn files(&self) -> Vec<String> {
        self.provider.asked.lock().unwrap().iter().map(|(file, _)| file.clone()).collect()
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, found),
            path => found.push(path),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(bytes))
}

const PHOTO: &[u8] = b"una foto del gato";

async fn a_file_is_kept_by_its_hash_once_and_its_conversation_waits_for_nothing(on: On) {
    let room = Room::new(on, [Gives::Bytes(PHOTO.to_vec())]).await;
    room.sends("ana", "m1", Some(base64(PHOTO))).await;
    room.world.run().await;
    assert_eq!(room.world.phone.sent().len(), 1, "answered before anybody fetched it");
    room.sends("beto", "m2", None).await;
    room.fetch().await;
    for from in ["ana", "beto"] {
        let row = room.row(from).await;
        assert_eq!((row.status, row.sha256), (MediaStatus::Fetched, Some(hex(PHOTO))));
        assert_eq!((row.size, row.mime.as_deref()), (Some(17), Some("image/png")));
    }
    assert_eq!(room.kept(), [(hex(PHOTO), 17)], "one file for both");
    assert_eq!(room.asked().len(), 2);
    room.fetch_for_ms(HOUR_MS).await;
    assert_eq!(room.asked().len(), 2, "and never again");
}

async fn a_file_that_does_not_come_is_tried_later_and_later_and_given_up(on: On) {
    let room = Room::new(on, [Gives::Error(FetchError::Away("no".to_owned()))]).await;
    room.sends("ana", "m1", None).await;
    room.fetch_for_ms(24 * HOUR_MS).await;
    let asked = room.asked();
    assert_eq!(asked.len(), 12);
    assert_eq!(
        asked[..5],
        [0, 60_000, 120_000, 180_000, 300_000],
        "10, 20, 40, 80 s, to the minute"
    );
    let row = room.row("ana").await;
    assert_eq!((row.status, row.attempts), (MediaStatus::Failed, 12));
    assert_eq!(row.error.as_deref(), Some("not reached: no"));
    assert!(room.kept().is_empty());
}

async fn a_file_that_is_not_the_one_sent_is_not_kept(on: On) {
    let script = [Gives::Part, Gives::Bytes(b"otra".to_vec()), Gives::Bytes(PHOTO.to_vec())];
    let room = Room::new(on, script).await;
    room.sends("ana", "m1", Some(base64(PHOTO))).await;
    for (error, kept) in [
        (Some("not given: broke off"), 0),
        (Some("not given: it is not the file that was sent"), 0),
        (None, 1),
    ] {
        room.fetch().await;
        assert_eq!(room.row("ana").await.error.as_deref(), error);
        assert_eq!(room.kept().len(), kept, "nor is a part left");
        room.world.pass_ms(60_000);
    }
    // A text that is no hash cannot be held against the file.
    room.sends("beto", "m2", Some("4654+8g=".to_owned())).await;
    room.fetch().await;
    assert_eq!(room.row("beto").await.status, MediaStatus::Fetched);
}

async fn a_file_too_large_or_from_elsewhere_is_refused_at_once(on: On) {
    let script = [
        Gives::Error(FetchError::Refused("its host is not among them".to_owned())),
        Gives::Zeros(101),
        Gives::Zeros(100),
    ];
    let room = Room::new(on, script).await;
    for (from, status) in [
        ("ana", MediaStatus::Failed),
        ("beto", MediaStatus::Failed),
        ("clara", MediaStatus::Fetched),
    ] {
        room.sends(from, from, None).await;
        room.fetch().await;
        assert_eq!(room.row(from).await.status, status, "{from}");
    }
    let error = room.row("beto").await.error.unwrap();
    assert!(error.contains("larger than 104857600 bytes"), "{error}");
    assert_eq!(room.kept().len(), 1);
    room.fetch_for_ms(HOUR_MS).await;
    assert_eq!(room.asked().len(), 3);
}

async fn after_a_week_nobody_asks_any_more(on: On) {
    let room = Room::new(on, [Gives::Bytes(PHOTO.to_vec())]).await;
    room.sends("ana", "m1", None).await;
    room.world.pass_ms(7 * 24 * HOUR_MS + 1);
    room.fetch().await;
    assert!(room.asked().is_empty());
    assert_eq!(room.row("ana").await.status, MediaStatus::Expired);
}

async fn a_file_that_is_gone_is_not_asked_for_again(on: On) {
    let room = Room::new(on, [Gives::Error(FetchError::Gone("100".to_owned()))]).await;
    room.sends("ana", "m1", None).await;
    room.fetch_for_ms(HOUR_MS).await;
    assert_eq!(room.asked().len(), 1);
    assert_eq!(room.row("ana").await.status, MediaStatus::Expired);
}

async fn twenty_failures_pause_the_channel_for_half_an_hour(on: On) {
    let room = Room::new(on, [Gives::Error(FetchError::Gone("100".to_owned()))]).await;
    for place in 0..30 {
        room.sends("ana", &format!("m{place}"), None).await;
    }
    room.fetch().await;
    // Eight are begun at once, so the last eight may be a few too many.
    let asked = room.asked().len();
    assert!((20..=24).contains(&asked), "{asked}");
    room.fetch_for_ms(29 * 60_000).await;
    assert_eq!(room.asked().len(), asked, "half an hour of silence");
    room.fetch_for_ms(2 * 60_000).await;
    assert!(room.asked().len() > asked, "and then it goes on");
}

async fn a_file_taken_back_is_removed_unless_another_message_has_it(on: On) {
    let room = Room::new(on, [Gives::Bytes(PHOTO.to_vec())]).await;
    room.sends("ana", "m1", None).await;
    room.sends("beto", "m2", None).await;
    room.fetch().await;
    for (id, from, left) in [("m1", "ana", 1), ("m2", "beto", 0)] {
        let (channel, deleted) = (&room.world.channel.id, vec![id.to_owned()]);
        let delivery = Parsed { deleted, ..Parsed::default() };
        room.world.node().intake().ingest(channel, delivery).await.expect("forgotten");
        room.fetch().await;
        assert_eq!(room.row(from).await.status, MediaStatus::Deleted);
        assert_eq!(room.kept().len(), left, "{id}");
    }
}

async fn a_file_whose_fetcher_vanished_is_fetched_by_the_next(on: On) {
    let room = Room::new(on, [Gives::Bytes(PHOTO.to_vec())]).await;
    room.sends("ana", "m1", None).await;
    room.world.faults.crash_at("media.record:before");
    assert!(room.world.faults.until_crash(room.fetch()).await);
    room.world.faults.none();
    assert_eq!(room.row("ana").await.status, MediaStatus::Pending);
    room.fetch().await;
    assert_eq!(room.asked().len(), 1, "not while its lease lasts");
    room.world.pass_ms(5 * 60_000);
    room.fetch().await;
    assert_eq!(room.row("ana").await.status, MediaStatus::Fetched);
    assert_eq!(room.kept(), [(hex(PHOTO), 17)]);
}

async fn files_that_do_not_come_hold_back_those_of_no_other_channel(on: On) {
    let crowd = Crowd::new();
    let world = World::new(on).await.with_neighbour("tienda", "otro numero").await;
    let world = world.with_neighbour("tranquila", "tranquila").await;
    let room = Room::of(world, [Gives::Late(crowd.clone())]);
    for number in 0..20 {
        room.sends("ana", &format!("ana {number}"), None).await;
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(Arc::clone(&room.keeper).run(async { drop(stopped.await) }));
    crowd.stands(8).await;
    for channel in &room.world.neighbours {
        let file = format!("foto de {}", channel.id.0);
        room.sends_by(channel, "beto", &file, None).await;
        let asked = async {
            while !room.files().contains(&format!("file-{file}")) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let asked = tokio::time::timeout(PATIENCE, asked).await;
        asked.unwrap_or_else(|_| panic!("{file} waits"));
    }
    crowd.stands(8).await;
    crowd.go();
    drop(stop);
    running.await.expect("a keeper that stopped");
}

async fn channels_of_one_workspace_have_their_turns(on: On) {
    let world = World::new(on).await.with_neighbour("tienda", "segundo").await;
    let room =
        Room::of(world.with_neighbour("tienda", "tercero").await, [Gives::Bytes(PHOTO.to_vec())]);
    let own = std::slice::from_ref(&room.world.channel);
    for channel in own.iter().chain(&room.world.neighbours) {
        for number in 0..20 {
            let id = format!("{} {number}", channel.id.0);
            room.sends_by(channel, "ana", &id, None).await;
        }
    }
    room.fetch().await;
    let files = room.files();
    assert_eq!(files.len(), 60);
    let first = files.iter().position(|file| file.starts_with("file-tercero"));
    // Sixteen files of one workspace are under way at once, eight of each channel.
    assert_eq!(first.map(|first| first / 16), Some(1), "{files:?}");
}
