//! What was sent and what came back: how fast, and whether whole, once and in order.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::spread::Spread;
use crate::stopwatch::Stopwatch;

/// Replies that take longer than this are lost.
const PATIENCE_S: f64 = 30.0;
/// How long to look out for a second copy of what has come.
const AFTERMATH: Duration = Duration::from_millis(1500);

pub(crate) struct Ledger {
    /// Tells the conversations of this run from those of others.
    pub(crate) round: u32,
    pub(crate) conversations: u32,
    pub(crate) each: u32,
    watch: Stopwatch,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    posted_ms: Vec<Option<f64>>,
    echoed_ms: Vec<Option<f64>>,
    acks_ms: Vec<f64>,
    ends_ms: Vec<f64>,
    /// The last message of each conversation that came back, and whether one came too late.
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
    pub(crate) fn new(round: u32, conversations: u32, each: u32) -> Self {
        let (messages, senders) = ((conversations * each) as usize, conversations as usize);
        let book = Book {
            posted_ms: vec![None; messages],
            echoed_ms: vec![None; messages],
            last: vec![None; senders],
            disordered: vec![false; senders],
            ..Book::default()
        };
        Self { round, conversations, each, watch: Stopwatch::start(), book: Mutex::new(book) }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, conversation: u32, message: u32) -> usize {
        (conversation * self.each + message) as usize
    }

    /// What a message says, so that its echo is known again.
    pub(crate) fn text(&self, conversation: u32, message: u32) -> String {
        format!("r{}c{conversation}m{message}", self.round)
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

    /// A reply came: each echo in it answers a message.
    pub(crate) fn replied(&self, text: &str) {
        let now = self.watch.ms();
        let mut book = self.book();
        book.replies += 1;
        for line in text.lines() {
            let Some((number, conversation, message)) = self.read(line) else { continue };
            let place = self.place(conversation, message);
            if book.echoed_ms[place].is_some() {
                book.doubled += 1;
                continue;
            }
            book.echoed_ms[place] = Some(now);
            let since = book.posted_ms[place].unwrap_or(now);
            book.ends_ms.push(now - since);
            let conversation = conversation as usize;
            let last = book.last[conversation].replace(message);
            if last.is_some_and(|last| last > message) || number != message + 1 {
                book.disordered[conversation] = true;
            }
        }
    }

    // «3. recibí «r2c17m2»»: the agent's count, then our text.
    fn read(&self, line: &str) -> Option<(u32, u32, u32)> {
        let number = line.split('.').next()?.parse().ok()?;
        let echo = line.split_once('«')?.1.split_once('»')?.0;
        let (round, rest) = echo.strip_prefix('r')?.split_once('c')?;
        let (conversation, message) = rest.split_once('m')?;
        let (conversation, message) = (conversation.parse().ok()?, message.parse().ok()?);
        let ours = round.parse() == Ok(self.round)
            && conversation < self.conversations
            && message < self.each;
        ours.then_some((number, conversation, message))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_doubled_and_late_are_told_apart() {
        let ledger = Ledger::new(7, 2, 3);
        ledger.replied("1. recibí «r7c0m0»\n2. recibí «r7c0m1»\n3. recibí «r7c0m2»");
        ledger.replied("1. recibí «r7c1m1»");
        ledger.replied("2. recibí «r7c1m0»");
        ledger.replied("1. recibí «r6c1m2»");
        ledger.replied("3. recibí «r7c0m2»");
        let found = ledger.found();
        assert_eq!((found.lost, found.doubled, found.disordered), (1, 1, 1));
    }
}
