//! `avisar`: posts a line to one configured address outside.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{CallError, OutsideTool};

const TIMEOUT: Duration = Duration::from_secs(10);

pub struct Notify {
    pub client: reqwest::Client,
    pub url: String,
    /// Whether that address honours the `Idempotency-Key` header.
    pub idempotent: bool,
}

#[async_trait]
impl OutsideTool for Notify {
    fn name(&self) -> &'static str {
        "avisar"
    }

    fn idempotent(&self) -> bool {
        self.idempotent
    }

    async fn call(&self, input: &Value, key: &str) -> Result<Value, CallError> {
        let request = self.client.post(&self.url).timeout(TIMEOUT);
        let sent = request.header("Idempotency-Key", key).json(input).send().await;
        match sent {
            Ok(response) if response.status().is_success() => {
                Ok(json!({ "status": response.status().as_u16() }))
            }
            // Refused by the address itself; anything in the 500s may have acted first.
            Ok(response) if response.status().is_client_error() => {
                Err(CallError::Refused(format!("the address answered {}", response.status())))
            }
            Ok(response) => {
                Err(CallError::Unknown(format!("the address answered {}", response.status())))
            }
            Err(error) if error.is_connect() => {
                Err(CallError::Refused("nobody answers at the address".to_owned()))
            }
            Err(error) if error.is_timeout() => {
                Err(CallError::Unknown("the address did not answer in time".to_owned()))
            }
            Err(_) => Err(CallError::Unknown("the connection broke".to_owned())),
        }
    }
}
