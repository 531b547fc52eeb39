//! A node: `recado serve` as a process that can be killed, paused and stopped.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

use super::site::Site;
use super::wait::{PATIENCE, until};

/// Killed when dropped.
pub(crate) struct Node<'a> {
    site: &'a Site,
    child: Child,
    pid: i32,
    /// The name the database knows the node's sessions by.
    name: String,
    log: Arc<Mutex<String>>,
    /// `None` when the process ended before it listened.
    address: Option<String>,
}

impl Site {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recado"));
        command.args(arguments).arg("--config").arg(self.config()).current_dir(self.folder());
        // The test's own environment is no part of the node's configuration.
        command.env_clear().env("USER", "ana");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        command
    }

    /// Starts a node and waits until it listens.
    pub(crate) async fn start(&self) -> Node<'_> {
        let node = Node::launch(self, self.command(&["serve"])).await;
        assert!(node.address.is_some(), "a node did not start:\n{}", node.log());
        node
    }

    /// Starts a node that is to kill itself at `crash`, once all that came before is settled; it may
    /// do so before it listens.
    pub(crate) async fn start_to_die(&self, crash: &str) -> Node<'_> {
        self.settled().await;
        self.start_to_die_over(crash).await
    }

    /// Starts a node that is to kill itself at `crash` over what the last one left unfinished.
    pub(crate) async fn start_to_die_over(&self, crash: &str) -> Node<'_> {
        let mut command = self.command(&["serve"]);
        command.env("RECADO_CRASH_AT", crash);
        Node::launch(self, command).await
    }
}

impl<'a> Node<'a> {
    pub(crate) async fn launch(site: &'a Site, mut command: Command) -> Self {
        let name = format!("node-{}", site.logs.borrow().len());
        if let Some(urls) = &site.urls {
            let named = format!("{}&application_name={name}", urls.app);
            command.env("RECADO_DATABASE", named);
        }
        let mut child = command.spawn().expect("recado starts");
        let pid = i32::try_from(child.id().expect("a process")).expect("a process id");
        let log = Arc::new(Mutex::new(String::new()));
        site.logs.borrow_mut().push(Arc::clone(&log));
        tokio::spawn(keep(child.stderr.take().expect("standard error"), Arc::clone(&log)));
        let mut lines = BufReader::new(child.stdout.take().expect("standard output")).lines();
        let first = timeout(PATIENCE, lines.next_line()).await.expect("a first line in time");
        let address = first.ok().flatten().map(|line| {
            let rest = line.strip_prefix("Recado listens on ").expect(&line);
            rest.split("/ ").next().expect(&line).to_owned()
        });
        site.doors.borrow_mut().extend(address.clone());
        Self { site, child, pid, name, log, address }
    }

    pub(crate) fn site(&self) -> &'a Site {
        self.site
    }

    pub(crate) fn url(&self) -> &str {
        self.address.as_deref().expect("the node listens")
    }

    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn logs(&self, words: &str) {
        let look = async || match self.log().contains(words) {
            true => Ok(()),
            false => Err("not yet".to_owned()),
        };
        until(&format!("the log line «{words}»"), look).await;
    }

    fn signal(&self, signal: i32) {
        // SAFETY: the call only takes integers; the process is ours and not yet waited for.
        unsafe { libc::kill(self.pid, signal) };
    }

    fn close_door(&self) {
        self.site.doors.borrow_mut().retain(|door| Some(door) != self.address.as_ref());
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let Ok(ended) = timeout(PATIENCE, self.child.wait()).await else {
            panic!("the process goes on:\n{}", self.log());
        };
        self.close_door();
        self.site.bury(&self.name).await;
        ended.expect("a status")
    }

    /// Waits until it has killed itself where it was told to.
    pub(crate) async fn died(mut self, crash: &str) {
        let Ok(ended) = timeout(PATIENCE, self.child.wait()).await else {
            panic!("{crash} was never reached:\n{}", self.log());
        };
        self.close_door();
        self.site.bury(&self.name).await;
        let status = ended.expect("a status");
        assert_eq!(status.signal(), Some(libc::SIGKILL), "{crash}: {status}\n{}", self.log());
    }

    pub(crate) async fn kill(mut self) {
        self.signal(libc::SIGKILL);
        self.ended().await;
    }

    pub(crate) fn terminate(&self) {
        self.signal(libc::SIGTERM);
    }

    pub(crate) async fn stop(mut self) {
        self.terminate();
        let status = self.ended().await;
        assert_eq!(status.code(), Some(0), "{status}\n{}", self.log());
    }

    /// The node anew, to kill itself at `crash`: all that came before is settled, and of all that
    /// comes after nothing has begun.
    pub(crate) async fn armed(self, crash: &str) -> Node<'a> {
        let site = self.site;
        site.settled().await;
        self.stop().await;
        site.start_to_die(crash).await
    }

    /// Freezes it; customers go to the other doors meanwhile.
    pub(crate) fn pause(&self) {
        self.close_door();
        self.signal(libc::SIGSTOP);
    }

    pub(crate) fn resume(&self) {
        self.signal(libc::SIGCONT);
        self.site.doors.borrow_mut().push(self.url().to_owned());
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        let url = format!("{}{path}", self.url());
        let response = self.site.http.get(url).send().await.expect("an answer");
        (response.status().as_u16(), response.text().await.expect("a text"))
    }

    /// The answer of the operators' API to a key; `None` if the node died of the request.
    pub(crate) async fn api(&self, method: &str, path: &str, key: &str) -> Option<(u16, Value)> {
        let method = method.parse().expect("a method");
        let url = format!("{}/api/v1{path}", self.url());
        let request = self.site.http.request(method, url).bearer_auth(key);
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let text = response.text().await.expect("a text");
        Some((status, serde_json::from_str(&text).unwrap_or_default()))
    }

    /// A gauge or counter among the metrics; one that was never touched is 0.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let (status, text) = self.get("/metrics").await;
        assert_eq!(status, 200);
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0.0, |value| value.parse().expect("a number"))
    }
}

async fn keep(mut stderr: ChildStderr, log: Arc<Mutex<String>>) {
    let mut buffer = vec![0; 8192];
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let text = String::from_utf8_lossy(&buffer[..read]);
        log.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
    }
}
