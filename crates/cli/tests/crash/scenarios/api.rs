//! Scenarios around the operators' API: keys, and what is done with them.

use serde_json::Value;

use super::people::begun;
use super::{Crash, go_on, talk};
use crate::support::{Customer, Kind, Node, Site, check, until};

/// A key as `recado key create` prints it.
async fn key(site: &Site, name: &str, role: &str) -> String {
    let made = site.desk(&["key", "create", "--name", name, "--role", role]).await;
    made["secret"].as_str().expect("a secret").to_owned()
}

async fn standing(site: &Site, name: &str) -> Vec<bool> {
    let keys = site.desk(&["key", "list"]).await;
    let of_name = |key: &&Value| key["name"] == name;
    let keys = keys.as_array().expect("a list").iter().filter(of_name);
    keys.map(|key| key["revoked_at"].is_null()).collect()
}

async fn opens(node: &Node<'_>, key: &str) -> bool {
    let (status, me) = node.api("GET", "/me", key).await.expect("an answer");
    assert!(status == 401 || me["workspace_name"] == "demo", "{status} {me}");
    status == 200
}

/// An admin who sees the command die has no secret: the key is ended, and another one made.
pub(crate) async fn making_a_key(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let create = ["key", "create", "--name", "ana", "--role", "viewer"];
    site.desk_to_die(&crash.to_string(), &create).await;
    let known = if crash.did_it() { vec![true] } else { vec![] };
    assert_eq!(standing(&site, "ana").await, known, "{crash}");
    if crash.did_it() {
        site.desk(&["key", "revoke", "ana"]).await;
    }
    let secret = key(&site, "ana", "viewer").await;
    assert!(opens(&node, &secret).await);
    assert_eq!(standing(&site, "ana").await.len(), known.len() + 1);
}

pub(crate) async fn revoking_a_key(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let secret = key(&site, "ana", "viewer").await;
    assert!(opens(&node, &secret).await);
    site.desk_to_die(&crash.to_string(), &["key", "revoke", "ana"]).await;
    assert_eq!(opens(&node, &secret).await, !crash.did_it(), "{crash}");
    if !crash.did_it() {
        site.desk(&["key", "revoke", "ana"]).await;
    }
    assert!(!opens(&node, &secret).await);
    assert_eq!(standing(&site, "ana").await, [false]);
}

/// The node dies while it notes that a key was used.
pub(crate) async fn using_a_key(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let secret = key(&site, "ana", "viewer").await;
    let dying = site.start_to_die(&crash.to_string()).await;
    assert_eq!(dying.api("GET", "/me", &secret).await, None);
    dying.died(&crash.to_string()).await;
    let used = site.sql_number("SELECT count(*) FROM api_keys WHERE last_used_at IS NOT NULL");
    assert_eq!(used.await, i64::from(crash.did_it()), "{crash}");
    let node = site.start().await;
    assert!(opens(&node, &secret).await);
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    talk(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
}

pub(crate) async fn cancelling_a_timer(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let secret = key(&site, "ana", "operator").await;
    let (node, mut ana, _) = begun(&site).await;
    let dying = node.armed(&crash.to_string()).await;
    let timers = async |node: &Node<'_>| {
        let (status, page) = node.api("GET", "/timers", &secret).await.expect("an answer");
        assert_eq!(status, 200, "{page}");
        let ids = page["items"].as_array().expect("a list").iter();
        ids.map(|timer| timer["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    let armed = timers(&dying).await;
    assert_eq!(armed.len(), 1, "the silence after the answer");
    let cancel = format!("/timers/{}/cancel", armed[0]);
    assert_eq!(dying.api("POST", &cancel, &secret).await, None);
    dying.died(&crash.to_string()).await;
    let node = site.start().await;
    let left = if crash.did_it() { &armed[..0] } else { &armed[..] };
    assert_eq!(timers(&node).await, left, "{crash}");
    let (status, _) = node.api("POST", &cancel, &secret).await.expect("an answer");
    assert_eq!(status, if crash.did_it() { 404 } else { 204 });
    assert!(timers(&node).await.is_empty());
    ana.says("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}

/// Live events are old enough to go; the last of them stays and stands for the others.
pub(crate) async fn pruning_live_events(kind: Kind, crash: Crash) {
    const OLD: &str = "SELECT count(*) FROM live_events WHERE at < 1000";
    let site = Site::new(kind).await;
    let node = site.start().await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    talk(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
    node.stop().await;
    site.sql("UPDATE live_events SET at = 1").await;
    let all = site.sql_number(OLD).await;
    assert!(all > 1, "{all}: as many as turns, and messages that came together share theirs");
    site.start_to_die(&crash.to_string()).await.died(&crash.to_string()).await;
    let left = if crash.did_it() { 1 } else { all };
    assert_eq!(site.sql_number(OLD).await, left, "{crash}");
    let node = site.start().await;
    go_on(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await.assert_clear();
    let pruned = async || match site.sql_number(OLD).await {
        1 => Ok(()),
        left => Err(format!("{left} are left")),
    };
    until("old events to go", pruned).await;
}
