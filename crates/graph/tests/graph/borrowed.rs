//! A graph that is built once, for ever, and runs over states that borrow what lives shortly.

use std::sync::OnceLock;

use futures::future::BoxFuture;
use graph::{Family, Graph, RunError, Trace};

/// What a node may reach of the world, as the engine lends it for one turn.
trait Context: Send + Sync {
    fn ask<'c>(&'c mut self, question: &'c str) -> BoxFuture<'c, String>;
    fn note(&mut self, line: &str);
    fn known(&self, key: &str) -> Option<u32>;
}

struct Notebook<'p> {
    lines: &'p mut Vec<String>,
}

impl Context for Notebook<'_> {
    fn ask<'c>(&'c mut self, question: &'c str) -> BoxFuture<'c, String> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            question.to_uppercase()
        })
    }

    fn note(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }

    fn known(&self, key: &str) -> Option<u32> {
        (key == "stock").then_some(self.lines.len() as u32)
    }
}

struct Walk<'a> {
    context: &'a mut dyn Context,
    address: Address<'a>,
    total: u32,
}

struct Address<'a> {
    text: &'a str,
    words: Vec<&'a str>,
}

#[derive(Debug, PartialEq)]
struct Refused(&'static str);

struct Turn;
impl Family for Turn {
    type State<'a> = Walk<'a>;
    type Error = Refused;
}

struct Words;
impl Family for Words {
    type State<'a> = Address<'a>;
    type Error = Refused;
}

async fn greet(walk: &mut Walk<'_>) {
    let answer = walk.context.ask("greeted").await;
    walk.context.note(&answer);
}

fn check(walk: &mut Walk<'_>) -> Result<(), Refused> {
    if walk.address.text.is_empty() { Err(Refused("no address")) } else { Ok(()) }
}

async fn stock(walk: &Walk<'_>) -> Result<u32, Refused> {
    tokio::task::yield_now().await;
    walk.context.known("stock").ok_or(Refused("unknown"))
}

async fn price(walk: &Walk<'_>) -> Result<u32, Refused> {
    Ok(walk.address.words.len() as u32)
}

async fn split(address: &mut Address<'_>) -> Result<(), Refused> {
    tokio::task::yield_now().await;
    address.words = address.text.split(' ').collect();
    Ok(())
}

fn address<'w, 'a>(walk: &'w mut Walk<'a>) -> &'w mut Address<'a> {
    &mut walk.address
}

fn after_check(walk: &Walk<'_>) -> &'static str {
    if walk.address.text == "later" { graph::END } else { "address" }
}

fn turn() -> &'static Graph<Turn> {
    static GRAPH: OnceLock<Graph<Turn>> = OnceLock::new();
    GRAPH.get_or_init(|| {
        let words =
            Graph::<Words>::builder().node("split", split).start("split").end("split").build();
        Graph::<Turn>::builder()
            .node("greet", greet)
            .sync("check", check)
            .subgraph("address", words.unwrap(), address)
            .parallel("quote", |fork| {
                fork.branch("stock", stock)
                    .branch("price", price)
                    .join(|walk, parts| walk.total = parts.iter().sum())
            })
            .sync("close", |walk| walk.context.note("closed"))
            .start("greet")
            .edge("greet", "check")
            .route("check", "after_check", &["address", graph::END], after_check)
            .edge("address", "quote")
            .edge("quote", "close")
            .end("close")
            .build()
            .unwrap()
    })
}

/// Everything it lends to the graph lives in this call.
async fn take_turn(text: String) -> (Vec<String>, u32, Result<(), RunError<Refused>>, Vec<String>) {
    let mut lines = Vec::new();
    let mut notebook = Notebook { lines: &mut lines };
    let mut walk =
        Walk { context: &mut notebook, address: Address { text: &text, words: vec![] }, total: 0 };
    let mut trace = Trace::new();
    let result = turn().run(&mut walk, &mut trace).await;
    let total = walk.total;
    let path = trace.path().map(str::to_owned).collect();
    (lines, total, result, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_may_borrow_what_lives_only_for_the_turn_on_any_thread() {
    let turns: Vec<_> = ["calle 5 numero 8", "later", ""]
        .map(|text| tokio::spawn(take_turn(text.to_owned())))
        .into_iter()
        .collect();
    let mut turns = futures::future::join_all(turns).await.into_iter().map(Result::unwrap);

    let (lines, total, result, path) = turns.next().unwrap();
    assert_eq!((lines.join(" "), total, result), ("GREETED closed".to_owned(), 1 + 4, Ok(())));
    let whole = "greet check address address/split quote quote/stock quote/price close".split(' ');
    assert_eq!(path, whole.collect::<Vec<_>>());

    let (lines, total, result, path) = turns.next().unwrap();
    assert_eq!((lines.join(" "), total, result), ("GREETED".to_owned(), 0, Ok(())));
    assert_eq!(path, ["greet", "check"]);

    let (_, _, result, path) = turns.next().unwrap();
    let refused = RunError::Node { node: "check".to_owned(), source: Refused("no address") };
    assert_eq!(result, Err(refused));
    assert_eq!(path, ["greet", "check"]);
}
