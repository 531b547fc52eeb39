//! The operator's commands, run as processes on the same configuration.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use serde_json::Value;
use tokio::time::timeout;

use super::site::Site;
use super::wait::{PATIENCE, until};

/// An item of `recado reconcile list`.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) conversation: String,
    pub(crate) what: String,
}

/// An item of `recado quarantine list`.
#[derive(Clone, Debug)]
pub(crate) struct Quarantined {
    pub(crate) id: String,
    pub(crate) conversation: Option<String>,
    pub(crate) kind: String,
    pub(crate) reason: String,
}

/// A line of `recado conv show`.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) role: String,
    pub(crate) text: String,
    pub(crate) turn: String,
    /// How many intents the trace of its turn names; a turn's first line has the trace.
    pub(crate) intents: usize,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

impl Site {
    pub(crate) async fn run(&self, arguments: &[&str], crash: Option<&str>) -> Output {
        let mut command = self.command(arguments);
        if let Some(crash) = crash {
            command.env("RECADO_CRASH_AT", crash);
        }
        let output = timeout(PATIENCE, command.output()).await;
        output.unwrap_or_else(|_| panic!("{arguments:?} takes too long")).expect("recado runs")
    }

    /// Runs a command that must succeed, and reads its answer.
    pub(crate) async fn desk(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat(), None).await;
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {}\n{errors}", output.status);
        serde_json::from_slice(&output.stdout).expect("an answer in JSON")
    }

    /// Runs a command that must kill itself at `crash`, once all that came before is settled.
    pub(crate) async fn desk_to_die(&self, crash: &str, arguments: &[&str]) {
        self.settled().await;
        let output = self.run(arguments, Some(crash)).await;
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.signal(),
            Some(libc::SIGKILL),
            "{crash} was not reached: {}\n{errors}",
            output.status
        );
    }

    pub(crate) async fn reconcile(&self) -> Vec<Open> {
        let open = |item: &Value| Open {
            id: text(&item["id"]),
            kind: text(&item["kind"]),
            conversation: text(&item["conversation"]),
            what: text(&item["what"]),
        };
        items(&self.desk(&["reconcile", "list"]).await).map(open).collect()
    }

    pub(crate) async fn quarantine(&self) -> Vec<Quarantined> {
        let quarantined = |item: &Value| Quarantined {
            id: text(&item["id"]),
            conversation: item["conversation"].as_str().map(str::to_owned),
            kind: text(&item["kind"]),
            reason: text(&item["reason"]),
        };
        items(&self.desk(&["quarantine", "list"]).await).map(quarantined).collect()
    }

    /// The conversations' ids by the customer's number, which stands in the contact's name.
    pub(crate) async fn conversations(&self) -> BTreeMap<String, String> {
        let list = self.desk(&["conv", "list", "--limit", "10000"]).await;
        items(&list).map(|one| (text(&one["contact"]), text(&one["id"]))).collect()
    }

    pub(crate) async fn conversation(&self, number: &str) -> String {
        let look = async || {
            let known = self.conversations().await;
            known.get(number).cloned().ok_or_else(|| format!("only {known:?}"))
        };
        until("the conversation", look).await
    }

    pub(crate) async fn owner(&self, conversation: &str) -> String {
        let shown = self.desk(&["conv", "show", conversation]).await;
        text(&shown["conversation"]["owner"])
    }

    /// The one handoff of the site, whatever became of it.
    pub(crate) async fn handoff(&self) -> Value {
        let listed = self.desk(&["handoff", "list", "--status", "all"]).await;
        let [only] = listed.as_array().map_or(&[][..], Vec::as_slice) else { panic!("{listed}") };
        let id = text(&only["id"]);
        // The end of an id names it too.
        let shown = self.desk(&["handoff", "show", &id[id.len() - 8..]]).await;
        assert_eq!(&shown, only);
        shown
    }

    pub(crate) async fn transcript(&self, conversation: &str) -> Vec<Line> {
        let shown = self.desk(&["conv", "show", conversation]).await;
        let line = |line: &Value| Line {
            role: text(&line["role"]),
            text: text(&line["content"]),
            turn: text(&line["turn"]),
            intents: items(&line["trace"]["intents"]).count(),
        };
        items(&shown["lines"]).map(line).collect()
    }
}
