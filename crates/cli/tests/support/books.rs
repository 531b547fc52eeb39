//! The work that a site's database says is still under way: waited for before a point is armed, so
//! that whatever is ambiguous after a crash was cut short by that crash and by nothing before it.

use std::time::Duration;

use rusqlite::Connection;
use store_postgres::testing::{Session, connect};

use super::site::Site;
use super::wait::until;

/// Rows that somebody has yet to do something about. A model is only ever asked by a turn, and a turn
/// is only ever taken by whoever holds the lane.
const UNDER_WAY: [(&str, &str); 9] = [
    ("messages not handled", "webhook_inbox WHERE status = 'pending'"),
    ("lanes held", "lanes WHERE holder IS NOT NULL"),
    ("lanes due", "lanes WHERE wake_at <= {now}"),
    ("turns open", "lanes WHERE open_turn IS NOT NULL"),
    ("steps without outcome", "agent_steps WHERE status = 'intended'"),
    ("messages not sent", "outbox WHERE rank <= 1"),
    ("takeovers that wait", "conversations WHERE taking_by IS NOT NULL"),
    ("drafts", "drafts"),
    // A file that did not come at once is asked for again much later, and at rest until then.
    ("files not fetched", "media WHERE next_at IS NOT NULL AND error IS NULL"),
];

/// Timers of a minute or less, which fall due within a test; the others are no part of it.
const TO_COME: (&str, &str) =
    ("timers to come", "timers WHERE status = 'armed' AND due_at - armed_at <= 60000");

/// Work that dead nodes held may be taken. Their leases would run out by themselves; but one short
/// enough to be waited for is lost by the living too, on a busy machine.
const RUN_OUT: &str = "UPDATE lanes SET wake_at = 1 WHERE holder IS NOT NULL; \
                       UPDATE media SET next_at = 1 WHERE next_at IS NOT NULL";

fn all_kinds() -> Vec<(&'static str, &'static str)> {
    UNDER_WAY.into_iter().chain([TO_COME]).collect()
}

/// A connection of the kit's own.
pub(super) enum Books {
    Sqlite(Connection),
    Postgres(Session),
}

impl Books {
    pub(super) async fn open(site: &Site) -> Self {
        match &site.urls {
            None => {
                let file = Connection::open(site.database_file()).expect("the database");
                file.busy_timeout(Duration::from_secs(10)).expect("a timeout");
                Self::Sqlite(file)
            }
            Some(urls) => Self::Postgres(connect(&urls.superuser).await),
        }
    }

    /// A number that is asked for.
    pub(super) async fn number(&self, query: &str) -> i64 {
        match self {
            Self::Sqlite(file) => file.query_row(query, [], |row| row.get(0)).expect(query),
            Self::Postgres(session) => session.query_one(query, &[]).await.expect(query).get(0),
        }
    }

    pub(super) async fn change(&self, statements: &str) {
        match self {
            Self::Sqlite(file) => file.execute_batch(statements).expect(statements),
            Self::Postgres(session) => session.batch_execute(statements).await.expect(statements),
        }
    }

    fn now(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "CAST(unixepoch('subsec') * 1000 AS integer)",
            Self::Postgres(_) => "extract(epoch FROM clock_timestamp()) * 1000",
        }
    }

    /// Whether there is a schema to ask: the last table that the questions above name.
    async fn are_kept(&self) -> bool {
        let tables = match self {
            Self::Sqlite(_) => "SELECT count(*) FROM sqlite_master WHERE name = 'media'",
            Self::Postgres(_) => "SELECT count(*) FROM pg_class WHERE relname = 'media'",
        };
        self.number(tables).await > 0
    }

    /// How much there is of each of these kinds, in words; asked for at once, since what leaves one
    /// kind may enter another.
    async fn what_is(&self, kinds: &[(&str, &str)]) -> String {
        let mark = if matches!(self, Self::Sqlite(_)) { "group_concat" } else { "string_agg" };
        let counts = kinds.iter().map(|(kind, rows)| {
            format!("SELECT '{kind}' AS kind, count(*) AS rows FROM {rows}")
                .replace("{now}", self.now())
        });
        let counts: Vec<_> = counts.collect();
        let query = format!(
            "SELECT coalesce({mark}(rows || ' ' || kind, ', '), '') FROM ({}) AS counted \
             WHERE rows > 0",
            counts.join(" UNION ALL ")
        );
        match self {
            Self::Sqlite(file) => file.query_row(&query, [], |row| row.get(0)).expect(&query),
            Self::Postgres(session) => session.query_one(&query, &[]).await.expect(&query).get(0),
        }
    }
}

impl Site {
    /// Waits until nothing is under way.
    pub(crate) async fn rests(&self) {
        self.is_without(&UNDER_WAY, "nothing to be under way").await;
    }

    /// Waits until nothing is under way and no timer is about to fall due.
    pub(crate) async fn settled(&self) {
        self.is_without(&all_kinds(), "everything before to be settled").await;
    }

    /// The work that `settled` would wait for, in words.
    pub(crate) async fn unsettled(&self) -> String {
        let Some(books) = self.books().await else { return String::new() };
        books.what_is(&all_kinds()).await
    }

    /// Waits until a lane is due.
    pub(crate) async fn falls_due(&self) {
        let books = Books::open(self).await;
        let due = format!("SELECT count(*) FROM lanes WHERE wake_at <= {}", books.now());
        let look = async || match books.number(&due).await {
            0 => Err("none is".to_owned()),
            _ => Ok(()),
        };
        until("a lane to be due", look).await;
    }

    async fn is_without(&self, kinds: &[(&str, &str)], what: &str) {
        let Some(books) = self.books().await else { return };
        let look = async || match books.what_is(kinds).await {
            nothing if nothing.is_empty() => Ok(()),
            something => Err(something),
        };
        until(what, look).await;
    }

    /// The books; none where no node has ever been.
    async fn books(&self) -> Option<Books> {
        // To open a file of SQLite is to make it.
        if self.urls.is_none() && !self.database_file().exists() {
            return None;
        }
        let books = Books::open(self).await;
        books.are_kept().await.then_some(books)
    }

    /// Waits until nothing of a node that has ended goes on in the database: PostgreSQL finishes what
    /// it was told to commit. If no other is up, what it held may be taken.
    pub(super) async fn bury(&self, name: &str) {
        let Some(books) = self.books().await else { return };
        if let Books::Postgres(_) = books {
            let sessions = format!(
                "SELECT count(*) FROM pg_stat_activity \
                 WHERE datname = current_database() AND application_name = '{name}'"
            );
            let look = async || match books.number(&sessions).await {
                0 => Ok(()),
                left => Err(format!("{left} sessions")),
            };
            until("the sessions of a dead node to end", look).await;
        }
        if self.doors.borrow().is_empty() {
            books.change(RUN_OUT).await;
        }
    }

    /// The leases of whoever holds a lane now are over.
    pub(crate) async fn leases_run_out(&self) {
        Books::open(self).await.change(RUN_OUT).await;
    }

    /// Changes the database behind the nodes' backs.
    pub(crate) async fn sql(&self, statements: &str) {
        Books::open(self).await.change(statements).await;
    }

    /// A number the database is asked for.
    pub(crate) async fn sql_number(&self, query: &str) -> i64 {
        Books::open(self).await.number(query).await
    }
}
