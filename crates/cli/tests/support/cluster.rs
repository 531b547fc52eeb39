//! A private PostgreSQL cluster of one test, which may crash it.

use std::path::{Path, PathBuf};
use std::process::Command;

use store_postgres::testing::{APP, OWNER, Urls, connect};

/// Removed when dropped.
pub(crate) struct Cluster {
    dir: PathBuf,
    url: String,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgres")
}

impl Cluster {
    pub(crate) fn start() -> Self {
        let dir =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cluster-{}", std::process::id()));
        let output = Command::new(script()).arg("start").arg(&dir).output().expect("the script");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "no private PostgreSQL: {errors}");
        let url = String::from_utf8(output.stdout).expect("a URL").trim().to_owned();
        Self { dir, url }
    }

    /// An empty database with the roles a site needs.
    pub(crate) async fn database(&self) -> Urls {
        let admin = connect(&self.url).await;
        for role in [OWNER, APP] {
            let create = format!("CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS");
            admin.batch_execute(&create).await.expect("a role");
        }
        let create = format!("CREATE DATABASE crash OWNER {OWNER}");
        admin.batch_execute(&create).await.expect("a database");
        let url = |role: &str| {
            let whole = self.url.replace("postgres@", &format!("{role}@"));
            format!("{}/crash", whole.rsplit_once('/').expect("a database in the URL").0)
        };
        Urls { owner: url(OWNER), app: url(APP), superuser: url("postgres") }
    }

    /// Ends it without a word to anybody, beside whatever else the test does.
    pub(crate) async fn crash(&self) {
        self.tell("crash").await;
    }

    /// Brings it back on the same port.
    pub(crate) async fn revive(&self) {
        self.tell("revive").await;
    }

    async fn tell(&self, what: &str) {
        let status = tokio::process::Command::new(script()).arg(what).arg(&self.dir).status();
        assert!(status.await.expect("the script").success(), "PostgreSQL did not {what}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stopped = Command::new(script()).arg("stop").arg(&self.dir).status();
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!("a private PostgreSQL is left in {}", self.dir.display());
        }
    }
}
