//! A person at the desk, in a process of its own, and a message of the bot that is on its way.

use crate::scenarios::held;
use crate::support::{Answer, Customer, Kind, Setting, Site, check};

crate::on_both_stores!(
    a_takeover_waits_until_the_message_on_its_way_has_arrived,
    a_takeover_outlives_the_node_whose_message_it_waits_for,
);

/// A node whose message the provider does not answer yet.
async fn sending<'a>(site: &'a Site) -> (Customer<'a>, String) {
    site.sink.next_sends([Answer::Hold]);
    let mut ana = Customer::new(site, "5491101");
    ana.says("uno").await;
    held(site, 1).await;
    let id = site.conversation(&ana.number).await;
    (ana, id)
}

async fn a_takeover_waits_until_the_message_on_its_way_has_arrived(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let (mut ana, id) = sending(&site).await;
    let arrives = async {
        for _ in 0..5 {
            assert_eq!(site.owner(&id).await, "bot", "taken while a message was on its way");
        }
        site.sink.open_gate();
    };
    let take = ["conv", "take", &id];
    tokio::join!(site.desk(&take), arrives);
    assert_eq!(site.owner(&id).await, "human");
    ana.says_to_a_person("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}

async fn a_takeover_outlives_the_node_whose_message_it_waits_for(kind: Kind) {
    let site = Site::with(kind, Setting::HASTY).await;
    let node = site.start().await;
    let (mut ana, id) = sending(&site).await;
    node.kill().await;
    site.desk(&["conv", "take", &id]).await;
    assert_eq!(site.owner(&id).await, "human");
    site.sink.open_gate();
    let node = site.start().await;
    ana.says_to_a_person("dos").await;
    let findings = check(&site, &[&node], &[&ana]).await;
    assert_eq!(findings.sends(), 1, "the send that was cut short: {findings:?}");
}
