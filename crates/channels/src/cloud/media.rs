//! Files that customers sent, fetched from the Cloud API: by their id, then from where it says.

use std::time::Duration;

use async_trait::async_trait;
use domain::Media;
use reqwest::header::AUTHORIZATION;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::WhatsappCloud;
use super::send::problem;
use crate::exchange::{TIMEOUT, credentials, read};
use crate::fields::{self, Raw};
use crate::media::{Download, FetchError, Incoming, MediaHosts, MediaSource, unreached};

/// The time from asking to the last byte; a download that takes longer is tried again.
const DOWNLOAD: Duration = Duration::from_secs(240);

pub struct CloudMedia {
    pub account: WhatsappCloud,
    pub hosts: MediaHosts,
}

#[derive(Deserialize)]
struct Found<'a> {
    #[serde(borrow)]
    url: Raw<'a>,
}

#[async_trait]
impl MediaSource for CloudMedia {
    async fn open(&self, file: &Media) -> Result<Box<dyn Incoming>, FetchError> {
        let id = file
            .id
            .as_deref()
            .ok_or_else(|| FetchError::Refused("the file has no id".to_owned()))?;
        let url = self.hosts.check(&self.find(id).await?)?;
        let token = credentials("Bearer", &self.account.access_token);
        let token = token.map_err(|error| FetchError::Refused(error.to_string()))?;
        let request = self.account.client.get(url).header(AUTHORIZATION, token).timeout(DOWNLOAD);
        Download::of(request.send().await.map_err(unreached)?)
    }
}

impl CloudMedia {
    /// The address of the file, good for the next five minutes.
    async fn find(&self, id: &str) -> Result<String, FetchError> {
        // An id becomes part of an address here, so anything beyond an id could lead elsewhere.
        if id.is_empty()
            || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            || id.starts_with('.')
        {
            return Err(FetchError::Refused(
                "the file's id has other signs than letters, digits, - _ and .".to_owned(),
            ));
        }
        let WhatsappCloud { api_version, phone_number_id, client, .. } = &self.account;
        let base = self.account.api_base.trim_end_matches('/');
        let token = credentials("Bearer", &self.account.access_token);
        let token = token.map_err(|error| FetchError::Refused(error.to_string()))?;
        let address = format!("{base}/{api_version}/{id}?phone_number_id={phone_number_id}");
        let request = client.get(address).header(AUTHORIZATION, token).timeout(TIMEOUT);
        let response = request.send().await.map_err(unreached)?;
        let status = response.status();
        let body = read(response).await.unwrap_or_default();
        if !status.is_success() {
            let problem = problem(&body);
            let told = format!("{}: {}", status.as_u16(), problem.told());
            // Meta's codes for an object that does not exist, or no longer.
            return Err(match problem.code {
                Some(100 | 33 | 131052) => FetchError::Gone(told),
                _ => FetchError::Failed(told),
            });
        }
        let raw: Result<&RawValue, _> = serde_json::from_slice(&body);
        let found = raw.ok().and_then(|raw| fields::object::<Found<'_>>(raw, "").ok());
        let url = found.and_then(|found| fields::string(found.url, "url").ok().flatten());
        url.ok_or_else(|| FetchError::Failed("the answer does not say where it is".to_owned()))
    }
}
