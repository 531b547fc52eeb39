//! Fetching what customers sent: jobs of their own, so that a slow file holds no conversation.

mod disk;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use channels::{FetchError, MediaSource};
use domain::{Backoff, Channel, Clock, Repeats, Timestamp};
use metrics::counter;
use store::{
    ErrorBudget, Kept, MediaEnd, MediaJob, MediaStatus, Outside, Store, StoreResult, When,
    hit_outside,
};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::places::Places;
use disk::{Disk, Written};

/// Files of one channel fetched at once.
const OF_A_CHANNEL: usize = 8;
/// Files of one workspace fetched at once by this node; those of all together are twice as many.
const OF_A_WORKSPACE: usize = 16;
/// Longer than any attempt lasts.
const LEASE_MS: i64 = 5 * 60 * 1000;
/// WhatsApp gives a file out for a week.
const KEPT_BY_PROVIDER_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const ATTEMPTS: u32 = 12;
const BACKOFF: Backoff = Backoff { base_ms: 10_000, max_ms: 60 * 60 * 1000 };
/// Twenty failures in an hour, and WhatsApp blocks the number for half of one.
const BUDGET: ErrorBudget =
    ErrorBudget { failures: 20, within_ms: 60 * 60 * 1000, pause_ms: 30 * 60 * 1000 };
/// How often jobs are looked for although nothing said that there are any.
const SAFETY_POLL_MS: i64 = 15_000;

/// A channel and who gives its files out.
pub struct MediaOutlet {
    pub channel: Channel,
    pub source: Arc<dyn MediaSource>,
}

/// An outlet with its part of the places.
struct Feed {
    outlet: MediaOutlet,
    /// A permit for each file that may be under way at once.
    room: Arc<Semaphore>,
}

/// Troubles that a provider, a disk or a database causes for many files at once, told to the log
/// together.
#[derive(Default)]
struct Told {
    not_looked_for: Repeats,
    not_come: Repeats,
    not_recorded: Repeats,
    not_removed: Repeats,
}

/// Fetches the files of the channels it is given into a folder. Channels and workspaces share the
/// places, so that files which are slow to come delay those of the same channel alone.
pub struct MediaKeeper {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    channels: Vec<Feed>,
    places: Arc<Places>,
    /// Looks made so far, so that each begins with another channel.
    looks: AtomicUsize,
    disk: Disk,
    told: Told,
}

