//! Live events on a WebSocket, with a real client.

use std::net::SocketAddr;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use store::{KeyRole, LiveId};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::kit::{Kind, Shop, ours};

const PATIENCE: Duration = Duration::from_secs(60);

crate::on_both_stores!(
    a_socket_tells_what_happens_and_goes_on_where_it_was_told,
    a_socket_may_bring_its_key_in_its_first_message,
    a_socket_without_a_good_key_is_closed,
    a_page_of_another_host_is_refused,
    a_socket_closes_when_its_key_is_revoked,
    what_is_no_message_closes_the_socket,
    a_socket_that_answers_no_ping_is_closed_and_one_that_speaks_is_not,
    one_key_cannot_hold_every_place_and_whoever_has_none_holds_no_readers,
);

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn open(
        address: SocketAddr,
        query: &str,
        headers: &[(&str, String)],
    ) -> Result<Self, u16> {
        let url = format!("ws://{address}/api/v1/ws?{query}");
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            let name: axum::http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    async fn say(&mut self, text: Value) {
        self.0.send(Message::text(text.to_string())).await.unwrap();
    }

    /// The next event, or with what code the socket was closed.
    async fn next(&mut self) -> Result<Value, u16> {
        loop {
            let message = timeout(PATIENCE, self.0.next()).await.expect("a message in time");
            match message.expect("not without a close").expect("a message") {
                Message::Text(text) => return Ok(serde_json::from_str(&text).unwrap()),
                Message::Close(frame) => return Err(frame.expect("a reason").code.into()),
                _ => {}
            }
        }
    }

    async fn kind(&mut self) -> String {
        let event = self.next().await.expect("an event");
        event["kind"].as_str().unwrap().to_owned()
    }
}

