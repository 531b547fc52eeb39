//! Scenarios around models: a sale by two tools in one turn, through a model that is asked twice.

use futures::future::join_all;
use store::When;

use super::{Crash, restarted};
use crate::support::{Caller, Kind, SOLD, Shop, Via, Wire, model_of, rest};

/// A sale on each channel.
pub(crate) async fn selling(kind: Kind, crash: Crash) {
    join_all(Via::ALL.map(|via| sells(kind, crash, via))).await;
}

/// Only the webchat shows a text while it grows.
pub(crate) async fn drafting(kind: Kind, crash: Crash) {
    sells(kind, crash, Via::Web).await;
}

async fn sells(kind: Kind, crash: Crash, via: Via) {
    let shop = Shop::open(kind, Wire::OpenAi).await;
    let Shop { site, oracle } = &shop;
    let dying = site.start_to_die(&crash.to_string()).await;
    let mut ana = Caller::new(site, via, 0);
    let (node, ()) = tokio::join!(restarted(site, dying, crash), ana.says("quiero comprar"));
    assert_eq!(ana.hears(1).await, SOLD, "{crash}");
    rest(&[&node]).await;

    // Only a question whose answer was lost is put again.
    let model = model_of(oracle.wire, "prueba");
    let asked = oracle.asked(&model);
    let at_answer = crash.at == "model.call" && crash.when == When::After
        || crash.at == "step.answer" && crash.when == When::Before
        || crash.at == "draft.put";
    let again = usize::from(at_answer);
    assert_eq!(asked.len(), 2 + again, "{crash}");
    let mut once = asked.clone();
    once.dedup();
    assert_eq!(once.len(), 2, "{crash}: the same questions");

    ana.says("quiero comprar").await;
    assert_eq!(ana.hears(2).await, SOLD, "{crash}");
    rest(&[&node]).await;
    assert_eq!(ana.heard().await.expect("a node is up").len(), 2, "{crash}: each reply once");
    assert_eq!(site.sql_number("SELECT count(*) FROM orders").await, 2, "{crash}: one order each");
    assert_eq!(oracle.dispatched().len(), 2, "{crash}: one dispatch each");
    assert_eq!(site.sql_number("SELECT count(*) FROM model_calls").await, 4, "{crash}");
    assert_eq!(site.sql_number("SELECT count(*) FROM drafts").await, 0, "{crash}");
    // The tokens paid for stand with the answer they were paid for.
    let answers = "SELECT CAST(sum(tokens_used) AS bigint) FROM agent_turns WHERE role = ";
    assert_eq!(site.sql_number(&format!("{answers}'assistant'")).await, 480, "{crash}");
    assert_eq!(site.sql_number(&format!("{answers}'user'")).await, 0, "{crash}");
    let (open, quarantined) = (site.reconcile().await, site.quarantine().await);
    assert!(open.is_empty() && quarantined.is_empty(), "{crash}: {open:?} {quarantined:?}");
}
