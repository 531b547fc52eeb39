//! Several nodes on one PostgreSQL: one freezes, one dies, both start at once.

use std::cell::Cell;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::load::customers;
use crate::scenarios::held;
use crate::support::{Answer, Customer, Kind, Node, Setting, Site, check, message, until};

/// Of somebody who goes on talking while others are waited for.
const PACE: Duration = Duration::from_millis(250);

/// The node that holds the only lane there is, and the other one.
async fn holder_first<'a>(one: Node<'a>, two: Node<'a>) -> (Node<'a>, Node<'a>) {
    let look = async || {
        let held = "recado_lanes_held";
        match (one.metric(held).await > 0.0, two.metric(held).await > 0.0) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            both => Err(format!("{both:?}")),
        }
    };
    if until("one node to hold the lane", look).await { (one, two) } else { (two, one) }
}

#[tokio::test]
async fn a_node_frozen_while_it_sends_makes_no_second_send() {
    let site = Site::new(Kind::Postgres).await;
    site.sink.next_sends([Answer::Hold]);
    let (one, two) = (site.start().await, site.start().await);
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    held(&site, 1).await;
    let (frozen, other) = holder_first(one, two).await;
    frozen.pause();
    site.leases_run_out().await;
    // The other takes the lane, does not send what may have been sent, and goes on.
    are_ambiguous(&site, 1).await;
    ana.says("dos").await;
    ana.is_answered().await;
    site.sink.open_gate();
    frozen.resume();
    // The first node's outcome is true however late it comes, so nobody need look into it.
    are_ambiguous(&site, 0).await;
    goes_on_alone(&site, frozen, other, ana).await;
}

/// Waits until this many sends are ambiguous. Asked of the database, since the one who froze over a
/// send has as long as its channel waits for a provider, and no longer.
async fn are_ambiguous(site: &Site, count: i64) {
    const AMBIGUOUS: &str = "SELECT count(*) FROM outbox WHERE status = 'ambiguous'";
    let look = async || match site.sql_number(AMBIGUOUS).await {
        ambiguous if ambiguous == count => Ok(()),
        ambiguous => Err(format!("{ambiguous} are")),
    };
    until("sends to be ambiguous", look).await;
}

/// The other node stops, and the one that was frozen answers what comes.
async fn goes_on_alone(site: &Site, frozen: Node<'_>, other: Node<'_>, mut ana: Customer<'_>) {
    other.stop().await;
    ana.says("dame un turno").await;
    ana.says("sigo acá").await;
    ana.is_answered().await;
    let findings = check(site, &[&frozen], &[&ana]).await;
    assert!(findings.quarantined.is_empty() && findings.sends() == 0, "{findings:?}");
}

#[tokio::test]
async fn a_node_frozen_in_a_call_is_kept_from_acting_on_its_answer() {
    frozen_in_a_call(false, 1).await;
}

#[tokio::test]
async fn a_node_frozen_in_a_call_that_may_be_repeated_is_kept_from_acting_on_its_answer() {
    frozen_in_a_call(true, 2).await;
}

async fn frozen_in_a_call(idempotent: bool, posts: usize) {
    let setting = Setting { idempotent, ..Setting::default() };
    let site = Site::with(Kind::Postgres, setting).await;
    site.sink.next_notices([Answer::Hold]);
    let (one, two) = (site.start().await, site.start().await);
    let mut ana = Customer::new(&site, "5491101");
    // In one delivery, so that one turn makes the call and takes a number after it.
    let texts = ["avisá que llegué", "dame un turno"];
    let at = Instant::now();
    site.deliver(&json!({ "results": [
        message(&ana.number, "both-1", texts[0]), message(&ana.number, "both-2", texts[1]),
    ] }))
    .await;
    texts.iter().for_each(|text| ana.acknowledged(text, at));
    held(&site, 1).await;
    let (frozen, other) = holder_first(one, two).await;
    frozen.pause();
    site.leases_run_out().await;
    ana.is_answered().await;
    assert_eq!(site.sink.notified().len(), posts);
    site.sink.open_gate();
    frozen.resume();
    frozen.logs("lane left").await;
    assert!(frozen.log().contains("the lane is held by another node"), "{}", frozen.log());
    goes_on_alone(&site, frozen, other, ana).await;
    assert_eq!(site.sink.notified().len(), posts, "nobody called again");
}

#[tokio::test]
async fn a_turn_of_a_dead_node_is_finished_by_another_within_lease_and_two_seconds() {
    let setting = Setting { lease_ms: 4_000, idempotent: true };
    let site = Site::with(Kind::Postgres, setting).await;
    let promised = Duration::from_millis(setting.lease_ms) + Duration::from_secs(2);
    let (mut one, mut two) = (site.start().await, site.start().await);
    let mut ana = Customer::new(&site, "5491101");
    let mut others = customers(&site, 3);
    for (round, other_customer) in others.iter_mut().enumerate() {
        site.sink.next_notices([Answer::Hold]);
        ana.says(&format!("avisá la vuelta {round}")).await;
        held(&site, 1).await;
        let (holder, other) = holder_first(one, two).await;
        let since = Instant::now();
        holder.kill().await;
        let over = Cell::new(false);
        let finished = async {
            ana.is_answered().await;
            over.set(true);
            since.elapsed()
        };
        let (took, busy) = tokio::join!(finished, slowest_answer(other_customer, &over));
        println!("round {round}: finished by the other node after {took:?}, beside {busy:?}");
        assert!(took <= promised + busy, "it took {took:?} on a machine that adds {busy:?}");
        site.settled().await;
        (one, two) = (other, site.start().await);
    }
    let all: Vec<_> = others.iter().chain([&ana]).collect();
    check(&site, &[&one, &two], &all).await.assert_clear();
}

/// The time a busy machine adds to anything: the longest that somebody waits for an ordinary answer
/// meanwhile.
async fn slowest_answer(customer: &mut Customer<'_>, over: &Cell<bool>) -> Duration {
    let mut slowest = Duration::ZERO;
    while !over.get() {
        let since = Instant::now();
        customer.says("¿y a mí?").await;
        customer.is_answered().await;
        slowest = slowest.max(since.elapsed());
        sleep(PACE).await;
    }
    slowest
}

#[tokio::test]
async fn two_nodes_started_at_once_on_an_empty_database_both_come_up() {
    let site = Site::new(Kind::Postgres).await;
    let (one, two) = tokio::join!(site.start(), site.start());
    let mut ana = Customer::new(&site, "5491101");
    let at = Instant::now();
    for (place, node) in [&one, &two].into_iter().enumerate() {
        let text = format!("puerta {place}");
        let body = json!({ "results": [message(&ana.number, &text, &text)] });
        assert_eq!(site.post(node.url(), "tienda", &body).await, Some(200));
        ana.acknowledged(&text, at);
    }
    check(&site, &[&one, &two], &[&ana]).await.assert_clear();
}
