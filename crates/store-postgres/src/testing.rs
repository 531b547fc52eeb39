//! Databases for tests, on the private cluster that `RECADO_TEST_POSTGRES` names.

use std::ops::Deref;
use std::time::Duration;

use store::sql::Sql;
use tokio_postgres::config::Host;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config};

use crate::address::{self, parse};
use crate::{Options, Patience};

use crate::many;

/// The settings of the message path's connections.
pub const MESSAGE_PATH: &str = crate::driver::MESSAGE_PATH;

pub const OWNER: &str = "recado_owner";
pub const APP: &str = "recado_app";

/// A long limit, because a server that is asked for a hundred databases at once is slow, and not
/// gone.
const PATIENCE: Duration = Duration::from_secs(120);

/// An empty database for one test, as each role reaches it.
#[derive(Clone, Debug)]
pub struct Urls {
    /// The database's owner, who is no superuser.
    pub owner: String,
    /// The application's role, bound by row security.
    pub app: String,
    pub superuser: String,
}

impl Urls {
    pub fn options(&self) -> Options {
        Options {
            url: self.app.clone(),
            owner_url: Some(self.owner.clone()),
            pool_size: 8,
            patience: Patience::default(),
        }
    }
}

/// The text for many of a statement, from the parameter types of the text for one.
pub fn for_many(sql: Sql, types: &[Type]) -> String {
    let many = many::make(sql, types);
    many.map(|many| many.text.to_string())
        .unwrap_or_else(|| panic!("not for many: {}", sql.postgres))
}

/// Creates an empty database. The cluster is thrown away after the tests, and the database with it.
pub async fn fresh_database() -> Urls {
    // Advisory locks do not reach beyond a database, so all tests lock in the same one.
    const ROLES: &str = "BEGIN; SELECT pg_advisory_xact_lock(1); \
        DO $$ DECLARE name text; BEGIN \
            FOREACH name IN ARRAY ARRAY['recado_owner', 'recado_app'] LOOP \
                IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN \
                    EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS', name); \
                END IF; \
            END LOOP; \
        END $$; COMMIT";
    const NAME: &str = "SELECT replace(gen_random_uuid()::text, '-', '')";
    let superuser = superuser_url();
    let admin = connect(&superuser).await;
    admin.batch_execute(ROLES).await.expect("the roles for tests");
    drop_left_behind(&admin).await;
    let name: String = admin.query_one(NAME, &[]).await.expect("a name").get(0);
    let name = format!("test_{}_{name}", std::process::id());
    let create = format!("CREATE DATABASE {name} OWNER {OWNER}");
    admin.batch_execute(&create).await.expect("a database for a test");
    let config = parse(&superuser).expect("RECADO_TEST_POSTGRES");
    Urls {
        owner: url(&config, OWNER, &name),
        app: url(&config, APP, &name),
        superuser: url(&config, config.get_user().unwrap_or("postgres"), &name),
    }
}

/// Drops the databases of tests that are over, once there are many, because a whole run would leave
/// a thousand of them in memory.
async fn drop_left_behind(admin: &Client) {
    const LEFT: &str = "SELECT datname::text FROM pg_database WHERE datname LIKE 'test\\_%\\_%' \
        AND (SELECT count(*) FROM pg_database) > 64 AND pg_try_advisory_lock(2)";
    let left = admin.query(LEFT, &[]).await.expect("the databases of tests");
    for name in left.iter().map(|row| row.get::<_, String>(0)) {
        let owner = name.split('_').nth(1).unwrap_or_default();
        if !std::path::Path::new("/proc").join(owner).exists() {
            // Another test may have dropped the database first.
            let _ = admin.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

/// A connection beside the store, for questions that only a test asks; closed when dropped.
pub async fn connect(url: &str) -> Session {
    let mut config = parse(url).expect("a URL");
    config.connect_timeout(PATIENCE);
    Session(address::connect(&config).await.expect("a connection"))
}

pub struct Session(address::Connected);

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0.client
    }
}

// The private cluster trusts every connection, so a URL needs no password.
fn url(config: &Config, user: &str, database: &str) -> String {
    let host = match config.get_hosts() {
        [Host::Tcp(host), ..] => host,
        _ => panic!("RECADO_TEST_POSTGRES names no host"),
    };
    let port = config.get_ports().first().unwrap_or(&5432);
    format!("postgres://{user}@{host}:{port}/{database}")
}

// The scripts pass the cluster they made to the tests in the environment; there is no other way.
#[expect(clippy::disallowed_methods)]
fn superuser_url() -> String {
    std::env::var("RECADO_TEST_POSTGRES").expect(
        "this test needs a private PostgreSQL: run `make test`, or \
         `scripts/with-postgres cargo nextest run -p store-postgres`",
    )
}
