//! The messages sent and the replies to them: how fast, and whether whole, once and in order.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::talk;
use crate::sink::{Hears, Reply};
use crate::spread::Spread;
use crate::stopwatch::Stopwatch;
use crate::subject::Subject;

/// Replies that take longer than this are lost.
const PATIENCE_S: f64 = 30.0;
/// How long to look out for a second copy of what has come.
const AFTERMATH: Duration = Duration::from_millis(1500);

pub(crate) struct Ledger {
    /// Tells the conversations of this run from those of others.
    pub(crate) round: u32,
    pub(crate) conversations: u32,
    pub(crate) subject: Subject,
    watch: Stopwatch,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    posted_ms: Vec<Option<f64>>,
    echoed_ms: Vec<Option<f64>>,
    acks_ms: Vec<f64>,
    ends_ms: Vec<f64>,
    /// The latest message of each conversation that came back, and whether one came too late.
    last: Vec<Option<u32>>,
    disordered: Vec<bool>,
    doubled: u64,
    replies: u64,
}

pub(crate) struct Found {
    /// Messages a second, from the first POST to the last reply.
    pub(crate) rate: f64,
    pub(crate) ack: Spread,
    pub(crate) end: Spread,
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    /// Conversations answered out of order.
    pub(crate) disordered: u64,
    pub(crate) replies: u64,
}

impl Ledger {
    pub(crate) fn new(subject: Subject, round: u32, conversations: u32) -> Self {
        let (messages, senders) = ((conversations * talk::LINES) as usize, conversations as usize);
        let book = Book {
            posted_ms: vec![None; messages],
            echoed_ms: vec![None; messages],
            last: vec![None; senders],
            disordered: vec![false; senders],
            ..Book::default()
        };
        let (watch, book) = (Stopwatch::start(), Mutex::new(book));
        Self { round, conversations, subject, watch, book }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, conversation: u32, message: u32) -> usize {
        (conversation * talk::LINES + message) as usize
    }

    /// Notes the start of a POST and returns when it was.
    pub(crate) fn posting(&self, conversation: u32, message: u32) -> f64 {
        let now = self.watch.ms();
        self.book().posted_ms[self.place(conversation, message)].get_or_insert(now);
        now
    }

    pub(crate) fn acknowledged(&self, since_ms: f64) {
        let now = self.watch.ms();
        self.book().acks_ms.push(now - since_ms);
    }

    /// A reply came: it answers the messages whose values it repeats.
    fn came(&self, to: &str, text: &str) {
        let now = self.watch.ms();
        let conversation = talk::conversation(self.round, to);
        let Some(conversation) = conversation.filter(|one| *one < self.conversations) else {
            return;
        };
        let answered = talk::answered(self.subject, self.round, conversation, text);
        let mut book = self.book();
        book.replies += 1;
        let mut before = book.last[conversation as usize];
        for message in answered {
            let place = self.place(conversation, message);
            if book.echoed_ms[place].is_some() {
                book.doubled += 1;
                continue;
            }
            book.echoed_ms[place] = Some(now);
            let since = book.posted_ms[place].unwrap_or(now);
            book.ends_ms.push(now - since);
            if before.is_some_and(|before| before > message) {
                book.disordered[conversation as usize] = true;
            }
            before = before.max(Some(message));
        }
        book.last[conversation as usize] = before;
    }

    /// Waits for the replies that are still on their way.
    pub(crate) async fn settle(&self) {
        let watch = Stopwatch::start();
        while self.open() > 0 && watch.seconds() < PATIENCE_S {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(AFTERMATH).await;
    }

    fn open(&self) -> usize {
        self.book().echoed_ms.iter().filter(|echoed| echoed.is_none()).count()
    }

    pub(crate) fn found(&self) -> Found {
        let lost = self.open() as u64;
        let book = self.book();
        let earliest = book.posted_ms.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let latest = book.echoed_ms.iter().flatten().copied().fold(0.0, f64::max);
        let answered = book.ends_ms.len() as f64;
        Found {
            rate: answered / ((latest - earliest) / 1000.0),
            ack: Spread::of(book.acks_ms.clone()),
            end: Spread::of(book.ends_ms.clone()),
            lost,
            doubled: book.doubled,
            disordered: book.disordered.iter().filter(|late| **late).count() as u64,
            replies: book.replies,
        }
    }
}

impl Hears for Ledger {
    fn replied(&self, reply: &Reply<'_>) {
        self.came(reply.to, reply.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_doubled_and_late_are_told_apart() {
        let subject = Subject::Registro;
        let ledger = Ledger::new(subject, 7, 2);
        let reply = |round: u32, conversation: u32, messages: &[u32]| {
            let texts = messages.iter().map(|at| talk::text(subject, round, conversation, *at));
            let text = texts.collect::<Vec<_>>().join(", ");
            ledger.came(&talk::sender(round, conversation), &text);
        };
        reply(7, 0, &[0, 1, 2, 3, 4]);
        reply(7, 1, &[1]);
        reply(7, 1, &[0]);
        reply(6, 1, &[2]);
        reply(7, 0, &[2]);
        // Somebody else's values answer nothing.
        ledger.came(&talk::sender(7, 1), &talk::text(subject, 7, 0, 2));
        let found = ledger.found();
        assert_eq!((found.lost, found.doubled, found.disordered), (3, 1, 1));
    }
}
