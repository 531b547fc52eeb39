//! Where files are kept: once for each workspace and content, under their hash.

use std::io;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use channels::{FetchError, Incoming};
use sha2::{Digest, Sha256};
use store::{MediaJob, StoreResult};
use tokio::fs;
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;

/// The largest file that WhatsApp lets a customer send.
const MAX_BYTES: u64 = 100 * 1024 * 1024;

pub(super) struct Disk {
    folder: PathBuf,
    /// Held while a file is put in its place or taken from it.
    placing: Mutex<()>,
}

pub(super) struct Written {
    /// In hexadecimal.
    pub(super) sha256: String,
    pub(super) size: i64,
}

impl Disk {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, placing: Mutex::new(()) }
    }

    fn place(&self, job: &MediaJob, name: &str) -> PathBuf {
        self.folder.join(job.workspace.to_string()).join(name)
    }

    /// Takes a file in whole: it is in its place, on disk, when this returns.
    pub(super) async fn take(
        &self,
        job: &MediaJob,
        incoming: &mut dyn Incoming,
    ) -> Result<Written, FetchError> {
        // The part file is named after its job, so that a new attempt writes over what a lost one
        // left.
        let part = self.place(job, &format!("{}.part", job.id));
        let taken = self.write(job, incoming, &part).await;
        if taken.is_err() {
            // Nothing is lost if it stays: the next attempt writes over it.
            let _ = fs::remove_file(&part).await;
        }
        taken
    }

    async fn write(
        &self,
        job: &MediaJob,
        incoming: &mut dyn Incoming,
        part: &PathBuf,
    ) -> Result<Written, FetchError> {
        fs::create_dir_all(self.place(job, "")).await.map_err(not_written)?;
        let mut file = fs::File::create(part).await.map_err(not_written)?;
        let (mut hash, mut size) = (Sha256::new(), 0_u64);
        while let Some(bytes) = incoming.chunk().await? {
            size += bytes.len() as u64;
            if size > MAX_BYTES {
                return Err(FetchError::Refused(format!("it is larger than {MAX_BYTES} bytes")));
            }
            hash.update(&bytes);
            file.write_all(&bytes).await.map_err(not_written)?;
        }
        file.sync_all().await.map_err(not_written)?;
        let hash = hash.finalize();
        if expected(job).is_some_and(|expected| expected != hash[..]) {
            return Err(FetchError::Failed("it is not the file that was sent".to_owned()));
        }
        let sha256: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let _placing = self.placing.lock().await;
        fs::rename(part, self.place(job, &sha256)).await.map_err(not_written)?;
        // The name is in the folder, which has to be on disk as well.
        let folder = fs::File::open(self.place(job, "")).await.map_err(not_written)?;
        folder.sync_all().await.map_err(not_written)?;
        Ok(Written { sha256, size: i64::try_from(size).unwrap_or(i64::MAX) })
    }

    pub(super) async fn remove_unless(
        &self,
        job: &MediaJob,
        sha256: &str,
        needed: impl AsyncFnOnce() -> StoreResult<bool>,
    ) -> Result<(), String> {
        let _placing = self.placing.lock().await;
        if needed().await.map_err(|error| error.to_string())? {
            return Ok(());
        }
        match fs::remove_file(self.place(job, sha256)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.to_string()),
            _ => Ok(()),
        }
    }
}

/// The hash that the webhook gave; one that is no hash is none.
fn expected(job: &MediaJob) -> Option<Vec<u8>> {
    let hash = STANDARD.decode(job.file.sha256.as_ref()?).ok()?;
    (hash.len() == 32).then_some(hash)
}

/// Our disk's fault: the provider has nothing to do with it.
fn not_written(error: io::Error) -> FetchError {
    FetchError::Away(format!("it could not be written: {error}"))
}
