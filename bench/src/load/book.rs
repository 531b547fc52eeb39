//! When each customer wrote and was answered; everybody by the number they write from.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::sink::{Hears, Reply};
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

pub(crate) struct Book {
    watch: Stopwatch,
    lines: Mutex<HashMap<String, Line>>,
}

/// The fate of one customer's message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) written_ms: f64,
    /// When each answer came.
    pub(crate) answers_ms: Vec<f64>,
    /// The first answer's id at the provider, and the node's own word for it.
    pub(crate) answer: Option<(String, Option<String>)>,
}

impl Default for Book {
    fn default() -> Self {
        Self { watch: Stopwatch::start(), lines: Mutex::default() }
    }
}

impl Hears for Book {
    fn replied(&self, reply: &Reply<'_>) {
        let now = self.now_ms();
        if let Some(line) = self.lines().get_mut(reply.to) {
            line.answers_ms.push(now);
            let named = || (reply.id.to_owned(), reply.reference.map(str::to_owned));
            line.answer.get_or_insert_with(named);
        }
    }
}

impl Book {
    fn lines(&self) -> MutexGuard<'_, HashMap<String, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now_ms(&self) -> f64 {
        self.watch.ms()
    }

    pub(crate) fn writes(&self, from: &str) {
        let line = Line { written_ms: self.now_ms(), ..Line::default() };
        self.lines().insert(from.to_owned(), line);
    }

    pub(crate) fn line(&self, from: &str) -> Option<Line> {
        self.lines().get(from).cloned()
    }

    /// All whose numbers begin so, and who are wanted.
    pub(crate) fn of(&self, beginning: &str, wanted: impl Fn(&str) -> bool) -> Vec<Line> {
        let lines = self.lines();
        let ours = lines.iter().filter(|(from, _)| from.starts_with(beginning) && wanted(from));
        ours.map(|(_, line)| line.clone()).collect()
    }

    /// From the message to its first answer, of those whose numbers begin so.
    pub(crate) fn ends(&self, beginning: &str) -> Spread {
        let lines = self.of(beginning, |_| true);
        let end = |line: &Line| Some(line.answers_ms.first()? - line.written_ms);
        Spread::of(lines.iter().filter_map(end).collect())
    }

    /// Waits until everybody is answered whose number begins so, and tells how many are not.
    pub(crate) async fn settle(&self, beginning: &str, patience_s: f64) -> usize {
        let watch = Stopwatch::start();
        loop {
            let open = self.open(beginning);
            if open == 0 || watch.seconds() > patience_s {
                return open;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn open(&self, beginning: &str) -> usize {
        let lines = self.lines();
        let ours = lines.iter().filter(|(from, _)| from.starts_with(beginning));
        ours.filter(|(_, line)| line.answers_ms.is_empty()).count()
    }
}
