//! Packs on disk and the one that ships: found by folder or name, and made into agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::{Agent, FormAgent};
use anyhow::Result;
use domain::Ticks;
use pack::{Finding, Findings, Pack, Source};

use crate::args::WithConfig;
use crate::exit::Usage;

/// The pack that ships inside the binary, so that it answers in any folder.
pub(crate) const BUILT_IN: &str = "registro";

macro_rules! built_in {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../../packs/registro/", $path)))),*]
    };
}

const BUILT_IN_FILES: [(&str, &str); 8] = built_in![
    "pack.yaml",
    "form.yaml",
    "intents.yaml",
    "templates.yaml",
    "prompts/correccion.md",
    "prompts/fuera_de_tema.md",
    "prompts/gracias.md",
    "prompts/llm_intent.md",
];

/// Where a pack was found.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    BuiltIn,
}

/// The mistakes of a pack, each with the folder it lies in.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.lines())]
pub(crate) struct BadPack {
    pub(crate) folder: PathBuf,
    pub(crate) findings: Vec<Finding>,
}

impl BadPack {
    fn lines(&self) -> String {
        self.findings.iter().map(|one| line(&self.folder, one)).collect::<Vec<_>>().join("\n")
    }
}

/// A finding with a path that an editor can open.
pub(crate) fn line(folder: &Path, finding: &Finding) -> String {
    format!("{}", folder.join(finding.to_string()).display())
}

/// As a person names a pack on the command line.
pub(crate) fn named(name: &str, config: &WithConfig) -> Result<Place> {
    // A folder needs no configuration, and must not trip over a broken one.
    if Path::new(name).join("pack.yaml").is_file() {
        return Ok(Place::Folder(name.into()));
    }
    find(name, &crate::wiring::load(config)?.packs)
}

/// A name under the folder of packs, or the pack that ships.
pub(crate) fn find(name: &str, packs: &Path) -> Result<Place> {
    let folder = packs.join(name);
    if folder.join("pack.yaml").is_file() {
        return Ok(Place::Folder(folder));
    }
    if name == BUILT_IN {
        return Ok(Place::BuiltIn);
    }
    let mut known = names(packs);
    if !known.iter().any(|one| one == BUILT_IN) {
        known.push(BUILT_IN.to_owned());
    }
    let mistake = format!(
        "there is no pack `{name}`: it is neither a folder with a pack.yaml nor one of {}",
        known.join(", ")
    );
    Err(Usage(mistake).into())
}

/// The packs in a folder.
fn names(packs: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(packs).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().join("pack.yaml").is_file());
    let mut names: Vec<_> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// A pack that was read, with what it was read from.
pub(crate) struct Opened {
    pub(crate) source: Source,
    pub(crate) pack: Arc<Pack>,
    pub(crate) warnings: Vec<Finding>,
}

impl Place {
    pub(crate) fn source(&self) -> Result<Source, BadPack> {
        match self {
            Self::Folder(folder) => Source::read(folder).map_err(|found| self.bad(found)),
            Self::BuiltIn => Ok(Source::new(BUILT_IN_FILES)),
        }
    }

    pub(crate) fn open(&self) -> Result<Opened, BadPack> {
        let source = self.source()?;
        let loaded = pack::read(&source).map_err(|found| self.bad(found))?;
        Ok(Opened { source, pack: Arc::new(loaded.pack), warnings: loaded.warnings })
    }

    pub(crate) fn folder(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.clone(),
            Self::BuiltIn => PathBuf::from(BUILT_IN),
        }
    }

    fn bad(&self, findings: Findings) -> BadPack {
        BadPack { folder: self.folder(), findings: findings.into_vec() }
    }
}

impl Opened {
    /// The agent that answers, under the name channels know it by.
    pub(crate) fn agent(&self, name: &str, ticks: Arc<dyn Ticks>) -> Result<Arc<dyn Agent>> {
        let first = &self.pack.agents[0];
        let agent: Arc<dyn Agent> = match &first.agent {
            pack::Agent::Form(form) => {
                let pack = Arc::clone(&self.pack);
                Arc::new(FormAgent::new(name, pack, form, &self.source, ticks)?)
            }
        };
        Ok(agent)
    }
}
