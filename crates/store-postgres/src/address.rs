//! Reads connection URLs, and opens the connections that do not belong to the pool.

use std::error::Error as _;
use std::time::Duration;

use store::{StoreError, StoreResult};
use tokio::task::JoinSet;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls};

use crate::error::from_postgres;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A server that vanished without closing its connections is noticed this soon, not after the
/// system's hours.
const SILENCE: Duration = Duration::from_secs(15);

/// Reads a URL. An error text never repeats the URL, because it may hold a password.
pub(crate) fn parse(url: &str) -> StoreResult<Config> {
    if url.contains("sslmode=verify-") {
        return Err(no_tls());
    }
    let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        StoreError::Unusable(format!("the PostgreSQL URL cannot be read: {cause}"))
    })?;
    if config.get_ssl_mode() == SslMode::Require {
        return Err(no_tls());
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    if !url.contains("keepalives_idle") {
        config.keepalives_idle(SILENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("recado");
    }
    Ok(config)
}

fn no_tls() -> StoreError {
    StoreError::Unusable(
        "the PostgreSQL URL asks for TLS (sslmode), which this recado does not speak; it does not \
         fall back to plain text by itself. Reach the database over a private network or a local \
         TLS proxy, and say sslmode=disable"
            .to_owned(),
    )
}

/// A connection outside the pool, closed when this is dropped.
pub(crate) struct Connected {
    pub(crate) client: Client,
    _pump: JoinSet<()>,
}

pub(crate) async fn connect(config: &Config) -> StoreResult<Connected> {
    let (client, connection) =
        config.connect(NoTls).await.map_err(|error| from_postgres(&error))?;
    let mut pump = JoinSet::new();
    pump.spawn(async move {
        // The client sees the same end of the connection, as an error of its own.
        let _ = connection.await;
    });
    Ok(Connected { client, _pump: pump })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_asks_for_tls_is_refused_not_weakened() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let error = parse(&format!("postgres://app@db/recado?sslmode={mode}")).unwrap_err();
            assert!(error.to_string().contains("asks for TLS"), "{error}");
        }
        assert!(parse("postgres://app@db/recado?sslmode=prefer").is_ok());
    }

    #[test]
    fn a_password_is_decoded_and_never_repeated() {
        let config = parse("postgres://app:p%40ss%2Fword@db:6432/recado").unwrap();
        assert_eq!(config.get_password(), Some(&b"p@ss/word"[..]));
        assert_eq!(config.get_ports(), [6432]);
        let error = parse("postgres://app:hunter2@db:port/recado").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
