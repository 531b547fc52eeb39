//! Runs every rule over the repository and gathers all that is wrong with it.

mod dependencies;
mod manifest;
mod mentions;
mod sources;
mod tree;

use std::fmt;
use std::io;
use std::path::Path;

use manifest::Manifest;

/// Where a rule is broken, in the form that editors and terminals make clickable.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Problem {
    fn new(file: &str, line: usize, text: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// All problems at once: whoever mends them should not have to run this once per problem.
pub(crate) fn problems(root: &Path) -> io::Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut manifests = Vec::new();
    for file in tree::texts(root, &["crates", "bench", "packs"])? {
        problems.extend(sources::check(&file.path, &file.text));
        if file.path.ends_with("/Cargo.toml") {
            manifests.push(Manifest::parse(&file.path, &file.text));
        }
    }
    problems.extend(dependencies::check(&manifests));
    for page in ["ARCHITECTURE.md", "README.md"] {
        match std::fs::read_to_string(root.join(page)) {
            Ok(text) => {
                problems.extend(mentions::check(page, &text, |path| root.join(path).exists()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                problems.push(Problem::new(page, 1, "is missing"));
            }
            Err(error) => return Err(error),
        }
    }
    problems.sort();
    Ok(problems)
}
