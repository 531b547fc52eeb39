//! Scenarios that need a person: a message that fails, and what operators do.

use super::{Crash, only_open_item, restarted};
use crate::support::{APOLOGY, Answer, Customer, Kind, Node, Site, check, until};

/// A message that makes the agent panic, three times.
pub(crate) async fn failing(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, mut ana, id) = begun(&site).await;
    let dying = node.armed(&crash.to_string()).await;
    let mut beto = Customer::new(&site, "5491102");
    let writing = async {
        ana.says("rompete").await;
        beto.says("acá").await;
        beto.says("dame un turno").await;
    };
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), writing);
    ana.extras.push(APOLOGY.to_owned());
    let findings = check(&site, &[&node], &[&ana, &beto]).await;
    let set_aside: Vec<_> =
        findings.quarantined.iter().map(|one| (&*one.kind, one.conversation.clone())).collect();
    assert_eq!(set_aside, [("message", Some(id.clone()))], "{findings:?}");
    let reason = &findings.quarantined[0].reason;
    let known = ["asked the demo agent to fail", "the process ended while handling it"];
    assert!(known.iter().any(|known| reason.contains(known)), "{reason}");
    assert_eq!(site.owner(&id).await, "human");
    ana.says_to_a_person("¿y?").await;
    beto.says("sigo acá").await;
    check(&site, &[&node], &[&ana, &beto]).await;
}

/// A conversation in which the bot has answered once.
pub(super) async fn begun<'a>(site: &'a Site) -> (Node<'a>, Customer<'a>, String) {
    let node = site.start().await;
    let mut ana = Customer::new(site, "5491101");
    ana.says("uno").await;
    site.settled().await;
    let id = site.conversation(&ana.number).await;
    (node, ana, id)
}

/// The bot has the conversation again: it says so, once, and answers.
pub(super) async fn is_given_back(site: &Site, node: &Node<'_>, mut ana: Customer<'_>, id: &str) {
    assert_eq!(site.owner(id).await, "bot");
    ana.extras.push("Ya estoy de vuelta. ¿Seguimos?".to_owned());
    ana.says("tres").await;
    check(site, &[node], &[&ana]).await.assert_clear();
}

pub(crate) async fn taking_over(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, mut ana, id) = begun(&site).await;
    site.desk_to_die(&crash.to_string(), &["conv", "take", &id]).await;
    let owner = if crash.did_it() { "human" } else { "bot" };
    assert_eq!(site.owner(&id).await, owner, "{crash}");
    // An operator who sees a command die gives it again.
    site.desk(&["conv", "take", &id]).await;
    ana.says_to_a_person("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
    site.desk(&["conv", "return", &id]).await;
    is_given_back(&site, &node, ana, &id).await;
}

pub(crate) async fn writing_as_a_person(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, mut ana, id) = begun(&site).await;
    site.desk(&["conv", "take", &id]).await;
    let say = ["conv", "say", &id, "Soy Ana, te ayudo."];
    site.desk_to_die(&crash.to_string(), &say).await;
    if !crash.did_it() {
        check(&site, &[&node], &[&ana]).await.assert_clear();
        site.desk(&say).await;
    }
    ana.extras.push(say[3].to_owned());
    check(&site, &[&node], &[&ana]).await.assert_clear();
}

pub(crate) async fn giving_back(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, mut ana, id) = begun(&site).await;
    site.desk(&["conv", "take", &id]).await;
    ana.says_to_a_person("dos").await;
    site.desk_to_die(&crash.to_string(), &["conv", "return", &id]).await;
    if !crash.did_it() {
        assert_eq!(site.owner(&id).await, "human", "{crash}");
        site.desk(&["conv", "return", &id]).await;
    }
    is_given_back(&site, &node, ana, &id).await;
}

pub(crate) async fn trying_again(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let (node, mut ana, id) = begun(&site).await;
    ana.says("rompete").await;
    ana.extras.push(APOLOGY.to_owned());
    let findings = check(&site, &[&node], &[&ana]).await;
    let [event] = findings.quarantined.as_slice() else { panic!("{findings:?}") };
    site.desk_to_die(&crash.to_string(), &["quarantine", "retry", &event.id]).await;
    if !crash.did_it() {
        assert_eq!(site.quarantine().await.len(), 1, "{crash}");
        site.desk(&["quarantine", "retry", &event.id]).await;
    }
    // The turn fails again, without a second apology, and is back where it was.
    let twice = async || {
        let lines = site.transcript(&id).await;
        match lines.iter().filter(|line| line.text.starts_with("quarantined: ")).count() {
            2 => Ok(()),
            count => Err(format!("{count} times")),
        }
    };
    until("a second quarantine", twice).await;
    let findings = check(&site, &[&node], &[&ana]).await;
    assert_eq!(findings.quarantined.len(), 1, "{findings:?}");
    assert_eq!(findings.open.len(), 0, "{findings:?}");
}

pub(crate) async fn resolving_an_open_item(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    site.sink.next_sends([Answer::Fail]);
    let node = site.start().await;
    let mut ana = Customer::new(&site, "5491101");
    ana.says("uno").await;
    let item = only_open_item(&site).await;
    site.desk_to_die(&crash.to_string(), &["reconcile", "resend", &item.id]).await;
    if !crash.did_it() {
        assert_eq!(site.reconcile().await.len(), 1, "{crash}");
        assert!(site.sink.sent().is_empty(), "{crash}");
        site.desk(&["reconcile", "resend", &item.id]).await;
    }
    ana.is_answered().await;
    ana.says("dos").await;
    check(&site, &[&node], &[&ana]).await.assert_clear();
}
