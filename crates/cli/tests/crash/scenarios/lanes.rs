//! Scenarios in which a lane is kept for long, or given up with something left to do.

use super::{Crash, held, restarted};
use crate::support::{Answer, Customer, Kind, Setting, Site, accounted, check, rest, until};

/// A send that takes longer than a third of the lease.
pub(crate) async fn keeping_a_lease(kind: Kind, crash: Crash) {
    // A third of it is well before the channel gives up on a provider that does not answer.
    let site = Site::with(kind, Setting { lease_ms: 6_000, ..Setting::default() }).await;
    site.sink.next_sends([Answer::Hold]);
    let dying = site.start_to_die(&crash.to_string()).await;
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    let node = restarted(&site, dying, crash).await;
    accounted(&site, &[&ana]).await;
    ana.says("dos").await;
    let findings = check(&site, &[&node], &[&ana]).await;
    assert_eq!(findings.sends(), 1, "the send that was cut short: {findings:?}");
}

pub(crate) async fn giving_up_a_lane(kind: Kind, crash: Crash) {
    tokio::join!(stopping(kind, crash), withholding(kind, crash));
}

/// The bot's message waits for another attempt when a person takes the conversation over: it is
/// withheld, and the lane has nothing left to do.
async fn withholding(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    site.sink.next_sends([Answer::Later]);
    let dying = site.start_to_die(&crash.to_string()).await;
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    let put_off = async || match site.sink.put_off() {
        0 => Err("none was".to_owned()),
        _ => Ok(()),
    };
    until("a send to be put off", put_off).await;
    let id = site.conversation(&ana.number).await;
    site.desk(&["conv", "take", &id]).await;
    let node = restarted(&site, dying, crash).await;
    site.desk(&["conv", "say", &id, "Soy Ana, te ayudo."]).await;
    let person_wrote = async || match site.sink.sent().len() {
        0 => Err("not yet".to_owned()),
        _ => Ok(()),
    };
    until("the person's message", person_wrote).await;
    rest(&[&node]).await;
    let sent: Vec<_> = site.sink.sent().into_iter().map(|sent| sent.text).collect();
    assert_eq!(sent, ["Soy Ana, te ayudo."], "after the takeover the bot is silent");
}

/// A node that was told to stop gives back a lane that has more to do.
async fn stopping(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    site.sink.next_sends([Answer::Hold]);
    let dying = site.start_to_die(&crash.to_string()).await;
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    held(&site, 1).await;
    ana.says("dos").await;
    dying.terminate();
    dying.logs("stopping").await;
    site.sink.open_gate();
    let node = restarted(&site, dying, crash).await;
    accounted(&site, &[&ana]).await;
    ana.says("tres").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
