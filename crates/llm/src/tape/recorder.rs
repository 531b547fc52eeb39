//! Records the requests to a provider and its answers.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use domain::ModelReply;

use super::Exchange;
use crate::provider::{Ask, Events, Provider};
use crate::{CallFailure, FailureKind};

/// A provider whose every exchange is on disk before it is answered.
pub struct Recorder {
    inner: Arc<dyn Provider>,
    file: Arc<Mutex<File>>,
}

impl Recorder {
    /// Appends to the file; creates it if there is none.
    pub fn new(inner: Arc<dyn Provider>, path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { inner, file: Arc::new(Mutex::new(file)) })
    }

    async fn write(&self, exchange: &Exchange) -> io::Result<()> {
        let mut line = serde_json::to_string(exchange)?;
        line.push('\n');
        let file = Arc::clone(&self.file);
        let write = move || {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other)?
    }
}

#[async_trait]
impl Provider for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let result = self.inner.call(ask, events).await;
        let exchange = Exchange {
            component: ask.component.to_owned(),
            model: ask.model.to_owned(),
            request: ask.request.clone(),
            outcome: result.clone().into(),
        };
        match self.write(&exchange).await {
            Ok(()) => result,
            // The failure to record fails the call, because a tape with a hole would replay into
            // another conversation.
            Err(error) => {
                let usage = result.map_or_else(|failure| failure.usage, |reply| reply.usage);
                let message = format!("the exchange could not be recorded: {error}");
                Err(CallFailure::new(FailureKind::NotRecorded, message).paid(usage))
            }
        }
    }
}
