//! Many customers talking at once, until told that it is over.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use tokio::time::sleep;

use crate::support::{Customer, Site, until};

pub(crate) fn customers(site: &Site, count: usize) -> Vec<Customer<'_>> {
    (0..count).map(|one| Customer::new(site, &format!("54911{one:04}"))).collect()
}

/// Each says something every `pace`, once the last thing it said is acknowledged.
pub(crate) async fn talk(customers: &mut [Customer<'_>], pace: Duration, over: &Cell<bool>) {
    let talking = customers.iter_mut().map(async |customer| {
        for count in 1.. {
            if over.get() {
                break;
            }
            let number = customer.number.clone();
            let text = match count {
                count if count % 10 == 3 => "dame un turno".to_owned(),
                count if count % 15 == 7 => format!("avisá {number} {count}"),
                count if count % 15 == 5 => format!("recordame en 1 segundo {number} {count}"),
                count => format!("{number} {count}"),
            };
            customer.says(&text).await;
            sleep(pace).await;
        }
    });
    join_all(talking).await;
}

/// Waits until each of `count` customers has been sent something new.
pub(crate) async fn everyone_goes_on(site: &Site, count: usize) {
    let heard = |site: &Site| {
        let mut heard: BTreeMap<String, usize> = BTreeMap::new();
        for sent in site.sink.sent() {
            *heard.entry(sent.to).or_default() += 1;
        }
        heard
    };
    let before = heard(site);
    let look = async || {
        let new = heard(site);
        let goes_on = |(to, count): (&String, &usize)| before.get(to).is_none_or(|old| count > old);
        match new.iter().filter(|entry| goes_on(*entry)).count() {
            all if all == count => Ok(()),
            some => Err(format!("only {some} of {count}")),
        }
    };
    until("everyone to hear something new", look).await;
}
