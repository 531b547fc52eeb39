//! Finds the text files of the repository's directories.

use std::fs;
use std::io;
use std::path::Path;

/// A text file, by its path from the root.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Reads all text files below the directories that exist; files that are not UTF-8 are skipped.
pub(crate) fn texts(root: &Path, directories: &[&str]) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for directory in directories {
        if root.join(directory).is_dir() {
            descend(root, directory, &mut files)?;
        }
    }
    Ok(files)
}

fn descend(root: &Path, directory: &str, files: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(directory))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{directory}/{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && name != "target" && name != "node_modules" {
            descend(root, &path, files)?;
        } else if kind.is_file()
            && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
        {
            files.push(File { path, text });
        }
    }
    Ok(())
}
