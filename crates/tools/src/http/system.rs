//! A business's own system: where it is, and what opens it.

use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use super::DeclarationError;
use crate::Egress;
use crate::egress::{Lookup, host_of};

/// A system as the configuration gives it.
#[derive(Clone, Debug)]
pub struct SystemSettings {
    pub id: String,
    pub base_url: String,
    pub headers: Vec<(String, SecretString)>,
    /// Whether it may be on the business's own network, and speak http there.
    pub allow_private: bool,
}

/// Ready to be called; its client reaches no other system's private host.
pub struct System {
    pub(super) base: Url,
    pub(super) credentials: HeaderMap,
    pub(super) egress: Egress,
}

impl System {
    pub fn new(
        settings: &SystemSettings,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, DeclarationError> {
        let allowed = host_of(&settings.base_url).filter(|_| settings.allow_private);
        let egress = Egress::client(allowed, lookup)?;
        let base = egress
            .check(&settings.base_url)
            .map_err(|reason| DeclarationError::Address { id: settings.id.clone(), reason })?;
        let credentials = settings.headers.iter().map(|(name, value)| header(name, value));
        Ok(Self { base, credentials: credentials.collect::<Result<_, _>>()?, egress })
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("System").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

pub(crate) fn header(
    name: &str,
    value: &SecretString,
) -> Result<(HeaderName, HeaderValue), DeclarationError> {
    let wrong = || DeclarationError::Header(name.to_owned());
    let read = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
    let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| wrong())?;
    value.set_sensitive(true);
    Ok((read, value))
}
