//! The real binary, `recado serve`, as a process of its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::database::Database;
use crate::process;
use crate::rig::{CHANNEL, WORKSPACE};
use crate::stopwatch::Stopwatch;
use crate::subject::{Subject, packs};

pub(crate) const USER: &str = "infobip";
pub(crate) const PASSWORD: &str = "de-prueba";

/// Where replies go of a node that nobody writes to.
pub(crate) const NOWHERE: ([u8; 4], u16) = ([127, 0, 0, 1], 9);

pub(crate) struct Node {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From the start of the process to the first 200 of `/readyz`.
    pub(crate) ready_ms: f64,
}

/// The program built beside this one.
pub(crate) fn program() -> Result<PathBuf> {
    let ours = std::env::current_exe().context("where is this program?")?;
    let program = ours.with_file_name("recado");
    if !program.is_file() {
        bail!("{} is missing: run `make bench`", program.display());
    }
    Ok(program)
}

impl Node {
    /// Starts a node with default settings; the agent's replies go to `sink`.
    pub(crate) async fn start(
        database: &Database,
        sink: SocketAddr,
        agent: Subject,
    ) -> Result<Self> {
        let (packs, agent) = (packs(), agent.name());
        let yaml = format!(
            "listen: 127.0.0.1:0\npacks: {}\n{}\
             channels:\n  - id: {CHANNEL}\n    kind: infobip\n    workspace: {WORKSPACE}\n    \
             agent: {agent}\n    api_base: http://{sink}\n    api_key: clave\n    \
             pace: none\n    sender: \"573000000000\"\n    auth: {{ basic: {{ user: {USER}, password: {PASSWORD} }} }}\n",
            packs.display(),
            database.yaml()
        );
        let config = database.folder.path().join("recado.yaml");
        fs::write(&config, yaml)?;
        Self::serve(&config, None).await
    }

    /// Starts a node on a configuration, with no more descriptors than these.
    pub(crate) async fn serve(config: &Path, descriptors: Option<u32>) -> Result<Self> {
        let watch = Stopwatch::start();
        let mut command = match descriptors {
            None => Command::new(program()?),
            Some(most) => {
                let mut shell = Command::new("sh");
                let limited = format!("ulimit -n {most} && exec \"$0\" \"$@\"");
                shell.arg("-c").arg(limited).arg(program()?);
                shell
            }
        };
        command.args(["serve", "--config"]).arg(config).env("RECADO_LOG", "warn");
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start recado")?;
        let stdout = child.stdout.take().context("recado has no output")?;
        let mut node =
            Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)), ready_ms: 0.0 };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        node.address = address
            .and_then(|address| address.parse().ok())
            .with_context(|| format!("recado did not say where it listens: {line:?}"))?;
        node.wait_until_ready().await?;
        node.ready_ms = watch.ms();
        Ok(node)
    }

    async fn wait_until_ready(&self) -> Result<()> {
        let watch = Stopwatch::start();
        while watch.seconds() < 60.0 {
            let mut stream = TcpStream::connect(self.address).await?;
            stream
                .write_all(b"GET /readyz HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n")
                .await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            if answer.starts_with(b"HTTP/1.1 200") {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bail!("recado was not ready within a minute")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn rss_mib(&self) -> f64 {
        process::rss_mib(self.child.id())
    }

    pub(crate) fn peak_rss_mib(&self) -> f64 {
        process::peak_rss_mib(self.child.id())
    }

    pub(crate) fn cpu_seconds(&self) -> f64 {
        process::cpu_seconds(self.child.id())
    }
}

impl Drop for Node {
    // Killed outright: whatever has to outlive that is in its database.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
