//! Writing the log: SQLite hands over a commit page by page, each in two pieces, and this file
//! writes them to the system in a few long pieces.
//!
//! SQLite syncs a commit before any other connection is told of its pages, and a sync writes the
//! gathered pieces: so no reader finds the log incomplete. The writer decides (`Log`) whether the
//! disk is waited for during that sync or right after it, and reports no commit before the disk has
//! it.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::Connection;
use rusqlite::ffi::{
    SQLITE_ERROR, SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_OK, SQLITE_OPEN_WAL, sqlite3_file,
    sqlite3_file_control, sqlite3_filename, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs,
    sqlite3_vfs_find, sqlite3_vfs_register,
};

/// The name under which SQLite knows this way of opening files.
pub(crate) const NAME: &CStr = c"recado-log";

/// The most bytes gathered: SQLite's own file takes less than 128 KiB at once.
const MOST: usize = 96 * 1024;

/// Registers the name with SQLite, once per process; false if SQLite has no file system at all.
pub(crate) fn register() -> bool {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    *REGISTERED.get_or_init(|| {
        // SAFETY: the system's own way of opening files lives as long as the process.
        let Some(system) = (unsafe { sqlite3_vfs_find(ptr::null()).as_mut() }) else {
            return false;
        };
        let log_file = c_int::try_from(size_of::<LogFile>()).unwrap_or(c_int::MAX);
        let ours = sqlite3_vfs {
            szOsFile: log_file + system.szOsFile,
            pNext: ptr::null_mut(),
            zName: NAME.as_ptr(),
            pAppData: ptr::from_mut(system).cast(),
            xOpen: Some(open),
            ..*system
        };
        // SAFETY: SQLite keeps the pointer, so the leaked value behind it is never freed.
        unsafe { sqlite3_vfs_register(Box::leak(Box::new(ours)), 0) == SQLITE_OK }
    })
}

/// Pieces that follow each other and were not written yet.
#[derive(Default)]
struct Gathered {
    from: sqlite3_int64,
    bytes: Vec<u8>,
    /// Whether the writer syncs the commit to the disk, so that SQLite need not.
    synced_by_writer: bool,
}

impl Gathered {
    fn end(&self) -> sqlite3_int64 {
        self.from + sqlite3_int64::try_from(self.bytes.len()).unwrap_or(sqlite3_int64::MAX)
    }

    /// Whether SQLite's wish to sync must reach the disk. For the beginning of a log it always
    /// must: until the disk has the new header, pages written over those of the old log would be
    /// taken for the old log's.
    fn waits_for_disk(&self) -> bool {
        !self.synced_by_writer || (self.from == 0 && !self.bytes.is_empty())
    }
}

/// The log of an open connection, in the hands of the thread that owns both.
pub(crate) struct Log(*mut sqlite3_file);

// SAFETY: a `Log` moves to another thread only together with its connection.
unsafe impl Send for Log {}

impl Log {
    /// `None` if the connection was not opened under our name, or keeps no log yet.
    pub(crate) fn of(connection: &Connection) -> Option<Self> {
        let mut file: *mut sqlite3_file = ptr::null_mut();
        // SAFETY: the connection is open, and SQLite writes a pointer to `into`, which has room for
        // it.
        let told = unsafe {
            let into = ptr::from_mut(&mut file).cast();
            let (connection, main) = (connection.handle(), c"main".as_ptr());
            sqlite3_file_control(connection, main, SQLITE_FCNTL_JOURNAL_POINTER, into)
        };
        // SAFETY: SQLite gave a pointer to a file of its own, which begins with its methods.
        let methods = unsafe { file.as_ref() }.map(|file| file.pMethods);
        let ours = told == SQLITE_OK && methods.is_some_and(|found| ptr::eq(found, &METHODS));
        ours.then_some(Self(file))
    }

    /// Runs a commit, and leaves it to the caller to sync the commit to the disk.
    pub(crate) fn without_sync<R>(&self, commit: impl FnOnce() -> R) -> R {
        gathered(self.0).synced_by_writer = true;
        let result = commit();
        gathered(self.0).synced_by_writer = false;
        result
    }
}

