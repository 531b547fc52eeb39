//! The database, as written in `database` and `database_owner`, and its printed form.

use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};

#[derive(Clone, Debug)]
pub enum Database {
    Sqlite {
        path: PathBuf,
    },
    Postgres {
        /// The application's role.
        url: SecretString,
        /// The role that owns the tables and runs migrations, if it is another one.
        owner_url: Option<SecretString>,
    },
}

impl Database {
    /// `None` if the text is neither; the caller does not print the text, which may hold a
    /// password.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return (!path.is_empty()).then(|| Self::Sqlite { path: path.into() });
        }
        postgres_url(text).map(|url| Self::Postgres { url, owner_url: None })
    }

    /// The address without its password, for logs and screens.
    pub fn redacted(&self) -> String {
        match self {
            Self::Sqlite { path } => format!("sqlite:{}", path.display()),
            Self::Postgres { url, .. } => without_credentials(url.expose_secret()),
        }
    }
}

pub(crate) fn postgres_url(text: &str) -> Option<SecretString> {
    let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))?;
    (!rest.is_empty()).then(|| text.into())
}

/// The address with password and query masked. The mask covers too much rather than too little,
/// because a password may hold an unescaped `@`, `/` or `?`, and a query may hold a password or a
/// token.
pub(crate) fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "***".to_owned();
    };
    let (user, rest) = match rest.rsplit_once('@') {
        None => (String::new(), rest),
        Some((credentials, rest)) => match credentials.split_once(':') {
            None => (format!("{credentials}@"), rest),
            Some((user, _)) => (format!("{user}:***@"), rest),
        },
    };
    match rest.split_once('?') {
        None => format!("{scheme}://{user}{rest}"),
        Some((rest, _)) => format!("{scheme}://{user}{rest}?***"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_prints_without_its_password() {
        for (url, redacted) in [
            ("sqlite:recado.db", "sqlite:recado.db"),
            ("sqlite:///var/lib/recado.db", "sqlite:/var/lib/recado.db"),
            ("postgres://app@db/recado", "postgres://app@db/recado"),
            ("postgres://app:hunter2@db:5432/recado", "postgres://app:***@db:5432/recado"),
            ("postgresql://app:h@nt/er?2@db/recado", "postgresql://app:***@db/recado"),
            ("postgres:///recado?host=/run&password=x", "postgres:///recado?***"),
        ] {
            let database = Database::parse(url).unwrap();
            assert_eq!(database.redacted(), redacted, "{url}");
            assert!(!format!("{database:?}").contains("hunter2"));
        }
    }
}
