//! Packs on disk and those that ship: found by folder or name, and made into agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::{Agent, FlowAgent, FormAgent};
use domain::Ticks;
use pack::files::{Component, Manifest};
use pack::{Finding, Findings, Pack, Source};

use crate::{HostError, built_in};

/// Where a pack was found.
#[derive(Clone, Debug)]
pub enum Place {
    Folder(PathBuf),
    BuiltIn(&'static str, Source),
}

/// The mistakes of a pack, each with the folder it lies in.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.lines())]
pub struct BadPack {
    pub folder: PathBuf,
    pub findings: Vec<Finding>,
}

impl BadPack {
    fn lines(&self) -> String {
        self.findings.iter().map(|one| line(&self.folder, one)).collect::<Vec<_>>().join("\n")
    }
}

/// A finding with a path that an editor can open.
pub fn line(folder: &Path, finding: &Finding) -> String {
    format!("{}", folder.join(finding.to_string()).display())
}

/// A name under the folder of packs, or a pack that ships.
pub fn find(name: &str, packs: &Path) -> Result<Place, HostError> {
    let folder = packs.join(name);
    if folder.join("pack.yaml").is_file() {
        return Ok(Place::Folder(folder));
    }
    if let Some((name, source)) = built_in::find(name) {
        return Ok(Place::BuiltIn(name, source));
    }
    let mut known = names(packs);
    let shipped = built_in::names().filter(|name| !known.iter().any(|one| one == name));
    known.extend(shipped.map(str::to_owned).collect::<Vec<_>>());
    Err(HostError::NoSuchPack { name: name.to_owned(), known })
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
pub struct Opened {
    pub source: Source,
    pub pack: Arc<Pack>,
    pub warnings: Vec<Finding>,
}

impl Place {
    pub fn source(&self) -> Result<Source, BadPack> {
        match self {
            Self::Folder(folder) => Source::read(folder).map_err(|found| self.bad(found)),
            Self::BuiltIn(_, source) => Ok(source.clone()),
        }
    }

    pub fn open(&self) -> Result<Opened, BadPack> {
        Opened::read(self.source()?).map_err(|found| self.bad(found))
    }

    pub fn folder(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.clone(),
            Self::BuiltIn(name, _) => PathBuf::from(name),
        }
    }

    fn bad(&self, findings: Findings) -> BadPack {
        BadPack { folder: self.folder(), findings: findings.into_vec() }
    }
}

/// The parts of an agent that a model helps, as the manifest names them.
pub fn components(manifest: &Manifest) -> Vec<(&'static str, &Component)> {
    let models = &manifest.models;
    let all = [
        ("detector", &models.detector),
        ("orchestrator", &models.orchestrator),
        ("writer", &models.writer),
        ("judge", &models.judge),
    ];
    all.into_iter().filter_map(|(name, component)| Some((name, component.as_ref()?))).collect()
}

/// The models that a part of an agent asks, the one it wants first.
pub fn chain(component: &Component) -> impl Iterator<Item = &str> {
    std::iter::once(&component.model).chain(&component.fallback).map(String::as_str)
}

impl Opened {
    /// Reads a pack from its text.
    pub fn read(source: Source) -> Result<Self, Findings> {
        let loaded = pack::read(&source)?;
        Ok(Self { source, pack: Arc::new(loaded.pack), warnings: loaded.warnings })
    }

    /// Makes a pack again of text that was kept; see [`pack::revive`].
    pub fn revive(source: Source) -> Result<Self, Findings> {
        let pack = pack::revive(&source)?;
        Ok(Self { source, pack: Arc::new(pack), warnings: Vec::new() })
    }

    /// The nodes that a path of its agent may have.
    pub fn nodes(&self) -> Vec<&'static str> {
        match &self.pack.agents[0].agent {
            pack::Agent::Form(_) => FormAgent::nodes(),
            pack::Agent::Flow(_) => FlowAgent::nodes(),
        }
    }

    /// The agent that answers, under the name channels know it by.
    pub fn agent(&self, name: &str, ticks: Arc<dyn Ticks>) -> Result<Arc<dyn Agent>, HostError> {
        let first = &self.pack.agents[0];
        let agent: Arc<dyn Agent> = match &first.agent {
            pack::Agent::Form(form) => {
                let pack = Arc::clone(&self.pack);
                Arc::new(FormAgent::new(name, pack, form, &self.source, ticks)?)
            }
            pack::Agent::Flow(spec) => {
                let pack = Arc::clone(&self.pack);
                Arc::new(FlowAgent::new(name, pack, spec, &self.source, ticks)?)
            }
        };
        Ok(agent)
    }
}
