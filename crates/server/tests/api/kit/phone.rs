//! The customers' phones: what they were sent, and what the provider says about it.

use std::sync::Mutex;

use async_trait::async_trait;
use channels::{Outgoing, Receipt, SendError, Sender};

/// Takes every message, unless told to refuse the next ones.
#[derive(Default)]
pub(crate) struct Phone {
    sent: Mutex<Vec<String>>,
    refusing: Mutex<Option<String>>,
}

impl Phone {
    /// The texts sent so far.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }

    /// Refuses with this reason from now on; none takes messages again.
    pub(crate) fn refuse(&self, reason: Option<&str>) {
        *self.refusing.lock().unwrap() = reason.map(str::to_owned);
    }
}

#[async_trait]
impl Sender for Phone {
    async fn send(&self, message: Outgoing<'_>) -> Result<Receipt, SendError> {
        if let Some(reason) = self.refusing.lock().unwrap().clone() {
            return Err(SendError::Refused { reason });
        }
        self.sent.lock().unwrap().push(message.text.reveal().clone());
        Ok(Receipt { provider_ref: None })
    }
}
