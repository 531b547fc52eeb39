//! `avisar`: posts a line to one configured address outside.

use async_trait::async_trait;
use domain::{Caller, ToolError};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::egress::{Blocked, Outgoing};
use crate::{Egress, OutsideTool, Spec};

pub struct Notify {
    spec: Spec,
    egress: Egress,
    url: Url,
    idempotent: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "posted as it is; here it is the schema")]
struct Notice {
    #[schemars(length(min = 1, max = 4096))]
    texto: String,
}

impl Notify {
    /// `idempotent` says whether the address honours the `Idempotency-Key` header.
    pub fn new(egress: Egress, url: &str, idempotent: bool) -> Result<Self, Blocked> {
        let url = egress.check(url)?;
        let spec = Spec::of::<Notice>("avisar", "Tells the people of the shop something.");
        Ok(Self { spec, egress, url, idempotent })
    }
}

#[async_trait]
impl OutsideTool for Notify {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn idempotent(&self) -> bool {
        self.idempotent
    }

    async fn call(&self, _caller: &Caller, input: &Value, key: &str) -> Result<Value, ToolError> {
        let key = HeaderValue::from_str(key)
            .map_err(|_| ToolError::Refused("the key fits no header".to_owned()))?;
        let header = HeaderName::from_static("idempotency-key");
        let request = Outgoing {
            method: Method::POST,
            url: self.url.clone(),
            headers: HeaderMap::from_iter([(header, key)]),
            credentials: HeaderMap::new(),
            body: Some(input.clone()),
        };
        let status = self.egress.send(request).await?.status;
        match status {
            status if status.is_success() => Ok(json!({ "status": status.as_u16() })),
            // Refused by the address itself; anything in the 500s may have acted first.
            status if status.is_client_error() => {
                Err(ToolError::Refused(format!("the address answered {status}")))
            }
            status => Err(ToolError::Unknown(format!("the address answered {status}"))),
        }
    }
}
