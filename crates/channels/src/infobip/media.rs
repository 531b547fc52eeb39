//! Files that customers sent, fetched from the address in Infobip's webhook.

use std::time::Duration;

use async_trait::async_trait;
use domain::Media;
use reqwest::header::AUTHORIZATION;
use secrecy::SecretString;

use crate::exchange::credentials;
use crate::media::{Download, FetchError, Incoming, MediaHosts, MediaSource, unreached};

/// The time from asking to the last byte; a download that takes longer is tried again.
const DOWNLOAD: Duration = Duration::from_secs(240);

pub struct InfobipMedia {
    pub api_key: SecretString,
    pub hosts: MediaHosts,
    /// Must follow no redirects and retry nothing: one call is one attempt.
    pub client: reqwest::Client,
}

#[async_trait]
impl MediaSource for InfobipMedia {
    async fn open(&self, file: &Media) -> Result<Box<dyn Incoming>, FetchError> {
        let nowhere = || FetchError::Refused("the file has no address".to_owned());
        let url = self.hosts.check(file.url.as_ref().ok_or_else(nowhere)?.reveal())?;
        let key = credentials("App", &self.api_key);
        let key = key.map_err(|error| FetchError::Refused(error.to_string()))?;
        let request = self.client.get(url).header(AUTHORIZATION, key).timeout(DOWNLOAD);
        Download::of(request.send().await.map_err(unreached)?)
    }
}
