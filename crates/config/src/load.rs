//! Finds the file, and takes its bytes and the environment to a [`Config`] or to every mistake.

use std::io;
use std::path::{Path, PathBuf};

use crate::mistakes::Mistakes;
use crate::read::{default_channels, read};
use crate::schema::ROOT;
use crate::tree::{Node, Origin, Value, parse};
use crate::validate::Validator;
use crate::{Config, ConfigErrors, Environment, overrides};

/// The file that is read if none is named, from the current folder.
pub const DEFAULT_FILE: &str = "recado.yaml";

/// The most bytes of a configuration; a larger file was named by mistake.
const MAX_BYTES: usize = 1024 * 1024;

/// Reads `path`, or [`DEFAULT_FILE`] if it exists, or else only defaults, each with the `RECADO_…`
/// variables of `env` laid over. Relative paths in the file are relative to the current folder.
pub fn load(path: Option<&Path>, env: &Environment) -> Result<Config, ConfigErrors> {
    let file = path.unwrap_or(Path::new(DEFAULT_FILE));
    let shown = file.display().to_string();
    let mut mistakes = Mistakes::default();
    let config = match find(file, path.is_some()) {
        Err((at, message)) => {
            mistakes.add(&at, message);
            None
        }
        Ok((root, source)) => Some(build(root, source, env, &mut mistakes)),
    };
    match config {
        Some(config) if mistakes.is_empty() => Ok(config),
        _ => Err(mistakes.into_errors(&shown)),
    }
}

/// The file's tree and, if there is a file, its path.
fn find(file: &Path, must_exist: bool) -> Result<(Node, Option<PathBuf>), (Origin, String)> {
    match std::fs::read(file) {
        Ok(bytes) => Ok((document(&bytes)?, Some(file.to_owned()))),
        Err(error) if !must_exist && error.kind() == io::ErrorKind::NotFound => {
            Ok((Node::group(Vec::new(), Origin::Default), None))
        }
        Err(error) => Err((Origin::WholeFile, format!("cannot read the configuration: {error}"))),
    }
}

fn build(
    mut root: Node,
    source: Option<PathBuf>,
    env: &Environment,
    mistakes: &mut Mistakes,
) -> Config {
    if root.get("channels").is_none()
        && let Value::Group(entries) = &mut root.value
    {
        entries.retain(|entry| entry.key != "channels");
        entries.push(default_channels());
    }
    overrides::apply(&mut root, env, mistakes);
    if let Value::Group(entries) = root.value {
        root.value = Validator { env, mistakes }.group(entries, ROOT);
    }
    read(&root, source, mistakes)
}

/// The file as a group of keys; an empty file is an empty group.
fn document(bytes: &[u8]) -> Result<Node, (Origin, String)> {
    if bytes.len() > MAX_BYTES {
        return Err((
            Origin::WholeFile,
            format!("the file is larger than {MAX_BYTES} bytes; name the configuration"),
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = before.matches('\n').count() as u64 + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
        (Origin::File { line, column }, "not UTF-8 text".to_owned())
    })?;
    let node = parse(text)?;
    match node.value {
        Value::Group(_) => Ok(node),
        Value::Null => Ok(Node::group(Vec::new(), node.at)),
        value => {
            let found = value.describe();
            Err((node.at, format!("the file is a group of keys, as in `listen: …`, not {found}")))
        }
    }
}
