//! Runs every rule over the repository and gathers all that is wrong with it.

mod dependencies;
mod manifest;
mod mentions;
mod prose;
mod sources;

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

/// All problems at once, so that nobody has to run this once per problem.
pub(crate) fn problems(root: &Path) -> io::Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut manifests = Vec::new();
    let files = crate::tree::texts(root, &["crates", "bench", "packs"])?;
    for file in &files {
        problems.extend(sources::check(&file.path, &file.text));
        if file.path.ends_with("/Cargo.toml") {
            manifests.push(Manifest::parse(&file.path, &file.text));
        }
    }
    problems.extend(prose::check(&files));
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
