//! Scenarios around the inbox: old rows, notes, items nobody can read, reports on deliveries.

use serde_json::json;

use super::people::begun;
use super::{Crash, go_on, only_open_item, restarted, talk};
use crate::support::{Answer, Customer, Kind, META, Site, accounted, check, message, until};

/// Rows of the inbox are old enough to go.
pub(crate) async fn pruning(kind: Kind, crash: Crash) {
    const OLD: &str = "SELECT count(*) FROM webhook_inbox WHERE received_at < 1000";
    let site = Site::new(kind).await;
    let node = site.start().await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    talk(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
    node.stop().await;
    site.sql("UPDATE webhook_inbox SET received_at = 1").await;
    assert_eq!(site.sql_number(OLD).await, 7, "every message is old");

    let dying = site.start_to_die(&crash.to_string()).await;
    dying.died(&crash.to_string()).await;
    let left = if crash.did_it() { 0 } else { 7 };
    assert_eq!(site.sql_number(OLD).await, left, "{crash}");
    let node = site.start().await;
    go_on(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
    let pruned = async || match site.sql_number(OLD).await {
        0 => Ok(()),
        left => Err(format!("{left} are left")),
    };
    until("old rows to go", pruned).await;
}

/// Contacts are still to be made known to the search.
pub(crate) async fn indexing_contacts(kind: Kind, crash: Crash) {
    const TO_DO: &str = "SELECT count(*) FROM contacts WHERE terms IS NULL";
    let site = Site::new(kind).await;
    let node = site.start().await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    talk(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
    node.stop().await;
    site.sql("UPDATE contacts SET terms = NULL").await;
    site.sql("DELETE FROM contact_terms").await;

    let dying = site.start_to_die(&crash.to_string()).await;
    dying.died(&crash.to_string()).await;
    let left = if crash.did_it() { 0 } else { 2 };
    assert_eq!(site.sql_number(TO_DO).await, left, "{crash}");
    let node = site.start().await;
    go_on(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
    let indexed = async || match site.sql_number(TO_DO).await {
        0 => Ok(()),
        left => Err(format!("{left} are left")),
    };
    until("contacts to be found", indexed).await;
    let terms = "SELECT count(*) FROM contact_terms WHERE term = '5491101'";
    assert_eq!(site.sql_number(terms).await, 1);
}

/// An item nobody can read, between two that are fine.
pub(crate) async fn keeping_the_unreadable(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let dying = site.start_to_die(&crash.to_string()).await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    let bad = json!({ "from": "5491103", "messageId": "bad-1", "message": { "type": 7 } });
    let batch = json!({ "results": [
        message(&ana.number, "batch-1", "antes"), bad, message(&beto.number, "batch-2", "después"),
    ] });
    let at = tokio::time::Instant::now();
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), site.deliver(&batch));
    ana.acknowledged("antes", at);
    beto.acknowledged("después", at);
    accounted(&site, &[&ana, &beto]).await;
    go_on(&mut ana, &mut beto).await;
    let findings = check(&site, &[&node], &[&ana, &beto]).await;
    let kinds: Vec<_> = findings.quarantined.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(kinds, ["unreadable"], "{findings:?}");
    assert!(findings.open.is_empty());
}

/// A customer reacts, which is put on record once and answered by nobody.
pub(crate) async fn noting(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let dying = site.start_to_die(&crash.to_string()).await;
    let reaction = META.reaction("5491101", "r1", "❤");
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), site.deliver_meta(&reaction));
    let noted = "SELECT count(*) FROM agent_turns WHERE content = '[reaction ❤]'";
    assert_eq!(site.sql_number(noted).await, 1, "{crash}");
    let mut ana = Customer::new(&site, "5491102");
    ana.says("uno").await;
    accounted(&site, &[&ana]).await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
    assert_eq!(site.sql_number(noted).await, 1, "{crash}");
}

/// The provider reports on a send of which no answer came.
pub(crate) async fn hearing_of_a_delivery(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    site.sink.next_sends([Answer::Break]);
    let (node, mut ana, _) = begun(&site).await;
    only_open_item(&site).await;
    let dying = node.armed(&crash.to_string()).await;
    let reference = site.sink.sent()[0].reference.clone();
    let report = json!({ "results": [{
        "messageId": reference, "to": ana.number, "sentAt": "2026-01-01T00:00:00.000+0000",
        "status": { "groupId": 3, "groupName": "DELIVERED", "id": 5, "name": "DELIVERED_TO_HANDSET" },
    }] });
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), site.deliver(&report));
    ana.says("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
