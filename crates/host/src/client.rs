//! The one outbound HTTP client.

use std::time::Duration;

use crate::HostError;

/// Follows no redirects: a channel's key goes to the channel's host alone. Retries nothing: each
/// call has one owner who decides that.
#[expect(clippy::disallowed_methods, reason = "everyone else is given this client")]
pub fn client() -> Result<reqwest::Client, HostError> {
    // A second call finds it installed, which is all that is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(Duration::from_secs(5))
        .pool_max_idle_per_host(64)
        .tcp_nodelay(true)
        .build()
        .map_err(HostError::Client)
}
