//! A lock that lets a single engine work a SQLite file, and ends with the process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use crate::HostError;

/// Held as long as the engine runs; the system drops it when the process ends, however it ends.
pub(crate) struct Instance {
    _lock: File,
}

impl Instance {
    pub(crate) fn alone_on(database: &Path) -> Result<Self, HostError> {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = Path::new(&path);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(cannot("create", folder))?;
        }
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(cannot("open", path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(HostError::AlreadyServed(database.to_owned())),
            Err(TryLockError::Error(error)) => Err(cannot("lock", path)(error)),
        }
    }
}

fn cannot(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> HostError {
    let path = path.to_owned();
    move |source| HostError::Lock { doing, path, source }
}
