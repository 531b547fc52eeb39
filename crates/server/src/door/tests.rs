//! Strangers at the door: half requests, begun bodies, and a full house.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, to_bytes};
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

use super::*;

const LOCAL: &str = "127.0.0.1";

struct Site {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    /// A request to `/slow` is answered for each permit.
    slow: Arc<Semaphore>,
    /// Has a permit for each of them that is under way.
    begun: Arc<Semaphore>,
    /// How often `/book` was answered.
    books: Arc<AtomicUsize>,
}

impl Site {
    async fn open(connections: usize, reserve: usize) -> Self {
        let (slow, begun) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let shared = (Arc::clone(&slow), Arc::clone(&begun));
        let wait = move || {
            let (waited, begun) = shared.clone();
            async move {
                begun.add_permits(1);
                waited.acquire().await.unwrap().forget();
                "done"
            }
        };
        let books = Arc::new(AtomicUsize::new(0));
        let lent = Arc::clone(&books);
        let lend = async move || {
            lent.fetch_add(1, Ordering::Relaxed);
            "x".repeat(64 * 1024)
        };
        let router = Router::new()
            .route("/book", get(lend))
            .route("/healthz", get(async || "ok"))
            .route("/page", get(async || "page"))
            .route("/slow", get(wait))
            .route("/take", post(take))
            .route("/webhooks/take", post(take));
        let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let room = Room { connections, reserve };
        let serving =
            tokio::spawn(serve(listener, router, room, vec![LOCAL.parse().unwrap()], stopped));
        Self { address, stop, serving, slow, begun, books }
    }

    async fn call(&self, said: &str) -> Call {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(said.as_bytes()).await.unwrap();
        Call(stream)
    }

    /// A request that is under way until it is let go.
    async fn slow(&self) -> Call {
        let call = self.call(&ask("/slow")).await;
        self.begun.acquire().await.unwrap().forget();
        call
    }

    async fn get(&self, path: &str) -> String {
        self.call(&ask(path)).await.answer().await
    }
}

async fn take(body: Body) -> &'static str {
    if to_bytes(body, 100).await.is_ok() { "taken" } else { "lost" }
}

/// The head of a request with a body of four bytes; this caller makes it, through a proxy of ours.
fn begin(path: &str, caller: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: h\r\nx-forwarded-for: {caller}\r\ncontent-length: 4\r\n\r\n"
    )
}

fn ask(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n")
}

struct Call(TcpStream);

impl Call {
    /// The status and body of the next answer; empty if the line was cut.
    async fn answer(&mut self) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        while !text.ends_with(b"\r\n\r\n") {
            match self.0.read(&mut byte).await {
                Ok(1) => text.push(byte[0]),
                _ => return String::new(),
            }
        }
        let head = String::from_utf8(text).unwrap().to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        self.0.read_exact(&mut body).await.unwrap();
        let status = head.split(' ').nth(1).unwrap();
        format!("{status} {}", String::from_utf8(body).unwrap())
    }

    /// Waits until the line is cut.
    async fn ends(mut self) {
        let mut rest = Vec::new();
        let _ = self.0.read_to_end(&mut rest).await;
    }
}

#[tokio::test]
async fn a_thousand_half_requests_leave_room_for_whole_ones() {
    let house = Site::open(100, 4).await;
    let mut halves = Vec::new();
    for _ in 0..1_000 {
        halves.push(house.call("GET /page HT").await);
    }
    for _ in 0..20 {
        assert_eq!(house.get("/page").await, "200 page");
    }
    assert_eq!(house.get("/healthz").await, "200 ok");
}

#[tokio::test]
async fn hundreds_of_begun_bodies_leave_room_for_whole_requests_and_for_the_bodies_of_others() {
    for path in ["/take", "/webhooks/take"] {
        let house = Site::open(100, 4).await;
        let mut ana = house.call(&begin(path, "198.51.100.1")).await;
        let mut crowd = Vec::new();
        for _ in 0..300 {
            crowd.push(house.call(&begin(path, "203.0.113.9")).await);
        }
        for _ in 0..20 {
            assert_eq!(house.get("/page").await, "200 page", "{path}");
        }
        assert_eq!(house.get("/healthz").await, "200 ok");
        ana.0.write_all(b"hola").await.unwrap();
        assert_eq!(ana.answer().await, "200 taken", "{path}");
    }
}

#[tokio::test]
async fn answers_that_a_caller_leaves_unread_are_not_made_beforehand() {
    let house = Site::open(10, 1).await;
    let _deaf = house.call(&ask("/book").repeat(200)).await;
    for _ in 0..50 {
        assert_eq!(house.get("/page").await, "200 page");
    }
    let made = house.books.load(Ordering::Relaxed);
    assert!((1..=10).contains(&made), "{made} of 200");
}

#[tokio::test]
async fn what_is_under_way_is_never_ended_for_others_and_the_reserve_is_for_what_must_not_wait() {
    let house = Site::open(8, 2).await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        slow.push(house.slow().await);
    }
    assert!(house.get("/page").await.starts_with("503"));
    assert_eq!(house.get("/healthz").await, "200 ok");
    house.slow.add_permits(8);
    for call in &mut slow {
        assert_eq!(call.answer().await, "200 done");
    }
}

#[tokio::test]
async fn stopping_ends_what_is_idle_and_waits_for_what_is_under_way() {
    let house = Site::open(100, 4).await;
    let mut slow = house.slow().await;
    let mut idle = house.call(&ask("/page")).await;
    assert_eq!(idle.answer().await, "200 page");
    house.stop.send(()).unwrap();
    idle.ends().await;
    assert!(!house.serving.is_finished());
    house.slow.add_permits(1);
    assert_eq!(slow.answer().await, "200 done");
    house.serving.await.unwrap();
}
