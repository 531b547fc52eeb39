//! The load generator: webhooks over kept-alive connections, at a pace.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::ledger::Ledger;
use super::talk;
use crate::http::Wire;
use crate::infobip::Message;
use crate::rig::CHANNEL;
use crate::stopwatch::Stopwatch;

const CONNECTIONS: u32 = 64;
/// In so many messages, a single one comes twice.
const DUPLICATE_EVERY: u32 = 100;

#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// As fast as acknowledgements come, everybody's first message first.
    Saturated,
    /// So many messages a second, whatever comes back.
    Steady(f64),
    /// As fast as acknowledgements come, each conversation's messages back to back.
    Bursts,
}

pub(crate) struct Load {
    pub(crate) nodes: Vec<SocketAddr>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) pace: Pace,
}

impl Load {
    /// Returns when the last message is acknowledged.
    pub(crate) async fn run(self) -> Result<()> {
        let mut connections = Vec::new();
        for (_, node) in (0..CONNECTIONS).zip(self.nodes.iter().cycle()) {
            connections.push(Wire::new(TcpStream::connect(node).await?)?);
        }
        let mut senders = JoinSet::new();
        let watch = Stopwatch::start();
        for (place, wire) in (0..).zip(connections) {
            let parcel = parcel(place, self.pace, &self.ledger);
            let sender = Sender { wire, ledger: Arc::clone(&self.ledger), pace: self.pace, watch };
            senders.spawn(sender.run(parcel));
        }
        while let Some(sent) = senders.join_next().await {
            sent??;
        }
        Ok(())
    }
}

/// A message, by its number in the whole run, its conversation and its place there.
type Place = (u32, u32, u32);

/// The messages of one connection. A conversation keeps to one connection, so that the order in
/// which its messages were sent is beyond doubt; at a steady pace seconds lie between them.
fn parcel(connection: u32, pace: Pace, ledger: &Ledger) -> Vec<Place> {
    let (conversations, each) = (ledger.conversations, talk::LINES);
    let ours = |conversation: &u32| conversation % CONNECTIONS == connection;
    match pace {
        Pace::Steady(_) => (0..conversations * each)
            .filter(|number| number % CONNECTIONS == connection)
            .map(|number| (number, number % conversations, number / conversations))
            .collect(),
        Pace::Saturated => (0..each)
            .flat_map(|k| (0..conversations).filter(ours).map(move |c| (c * each + k, c, k)))
            .collect(),
        Pace::Bursts => (0..conversations)
            .filter(ours)
            .flat_map(|c| (0..each).map(move |k| (c * each + k, c, k)))
            .collect(),
    }
}

struct Sender {
    wire: Wire,
    ledger: Arc<Ledger>,
    pace: Pace,
    watch: Stopwatch,
}

impl Sender {
    async fn run(mut self, parcel: Vec<Place>) -> Result<()> {
        for (number, conversation, message) in parcel {
            if let Pace::Steady(rate) = self.pace {
                let due = Duration::from_secs_f64(f64::from(number) / rate);
                tokio::time::sleep(due.saturating_sub(self.watch.elapsed())).await;
            }
            let request = self.request(conversation, message);
            self.post(&request, conversation, message, false).await?;
            if number % DUPLICATE_EVERY == 0 {
                self.post(&request, conversation, message, true).await?;
            }
        }
        Ok(())
    }

    async fn post(
        &mut self,
        request: &[u8],
        conversation: u32,
        message: u32,
        again: bool,
    ) -> Result<()> {
        let since = self.ledger.posting(conversation, message);
        self.wire.send(request).await?;
        let expected = if again { &br#""duplicates":1"#[..] } else { &br#""accepted":1"#[..] };
        let answer = self.wire.receive(|line, body| {
            let taken = body.windows(expected.len()).any(|part| part == expected);
            if taken { Ok(()) } else { Err(String::from_utf8_lossy(line).into_owned()) }
        });
        match answer.await? {
            Some(Ok(())) => self.ledger.acknowledged(since),
            Some(Err(line)) => bail!("a webhook was not taken as expected: {line}"),
            None => bail!("the node closed the connection"),
        }
        Ok(())
    }

    fn request(&self, conversation: u32, message: u32) -> Vec<u8> {
        let round = self.ledger.round;
        Message {
            channel: CHANNEL,
            from: &talk::sender(round, conversation),
            id: &format!("{round}-{conversation}-{message}"),
            name: &format!("Cliente {conversation}"),
            text: &talk::text(self.ledger.subject, round, conversation, message),
        }
        .request()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Subject;

    #[test]
    fn every_message_is_sent_by_one_connection() {
        let ledger = Ledger::new(Subject::Registro, 0, 100);
        for pace in [Pace::Saturated, Pace::Steady(1.0), Pace::Bursts] {
            let mut all: Vec<_> =
                (0..CONNECTIONS).flat_map(|place| parcel(place, pace, &ledger)).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 500);
        }
    }
}