fn bearer(key: &str) -> [(&'static str, String); 1] {
    [("authorization", format!("Bearer {key}"))]
}

async fn a_socket_tells_what_happens_and_goes_on_where_it_was_told(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let mut socket = Socket::open(address, "", &bearer(&key)).await.unwrap();
    assert_eq!(socket.kind().await, "ready");
    let mut read = Vec::new();
    for n in 0..4 {
        shop.hears("tienda-web", &format!("cliente {n}"), "hola").await;
        let event = socket.next().await.unwrap();
        assert_eq!(event["kind"], "turn");
        read.push(event["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(read, shop.told(ours(), LiveId::default()).await);
    // Back to an earlier place on the same socket.
    socket.say(json!({ "after": read[1] })).await;
    assert_eq!(socket.kind().await, "ready");
    for id in &read[2..] {
        assert_eq!(socket.next().await.unwrap()["id"], *id);
    }
    // And on a new one, only of one kind.
    let query = format!("after={}&kinds=turn", read[2]);
    let mut again = Socket::open(address, &query, &bearer(&key)).await.unwrap();
    assert_eq!(again.kind().await, "ready");
    assert_eq!(again.next().await.unwrap()["id"], read[3]);
    assert_eq!(Socket::open(address, "after=x", &bearer(&key)).await.err(), Some(422));
    shop.wait_ms(1_000).await;
    shop.store.prune_live(ours(), shop.now()).await.unwrap();
    let late = Socket::open(address, &format!("after={}", read[0]), &bearer(&key)).await;
    assert_eq!(late.err(), Some(410));
    socket.say(json!({ "after": read[0] })).await;
    assert_eq!(socket.next().await, Err(4410));
}

async fn a_socket_may_bring_its_key_in_its_first_message(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    shop.hears("tienda-web", "ana", "hola").await;
    let mut socket = Socket::open(address, "", &[]).await.unwrap();
    socket.say(json!({ "auth": key, "after": "0" })).await;
    assert_eq!((socket.kind().await, socket.kind().await), ("ready".to_owned(), "turn".to_owned()));
}

async fn a_socket_without_a_good_key_is_closed(shop: Shop) {
    let address = shop.listen().await;
    assert_eq!(Socket::open(address, "", &bearer("rk_nada")).await.err(), Some(401));
    for first in [json!({ "auth": "rk_nada" }), json!({ "after": "0" })] {
        let mut socket = Socket::open(address, "", &[]).await.unwrap();
        socket.say(first).await;
        assert_eq!(socket.next().await, Err(1008));
    }
    let mut silent = Socket::open(address, "", &[]).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(6)).await;
    tokio::time::resume();
    assert_eq!(silent.next().await, Err(1008));
}

async fn a_page_of_another_host_is_refused(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let from = async |origin: String| {
        let [auth] = bearer(&key);
        Socket::open(address, "", &[auth, ("origin", origin)]).await.err()
    };
    assert_eq!(from(format!("http://{address}")).await, None);
    for origin in ["https://malo.example", "null", "http://127.0.0.1", &format!("x{address}")] {
        assert_eq!(from(origin.to_owned()).await, Some(403), "{origin}");
    }
}

async fn a_socket_closes_when_its_key_is_revoked(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let mut socket = Socket::open(address, "", &bearer(&key)).await.unwrap();
    assert_eq!(socket.kind().await, "ready");
    let id = server::Token::parse(&key).unwrap().key;
    shop.store.revoke_key(ours(), id, "prueba", shop.now()).await.unwrap();
    assert_eq!(socket.next().await, Err(1008));
}

async fn what_is_no_message_closes_the_socket(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    for text in [json!("hola"), json!({ "después": 1 }), json!({ "after": "x" })] {
        let mut socket = Socket::open(address, "", &bearer(&key)).await.unwrap();
        assert_eq!(socket.kind().await, "ready");
        socket.say(text).await;
        assert_eq!(socket.next().await, Err(1003));
    }
    let mut socket = Socket::open(address, "", &bearer(&key)).await.unwrap();
    assert_eq!(socket.kind().await, "ready");
    socket.0.send(Message::binary(vec![1])).await.unwrap();
    assert_eq!(socket.next().await, Err(1003));
}

/// Half a minute and a second of the clock, in which a ping is due.
async fn half_a_minute() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(31)).await;
    tokio::time::resume();
}

async fn a_socket_that_answers_no_ping_is_closed_and_one_that_speaks_is_not(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let mut speaks = Socket::open(address, "", &bearer(&key)).await.unwrap();
    let mut silent = Socket::open(address, "", &bearer(&key)).await.unwrap();
    assert_eq!(
        (speaks.kind().await, silent.kind().await),
        ("ready".to_owned(), "ready".to_owned())
    );
    for _ in 0..3 {
        half_a_minute().await;
        // The event said after it shows that the answer to the ping has come.
        speaks.say(json!({ "after": "0" })).await;
        assert_eq!(speaks.kind().await, "ready");
    }
    assert_eq!(silent.next().await, Err(1001));
}

async fn one_key_cannot_hold_every_place_and_whoever_has_none_holds_no_readers(shop: Shop) {
    // The clock stands still while a thread is busy, however long the sockets take to open.
    let (_done, wait) = std::sync::mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || wait.recv());
    tokio::time::pause();
    let ana = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let beto = shop.key("tienda", "beto", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let mut unknown = Vec::new();
    for _ in 0..20 {
        unknown.push(Socket::open(address, "", &[]).await.unwrap());
    }
    assert_eq!(Socket::open(address, "", &[]).await.err(), Some(503));
    let mut readers = Vec::new();
    for _ in 0..50 {
        readers.push(Socket::open(address, "", &bearer(&ana)).await.unwrap());
    }
    assert_eq!(Socket::open(address, "", &bearer(&ana)).await.err(), Some(429));
    let answer = shop.get("/events", &ana).await;
    assert_eq!((answer.problem().0, answer.header("retry-after")), (429, "10"));
    // A caller that shows a key late is counted as well, and another key has places of its own.
    unknown[0].say(json!({ "auth": ana })).await;
    assert_eq!(unknown[0].next().await, Err(1013));
    unknown[1].say(json!({ "auth": beto })).await;
    assert_eq!(unknown[1].kind().await, "ready");
}

#[tokio::test]
async fn a_socket_without_a_key_makes_room_for_a_newcomer_and_is_told_to_come_again() {
    // The clock stands still while a thread is busy, however long the sockets take to open.
    let (_done, wait) = std::sync::mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || wait.recv());
    tokio::time::pause();
    let shop = Shop::with(Kind::Sqlite, |gate| {
        gate.guests = 3;
        gate.trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    })
    .await;
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let guest =
        async |from: &str| Socket::open(address, "", &[("x-forwarded-for", from.to_owned())]).await;
    let mut oldest = guest("203.0.113.1").await.unwrap();
    let mut second = guest("203.0.113.1").await.unwrap();
    let mut alone = guest("203.0.113.2").await.unwrap();
    let mut newcomer = guest("203.0.113.3").await.unwrap();
    assert_eq!(guest("203.0.113.2").await.err(), Some(503), "nobody has more than one now");
    for stays in [&mut second, &mut alone, &mut newcomer] {
        stays.say(json!({ "auth": key })).await;
        assert_eq!(stays.kind().await, "ready");
    }
    // By now whoever still were a guest would be closed as one who showed no key.
    tokio::time::advance(Duration::from_secs(6)).await;
    assert_eq!(oldest.next().await, Err(1013), "the oldest of the address with the most");
    assert!(guest("203.0.113.2").await.is_ok(), "whoever showed a key is no guest any more");
}
