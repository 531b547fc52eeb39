//! Graphs inside graphs: run over a part of the state, told as `outer/inner`.

use std::sync::Arc;

use graph::{Builder, END, Graph, Owned, RunError, Trace};
use thiserror::Error;

#[derive(Default)]
struct Order {
    home: Address,
    work: Address,
}

#[derive(Default)]
struct Address {
    asked: u32,
    wanted: u32,
}

#[derive(Debug, Error, PartialEq)]
enum Wrong {
    #[error("{0}")]
    Address(#[from] NoStreet),
}

#[derive(Debug, Error, PartialEq)]
#[error("no street")]
struct NoStreet;

async fn ask(address: &mut Address) -> Result<(), NoStreet> {
    tokio::task::yield_now().await;
    address.asked += 1;
    if address.asked == 9 { Err(NoStreet) } else { Ok(()) }
}

fn until_known(address: &Address) -> &'static str {
    match address {
        Address { wanted: 7, .. } => "elsewhere",
        Address { asked, wanted } if asked < wanted => "ask",
        _ => END,
    }
}

fn address() -> Builder<Owned<Address, NoStreet>> {
    Graph::<Owned<Address, NoStreet>>::builder()
        .node("ask", ask)
        .sync("check", |_| ())
        .start("ask")
        .edge("ask", "check")
        .route("check", "until_known", &["ask", END], until_known)
}

fn home(order: &mut Order) -> &mut Address {
    &mut order.home
}

fn work(order: &mut Order) -> &mut Address {
    &mut order.work
}

fn same(order: &mut Order) -> &mut Order {
    order
}

/// One graph of addresses used twice, the second time two levels down.
fn order(address: Builder<Owned<Address, NoStreet>>) -> Builder<Owned<Order, Wrong>> {
    let address = Arc::new(address.build().unwrap());
    let office = Graph::<Owned<Order, Wrong>>::builder()
        .subgraph("address", Arc::clone(&address), work)
        .start("address")
        .end("address")
        .build();
    Graph::<Owned<Order, Wrong>>::builder()
        .subgraph("home", address, home)
        .subgraph("office", office.unwrap(), same)
        .sync("reply", |_| ())
        .start("home")
        .edge("home", "office")
        .edge("office", "reply")
        .end("reply")
}

fn asking(home: u32, work: u32) -> Order {
    let address = |wanted| Address { asked: 0, wanted };
    Order { home: address(home), work: address(work) }
}

#[tokio::test]
async fn what_runs_inside_is_recorded_under_the_outer_name() {
    let graph = order(address()).build().unwrap();
    let (mut state, mut trace) = (asking(2, 1), Trace::new());
    graph.run(&mut state, &mut trace).await.unwrap();
    let path = "home home/ask home/check home/ask home/check \
                office office/address office/address/ask office/address/check reply";
    assert_eq!(trace.path().collect::<Vec<_>>().join(" "), path);
    assert_eq!((state.home.asked, state.work.asked), (2, 1));
    assert!(graph.nodes().eq(["home", "office", "reply"]));
}

#[tokio::test]
async fn an_error_inside_names_the_node_by_its_whole_name() {
    let graph = order(address()).build().unwrap();
    let error = graph.run(&mut asking(1, 12), &mut Trace::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "node office/address/ask: no street");

    let error = graph.run(&mut asking(7, 1), &mut Trace::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "router until_known of node home/check chose elsewhere, which is not among its targets"
    );
}

#[tokio::test]
async fn a_limit_counts_what_runs_inside_and_an_inner_one_counts_its_own() {
    let stop = |node: &str, limit| (node.to_owned(), limit);
    for (inner, outer, stopped) in [
        (4, 100, stop("home/ask", 4)),
        (100, 4, stop("home/check", 4)),
        (5, 7, stop("home/check", 5)),
        (5, 5, stop("home/ask", 5)),
    ] {
        let graph = order(address().limit(inner)).limit(outer).build().unwrap();
        let error = graph.run(&mut asking(6, 1), &mut Trace::new()).await.unwrap_err();
        let RunError::LimitReached { node, limit, .. } = error else { panic!("{error}") };
        assert_eq!((node, limit), stopped);
    }
}
