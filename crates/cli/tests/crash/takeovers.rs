//! A person at the desk, in a process of its own, and a message of the bot that is on its way.

use crate::scenarios::held;
use crate::support::{Answer, Customer, Kind, Site, check, until};

crate::on_both_stores!(
    a_takeover_waits_until_the_message_on_its_way_has_arrived,
    a_takeover_outlives_the_node_whose_message_it_waits_for,
);

/// A conversation with a message that the provider does not answer yet.
async fn sending<'a>(site: &'a Site) -> (Customer<'a>, String) {
    let mut ana = Customer::new(site, "5491101");
    ana.says("cero").await;
    site.settled().await;
    let id = site.conversation(&ana.number).await;
    site.sink.next_sends([Answer::Hold]);
    ana.says("uno").await;
    held(site, 1).await;
    (ana, id)
}

/// Waits until somebody waits for the conversation, which is the bot's meanwhile.
async fn wished_for(site: &Site) {
    const WAITS: &str = "SELECT count(*) FROM conversations WHERE taking_by IS NOT NULL";
    const TAKEN: &str = "SELECT count(*) FROM conversations WHERE owner = 'human'";
    let look = async || match site.sql_number(WAITS).await {
        1 => Ok(()),
        _ => Err("nobody does".to_owned()),
    };
    until("somebody to wait for the conversation", look).await;
    assert_eq!(site.sql_number(TAKEN).await, 0, "taken while a message was on its way");
}

async fn a_takeover_waits_until_the_message_on_its_way_has_arrived(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let (mut ana, id) = sending(&site).await;
    let arrives = async {
        wished_for(&site).await;
        site.sink.open_gate();
    };
    let take = ["conv", "take", &id];
    tokio::join!(site.desk(&take), arrives);
    assert_eq!(site.owner(&id).await, "human");
    ana.says_to_a_person("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}

async fn a_takeover_outlives_the_node_whose_message_it_waits_for(kind: Kind) {
    let site = Site::new(kind).await;
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
