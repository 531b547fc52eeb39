//! Bodies of 4 MB from whoever likes to send them.

use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Customer, Kind, Node, Site};

crate::on_both_stores!(a_body_for_nobody_is_not_read_and_one_with_a_false_signature_has_a_bound,);

const STRANGERS: usize = 150;
const BYTES: usize = 4 * 1024 * 1024 - 10;
/// More than the pool of strangers holds, and what a page or two of each connection comes to.
const MOST_KB: i64 = 100 * 1024;

/// Sends a whole body but for its end, and returns the status that came meanwhile; none if only the line
/// was cut.
async fn send(address: &str, path: &str, header: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: h\r\n{header}content-length: {BYTES}\r\n\r\n");
    // The request may be answered, and the line cut, before all is sent.
    let sent = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&vec![b' '; BYTES - 10]).await
    };
    let _ = sent.await;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.ok()?;
    std::str::from_utf8(&answer[9..]).ok()?.parse().ok()
}

fn resident_kb(node: &Node<'_>) -> i64 {
    let path = format!("/proc/{}/status", node.pid());
    let status = std::fs::read_to_string(path).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}

/// By what the node's peak grew while all of them sent, and what they were answered.
async fn flood(node: &Node<'_>, path: &str, header: &str) -> (i64, Vec<Option<u16>>) {
    let address = node.url().strip_prefix("http://").expect("an address");
    let before = resident_kb(node);
    let answers = join_all((0..STRANGERS).map(|_| send(address, path, header))).await;
    assert_eq!(node.get("/healthz").await.0, 200);
    (resident_kb(node) - before, answers)
}

async fn a_body_for_nobody_is_not_read_and_one_with_a_false_signature_has_a_bound(kind: Kind) {
    let site = Site::new(kind).await;
    let node = site.start().await;
    let mut ana = Customer::new(&site, "573100000001");
    ana.says("hola").await;
    ana.is_answered().await;
    for path in ["/webhooks/infobip/nadie", "/webhooks/infobip/tienda", "/webhooks/whatsapp/meta"] {
        let (grown, answers) = flood(&node, path, "").await;
        assert!(grown < MOST_KB, "{path}: {grown} kB");
        let only = answers.into_iter().flatten().all(|status| status == 401);
        assert!(only, "{path}: nobody there has credentials");
    }
    let header = format!("x-hub-signature-256: sha256={}\r\n", "0".repeat(64));
    let (grown, answers) = flood(&node, "/webhooks/whatsapp/meta", &header).await;
    assert!(grown < MOST_KB, "signed falsely: {grown} kB");
    let refused = |status: &u16| [401, 408, 503].contains(status);
    assert!(answers.into_iter().flatten().all(|status| refused(&status)));
    ana.says("¿siguen ahí?").await;
    ana.is_answered().await;
    node.stop().await;
}
