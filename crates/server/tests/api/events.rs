//! Live events as server-sent events: each once, in order, also over a drop.

use std::net::SocketAddr;
use std::time::Duration;

use domain::IdSource;
use serde_json::{Value, json};
use store::{KeyRole, LiveId};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::kit::{Shop, ours, theirs};

const PATIENCE: Duration = Duration::from_secs(60);

crate::on_both_stores!(
    what_happens_is_told_as_it_happens,
    after_a_drop_nothing_is_missed_and_nothing_told_twice,
    a_reader_hears_only_what_it_asked_for,
    a_reader_hears_nothing_of_another_workspace,
    a_reader_that_comes_too_late_is_told_to_begin_anew,
    a_stream_ends_when_its_key_is_revoked,
    a_stream_ends_soon_when_another_process_revokes_its_key,
    a_stream_ends_when_the_node_stops,
);

/// A reader of the stream.
struct Reader(BufReader<TcpStream>);

impl Reader {
    async fn open(address: SocketAddr, key: &str, query: &str, last: Option<&str>) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let last = last.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
        let request = format!(
            "GET /api/v1/events?{query} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\n\
             {last}\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reader = Self(BufReader::new(stream));
        let status = reader.line().await.unwrap();
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        while !reader.line().await.unwrap().is_empty() {}
        reader
    }

    /// `None` at the end of the stream.
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.0.read_line(&mut line)).await.expect("a line in time");
        (read.ok()? > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event, whose name and id stand outside its data too.
    async fn next(&mut self) -> Option<Value> {
        let (mut name, mut id, mut data) = (String::new(), String::new(), Value::Null);
        loop {
            let line = self.line().await?;
            match line.split_once(": ") {
                Some(("event", text)) => text.clone_into(&mut name),
                Some(("id", text)) => text.clone_into(&mut id),
                Some(("data", text)) => data = serde_json::from_str(text).unwrap(),
                _ if line.is_empty() && !data.is_null() => {
                    assert_eq!((&data["kind"], &data["id"]), (&json!(name), &json!(id)));
                    return Some(data);
                }
                _ => {}
            }
        }
    }

    async fn kinds(&mut self, count: usize) -> Vec<String> {
        let mut kinds = Vec::new();
        for _ in 0..count {
            let event = self.next().await.expect("an event");
            kinds.push(event["kind"].as_str().unwrap().to_owned());
        }
        kinds
    }

    /// Waits for the end of the stream, which is an empty chunk.
    async fn ends(&mut self) {
        while self.line().await.is_some_and(|line| line != "0") {}
    }
}

async fn what_happens_is_told_as_it_happens(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let mut reader = Reader::open(shop.listen().await, &key, "", None).await;
    assert_eq!(reader.kinds(1).await, ["ready"]);
    let id = shop.hears("tienda-wa", "5491100", "hola").await;
    let turn = reader.next().await.unwrap();
    let payload = json!({ "heard": 1, "timers": 0, "replies": 1, "mode": "conversation" });
    assert_eq!((&turn["kind"], &turn["payload"]), (&json!("turn"), &payload));
    assert_eq!(turn["conversation"], id.to_string());
    assert_eq!(turn["at"], "2026-05-28T20:26:40.000Z");
    let sent = reader.next().await.unwrap();
    assert_eq!(
        (&sent["kind"], &sent["payload"]),
        (&json!("delivery"), &json!({ "status": "sent" }))
    );
    let take = format!("/conversations/{id}/take");
    shop.post(&take, &key, json!({})).await.good();
    let taken = reader.next().await.unwrap();
    assert_eq!((&taken["kind"], &taken["payload"]), (&json!("taken"), &json!({ "by": "ana" })));
}

async fn after_a_drop_nothing_is_missed_and_nothing_told_twice(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let address = shop.listen().await;
    let mut reader = Reader::open(address, &key, "", None).await;
    let ready = reader.next().await.unwrap();
    let mut read: Vec<String> = Vec::new();
    let mut last = ready["id"].as_str().unwrap().to_owned();
    for n in 0..9 {
        shop.hears("tienda-web", &format!("cliente {n}"), "hola").await;
        // Drops after every third event, before it has read what came meanwhile.
        if n % 3 == 2 {
            let event = reader.next().await.unwrap();
            last = event["id"].as_str().unwrap().to_owned();
            read.push(last.clone());
            let header = (n % 2 == 0).then_some(last.as_str());
            let query = if n % 2 == 0 { String::new() } else { format!("after={last}") };
            reader = Reader::open(address, &key, &query, header).await;
            let ready = reader.next().await.unwrap();
            assert_eq!((&ready["kind"], &ready["id"]), (&json!("ready"), &json!(last)));
        }
    }
    while read.len() < 9 {
        read.push(reader.next().await.unwrap()["id"].as_str().unwrap().to_owned());
    }
    let all = shop.told(ours(), LiveId::default()).await;
    assert_eq!(read, all);
    // A header goes before the parameter, since browsers send it when they come back.
    let mut again = Reader::open(address, &key, "after=0", Some(&all[7])).await;
    again.next().await;
    assert_eq!(again.next().await.unwrap()["id"], all[8]);
    assert!(!last.is_empty());
}

