//! Packs as a person names them on the command line.

use std::path::Path;

use anyhow::Result;
use host::packs::{Place, find};

use crate::args::WithConfig;

/// A folder with a pack in it, or a name that the configuration's folder or the binary knows.
pub(crate) fn named(name: &str, config: &WithConfig) -> Result<Place> {
    // A folder needs no configuration, and must not trip over a broken one.
    if Path::new(name).join("pack.yaml").is_file() {
        return Ok(Place::Folder(name.into()));
    }
    Ok(find(name, &crate::wiring::load(config)?.packs)?)
}