impl MediaKeeper {
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        outlets: Vec<MediaOutlet>,
        folder: PathBuf,
    ) -> Arc<Self> {
        let feed = |outlet| Feed { outlet, room: Arc::new(Semaphore::new(OF_A_CHANNEL)) };
        Arc::new(Self {
            store,
            clock,
            channels: outlets.into_iter().map(feed).collect(),
            places: Places::new(OF_A_WORKSPACE),
            looks: AtomicUsize::new(0),
            disk: Disk::in_folder(folder),
            told: Told::default(),
        })
    }

    /// Fetches until `stop` is over; what is under way then is begun again by the next.
    pub async fn run(self: Arc<Self>, stop: impl Future<Output = ()>) {
        if self.channels.is_empty() {
            return;
        }
        tokio::pin!(stop);
        let mut fetching = JoinSet::new();
        loop {
            while fetching.try_join_next().is_some() {}
            let wake_at = self.start_due(&mut fetching).await;
            let now = self.clock.now();
            let wait = wake_at.map_or(SAFETY_POLL_MS, |at| at.since_ms(now));
            // Never at once: what is due and was not taken waits for room or for the database.
            let wait = Duration::from_millis(wait.clamp(50, SAFETY_POLL_MS).unsigned_abs());
            let room = self.places.free() > 0;
            tokio::select! {
                () = self.store.signals().media_woken(), if room => {}
                () = tokio::time::sleep(wait), if room => {}
                Some(_) = fetching.join_next() => {}
                () = &mut stop => return,
            }
        }
    }

    /// Fetches everything that is due, for tests, whose clock stands still.
    pub async fn run_until_idle(self: &Arc<Self>) -> StoreResult<()> {
        loop {
            let mut fetching = JoinSet::new();
            self.start_due(&mut fetching).await;
            if fetching.is_empty() {
                return Ok(());
            }
            while fetching.join_next().await.is_some() {}
        }
    }

    /// Begins what is due as far as there is room; when to look again.
    async fn start_due(self: &Arc<Self>, fetching: &mut JoinSet<()>) -> Option<Timestamp> {
        let mut wake_at: Option<Timestamp> = None;
        let count = self.channels.len();
        let first = self.looks.fetch_add(1, Ordering::Relaxed);
        for number in (0..count).map(|number| (first + number) % count) {
            let Feed { outlet, room } = &self.channels[number];
            let workspace = outlet.channel.workspace;
            let most = self.places.of(workspace).min(room.available_permits());
            if most == 0 {
                continue;
            }
            let now = self.clock.now();
            let until = now.plus_ms(LEASE_MS);
            let most = u32::try_from(most).unwrap_or(1);
            match self.store.claim_media(&outlet.channel, BUDGET, now, until, most).await {
                Ok(claim) => {
                    wake_at = wake_at.into_iter().chain(claim.wake_at).min();
                    for job in claim.jobs {
                        let (keeper, place) = (Arc::clone(self), self.places.enter(workspace));
                        let permit = Arc::clone(room).try_acquire_owned();
                        fetching.spawn(async move {
                            keeper.work(number, job).await;
                            drop((place, permit));
                        });
                    }
                }
                Err(error) => {
                    if let Some(times) = self.told.not_looked_for.count(now.millis()) {
                        tracing::warn!(%error, times, "no files were looked for");
                    }
                }
            }
        }
        wake_at
    }

    async fn work(&self, number: usize, job: MediaJob) {
        let outlet = &self.channels[number].outlet;
        let end = match job.deleted {
            true => self.do_away(&job).await,
            false => self.fetch(outlet, &job).await,
        };
        let Some(end) = end else { return };
        counter!("recado_media_total", "outcome" => end.status.as_str()).increment(1);
        if let Some(error) = &end.error {
            self.tell_of(outlet, &job, error);
        }
        let recorded = self.store.record_media(&job, end, self.clock.now()).await;
        // The lease runs out by itself, and the file is fetched again.
        if let Err(error) = recorded
            && let Some(times) = self.told.not_recorded.count(self.clock.now().millis())
        {
            tracing::warn!(%error, times, "what became of a file was not recorded");
        }
    }

    fn tell_of(&self, outlet: &MediaOutlet, job: &MediaJob, error: &str) {
        let (channel, conversation) = (&outlet.channel.id, job.conversation);
        if let Some(times) = self.told.not_come.count(self.clock.now().millis()) {
            let attempt = job.attempt;
            tracing::warn!(%channel, %conversation, attempt, error, times, "a file did not come");
        }
    }

    async fn fetch(&self, outlet: &MediaOutlet, job: &MediaJob) -> Option<MediaEnd> {
        let now = self.clock.now();
        if now.since_ms(job.since) > KEPT_BY_PROVIDER_MS {
            let error = Some("not fetched in the week that the provider keeps it".to_owned());
            return Some(MediaEnd { error, ..MediaEnd::new(MediaStatus::Expired) });
        }
        hit_outside(Outside::MediaFetch, When::Before);
        let fetched = self.download(outlet, job).await;
        hit_outside(Outside::MediaFetch, When::After);
        Some(match fetched {
            Ok(kept) => MediaEnd { kept: Some(kept), ..MediaEnd::new(MediaStatus::Fetched) },
            Err(error) => self.failed(job, error),
        })
    }

    async fn download(&self, outlet: &MediaOutlet, job: &MediaJob) -> Result<Kept, FetchError> {
        let mut incoming = outlet.source.open(&job.file).await?;
        let mime = job.file.mime.clone().or_else(|| incoming.mime());
        let Written { sha256, size } = self.disk.take(job, &mut *incoming).await?;
        Ok(Kept { sha256, size, mime })
    }

    fn failed(&self, job: &MediaJob, error: FetchError) -> MediaEnd {
        let told = Some(error.to_string());
        let over = |status| MediaEnd { error: told.clone(), ..MediaEnd::new(status) };
        let counted = matches!(error, FetchError::Failed(_) | FetchError::Gone(_));
        match error {
            FetchError::Refused(_) => over(MediaStatus::Failed),
            FetchError::Gone(_) => MediaEnd { failed: counted, ..over(MediaStatus::Expired) },
            FetchError::Away(_) | FetchError::Failed(_) if job.attempt >= ATTEMPTS => {
                MediaEnd { failed: counted, ..over(MediaStatus::Failed) }
            }
            FetchError::Away(_) | FetchError::Failed(_) => {
                let retry_at = Some(self.clock.now().plus_ms(BACKOFF.delay_ms(job.attempt)));
                MediaEnd { retry_at, failed: counted, ..over(MediaStatus::Pending) }
            }
        }
    }

    /// Removes a file whose message was taken back, unless another message needs it.
    async fn do_away(&self, job: &MediaJob) -> Option<MediaEnd> {
        if let Some(sha256) = &job.sha256 {
            let store = &self.store;
            let needed = async || store.keeps_media(job.workspace, sha256).await;
            if let Err(error) = self.disk.remove_unless(job, sha256, needed).await {
                // Left as it is, it is tried again when its lease is over.
                if let Some(times) = self.told.not_removed.count(self.clock.now().millis()) {
                    tracing::warn!(error, times, "a file that was taken back is still there");
                }
                return None;
            }
        }
        Some(MediaEnd::new(MediaStatus::Deleted))
    }
}