/// A log as SQLite holds it; the system's own file lies right behind it, in memory of SQLite's.
#[repr(C)]
struct LogFile {
    base: sqlite3_file,
    gathered: *mut Gathered,
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// Calls a method of the system's own file.
macro_rules! system {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let file = system_file($file);
        // SAFETY: the file is open, so its methods are there for as long as it is.
        let method = unsafe { (*file).pMethods.as_ref() }.and_then(|methods| methods.$method);
        // SAFETY: the method gets its own file and the arguments that SQLite gave us.
        method.map_or(SQLITE_ERROR, |method| unsafe { method(file $(, $argument)*) })
    }};
}

fn system_file(file: *mut sqlite3_file) -> *mut sqlite3_file {
    file.cast::<LogFile>().wrapping_add(1).cast()
}

/// The gathered pieces of a file. To be called only for files that `open` has set up, by the one
/// thread that uses them.
fn gathered<'f>(file: *mut sqlite3_file) -> &'f mut Gathered {
    // SAFETY: `open` put the pointer there, and `close` takes it away last.
    unsafe { &mut *(*file.cast::<LogFile>()).gathered }
}

fn write_out(file: *mut sqlite3_file) -> c_int {
    let gathered = gathered(file);
    if gathered.bytes.is_empty() {
        return SQLITE_OK;
    }
    let length = c_int::try_from(gathered.bytes.len()).unwrap_or(c_int::MAX);
    let written = system!(file, xWrite, gathered.bytes.as_ptr().cast(), length, gathered.from);
    // The pieces go even if the write failed, because a commit that fails is written anew, from its
    // beginning.
    gathered.bytes.clear();
    written
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: `register` put the system's pointer there, and copied its functions.
    let system = unsafe { (*vfs).pAppData.cast::<sqlite3_vfs>() };
    // SAFETY: as above.
    let Some(open) = (unsafe { (*system).xOpen }) else { return SQLITE_ERROR };
    if flags & SQLITE_OPEN_WAL == 0 {
        // SAFETY: the memory has room for more than the system's file.
        return unsafe { open(system, name, file, flags, out_flags) };
    }
    let log = file.cast::<LogFile>();
    // SAFETY: SQLite gives as much room as `register` asked for, and a file that is not open yet
    // has no methods.
    let opened = unsafe {
        (*log).base.pMethods = ptr::null();
        (*system_file(file)).pMethods = ptr::null();
        open(system, name, system_file(file), flags, out_flags)
    };
    if opened == SQLITE_OK {
        // SAFETY: as above.
        unsafe {
            (*log).gathered = Box::into_raw(Box::default());
            (*log).base.pMethods = &METHODS;
        }
    }
    opened
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // Pieces that were never synced were never committed, so they are dropped.
    let closed = system!(file, xClose);
    // SAFETY: `open` made the pointer, and SQLite uses the file no more.
    unsafe {
        drop(Box::from_raw((*file.cast::<LogFile>()).gathered));
        (*file).pMethods = ptr::null();
    }
    closed
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    into: *mut c_void,
    length: c_int,
    from: sqlite3_int64,
) -> c_int {
    let gathered = gathered(file);
    if from < gathered.end() && from + sqlite3_int64::from(length) > gathered.from {
        let written = write_out(file);
        if written != SQLITE_OK {
            return written;
        }
    }
    system!(file, xRead, into, length, from)
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    from: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite gives the length of its buffer.
    let piece = unsafe {
        std::slice::from_raw_parts(bytes.cast::<u8>(), usize::try_from(length).unwrap_or(0))
    };
    if from != gathered(file).end() || gathered(file).bytes.len() + piece.len() > MOST {
        let written = write_out(file);
        if written != SQLITE_OK {
            return written;
        }
    }
    let gathered = gathered(file);
    if gathered.bytes.is_empty() {
        gathered.from = from;
    }
    gathered.bytes.extend_from_slice(piece);
    SQLITE_OK
}

/// Writes the gathered pieces, then does as the system's own file does.
macro_rules! written_out {
    ($name:ident, $method:ident $(, $argument:ident: $type:ty)*) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $type)*) -> c_int {
            match write_out(file) {
                SQLITE_OK => system!(file, $method $(, $argument)*),
                failed => failed,
            }
        }
    };
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let waits = gathered(file).waits_for_disk();
    match write_out(file) {
        SQLITE_OK if waits => system!(file, xSync, flags),
        written => written,
    }
}

