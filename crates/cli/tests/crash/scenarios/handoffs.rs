//! Scenarios around a handoff: somebody is told to attend to it, and it is resolved.

use super::Crash;
use super::people::{begun, is_given_back};
use crate::support::{Customer, Kind, Node, Site};

/// A customer who asked for a person, with the ids of the conversation and its handoff.
async fn handed_off<'a>(site: &'a Site) -> (Node<'a>, Customer<'a>, String, String) {
    let (node, mut ana, id) = begun(site).await;
    ana.says("quiero hablar con una persona").await;
    site.settled().await;
    let handoff = site.handoff().await;
    assert_eq!(
        (handoff["status"].as_str(), &handoff["conversation"]),
        (Some("pending"), &id.as_str().into())
    );
    let last = &handoff["context"]["last_messages"];
    assert_eq!(last[2]["text"], "quiero hablar con una persona", "{last}");
    let handoff = handoff["id"].as_str().expect("an id").to_owned();
    (node, ana, id, handoff)
}

/// The person gives the conversation back and says what was done.
async fn is_put_right(site: &Site, node: &Node<'_>, ana: Customer<'_>, id: &str) {
    site.desk(&["conv", "return", id, "--note", "ya lo arreglamos"]).await;
    is_given_back(site, node, ana, id).await;
}

pub(crate) async fn assigning_a_handoff(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, mut ana, id, handoff) = handed_off(&site).await;
    let assign = ["handoff", "assign", &handoff, "--to", "marta"];
    site.desk_to_die(&crash.to_string(), &assign).await;
    let status = if crash.did_it() { "assigned" } else { "pending" };
    assert_eq!(site.handoff().await["status"], status, "{crash}");
    // An operator who sees a command die gives it again.
    site.desk(&assign).await;
    site.desk(&["conv", "take", &id, "--by", "marta"]).await;
    let assigned = site.handoff().await;
    assert_eq!(
        (&assigned["status"], &assigned["assigned_to"]),
        (&"assigned".into(), &"marta".into())
    );
    ana.says_to_a_person("¿hola?").await;
    // Given back before that is noted, the conversation would have the bot answer it, and rightly.
    site.settled().await;
    is_put_right(&site, &node, ana, &id).await;
    let over = site.handoff().await;
    assert_eq!(
        (&over["status"], &over["resolution"]),
        (&"resolved".into(), &"ya lo arreglamos".into())
    );
}

pub(crate) async fn resolving_a_handoff(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, ana, id, handoff) = handed_off(&site).await;
    let resolve = ["handoff", "resolve", &handoff, "--note", "reembolso hecho"];
    site.desk_to_die(&crash.to_string(), &resolve).await;
    if !crash.did_it() {
        assert_eq!(site.handoff().await["status"], "pending", "{crash}");
        site.desk(&resolve).await;
    }
    let again = site.run(&resolve, None).await;
    assert_eq!(again.status.code(), Some(5), "{crash}: a conflict, since it is resolved");
    assert_eq!(site.owner(&id).await, "human", "{crash}");
    is_put_right(&site, &node, ana, &id).await;
    assert_eq!(site.handoff().await["resolution"], "reembolso hecho", "{crash}");
}
