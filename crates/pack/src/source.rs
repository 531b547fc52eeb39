//! The text of a pack's folder: what is read from the disk, and the version that names it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use document::Place;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::finding::{Findings, Report};

/// A file of a pack is written by hand; what is larger is there by mistake.
const MAX_FILE_BYTES: u64 = 1_000_000;
const MAX_PACK_BYTES: u64 = 10_000_000;
/// Guards the walk against a folder that was named by mistake.
const MAX_FILES: usize = 2_000;

/// The folders a pack may have, and how the files in them end.
const FOLDERS: [(&str, &str); 5] = [
    ("prompts/", ".md"),
    ("data/", ""),
    ("tests/", ".yaml"),
    ("tests/", ".csv"),
    ("evals/", ".jsonl"),
];

/// Which files there are, how large and how old: differs when something was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp(BTreeMap<String, (u64, Option<SystemTime>)>);

/// The files of a pack: relative path to text. A source is stored as that map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Source {
    files: BTreeMap<String, String>,
    /// The files that lie in the folder and belong to no pack; not read.
    #[serde(skip)]
    others: BTreeSet<String>,
}

impl Source {
    pub fn new<P: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let files = files.into_iter().map(|(path, text)| (path.into(), text.into())).collect();
        Self { files, others: BTreeSet::new() }
    }

    /// Reads a folder; this is all the I/O there is.
    pub fn read(folder: &Path) -> Result<Self, Findings> {
        let mut report = Report::default();
        let mut source = Self::default();
        let whole = Place::default();
        let mut total = 0;
        for (path, size) in walk(folder, &mut report) {
            total += size;
            if !is_known(&path) {
                source.others.insert(path);
                continue;
            }
            if size > MAX_FILE_BYTES {
                report.error(&path, &whole, format!("larger than {MAX_FILE_BYTES} bytes"));
                continue;
            }
            if total > MAX_PACK_BYTES {
                let message = format!("with this file the pack is over {MAX_PACK_BYTES} bytes");
                report.error(&path, &whole, message);
                break;
            }
            match fs::read(folder.join(&path)).map(String::from_utf8) {
                Ok(Ok(text)) => {
                    source.files.insert(path, text);
                }
                Ok(Err(error)) => {
                    let at = end_of(error.as_bytes(), error.utf8_error().valid_up_to());
                    report.error(&path, &at, "not UTF-8 text; save the file as UTF-8");
                }
                Err(error) => report.error(&path, &whole, format!("cannot be read: {error}")),
            }
        }
        report.settle().map(|_| source)
    }

    /// The [`Stamp`] of a folder at present; cheap enough to ask each second. A folder that cannot
    /// be read has an empty stamp.
    pub fn stamp(folder: &Path) -> Stamp {
        let paths = walk(folder, &mut Report::default());
        let stamps = paths.into_iter().map(|(path, size)| {
            let changed = fs::metadata(folder.join(&path)).and_then(|meta| meta.modified()).ok();
            (path, (size, changed))
        });
        Stamp(stamps.collect())
    }

    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Every file in the order of its path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Only what an agent's behaviour follows from: no tests, evals or read-me.
    pub fn behaviour(&self) -> Self {
        let files = self.iter().filter(|(path, _)| is_behaviour(path));
        Self::new(files)
    }

    /// Names the behaviour: the first 16 hexadecimal digits of a SHA-256.
    pub fn version(&self) -> String {
        let mut hash = Sha256::new();
        for (path, text) in self.iter().filter(|(path, _)| is_behaviour(path)) {
            // The lengths keep two files from being taken for one.
            hash.update((path.len() as u64).to_le_bytes());
            hash.update(path);
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Files under a folder such as `prompts/`, by the rest of their path.
    pub(crate) fn under<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.iter().filter_map(move |(path, text)| Some((path.strip_prefix(folder)?, text)))
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(String::as_str)
    }
}

fn is_known(path: &str) -> bool {
    match path.split_once('/') {
        None => path == "README.md" || path.ends_with(".yaml"),
        Some(_) => FOLDERS
            .iter()
            .any(|(folder, end)| path.strip_prefix(folder).is_some_and(|name| name.ends_with(end))),
    }
}

fn is_behaviour(path: &str) -> bool {
    !path.starts_with("tests/") && !path.starts_with("evals/") && path != "README.md"
}

/// Every file below `root` with its size, except hidden ones, in the order of their paths.
fn walk(root: &Path, report: &mut Report) -> BTreeMap<String, u64> {
    let mut files = BTreeMap::new();
    let mut folders = vec![String::new()];
    let inside = fs::canonicalize(root).unwrap_or_default();
    while let Some(folder) = folders.pop() {
        let listed = fs::read_dir(root.join(&folder)).and_then(Iterator::collect);
        let listed: Vec<fs::DirEntry> = listed.unwrap_or_else(|error: io::Error| {
            let shown = if folder.is_empty() { root.display().to_string() } else { folder.clone() };
            report.error(&shown, &Place::default(), format!("cannot be read: {error}"));
            Vec::new()
        });
        for entry in listed {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let shown = format!("{folder}{}", name.display());
                report.error(&shown, &Place::default(), "its name is not UTF-8");
                continue;
            };
            let path = format!("{folder}{name}");
            if name.starts_with('.') || name.ends_with('~') {
                continue;
            }
            match stay(&inside, &entry.path()) {
                Err(message) => report.error(&path, &Place::default(), message),
                Ok(meta) if meta.is_dir() && entry.path().is_symlink() => {
                    let message = "a link to a folder; put the files themselves here";
                    report.error(&path, &Place::default(), message);
                }
                Ok(meta) if meta.is_dir() => folders.push(format!("{path}/")),
                Ok(_) if files.len() == MAX_FILES => {
                    let message = format!("a pack has at most {MAX_FILES} files");
                    report.error(&path, &Place::default(), message);
                    return files;
                }
                Ok(meta) if meta.is_file() => {
                    files.insert(path, meta.len());
                }
                Ok(_) => report.error(&path, &Place::default(), "not a file"),
            }
        }
    }
    files
}

/// The metadata of the file that `path` leads to, unless that is outside of the folder: a pack is
/// given to others, who would read there what is theirs alone.
fn stay(inside: &Path, path: &Path) -> Result<fs::Metadata, String> {
    let target = fs::canonicalize(path).map_err(|error| format!("cannot be read: {error}"))?;
    if !target.starts_with(inside) {
        return Err("a link that leads out of the pack".to_owned());
    }
    fs::metadata(&target).map_err(|error| format!("cannot be read: {error}"))
}

fn end_of(bytes: &[u8], len: usize) -> Place {
    let before = String::from_utf8_lossy(&bytes[..len]);
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    Place { line, column, ..Place::default() }
}
