//! The way out: the one HTTP client of tools, which reaches public addresses and the hosts that
//! the configuration names, and nothing else.

mod address;
mod place;
mod resolve;
mod send;

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use thiserror::Error;

pub use address::is_public;
pub use resolve::{Lookup, SystemLookup};
pub use send::{Answer, Outgoing, SendError};

use resolve::Guarded;

/// Why an address is not called.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Blocked {
    #[error("that is no address")]
    NotAnAddress,
    #[error("only https is called, and http where the configuration names the host")]
    Scheme,
    #[error("an address carries no user or password")]
    Credentials,
    #[error("`{0}` is not on the public internet")]
    NotPublic(String),
}

#[derive(Debug, Error)]
#[error("cannot set up outbound HTTP: {0}")]
pub struct SetupError(#[source] reqwest::Error);

/// Addresses are checked where they are connected to, so what a name means may change between a
/// check and its use without a way in.
#[derive(Clone)]
pub struct Egress {
    client: reqwest::Client,
    /// Hosts that the configuration names: they may be private, and may speak http.
    allowed: Arc<BTreeSet<String>>,
}

impl Egress {
    /// Each client has hosts of its own: what one system is allowed is not open to another.
    #[expect(clippy::disallowed_methods, reason = "every tool is given this client")]
    pub fn client<H: Into<String>>(
        allowed: impl IntoIterator<Item = H>,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, SetupError> {
        let named = |host: H| place::plain(&host.into());
        let allowed: Arc<BTreeSet<_>> = Arc::new(allowed.into_iter().map(named).collect());
        // A second call finds it installed, which is all that is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // Redirects and retries are ours: both need to know what was sent where. No connection is
        // kept: one that ended meanwhile would leave an ambiguous call that never arrived.
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .pool_max_idle_per_host(0)
            .referer(false)
            .connect_timeout(Duration::from_secs(5))
            .tcp_nodelay(true)
            .dns_resolver(Guarded { allowed: Arc::clone(&allowed), lookup })
            .build()
            .map_err(SetupError)?;
        Ok(Self { client, allowed })
    }

    /// Reads an address that may be called. A name is checked again, by what it means, when it is
    /// connected to.
    pub fn check(&self, address: &str) -> Result<Url, Blocked> {
        place::check(address, &self.allowed)
    }

    /// For a library that makes its own requests to addresses that were checked.
    pub(crate) fn for_checked(&self) -> reqwest::Client {
        self.client.clone()
    }
}

/// The host of an address, to be allowed by name.
pub fn host_of(address: &str) -> Option<String> {
    Some(Url::parse(address).ok()?.host_str()?.to_owned())
}

/// The rule of ours that blocked a request, if one did.
fn blocked(error: &(dyn Error + 'static)) -> Option<Blocked> {
    std::iter::successors(Some(error), |error| (*error).source())
        .find_map(|error| error.downcast_ref::<Blocked>().cloned())
}
