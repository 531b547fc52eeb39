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
const KILLS: usize = 4;

crate::on_both_stores!(random_kills_leave_every_registration_whole_and_with_its_own_data,);

async fn random_kills_leave_every_registration_whole_and_with_its_own_data(kind: Kind) {
    let site = ground::site(kind).await;
    let mut customers: Vec<_> = (0..CUSTOMERS)
        .map(|place| Applicant::new(&site, Via::ALL[place % Via::ALL.len()], place))
        .collect();
    let answers: [Cell<usize>; CUSTOMERS] = Default::default();
    let over = Cell::new(false);
    let registering = async {
        let each = customers.iter_mut().zip(&answers);
        join_all(each.map(|(customer, answers)| register(customer, answers))).await;
    };
    let killing = async {
        let mut random = Random(SEED);
        for _ in 0..KILLS {
            let node = site.start().await;
            go_on(&answers, random.between(0, CUSTOMERS as u64)).await;
            node.kill().await;
        }
        site.start().await
    };
    let working = async {
        let (node, ()) = tokio::join!(killing, registering);
        over.set(true);
        node
    };
    let (node, ()) = tokio::join!(working, settling(&site, &over));
    assert_registered(&site, &[&node], &customers.iter().collect::<Vec<_>>()).await;
}

async fn register(customer: &mut Applicant<'_>, answers: &Cell<usize>) {
    for place in 0..MESSAGES {
        customer.gives(place).await;
        customer.hears(place + 1).await;
        answers.set(place + 1);
    }
}

/// Waits until everyone who is not done was answered, and so many answers came besides: a message
/// that three processes in a row died over is set aside, and none is to be here.
async fn go_on(answers: &[Cell<usize>], besides: u64) {
    let before: Vec<_> = answers.iter().map(Cell::get).collect();
    let look = async || {
        let after = answers.iter().map(Cell::get);
        let stuck = after.clone().zip(&before).filter(|(after, before)| after == *before);
        let stuck = stuck.filter(|(after, _)| *after < MESSAGES).count();
        let left = after.map(|after| MESSAGES - after).sum::<usize>();
        let came = before.iter().map(|before| MESSAGES - before).sum::<usize>() - left;
        match stuck == 0 && (left == 0 || came as u64 >= before.len() as u64 + besides) {
            true => Ok(()),
            false => Err(format!("{stuck} are stuck, {came} answers came")),
        }
    };
    until("everyone to go on", look).await;
}

/// A person resolves every ambiguous send as the customer would tell it, until none is left.
async fn settling(site: &Site, over: &Cell<bool>) {
    const UNSETTLED: &str =
        "SELECT count(*) FROM outbox WHERE rank <= 1 OR status IN ('ambiguous', 'failed')";
    while !over.get() {
        resolve(site).await;
    }
    let look = async || {
        resolve(site).await;
        match site.sql_number(UNSETTLED).await {
            0 => Ok(()),
            some => Err(format!("{some} are not known to have been sent")),
        }
    };
    until("the last ambiguous sends", look).await;
}

async fn resolve(site: &Site) {
    let items = site.reconcile().await;
    if items.is_empty() {
        return;
    }
    let numbers = site.conversations().await;
    for item in items {
        let number =
            numbers.iter().find(|(_, id)| **id == item.conversation).expect("its number").0;
        let sent = site.sink.sent();
        let came = sent.iter().any(|sent| sent.to == *number && sent.text == item.what);
        let resolution = if came { "happened" } else { "resend" };
        site.desk(&["reconcile", resolution, &item.id]).await;
    }
}
