//! Why a host does not open.

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use agents::AgentError;
use llm::{PriceError, TapeError};
use shop::OpeningError;
use store::StoreError;
use thiserror::Error;
use tools::RegistryError;
use tools::egress::{Blocked, SetupError};
use tools::http::DeclarationError;

use crate::packs::BadPack;

#[derive(Debug, Error)]
pub enum HostError {
    #[error(
        "there is no pack `{name}`: it is neither a folder with a pack.yaml nor one of {}",
        .known.join(", ")
    )]
    NoSuchPack { name: String, known: Vec<String> },
    #[error(transparent)]
    BadPack(#[from] BadPack),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error("the tools of the pack `{pack}`")]
    PackTools { pack: String, source: Box<HostError> },
    /// Systems and servers that a pack calls and the configuration does not name, each with its fix.
    #[error("{}", .0.join("\n"))]
    Unnamed(Vec<String>),
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    #[error(
        "an address at home, or without TLS, is called where the system has `allow_private: true` \
         or `egress: allow:` names its host"
    )]
    PrivateSystem(#[source] DeclarationError),
    #[error("the address of `notify` cannot be called")]
    Notify(#[source] Blocked),
    #[error(transparent)]
    Egress(#[from] SetupError),
    #[error("the provider `{id}`")]
    Provider { id: String, source: Box<HostError> },
    #[error("the provider `{id}`: cannot record to {}", tape.display())]
    Tape { id: String, tape: PathBuf, source: io::Error },
    #[error("{0}")]
    Script(String),
    #[error(transparent)]
    Replay(#[from] TapeError),
    #[error("cannot read the prices in {}", file.display())]
    PricesFile { file: PathBuf, source: io::Error },
    #[error("{}", file.display())]
    Prices { file: PathBuf, source: PriceError },
    #[error(transparent)]
    BuiltInPrices(#[from] PriceError),
    #[error("cannot set up outbound HTTP")]
    Client(#[source] reqwest::Error),
    #[error("cannot {doing} {}", path.display())]
    Lock { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "another `recado serve` runs on {}: stop it first, or use PostgreSQL for several nodes on \
         one database",
        .0.display()
    )]
    AlreadyServed(PathBuf),
    #[error("the workspace `{slug}`")]
    Workspace { slug: String, source: Box<HostError> },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Shop(#[from] OpeningError),
}

/// An error and what caused it, on one line.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
