//! The tools of an agent: the engine's own, and those its pack declares on what is configured.

mod http;
mod server;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::Config;
use domain::Rate;
use pack::files::{RateLimit, ToolClass, Tools};
use tools::egress::{SystemLookup, host_of};
use tools::http::{System, SystemSettings};
use tools::{Class, Egress, Notify, Registry, Vouched};

use http::StandIn;
use server::{Chosen, Server};

use crate::HostError;

/// The treatment of a system or server that the configuration does not name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Naming it is a mistake to be mended.
    Refuse,
    /// Tools of such a system are there and refuse every call.
    StandIn,
}

pub struct Toolbox {
    own: Registry,
    systems: BTreeMap<String, Arc<System>>,
    servers: BTreeMap<String, Arc<Server>>,
}

impl Toolbox {
    /// Reaches nothing outside: for conversations that are tried out.
    pub fn indoors() -> Self {
        Self { own: Registry::builtin(), systems: BTreeMap::new(), servers: BTreeMap::new() }
    }

    /// Begins to reach the MCP servers, each in the background: one that is away holds nothing up.
    pub fn configured(config: &Config) -> Result<Self, HostError> {
        let mut toolbox = Self::indoors();
        if let Some(notify) = &config.notify {
            // The configuration names this address, so it may be at home.
            let egress = Egress::client(host_of(&notify.url), Arc::new(SystemLookup))?;
            let notify =
                Notify::new(egress, &notify.url, notify.idempotent).map_err(HostError::Notify)?;
            toolbox.own.add_outside(notify)?;
        }
        for system in &config.systems {
            let made = System::new(&settings(system, config), Arc::new(SystemLookup))
                .map_err(HostError::PrivateSystem)?;
            toolbox.systems.insert(system.id.clone(), Arc::new(made));
        }
        for server in &config.mcp {
            let reached = Server::reach(server, &config.egress)?;
            toolbox.servers.insert(server.id.clone(), Arc::new(reached));
        }
        Ok(toolbox)
    }

    /// The engine's own tools.
    pub fn own(&self) -> Registry {
        self.own.clone()
    }

    /// The tools of a pack: the engine's, held as the pack says, and its own.
    pub fn registry(&self, declared: &Tools, missing: Missing) -> Result<Registry, HostError> {
        let systems = self.systems.keys().map(String::as_str).collect();
        let servers = self.servers.keys().map(String::as_str).collect();
        let unnamed = unnamed(declared, &systems, &servers);
        if missing == Missing::Refuse && !unnamed.is_empty() {
            return Err(HostError::Unnamed(unnamed));
        }
        let mut registry = self.own();
        for entry in &declared.tools {
            // A tool that is not configured here cannot be held, and cannot be called either.
            if registry.get(&entry.name).is_some() {
                let (class, limit) = (entry.class.map(class), entry.limit.map(limit));
                registry.hold(&entry.name, class, limit, entry.needs_yes)?;
            }
        }
        for entry in &declared.http {
            match self.systems.get(&entry.system) {
                Some(system) => registry.add_outside(http::tool(entry, system)?)?,
                None => registry.add_outside(StandIn(http::spec(entry)))?,
            }
        }
        self.add_servers(&mut registry, declared)?;
        Ok(registry)
    }

    fn add_servers(&self, registry: &mut Registry, declared: &Tools) -> Result<(), HostError> {
        let mut by_server: BTreeMap<&str, BTreeMap<String, Vouched>> = BTreeMap::new();
        for entry in &declared.mcp {
            let named = |tool: &String| {
                let (safe, idempotent) =
                    (entry.safe.contains(tool), entry.idempotent.contains(tool));
                (format!("{}.{tool}", entry.server), Vouched { safe, idempotent })
            };
            by_server.entry(&entry.server).or_default().extend(entry.tools.iter().map(named));
        }
        for (id, names) in by_server {
            match self.servers.get(id) {
                Some(server) => {
                    registry.add_source(Arc::new(Chosen { server: Arc::clone(server), names }))?;
                }
                None => {
                    for name in names.into_keys() {
                        registry.add_outside(StandIn(server::spec(name)))?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn settings(system: &config::System, config: &Config) -> SystemSettings {
    let headers = system.headers.iter();
    SystemSettings {
        id: system.id.clone(),
        base_url: system.base_url.to_string(),
        headers: headers.map(|header| (header.name.clone(), header.value.clone())).collect(),
        allow_private: system.allow_private || allowed(&system.base_url, &config.egress).is_some(),
    }
}

/// The host of an address, if the configuration lets it be private.
fn allowed(address: &str, listed: &[String]) -> Option<String> {
    let plain = |host: &str| host.trim_matches(['[', ']', '.']).to_ascii_lowercase();
    host_of(address).filter(|host| listed.iter().any(|listed| plain(listed) == plain(host)))
}

/// The systems and servers that a pack names and the configuration does not, each with what to do.
pub fn unnamed(
    declared: &Tools,
    systems: &BTreeSet<&str>,
    servers: &BTreeSet<&str>,
) -> Vec<String> {
    let http = declared.http.iter().filter(|entry| !systems.contains(entry.system.as_str()));
    let http = http.map(|entry| {
        let (tool, system) = (&entry.name, &entry.system);
        format!(
            "`{tool}` calls the system `{system}`, which the configuration does not name: add it \
             under `systems:` with its base_url"
        )
    });
    let mcp = declared.mcp.iter().filter(|entry| !servers.contains(entry.server.as_str()));
    let mcp = mcp.map(|entry| {
        let server = &entry.server;
        format!(
            "`{server}` is an MCP server that the configuration does not name: add it under \
             `mcp:` with its url or command"
        )
    });
    http.chain(mcp).collect()
}

fn class(class: ToolClass) -> Class {
    match class {
        ToolClass::Safe => Class::Safe,
        ToolClass::Suggest => Class::Suggest,
        ToolClass::Execute => Class::Execute,
        ToolClass::Bulk => Class::Bulk,
    }
}

fn limit(limit: RateLimit) -> Rate {
    Rate { count: limit.count, per: http::length(limit.per) }
}
