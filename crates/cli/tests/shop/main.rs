//! The shop through the real binary and on real stores: files in and out, stock, orders, and every
//! tool held against the records in memory.

mod catalog;
mod desk;
mod same;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the crash suite uses the rest of the kit")]
mod support;
mod till;

pub(crate) use support::on_both_stores;

use std::process::Output;

use serde_json::Value;

use support::Site;

/// The end of a command: its code, its output, and its standard error.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) async fn run(site: &Site, arguments: &[&str]) -> Ended {
    let Output { status, stdout, stderr } = site.run(arguments, None).await;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a text");
    Ended { code: status.code().expect("no signal"), out: text(stdout), err: text(stderr) }
}

/// The answer of a command in JSON.
pub(crate) async fn told(site: &Site, arguments: &[&str]) -> Value {
    let ended = run(site, &[arguments, &["--json"]].concat()).await;
    assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.err);
    serde_json::from_str(&ended.out).expect("JSON")
}
