//! The one outbound HTTP client.

use std::time::Duration;

use anyhow::{Context, Result};

/// Follows no redirects: a channel's key goes to the channel's host alone. Retries nothing: each
/// call has one owner who decides that.
#[expect(clippy::disallowed_methods, reason = "everyone else is given this client")]
pub(crate) fn client() -> Result<reqwest::Client> {
    // A second call finds it installed, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(Duration::from_secs(5))
        .pool_max_idle_per_host(64)
        .tcp_nodelay(true)
        .build()
        .context("cannot set up outbound HTTP")
}
