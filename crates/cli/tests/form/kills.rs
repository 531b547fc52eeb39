//! Kills the process at a named point of every one of the form's messages, and goes on.

use futures::future::join_all;
use store::{Outside, Point, When};

use crate::applicant::{Applicant, Via};
use crate::ground;
use crate::record::assert_registered;
use crate::registration::{MESSAGES, Words};
use crate::support::{Kind, Site, rest, until};

crate::on_both_stores!(
    every_message_outlives_a_kill_around_its_inbox_commit,
    every_message_outlives_a_kill_around_its_turns_commit,
    every_answer_outlives_a_kill_around_its_send,
);

/// A point at which each process dies, and what the one after it does about that.
#[derive(Clone, Copy)]
struct Kill {
    via: Via,
    at: &'static str,
    when: When,
    /// How often whoever recovers passes the point for the message that was cut short.
    again: u32,
    ambiguity: Ambiguity,
}

/// The open question that a kill leaves for a person.
#[derive(Clone, Copy)]
enum Ambiguity {
    None,
    /// A send that may have happened and did not.
    Unsent,
    /// A send that happened.
    Sent,
}

async fn every_message_outlives_a_kill_around_its_inbox_commit(kind: Kind) {
    // A message that was not acknowledged is delivered again, also when it was taken.
    on_both_channels(kind, Point::InboxAccept, [(When::Before, 1), (When::After, 1)]).await;
}

async fn every_message_outlives_a_kill_around_its_turns_commit(kind: Kind) {
    on_both_channels(kind, Point::TurnCommit, [(When::Before, 1), (When::After, 0)]).await;
}

async fn on_both_channels(kind: Kind, point: Point, whens: [(When, u32); 2]) {
    let kills = Via::ALL.into_iter().flat_map(|via| {
        let at = point.name();
        whens.map(|(when, again)| Kill { via, at, when, again, ambiguity: Ambiguity::None })
    });
    join_all(kills.map(|kill| survives(kind, kill))).await;
}

/// The webchat reads committed answers, so only Infobip has a send to be killed at.
async fn every_answer_outlives_a_kill_around_its_send(kind: Kind) {
    let [intend, record] = [Point::OutboxIntend.name(), Point::OutboxRecord.name()];
    let send = Outside::ChannelSend.name();
    let kills = [
        (intend, When::Before, 1, Ambiguity::None),
        (intend, When::After, 1, Ambiguity::Unsent),
        (send, When::Before, 1, Ambiguity::Unsent),
        (send, When::After, 0, Ambiguity::Sent),
        (record, When::Before, 0, Ambiguity::Sent),
        (record, When::After, 0, Ambiguity::None),
    ];
    let kills = kills.map(|(at, when, again, ambiguity)| Kill {
        via: Via::Infobip,
        at,
        when,
        again,
        ambiguity,
    });
    join_all(kills.map(|kill| survives(kind, kill))).await;
}

/// Each process recovers what the last one left and dies over the next message.
async fn survives(kind: Kind, kill: Kill) {
    let site = ground::site(kind).await;
    let mut ana = Applicant::new(&site, kill.via, 0);
    let Kill { at, when, again, ambiguity, .. } = kill;
    let crash = |pass: u32| format!("{at}:{}:{pass}", when.name());
    let mut node = site.start_to_die(&crash(1)).await;
    for place in 0..MESSAGES {
        let pass = if place == 0 { 1 } else { again + 1 };
        let restarted = async {
            node.died(&crash(pass)).await;
            match place + 1 {
                MESSAGES => site.start().await,
                _ => site.start_to_die_over(&crash(again + 1)).await,
            }
        };
        let (recovering, ()) = tokio::join!(restarted, ana.gives(place));
        node = recovering;
        resolve(&site, &ana, place, ambiguity).await;
        ana.hears(place + 1).await;
        // An answer that is still being written down would be one more ambiguous thing.
        rest(&[&node]).await;
    }
    assert_registered(&site, &[&node], &[&ana]).await;
}

/// A person looks at what the customer got, and says so.
async fn resolve(site: &Site, ana: &Applicant<'_>, place: usize, ambiguity: Ambiguity) {
    let (resolution, heard) = match ambiguity {
        Ambiguity::None => return,
        Ambiguity::Unsent => ("resend", place),
        Ambiguity::Sent => ("happened", place + 1),
    };
    let look = async || match site.reconcile().await.as_slice() {
        [item] => Ok(item.clone()),
        items => Err(format!("the list has {items:?}")),
    };
    let item = until("the ambiguous send", look).await;
    assert_eq!(item.what, ana.registration.hears(&Words::shipped())[place]);
    assert_eq!(ana.heard().await.map(|heard| heard.len()), Ok(heard), "it is not sent again");
    site.desk(&["reconcile", resolution, &item.id]).await;
}
