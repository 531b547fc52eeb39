//! Looks at the account behind a channel: whether its token opens its number.

use reqwest::header::AUTHORIZATION;
use serde::Deserialize;
use thiserror::Error;

use super::WhatsappCloud;
use super::send::problem;
use crate::exchange::{TIMEOUT, because, credentials, read, unanswered};

const FIELDS: &str = "display_phone_number,verified_name,quality_rating";

/// Meta's record of the number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Account {
    pub display_phone_number: Option<String>,
    pub verified_name: Option<String>,
    pub quality_rating: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccountError {
    /// Meta answered and refused.
    #[error("{0}")]
    Refused(String),
    /// Meta could not be asked.
    #[error("{0}")]
    Unreachable(String),
}

impl WhatsappCloud {
    /// Asks for the number with the token; nothing is changed.
    pub async fn account(&self) -> Result<Account, AccountError> {
        let unreachable = |error: crate::SendError| AccountError::Unreachable(error.to_string());
        let token = credentials("Bearer", &self.access_token).map_err(unreachable)?;
        let (base, version) = (self.api_base.trim_end_matches('/'), &self.api_version);
        let response = self
            .client
            .get(format!("{base}/{version}/{}?fields={FIELDS}", self.phone_number_id))
            .header(AUTHORIZATION, token)
            .timeout(TIMEOUT)
            .send()
            .await
            .map_err(|error| unreachable(unanswered(error)))?;
        let status = response.status();
        let body = read(response).await.unwrap_or_default();
        if !status.is_success() {
            return Err(AccountError::Refused(because(status, &problem(&body).told(), "")));
        }
        let odd = |_| AccountError::Refused("the answer is not Meta's; check api_base".to_owned());
        serde_json::from_slice(&body).map_err(odd)
    }
}
