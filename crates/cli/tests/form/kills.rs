//! Kills the process at a named point of every one of the form's messages, and goes on.

use futures::future::join_all;
use store::{Outside, Point, When};

use crate::applicant::{Applicant, Via};
use crate::ground;
use crate::record::assert_registered;
use crate::registration::{MESSAGES, Words};
use crate::support::{Kind, Site, until};

crate::on_both_stores!(
    every_message_outlives_a_kill_around_its_inbox_commit,
    every_message_outlives_a_kill_around_its_turns_commit,
    every_answer_outlives_a_kill_around_its_send,
);

/// What a kill leaves for a person to settle.
#[derive(Clone, Copy)]
enum Doubt {
    None,
    /// A send that may have happened and did not.
    Unsent,
    /// A send that happened.
    Sent,
}

async fn every_message_outlives_a_kill_around_its_inbox_commit(kind: Kind) {
    on_both_channels(kind, Point::InboxAccept).await;
}

async fn every_message_outlives_a_kill_around_its_turns_commit(kind: Kind) {
    on_both_channels(kind, Point::TurnCommit).await;
}

async fn on_both_channels(kind: Kind, point: Point) {
    let worlds = Via::ALL.into_iter().flat_map(|via| When::ALL.map(|when| (via, when)));
    let survive = |(via, when)| survives(kind, via, point.name(), when, Doubt::None);
    join_all(worlds.map(survive)).await;
}

/// The webchat reads committed answers, so only Infobip has a send to be killed at.
async fn every_answer_outlives_a_kill_around_its_send(kind: Kind) {
    let [intend, settle] = [Point::OutboxIntend.name(), Point::OutboxSettle.name()];
    let send = Outside::ChannelSend.name();
    let worlds = [
        (intend, When::Before, Doubt::None),
        (intend, When::After, Doubt::Unsent),
        (send, When::Before, Doubt::Unsent),
        (send, When::After, Doubt::Sent),
        (settle, When::Before, Doubt::Sent),
        (settle, When::After, Doubt::None),
    ];
    let survive = |(at, when, doubt)| survives(kind, Via::Infobip, at, when, doubt);
    join_all(worlds.map(survive)).await;
}

/// Dies at this point of each of the messages in turn.
async fn survives(kind: Kind, via: Via, at: &str, when: When, doubt: Doubt) {
    let site = ground::site(kind).await;
    let mut ana = Applicant::new(&site, via, 0);
    let crash = format!("{at}:{}:1", when.name());
    for place in 0..MESSAGES {
        let dying = site.start_to_die(&crash).await;
        let restarted = async {
            dying.died(&crash).await;
            site.start().await
        };
        let (node, ()) = tokio::join!(restarted, ana.gives(place));
        settle(&site, &ana, place, doubt).await;
        ana.hears(place + 1).await;
        // What is still being written down would be one more thing in doubt.
        crate::support::rest(&[&node]).await;
        node.kill().await;
    }
    let node = site.start().await;
    assert_registered(&site, &[&node], &[&ana]).await;
}

/// A person looks at what the customer got, and says so.
async fn settle(site: &Site, ana: &Applicant<'_>, place: usize, doubt: Doubt) {
    let (verdict, heard) = match doubt {
        Doubt::None => return,
        Doubt::Unsent => ("resend", place),
        Doubt::Sent => ("happened", place + 1),
    };
    let look = async || match site.reconcile().await.as_slice() {
        [item] => Ok(item.clone()),
        items => Err(format!("the list has {items:?}")),
    };
    let item = until("the send in doubt", look).await;
    assert_eq!(item.what, ana.registration.hears(&Words::shipped())[place]);
    assert_eq!(ana.heard().await.map(|heard| heard.len()), Ok(heard), "it is not sent again");
    site.desk(&["reconcile", verdict, &item.id]).await;
}
