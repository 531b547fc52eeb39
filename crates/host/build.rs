//! Lists the files of the packs that ship inside the binary, so that none can be forgotten.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folders and files of a pack from which no behaviour follows.
const LEFT_OUT: [&str; 3] = ["tests", "evals", "README.md"];

fn main() -> io::Result<()> {
    let packs = told("CARGO_MANIFEST_DIR")?.join("../../packs");
    println!("cargo::rerun-if-changed={}", packs.display());
    let mut list = String::from("&[\n");
    for folder in entries(&packs)?.iter().filter(|folder| folder.join("pack.yaml").is_file()) {
        let mut files = Vec::new();
        gather(folder, folder, &mut files)?;
        let name = name(folder);
        // Writing to a string cannot fail.
        let _ = writeln!(list, "Shipped {{ name: {name:?}, files: &[");
        for (path, file) in files {
            let _ = writeln!(list, "({path:?}, include_str!({:?})),", file.display().to_string());
        }
        list.push_str("] },\n");
    }
    list.push(']');
    fs::write(told("OUT_DIR")?.join("shipped.rs"), list)
}

/// A folder that cargo tells this run. A folder known when this was compiled may be another clone's,
/// which built into the same target folder.
#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folders so")]
fn told(variable: &str) -> io::Result<PathBuf> {
    std::env::var(variable).map(PathBuf::from).map_err(io::Error::other)
}

/// The files of a pack by their paths inside it.
fn gather(pack: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in entries(folder)? {
        let name = name(&entry);
        if name.starts_with('.') || folder == pack && LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        if entry.is_dir() {
            gather(pack, &entry, files)?;
        } else if let Ok(path) = entry.strip_prefix(pack) {
            files.push((path.to_string_lossy().replace('\\', "/"), fs::canonicalize(&entry)?));
        }
    }
    Ok(())
}

/// A folder's entries, in the order of their names.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable();
    Ok(entries)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
