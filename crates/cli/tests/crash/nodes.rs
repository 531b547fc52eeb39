//! Several nodes on one PostgreSQL: one freezes, one dies, both start at once.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::scenarios::{held, open_sends};
use crate::support::{Answer, Customer, Kind, Node, Setting, Site, check, message, until};

/// What a busy machine may add to the time a lane takes to change hands.
const NOISE: Duration = Duration::from_secs(2);

const FREEZE: Setting = Setting { lease_ms: 2_000, idempotent: false };

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
    let site = Site::with(Kind::Postgres, FREEZE).await;
    site.sink.next_sends([Answer::Hold]);
    let (one, two) = (site.start().await, site.start().await);
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    held(&site, 1).await;
    let (frozen, other) = holder_first(one, two).await;
    frozen.pause();
    // The other takes the lane, does not send what may have been sent, and goes on.
    open_sends(&site, 1).await;
    ana.says("dos").await;
    ana.is_answered().await;
    site.sink.open_gate();
    frozen.resume();
    // What the first one learned is true however late, so nobody need look into it.
    open_sends(&site, 0).await;
    goes_on_alone(&site, frozen, other, ana).await;
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
    let setting = Setting { idempotent, ..FREEZE };
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
    let setting = Setting { lease_ms: 1_500, idempotent: true };
    let site = Site::with(Kind::Postgres, setting).await;
    let promised = Duration::from_millis(setting.lease_ms) + Duration::from_secs(2);
    let (mut one, mut two) = (site.start().await, site.start().await);
    let mut ana = Customer::new(&site, "5491101");
    for round in 0..3 {
        site.sink.next_notices([Answer::Hold]);
        ana.says(&format!("avisá la vuelta {round}")).await;
        held(&site, 1).await;
        let (holder, other) = holder_first(one, two).await;
        holder.kill().await;
        let since = Instant::now();
        ana.is_answered().await;
        let took = since.elapsed();
        println!("round {round}: finished by the other node after {took:?}");
        assert!(took <= promised + NOISE, "it took {took:?}");
        (one, two) = (other, site.start().await);
    }
    check(&site, &[&one, &two], &[&ana]).await.assert_clear();
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
