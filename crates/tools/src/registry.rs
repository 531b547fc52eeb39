//! The tools there are, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::Rate;
use thiserror::Error;

use crate::{Class, Limits, LocalTool, Offered, OutsideTool, Spec, Tool, errands, local};

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RegistryError {
    #[error("`{0}` is no name for a tool: up to 64 letters, digits, `.`, `_` and `-`")]
    BadName(String),
    #[error("the input schema of `{name}` cannot be used: {reason}")]
    BadSchema { name: String, reason: String },
    #[error("there are two tools that a model would see as `{0}`")]
    Taken(String),
    #[error("there is no tool `{0}`")]
    NoSuchTool(String),
    #[error("`{0}` and another source of tools begin their names alike")]
    PrefixTaken(String),
}

/// Tools that come and go while the engine runs, such as those of a server. Their names begin with
/// the source's own, so that none can take the place of another tool.
pub trait Source: Send + Sync {
    /// All names begin with this and a dot.
    fn id(&self) -> &str;

    fn tools(&self) -> Vec<Offered>;
}

/// Tools by the name models see, and the limits they are called under.
#[derive(Clone, Default)]
pub struct Registry {
    /// Shared by all turns that call them.
    tools: Arc<BTreeMap<String, Offered>>,
    sources: Vec<Arc<dyn Source>>,
    limits: Arc<Limits>,
}

impl Registry {
    /// The tools on our own database, the shop's among them, and the turn's own acts.
    pub fn builtin() -> Self {
        let mut registry = Self::default();
        for tool in local::all().into_iter().chain(errands::all()) {
            registry.add(tool).expect("the built-in tools have names and schemas of their own");
        }
        registry
    }

    pub fn add_local(&mut self, tool: impl LocalTool + 'static) -> Result<(), RegistryError> {
        self.add(Tool::Local(Arc::new(tool)))
    }

    pub fn add_outside(&mut self, tool: impl OutsideTool + 'static) -> Result<(), RegistryError> {
        self.add(Tool::Outside(Arc::new(tool)))
    }

    pub fn add(&mut self, tool: Tool) -> Result<(), RegistryError> {
        self.insert(Offered::new(tool)?)
    }

    fn insert(&mut self, offered: Offered) -> Result<(), RegistryError> {
        let seen = seen(&offered.spec().name);
        let of_source = |source: &Arc<dyn Source>| seen.starts_with(&prefix(&**source));
        if self.tools.contains_key(&seen) || self.sources.iter().any(of_source) {
            return Err(RegistryError::Taken(seen));
        }
        Arc::make_mut(&mut self.tools).insert(seen, offered);
        Ok(())
    }

    pub fn add_source(&mut self, source: Arc<dyn Source>) -> Result<(), RegistryError> {
        let new = prefix(&*source);
        let alike = |old: String| old.starts_with(&new) || new.starts_with(&old);
        if self.sources.iter().any(|source| alike(prefix(&**source))) {
            return Err(RegistryError::PrefixTaken(source.id().to_owned()));
        }
        if let Some(name) = self.tools.keys().find(|name| name.starts_with(&new)) {
            return Err(RegistryError::Taken(name.clone()));
        }
        self.sources.push(source);
        Ok(())
    }

    /// These tools and the others; a name both have is an error. The limits are counted together.
    pub fn merged(&self, other: &Self) -> Result<Self, RegistryError> {
        let mut merged = self.clone();
        for offered in other.tools.values() {
            merged.insert(offered.clone())?;
        }
        for source in &other.sources {
            merged.add_source(Arc::clone(source))?;
        }
        Ok(merged)
    }

    /// Holds a tool tighter than it is, in this registry alone.
    pub fn hold(
        &mut self,
        name: &str,
        class: Option<Class>,
        limit: Option<Rate>,
        needs_yes: bool,
    ) -> Result<(), RegistryError> {
        let found = Arc::make_mut(&mut self.tools)
            .get_mut(&seen(name))
            .filter(|offered| offered.spec().name == name);
        let offered = found.ok_or_else(|| RegistryError::NoSuchTool(name.to_owned()))?;
        offered.hold(class, limit, needs_yes);
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<Offered> {
        let named = |offered: &Offered| offered.spec().name == name;
        if let Some(offered) = self.tools.get(&seen(name)).filter(|offered| named(offered)) {
            return Some(offered.clone());
        }
        let of_source = |source: &&Arc<dyn Source>| {
            name.strip_prefix(source.id()).is_some_and(|rest| rest.starts_with('.'))
        };
        self.sources.iter().find(of_source)?.tools().into_iter().find(named)
    }

    /// The specifications of all tools, by name.
    pub fn specs(&self) -> Vec<Arc<Spec>> {
        let own = self.tools.values().map(|offered| Arc::clone(offered.spec()));
        let sourced = self.sources.iter().flat_map(|source| source.tools());
        let mut specs: Vec<_> =
            own.chain(sourced.map(|offered| Arc::clone(offered.spec()))).collect();
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        specs
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// A name as models see it: they take no dots.
fn seen(name: &str) -> String {
    name.replace('.', "_")
}

fn prefix(source: &dyn Source) -> String {
    format!("{}_", seen(source.id()))
}
