//! A thousand half requests against a node that may have a thousand descriptors.

use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::support::{Customer, Kind, Node, Site};

crate::on_both_stores!(a_thousand_half_requests_do_not_take_a_node_off_the_net,);

/// A node that may have no more descriptors than this.
async fn start_with(site: &Site, descriptors: u32) -> Node<'_> {
    let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_recado"), "serve", "--config"]);
    command.arg(site.config()).current_dir(site.folder()).env_clear().env("USER", "ana");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    Node::launch(site, command).await
}

/// So that the strangers themselves have as many connections as they like.
fn raise_own_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both read or write the struct they are given, which lives for the calls.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
        limit.rlim_cur = limit.rlim_max;
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
    }
}

async fn a_thousand_half_requests_do_not_take_a_node_off_the_net(kind: Kind) {
    raise_own_limit();
    let site = Site::new(kind).await;
    let node = start_with(&site, 1_024).await;
    let address = node.url().strip_prefix("http://").expect("an address").to_owned();
    let mut halves = Vec::new();
    for _ in 0..1_010 {
        let mut half = TcpStream::connect(&address).await.expect("a connection");
        half.write_all(b"POST /webhooks/inf").await.expect("half a line");
        halves.push(half);
    }
    for _ in 0..20 {
        assert_eq!(node.get("/healthz").await.0, 200);
    }
    let mut ana = Customer::new(&site, "573100000001");
    ana.says("hola").await;
    ana.is_answered().await;
    assert!(node.metric("recado_connections").await < 800.0);
    drop(halves);
    node.stop().await;
}