async fn a_reader_hears_only_what_it_asked_for(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let address = shop.listen().await;
    let id = shop.hears("tienda-web", "ana", "hola").await;
    let query = format!("kinds=taken,%20returned&conversation={id}&after=0");
    let mut reader = Reader::open(address, &key, &query, None).await;
    assert_eq!(reader.kinds(1).await, ["ready"]);
    let other = shop.hears("tienda-web", "beto", "hola").await;
    for id in [other, id] {
        shop.post(&format!("/conversations/{id}/take"), &key, json!({})).await.good();
    }
    shop.post(&format!("/conversations/{id}/return"), &key, json!({})).await.good();
    for kind in ["taken", "returned"] {
        let event = reader.next().await.unwrap();
        assert_eq!((&event["kind"], &event["conversation"]), (&json!(kind), &json!(id)));
    }
}

async fn a_reader_hears_nothing_of_another_workspace(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let theirs_id = shop.hears("otra-web", "ana", "hola").await;
    let mut reader = Reader::open(shop.listen().await, &key, "after=0", None).await;
    shop.hears("otra-web", "ana", "sigo").await;
    let ours_id = shop.hears("tienda-web", "ana", "hola").await;
    assert_eq!(reader.kinds(1).await, ["ready"]);
    let event = reader.next().await.unwrap();
    assert_eq!(event["conversation"], ours_id.to_string());
    assert_ne!(event["conversation"], theirs_id.to_string());
    // Their ids are no places of ours either: nothing more is told from there.
    let end = shop.told(theirs(), LiveId::default()).await.pop().unwrap();
    let page = shop.get(&format!("/events?conversation={theirs_id}&after={end}"), &key).await;
    assert_eq!(page.status, 200);
}

async fn a_reader_that_comes_too_late_is_told_to_begin_anew(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    for from in ["a", "b", "c"] {
        shop.hears("tienda-web", from, "hola").await;
        shop.wait_ms(1_000).await;
    }
    let all = shop.told(ours(), LiveId::default()).await;
    shop.store.prune_live(ours(), shop.now().plus_ms(-1_000)).await.unwrap();
    for late in ["0", &all[0]] {
        let answer = shop.get(&format!("/events?after={late}"), &key).await;
        let (status, detail) = answer.problem();
        assert!(status == 410 && detail.contains("read the lists again"), "{status} {detail}");
    }
    for in_time in &all[1..] {
        assert_eq!(shop.get(&format!("/events?after={in_time}"), &key).await.status, 200);
    }
}

async fn a_stream_ends_when_its_key_is_revoked(shop: Shop) {
    let (key, other) = (
        shop.key("tienda", "ana", KeyRole::Viewer).await,
        shop.key("tienda", "eva", KeyRole::Viewer).await,
    );
    let address = shop.listen().await;
    let mut reader = Reader::open(address, &key, "kinds=taken", None).await;
    let mut stays = Reader::open(address, &other, "", None).await;
    let id = server::Token::parse(&key).unwrap().key;
    shop.store.revoke_key(ours(), id, "prueba", shop.now()).await.unwrap();
    reader.ends().await;
    assert_eq!(stays.kinds(2).await, ["ready", "key_revoked"]);
}

/// Nothing announces it here, so it is found when the key is looked at again.
async fn a_stream_ends_soon_when_another_process_revokes_its_key(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let mut reader = Reader::open(shop.listen().await, &key, "", None).await;
    assert_eq!(reader.kinds(1).await, ["ready"]);
    // As by a hand in the database: not even an event says so.
    shop.database.forget_keys().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    reader.ends().await;
}

async fn a_stream_ends_when_the_node_stops(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let mut reader = Reader::open(shop.listen().await, &key, "", None).await;
    assert_eq!(reader.kinds(1).await, ["ready"]);
    shop.engine.stop();
    reader.ends().await;
    assert!(!shop.ids.next().is_nil());
}
