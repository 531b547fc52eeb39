//! Packs, whole and broken, and everything that is found in them.

mod cases;
mod documented;
mod expressions;
mod flows;
mod folder;
mod kept;
mod mistakes;
mod named;
mod page;
mod rendering;
mod schemas;
mod scripts;
mod shipped;

use std::path::{Path, PathBuf};

use pack::{Pack, Source};

/// A small complete pack.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/visita")
}

fn source() -> Source {
    Source::read(&folder()).unwrap_or_else(|findings| panic!("{findings}"))
}

/// A small complete pack whose agent is a flow.
fn pedido() -> Source {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/pedido");
    Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"))
}

fn good() -> Pack {
    pack::read(&source()).unwrap_or_else(|findings| panic!("{findings}")).pack
}

/// The pack with one text in one file replaced; the file goes if `old` is `*` and `new` is empty.
#[track_caller]
fn broken(changes: &[(&str, &str, &str)]) -> Source {
    changed(&source(), changes)
}

#[track_caller]
fn changed(source: &Source, changes: &[(&str, &str, &str)]) -> Source {
    let mut files: Vec<(String, String)> =
        source.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    for (path, old, new) in changes {
        match (files.iter().position(|(name, _)| name == path), *old) {
            (Some(index), "*") if new.is_empty() => {
                files.remove(index);
            }
            (Some(index), "*") => (*new).clone_into(&mut files[index].1),
            (Some(index), old) => {
                let text = &mut files[index].1;
                assert_eq!(text.matches(old).count(), 1, "{old} in {path}");
                *text = text.replacen(old, new, 1);
            }
            (None, _) => files.push(((*path).to_owned(), (*new).to_owned())),
        }
    }
    Source::new(files)
}

/// The findings, as they are printed.
fn findings(source: &Source) -> String {
    match pack::read(source) {
        Ok(loaded) => {
            loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
        Err(findings) => findings.to_string(),
    }
}
