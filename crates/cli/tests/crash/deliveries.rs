//! Deliveries as providers make them: many copies at once, and large batches.

use futures::StreamExt;
use futures::stream::iter;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::load::customers;
use crate::support::{Customer, Kind, Random, Site, check, message};

const SEED: u64 = 50;
const CONVERSATIONS: usize = 20;
const IDS: usize = 200;
const AT_ONCE: usize = 100;

crate::on_both_stores!(
    a_storm_of_copies_gets_one_answer_per_message,
    a_batch_of_two_thousand_is_answered_whole_and_in_order,
);

async fn a_storm_of_copies_gets_one_answer_per_message(kind: Kind) {
    let site = Site::new(kind).await;
    let mut nodes = vec![site.start().await];
    if kind == Kind::Postgres {
        nodes.push(site.start().await);
    }
    let mut customers = customers(&site, CONVERSATIONS);
    let mut random = Random(SEED);
    let mut copies: Vec<Value> = Vec::new();
    for id in 0..IDS {
        let customer = &mut customers[id % CONVERSATIONS];
        customer.ordered = false;
        let text = format!("copia {id}");
        let body = json!({ "results": [message(&customer.number, &format!("id-{id}"), &text)] });
        copies.extend(std::iter::repeat_n(body, random.between(1, 50) as usize));
        customer.acknowledged(&text, Instant::now());
    }
    for last in (1..copies.len()).rev() {
        copies.swap(last, random.between(0, last as u64) as usize);
    }
    iter(copies.iter().enumerate())
        .for_each_concurrent(AT_ONCE, async |(place, copy)| {
            let door = nodes[place % nodes.len()].url();
            if site.post(door, "tienda", copy).await != Some(200) {
                site.deliver(copy).await;
            }
        })
        .await;
    let nodes: Vec<_> = nodes.iter().collect();
    let all: Vec<_> = customers.iter().collect();
    check(&site, &nodes, &all).await.assert_clear();
    assert_eq!(accepted(&site).await, IDS as i64);

    // Copies that come late change nothing either.
    for copy in copies.iter().take(IDS) {
        site.deliver(copy).await;
    }
    check(&site, &nodes, &all).await.assert_clear();
    assert_eq!(accepted(&site).await, IDS as i64);
    assert_eq!(site.sink.overlaps(), 0, "two sends to one number at once");
}

async fn accepted(site: &Site) -> i64 {
    site.sql_number("SELECT count(*) FROM webhook_inbox").await
}

async fn a_batch_of_two_thousand_is_answered_whole_and_in_order(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let mut customers: Vec<Customer<'_>> = customers(&site, 50);
    let mut batch = Vec::new();
    for id in 0..2_000 {
        let customer = &mut customers[id % 50];
        let text = format!("mensaje {id}");
        batch.push(message(&customer.number, &format!("id-{id}"), &text));
        customer.acknowledged(&text, Instant::now());
    }
    site.deliver(&json!({ "results": batch })).await;
    check(&site, &[&node], &customers.iter().collect::<Vec<_>>()).await.assert_clear();
    assert_eq!(site.sink.overlaps(), 0, "two sends to one number at once");
}
