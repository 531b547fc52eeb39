//! The work under way when the process dies: a scenario for every named point, each of which goes
//! on after the restart and is checked to the end.

mod api;
mod handoffs;
mod inbox;
mod lanes;
mod media;
mod models;
mod packs;
mod people;
mod shop;

use std::fmt;

use store::When;

pub(crate) use api::{
    cancelling_a_timer, making_a_key, pruning_live_events, revoking_a_key, using_a_key,
};
pub(crate) use handoffs::{assigning_a_handoff, resolving_a_handoff};
pub(crate) use inbox::{
    hearing_of_a_delivery, indexing_contacts, keeping_the_unreadable, noting, pruning,
};
pub(crate) use lanes::{giving_up_a_lane, keeping_a_lease};
pub(crate) use media::{fetching_a_file, forgetting};
pub(crate) use models::{drafting, selling};
pub(crate) use packs::keeping_a_pack;
pub(crate) use people::{
    failing, giving_back, resolving_an_open_item, taking_over, trying_again, writing_as_a_person,
};
pub(crate) use shop::filling_a_shop;

use crate::support::{
    APOLOGY, Customer, Findings, Kind, Node, Open, Setting, Site, accounted, check, until,
};

/// Where and when the process dies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crash {
    pub(crate) at: &'static str,
    pub(crate) when: When,
    /// The how-manieth pass.
    pub(crate) pass: u32,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.at, self.when.name(), self.pass)
    }
}

impl Crash {
    /// Whether what the point commits was done when the process died.
    fn did_it(self) -> bool {
        self.when == When::After
    }
}

async fn restarted<'a>(site: &'a Site, dying: Node<'_>, crash: Crash) -> Node<'a> {
    dying.died(&crash.to_string()).await;
    site.start().await
}

/// Two customers who use everything the demo agent has.
async fn talk(ana: &mut Customer<'_>, beto: &mut Customer<'_>) {
    let ana = async {
        for text in ["uno", "dame un turno", "avisá que llegué", "recordame en 1 segundo agua"] {
            ana.says(text).await;
        }
    };
    let beto = async {
        for text in ["acá", "dame un turno", "sigo acá"] {
            beto.says(text).await;
        }
    };
    tokio::join!(ana, beto);
}

/// Crashes while the two talk, and goes on talking.
async fn talk_through(kind: Kind, crash: Crash, setting: Setting) -> Findings {
    let site = Site::with(kind, setting).await;
    let dying = site.start_to_die(&crash.to_string()).await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    let (node, ()) = tokio::join!(restarted(&site, dying, crash), talk(&mut ana, &mut beto));
    accounted(&site, &[&ana, &beto]).await;
    go_on(&mut ana, &mut beto).await;
    check(&site, &[&node], &[&ana, &beto]).await
}

async fn go_on(ana: &mut Customer<'_>, beto: &mut Customer<'_>) {
    for text in ["de nuevo", "dame un turno"] {
        ana.says(text).await;
        beto.says(text).await;
    }
}

pub(crate) async fn talking(kind: Kind, crash: Crash) {
    let findings = talk_through(kind, crash, Setting::default()).await;
    assert!(findings.quarantined.is_empty(), "{findings:?}");
}

pub(crate) async fn calling_tools(kind: Kind, crash: Crash) {
    let repeatable = Setting { idempotent: true, ..Setting::default() };
    let (once, repeated) = tokio::join!(
        talk_through(kind, crash, Setting::default()),
        talk_through(kind, crash, repeatable),
    );
    assert!(once.quarantined.is_empty() && repeated.quarantined.is_empty());
    // A call under a key is repeated until it is known; it never needs a person.
    assert_eq!(repeated.open.len(), repeated.sends(), "{repeated:?}");
}

/// The point is passed at every start, before anything was said.
pub(crate) async fn starting(kind: Kind, crash: Crash) {
    let findings = talk_through(kind, crash, Setting::default()).await;
    findings.assert_clear();
}

/// The first claim of a start finds a message that an earlier process took and did not answer.
pub(crate) async fn claiming(kind: Kind, crash: Crash) {
    crash_twice(kind, Crash { at: "inbox.accept", when: When::After, pass: 1 }, crash).await;
}

/// Two earlier processes ended in the middle of a turn, which is therefore tried alone; a third that
/// ends meanwhile is the last.
pub(crate) async fn suspecting(kind: Kind, crash: Crash) {
    let site = Site::new(kind).await;
    let earlier = Crash { at: "turn.commit", when: When::Before, pass: 1 }.to_string();
    let first = site.start_to_die(&earlier).await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    let crashes = async {
        first.died(&earlier).await;
        site.start_to_die_over(&earlier).await.died(&earlier).await;
        let dying = site.start_to_die_over(&crash.to_string()).await;
        restarted(&site, dying, crash).await
    };
    // The one that ended while it computed alone leaves it to a person.
    let set_aside = crash.did_it().then_some("the process ended while handling it");
    let says = async {
        match set_aside {
            Some(_) => ana.says_to_a_person("uno").await,
            None => ana.says("uno").await,
        }
    };
    let (node, ()) = tokio::join!(crashes, says);
    ana.extras.extend(set_aside.map(|_| APOLOGY.to_owned()));
    beto.says("acá").await;
    beto.says("dame un turno").await;
    let findings = check(&site, &[&node], &[&ana, &beto]).await;
    let reasons: Vec<_> = findings.quarantined.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(reasons, Vec::from_iter(set_aside), "{findings:?}");
}

async fn crash_twice(kind: Kind, earlier: Crash, crash: Crash) {
    let site = Site::new(kind).await;
    let dying = site.start_to_die(&earlier.to_string()).await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    let crashes = async {
        dying.died(&earlier.to_string()).await;
        let dying = site.start_to_die_over(&crash.to_string()).await;
        restarted(&site, dying, crash).await
    };
    let (node, ()) = tokio::join!(crashes, talk(&mut ana, &mut beto));
    accounted(&site, &[&ana, &beto]).await;
    go_on(&mut ana, &mut beto).await;
    let findings = check(&site, &[&node], &[&ana, &beto]).await;
    assert!(findings.quarantined.is_empty(), "{findings:?}");
}

pub(crate) async fn held(site: &Site, count: usize) {
    let look = async || match site.sink.holding() {
        holding if holding == count => Ok(()),
        holding => Err(format!("{holding} are")),
    };
    until("requests to be held", look).await;
}

/// The open item that a person finds on the list, once nothing is under way any more.
async fn only_open_item(site: &Site) -> Open {
    site.settled().await;
    let items = site.reconcile().await;
    let [item] = items.as_slice() else { panic!("the list has {items:?}") };
    item.clone()
}
