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

/// From asking to the last byte: what takes longer is tried again.
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
        let id =
            file.id.as_deref().ok_or_else(|| FetchError::Refused("it has no id".to_owned()))?;
        let url = self.hosts.check(&self.find(id).await?)?;
        let token = credentials("Bearer", &self.account.access_token);
        let token = token.map_err(|error| FetchError::Refused(error.to_string()))?;
        let request = self.account.client.get(url).header(AUTHORIZATION, token).timeout(DOWNLOAD);
        Download::of(request.send().await.map_err(unreached)?)
    }
}

impl CloudMedia {
    /// Where the file is for the next five minutes.
    async fn find(&self, id: &str) -> Result<String, FetchError> {
        // An id is part of an address here: one that is more than an id would lead elsewhere.
        if id.is_empty()
            || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            || id.starts_with('.')
        {
            return Err(FetchError::Refused("its id is not in its form".to_owned()));
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
            // What Meta calls an object that does not exist, or no longer.
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