written_out!(truncate, xTruncate, size: sqlite3_int64);
written_out!(file_size, xFileSize, size: *mut sqlite3_int64);

/// Does as the system's own file does.
macro_rules! as_the_system {
    ($name:ident, $method:ident $(, $argument:ident: $type:ty)*) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $type)*) -> c_int {
            system!(file, $method $(, $argument)*)
        }
    };
}

as_the_system!(lock, xLock, level: c_int);
as_the_system!(unlock, xUnlock, level: c_int);
as_the_system!(check_reserved_lock, xCheckReservedLock, reserved: *mut c_int);
as_the_system!(file_control, xFileControl, operation: c_int, argument: *mut c_void);
as_the_system!(sector_size, xSectorSize);
as_the_system!(device_characteristics, xDeviceCharacteristics);

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::OpenFlags;

    use super::*;

    const COUNT: &str = "SELECT count(*), coalesce(sum(length(word)), 0) FROM words";

    fn open_here(path: &Path) -> Connection {
        assert!(register());
        let connection =
            Connection::open_with_flags_and_vfs(path, OpenFlags::default(), NAME).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = 10; \
                 CREATE TABLE IF NOT EXISTS words (word TEXT NOT NULL)",
            )
            .unwrap();
        connection
    }

    fn add(connection: &Connection, count: i64) {
        for _ in 0..count {
            connection.execute("INSERT INTO words VALUES (?1)", ["palabra".repeat(200)]).unwrap();
        }
    }

    fn counted(connection: &Connection) -> (i64, i64) {
        connection.query_row(COUNT, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    }

    #[test]
    fn the_disk_is_waited_for_in_place_unless_the_writer_sees_to_it_and_always_at_the_beginning() {
        for (synced_by_writer, from, bytes, waits) in [
            (false, 4_152, 1, true),
            (false, 0, 32, true),
            (true, 4_152, 1, false),
            (true, 4_152, 0, false),
            (true, 0, 0, false),
            (true, 0, 32, true),
        ] {
            let gathered = Gathered { from, bytes: vec![0; bytes], synced_by_writer };
            assert_eq!(gathered.waits_for_disk(), waits, "{from} {bytes} {synced_by_writer}");
        }
    }

    #[test]
    fn what_is_committed_is_read_by_everybody_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.db");
        let writer = open_here(&path);
        let reader = Connection::open(&path).unwrap();
        for count in 1..50 {
            writer.execute_batch("BEGIN").unwrap();
            add(&writer, 1);
            assert_eq!(counted(&reader).0, count - 1);
            writer.execute_batch("COMMIT").unwrap();
            assert_eq!(counted(&reader).0, count);
        }
    }

    #[test]
    fn a_transaction_that_memory_does_not_hold_reads_its_own_pages_and_can_be_undone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.db");
        let writer = open_here(&path);
        let reader = Connection::open(&path).unwrap();
        for (end, left) in [("ROLLBACK", 0), ("COMMIT", 2_000), ("ROLLBACK", 2_000)] {
            writer.execute_batch("BEGIN").unwrap();
            let before = counted(&writer).0;
            add(&writer, 2_000);
            let all = before + 2_000;
            assert_eq!(counted(&writer), (all, all * 1_400), "it reads what it wrote");
            writer.execute_batch(end).unwrap();
            assert_eq!(counted(&writer), (left, left * 1_400), "{end}");
            assert_eq!(counted(&reader), (left, left * 1_400), "{end}");
        }
        let sound: String =
            reader.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
    }

    #[test]
    fn what_is_committed_is_in_the_files_while_the_writer_still_has_them_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.db");
        let writer = open_here(&path);
        add(&writer, 100);
        let elsewhere = folder.path().join("copied.db");
        for end in ["", "-wal"] {
            let file = |path: &Path| format!("{}{end}", path.display());
            std::fs::copy(file(&path), file(&elsewhere)).unwrap();
        }
        assert_eq!(counted(&Connection::open(&elsewhere).unwrap()), (100, 140_000));
    }
}
