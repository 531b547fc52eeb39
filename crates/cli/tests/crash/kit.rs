//! The kit's own promise: whatever is under way is seen, and waited for before a point is armed.

use crate::scenarios::held;
use crate::support::{Answer, Caller, Customer, Kind, Node, Shop, Site, Via, Wire, until};

crate::on_both_stores!(
    what_a_node_is_at_is_seen_and_waited_for,
    what_a_dead_node_left_is_seen,
    a_draft_that_was_left_is_seen,
);

async fn what_a_node_is_at_is_seen_and_waited_for(kind: Kind) {
    let site = Site::new(kind).await;
    assert_eq!(site.unsettled().await, "", "there is no database yet");
    let node = site.start().await;
    let (mut ana, mut beto) = (Customer::new(&site, "5491101"), Customer::new(&site, "5491102"));
    ana.says("uno").await;
    site.settled().await;
    let id = site.conversation(&ana.number).await;

    site.sink.next_sends([Answer::Hold]);
    ana.says("dos").await;
    held(&site, 1).await;
    assert_eq!(site.unsettled().await, "1 lanes held, 1 messages not sent");
    site.sink.next_notices([Answer::Hold]);
    beto.says("avisá que llegué").await;
    held(&site, 2).await;
    let all = "1 messages not handled, 2 lanes held, 1 turns open, 1 steps without outcome, \
               1 messages not sent, 1 takeovers that wait";
    let takes = async {
        let look = async || match site.unsettled().await {
            found if found == all => Ok(()),
            found => Err(found),
        };
        until("a takeover to wait", look).await;
        site.sink.open_gate();
    };
    let take = ["conv", "take", &id];
    tokio::join!(site.desk(&take), takes);
    drop(node.armed("turn.commit:after:1").await);
    assert_eq!(site.unsettled().await, "", "armed when all was over");
}

async fn what_a_dead_node_left_is_seen(kind: Kind) {
    let site = Site::new(kind).await;
    let crash = "turn.commit:after:1";
    let dying = site.start_to_die(crash).await;
    let mut ana = Customer::new(&site, "5491101");
    let left = "1 lanes held, 1 lanes due, 1 messages not sent, 1 timers to come";
    let says = ana.says("recordame en 1 segundo agua");
    // A customer who writes is told that the message arrived while there is a node to tell them.
    let (node, ()) = tokio::join!(leaves(&site, dying, crash, left), says);
    node.stop().await;
    assert_eq!(site.sink.sent().len(), 2, "the answer and the reminder");

    let site = Site::new(kind).await;
    let crash = "inbox.accept:after:1";
    let dying = site.start_to_die(crash).await;
    let mut ana = Customer::new(&site, "5491101");
    // The commit that stores a message takes its lane.
    let left = "1 messages not handled, 1 lanes held, 1 lanes due, 1 files not fetched";
    let url = site.sink.file();
    let (node, ()) = tokio::join!(leaves(&site, dying, crash, left), ana.shows(&url));
    node.stop().await;
    assert_eq!(site.kept_files().len(), 1);
}

/// With nobody there to do anything about it; then somebody is, and it is waited for.
async fn leaves<'s>(site: &'s Site, dying: Node<'s>, crash: &str, left: &str) -> Node<'s> {
    dying.died(crash).await;
    assert_eq!(site.unsettled().await, left, "{crash}");
    let node = site.start().await;
    site.settled().await;
    node
}

async fn a_draft_that_was_left_is_seen(kind: Kind) {
    let shop = Shop::open(kind, Wire::OpenAi).await;
    let crash = "draft.put:after:1";
    let dying = shop.site.start_to_die(crash).await;
    let mut ana = Caller::new(&shop.site, Via::Web, 0);
    let left = "1 messages not handled, 1 lanes held, 1 lanes due, 1 turns open, 1 drafts";
    let says = ana.says("quiero comprar");
    let (node, ()) = tokio::join!(leaves(&shop.site, dying, crash, left), says);
    node.stop().await;
}
