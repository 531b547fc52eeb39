//! Many registrations at once while the process is killed at random moments.

use std::cell::Cell;

use futures::future::join_all;

use crate::applicant::{Applicant, Via};
use crate::ground;
use crate::record::assert_registered;
use crate::registration::MESSAGES;
use crate::support::{Kind, Random, Site, until};

const SEED: u64 = 20_261_115;
const CUSTOMERS: usize = 20;
const KILLS: u64 = 5;

crate::on_both_stores!(random_kills_leave_every_registration_whole_and_with_its_own_data,);

async fn random_kills_leave_every_registration_whole_and_with_its_own_data(kind: Kind) {
    let site = ground::site(kind).await;
    let mut customers: Vec<_> = (0..CUSTOMERS)
        .map(|place| Applicant::new(&site, Via::ALL[place % Via::ALL.len()], place))
        .collect();
    let (answers, over) = (Cell::new(0), Cell::new(false));
    let registering = async {
        join_all(customers.iter_mut().map(|customer| register(customer, &answers))).await;
        over.set(true);
    };
    let killing = async {
        let mut random = Random(SEED);
        // Between two kills everyone who is not in doubt gets on by about one message.
        let stretch = (CUSTOMERS * MESSAGES) as u64 / (KILLS + 1);
        for kill in 0..KILLS {
            let node = site.start().await;
            let enough = kill * stretch + random.between(1, stretch);
            let look = async || match answers.get() {
                some if some >= enough => Ok(()),
                some => Err(format!("{some} answers")),
            };
            until("the next kill", look).await;
            node.kill().await;
        }
        site.start().await
    };
    let (node, (), ()) = tokio::join!(killing, registering, settling(&site, &over));
    assert_registered(&site, &[&node], &customers.iter().collect::<Vec<_>>()).await;
}

async fn register(customer: &mut Applicant<'_>, answers: &Cell<u64>) {
    for place in 0..MESSAGES {
        customer.gives(place).await;
        customer.hears(place + 1).await;
        answers.set(answers.get() + 1);
    }
}

/// A person settles every send in doubt as the customer would tell it, until all are done.
async fn settling(site: &Site, over: &Cell<bool>) {
    let look = async || {
        let last = over.get();
        let items = site.reconcile().await;
        let numbers =
            if items.is_empty() { Default::default() } else { site.conversations().await };
        for item in &items {
            let (number, _) =
                numbers.iter().find(|(_, id)| **id == item.conversation).expect("one");
            let sent = site.sink.sent();
            let came = sent.iter().any(|sent| sent.to == *number && sent.text == item.what);
            let verdict = if came { "happened" } else { "resend" };
            site.desk(&["reconcile", verdict, &item.id]).await;
        }
        if last && items.is_empty() { Ok(()) } else { Err(format!("{items:?}")) }
    };
    until("everyone to be registered", look).await;
}
