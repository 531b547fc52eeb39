//! The port through which files come in, and the hosts they may be fetched from.

use async_trait::async_trait;
use bytes::Bytes;
use domain::Media;
use reqwest::{Response, StatusCode, Url};

/// The reason why a file did not come. No reason holds personal data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Nobody was reached.
    #[error("not reached: {0}")]
    Away(String),
    /// The provider answered, and counts it against the number.
    #[error("not given: {0}")]
    Failed(String),
    /// The provider does not have the file any more.
    #[error("gone: {0}")]
    Gone(String),
    /// The file may not be fetched from that address, or is too large.
    #[error("not fetched: {0}")]
    Refused(String),
}

/// A file on its way in.
#[async_trait]
pub trait Incoming: Send {
    /// The file's type by the provider's word.
    fn mime(&self) -> Option<String>;

    /// The next bytes; `None` at the end.
    async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError>;
}

/// A source of files. A call is one attempt, because retrying belongs to the job alone.
#[async_trait]
pub trait MediaSource: Send + Sync {
    async fn open(&self, file: &Media) -> Result<Box<dyn Incoming>, FetchError>;
}

/// The places from which a channel's files may be fetched: its own API, and the hosts from which
/// its provider serves files. The channel's key goes there and nowhere else.
#[derive(Clone, Debug)]
pub struct MediaHosts {
    pub api_base: String,
    /// Host names; names under them are meant too.
    pub hosts: Vec<String>,
}

impl MediaHosts {
    /// Checks an address from a webhook or an answer.
    pub(crate) fn check(&self, address: &str) -> Result<Url, FetchError> {
        let refused = |reason: &str| FetchError::Refused(reason.to_owned());
        let url = Url::parse(address).map_err(|_| refused("the file's address is no URL"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("the file's address carries a user or password"));
        }
        // Only the channel's own API may be on the local network or speak http.
        let own = Url::parse(&self.api_base).is_ok_and(|own| own.origin() == url.origin());
        if own {
            return Ok(url);
        }
        if url.scheme() != "https" || url.port().is_some() {
            return Err(refused("the file's address is not plain https"));
        }
        let Some(host) = url.domain() else {
            return Err(refused("the file's address names no host, only a number"));
        };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let under = |name: &String| {
            let name = name.to_ascii_lowercase();
            host == name || host.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.'))
        };
        if !self.hosts.iter().any(under) {
            return Err(refused("the file's host is not among the channel's media_hosts"));
        }
        Ok(url)
    }
}

/// A file as the body of an answer.
pub(crate) struct Download(Response);

impl Download {
    pub(crate) fn of(response: Response) -> Result<Box<dyn Incoming>, FetchError> {
        let status = response.status();
        let told = format!("the file was answered with {}", status.as_u16());
        match status {
            StatusCode::OK => Ok(Box::new(Self(response))),
            StatusCode::GONE => Err(FetchError::Gone(told)),
            // A redirect could lead anywhere, so it is not followed.
            _ if status.is_redirection() => Err(FetchError::Refused(told)),
            _ => Err(FetchError::Failed(told)),
        }
    }
}

#[async_trait]
impl Incoming for Download {
    fn mime(&self) -> Option<String> {
        let kind = self.0.headers().get(reqwest::header::CONTENT_TYPE)?.to_str().ok()?;
        Some(kind.to_owned())
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        self.0.chunk().await.map_err(|_| FetchError::Failed("the file broke off".to_owned()))
    }
}

pub(crate) fn unreached(error: reqwest::Error) -> FetchError {
    if error.is_connect() {
        FetchError::Away("nobody answers at the address".to_owned())
    } else {
        FetchError::Failed("no answer in time".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_fetched_from_the_channels_own_hosts_and_from_nowhere_else() {
        let hosts = MediaHosts {
            api_base: "http://127.0.0.1:9999/x".to_owned(),
            hosts: vec!["lookaside.fbsbx.com".to_owned(), "graph.facebook.com".to_owned()],
        };
        for fine in [
            "https://lookaside.fbsbx.com/whatsapp/1?mid=2",
            "https://LOOKASIDE.fbsbx.com/",
            "https://lookaside.fbsbx.com./",
            "https://a.lookaside.fbsbx.com/",
            "https://graph.facebook.com/v23.0/1",
            "http://127.0.0.1:9999/media/1",
        ] {
            assert!(hosts.check(fine).is_ok(), "{fine}");
        }
        for not in [
            "",
            "media/1",
            "http://lookaside.fbsbx.com/",
            "ftp://lookaside.fbsbx.com/",
            "file:///etc/passwd",
            "data:text/plain,hola",
            "https://lookaside.fbsbx.com:8443/",
            "https://evil.example/lookaside.fbsbx.com",
            "https://lookaside.fbsbx.com.evil.example/",
            "https://evillookaside.fbsbx.com/",
            "https://fbsbx.com/",
            "https://lookaside.fbsbx.com@evil.example/",
            "https://user:clave@lookaside.fbsbx.com/",
            "https://evil.example#@lookaside.fbsbx.com/",
            "https://evil.example\\@lookaside.fbsbx.com/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://metadata.google.internal/",
            "https://localhost/",
            "http://127.0.0.1:9998/media/1",
            "http://127.0.0.1/media/1",
            "https://127.0.0.1:9999/media/1",
            "http://user@127.0.0.1:9999/media/1",
            "http://localhost:9999/media/1",
        ] {
            let checked = hosts.check(not);
            assert!(matches!(checked, Err(FetchError::Refused(_))), "{not}: {checked:?}");
        }
    }
}
