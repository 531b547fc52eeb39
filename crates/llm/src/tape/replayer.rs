//! Answers from a tape, and explains how a request differs from the recorded ones.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use domain::ModelReply;
use serde_json::Value;

use super::{Exchange, Outcome, asked, diff, question};
use crate::provider::{Ask, Events, Provider, tell};
use crate::{CallFailure, FailureKind};

#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error("{path}: {error}", path = .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{path}:{line}: not a recorded exchange: {error}", path = .path.display())]
    BrokenLine { path: PathBuf, line: usize, error: serde_json::Error },
}

/// A provider that knows only its tape. Requests may come in any order, because turns run side by
/// side; a request that was recorded more than once is answered in the order of its recordings.
#[derive(Debug)]
pub struct Replayer {
    id: String,
    path: PathBuf,
    tape: Mutex<Vec<Recorded>>,
}

#[derive(Debug)]
struct Recorded {
    line: usize,
    question: Value,
    outcome: Outcome,
    used: bool,
}

impl Replayer {
    pub fn open(id: impl Into<String>, path: &Path) -> Result<Self, TapeError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| TapeError::Unreadable { path: path.to_owned(), error })?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let recorded = lines.map(|(place, line)| {
            let line_number = place + 1;
            Recorded::read(line_number, line).map_err(|error| TapeError::BrokenLine {
                path: path.to_owned(),
                line: line_number,
                error,
            })
        });
        let tape = Mutex::new(recorded.collect::<Result<_, _>>()?);
        Ok(Self { id: id.into(), path: path.to_owned(), tape })
    }

    /// The number of recorded exchanges that nobody has asked for yet.
    pub fn left(&self) -> usize {
        let tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.iter().filter(|recorded| !recorded.used).count()
    }

    fn answer(&self, question: &Value) -> Result<ModelReply, CallFailure> {
        let mut tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tape.iter_mut().find(|one| !one.used && one.question == *question);
        if let Some(recorded) = found {
            recorded.used = true;
            return recorded.outcome.clone().into();
        }
        let message = self.missing(&tape, question);
        Err(CallFailure::new(FailureKind::NotRecorded, message))
    }

    fn missing(&self, tape: &[Recorded], question: &Value) -> String {
        let path = self.path.display();
        let times = tape.iter().filter(|recorded| recorded.question == *question).count();
        if times > 0 {
            return format!("{path}: asked more often than the {times} times it was recorded");
        }
        let asked = pretty(question);
        let told = tape.iter().map(|recorded| (recorded, pretty(&recorded.question)));
        match told.max_by_key(|(one, text)| (diff::likeness(text, &asked), !one.used)) {
            None => format!("{path}: nothing is recorded"),
            Some((nearest, text)) => format!(
                "{path}: not recorded; from line {} (-) it differs by (+)\n{}",
                nearest.line,
                diff::lines(&text, &asked)
            ),
        }
    }
}

impl Recorded {
    fn read(line: usize, text: &str) -> serde_json::Result<Self> {
        let exchange: Exchange = serde_json::from_str(text)?;
        let question = question(&exchange.component, &exchange.model, &exchange.request)?;
        Ok(Self { line, question, outcome: exchange.outcome, used: false })
    }
}

fn pretty(question: &Value) -> String {
    format!("{question:#}")
}

#[async_trait]
impl Provider for Replayer {
    fn name(&self) -> &str {
        &self.id
    }

    async fn call(
        &self,
        ask: &Ask<'_>,
        events: &mut Events<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let question = asked(ask).map_err(|error| {
            CallFailure::new(
                FailureKind::BadRequest,
                format!("the request cannot be written as JSON: {error}"),
            )
        })?;
        let reply = self.answer(&question)?;
        tell(&reply, events);
        Ok(reply)
    }
}
