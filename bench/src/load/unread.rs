//! A node's memory while pages ask for all that was said and read nothing of it.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::courier::status;
use super::site::{Channel, Kind, Site};
use super::visitors::{become_somebody, post};
use crate::http::Wire;
use crate::measure::Measures;
use crate::node::Node;
use crate::plan::Plan;
use crate::process;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::stopwatch::Stopwatch;
use crate::subject::Subject;

/// As many as one visitor may have open.
const PAGES: usize = 10;
/// The addresses that all of them call from, by the word of a proxy.
const ADDRESSES: usize = 10;
/// Lines said to each visitor, as long as an operator's may be.
const LINES: u32 = 60;
const LETTERS: usize = 4_000;
/// Little fits into a reader's own buffer that wants to be a burden.
const BUFFER: u32 = 4 * 1024;

pub(crate) async fn run(plan: &Plan, measures: &mut Measures) -> Result<()> {
    process::raise_descriptors();
    let agent = Subject::Registro.name();
    let channel = Channel::new(Kind::Webchat, CHANNEL, WORKSPACE, agent);
    // Visitors are made at once here, and their pages are held to what an address may leave unread.
    let settings = "webchat_limits: none\ntrusted_proxies: [127.0.0.1]\n";
    let site = Site::open(plan.empty_database().await?, settings, &[channel]).await?;
    let (node, key) = (site.node().await?, site.key("operator")?);
    let mut wire = Wire::new(TcpStream::connect(node.address).await?)?;
    let mut visitors = Vec::new();
    for _ in 0..plan.pick(200, 20) {
        visitors.push(begin(&mut wire).await?);
    }
    let customer = begin(&mut wire).await?;
    fill(&mut wire, &key, visitors.len() + 1).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = node.rss_mib();
    let (mut pages, mut most) = (Vec::new(), before);
    for (place, visitor) in visitors.iter().enumerate() {
        for _ in 0..PAGES {
            pages.push(follow(&node, visitor, place % ADDRESSES, Some(BUFFER)).await?);
        }
        most = most.max(node.rss_mib());
    }
    let watch = Stopwatch::start();
    let mut read = follow(&node, &customer, ADDRESSES, None).await?;
    whole(&mut read).await?;
    measures.add("load.unread.others", watch.ms());
    for _ in 0..plan.pick(100, 20) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        most = most.max(node.rss_mib());
    }
    measures.add("load.unread.before", before);
    measures.add("load.unread.grown", most - before);
    drop(pages);
    Ok(())
}

/// The token of a visitor who has said something.
async fn begin(wire: &mut Wire) -> Result<String> {
    let token = become_somebody(wire, CHANNEL).await?;
    let message = json!({ "id": "00000000", "text": "hola" }).to_string();
    let header = format!("recado-visitor: {token}\r\n");
    wire.send(&post(CHANNEL, "messages", &header, &message)).await?;
    let taken = wire.receive(|line, _| status(line)).await?.context("the node hung up")?;
    ensure!(taken == 202, "a visitor was answered {taken}");
    Ok(token)
}

/// An operator takes every conversation and says a great deal in it.
async fn fill(wire: &mut Wire, key: &str, conversations: usize) -> Result<()> {
    let list: Value = call(wire, key, "GET", "/conversations?limit=200", "").await?;
    let mut items = list["items"].as_array().cloned().unwrap_or_default();
    if let Some(next) = list["next"].as_str() {
        let path = format!("/conversations?limit=200&after={next}");
        let rest: Value = call(wire, key, "GET", &path, "").await?;
        items.extend(rest["items"].as_array().cloned().unwrap_or_default());
    }
    ensure!(items.len() == conversations, "{} conversations are listed", items.len());
    let text = "ñ".repeat(LETTERS);
    for (place, item) in items.iter().enumerate() {
        let id = item["id"].as_str().context("an id")?;
        call(wire, key, "POST", &format!("/conversations/{id}/take"), "{}").await?;
        for line in 0..LINES {
            let client_id =
                format!("00000000-0000-4000-8000-{:012}", place * 1_000 + line as usize);
            let body = json!({ "text": text, "client_id": client_id }).to_string();
            call(wire, key, "POST", &format!("/conversations/{id}/reply"), &body).await?;
        }
    }
    Ok(())
}

async fn call(wire: &mut Wire, key: &str, method: &str, path: &str, body: &str) -> Result<Value> {
    let request = format!(
        "{method} /api/v1{path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    wire.send(request.as_bytes()).await?;
    let read = |line: &[u8], body: &[u8]| {
        let said = String::from_utf8_lossy(body).into_owned();
        ensure!(matches!(status(line), 200..=204), "{method} {path} was answered: {said}");
        Ok(serde_json::from_str(&said).unwrap_or_default())
    };
    wire.receive(read).await?.context("the node hung up")?
}

/// Opens a stream from the first line on, and reads no more than its status. Without a buffer of its
/// own it has the system's, as a browser's has.
async fn follow(
    node: &Node,
    visitor: &str,
    address: usize,
    buffer: Option<u32>,
) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    let mut stream = socket.connect(node.address).await?;
    let request = format!(
        "GET /chat/{CHANNEL}/events?after=0 HTTP/1.1\r\nhost: bench\r\n\
         x-forwarded-for: 203.0.113.{address}\r\nrecado-visitor: {visitor}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await?;
    ensure!(head.ends_with(b"200"), "a stream was refused: {}", String::from_utf8_lossy(&head));
    Ok(stream)
}

/// Reads until all that the operator said has come.
async fn whole(stream: &mut TcpStream) -> Result<()> {
    let (mut bytes, mut part) = (0, [0; 16 * 1024]);
    while bytes < LINES as usize * LETTERS * "ñ".len() {
        let read = stream.read(&mut part).await?;
        ensure!(read > 0, "the stream of somebody who reads was cut after {bytes} bytes");
        bytes += read;
    }
    Ok(())
}
