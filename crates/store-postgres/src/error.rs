//! PostgreSQL errors as the store sees them: wait, repeat, or give up.

use std::error::Error as _;

use deadpool_postgres::PoolError;
use store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::DbError;

/// Whether the database undid the transaction only because of another one, or because two rows of
/// one statement were the same. Then repeating it, each statement alone, is safe and promising.
pub(crate) fn is_conflict(error: &Error) -> bool {
    error.code().is_some_and(|code| matches!(code.code(), "40001" | "40P01" | "21000"))
}

/// Whether the server itself says that it did not run the request; false if the connection was lost
/// or ended meanwhile, because then nobody knows.
pub(crate) fn is_answer(error: &Error) -> bool {
    error.code().is_some_and(|code| !code.code().starts_with("57P"))
}

/// Whether a privilege was missing.
pub(crate) fn is_forbidden(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code() == "42501")
}

pub(crate) fn from_postgres(error: &Error) -> StoreError {
    let text = describe(error);
    let waiting_may_help = match error.as_db_error() {
        Some(db) => passes(db.code().code()),
        None => error.is_closed() || is_io(error),
    };
    if waiting_may_help {
        StoreError::Unavailable(text)
    } else {
        StoreError::Unusable(format!("PostgreSQL: {text}"))
    }
}

pub(crate) fn from_pool(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => from_postgres(&error),
        PoolError::Timeout(_) => {
            StoreError::Unavailable("no connection became free in time".to_owned())
        }
        other => StoreError::Unavailable(other.to_string()),
    }
}

/// Lost connections, missing resources, shutdowns, conflicts and time limits.
fn passes(code: &str) -> bool {
    ["08", "53", "57P"].iter().any(|class| code.starts_with(class))
        || matches!(code, "40001" | "40P01" | "55P03" | "57014" | "25P03" | "25P04")
}

fn is_io(error: &Error) -> bool {
    // The kinds of this error are private, so its causes and its texts are examined.
    error.source().is_some_and(|cause| cause.is::<std::io::Error>())
        || error.to_string().starts_with("timeout")
}

fn describe(error: &Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(db), _) => describe_db(db),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

/// The message alone: the detail quotes the row, and a class 22 message the value, which may be
/// personal data.
fn describe_db(db: &DbError) -> String {
    let code = db.code().code();
    if code.starts_with("22") {
        format!("a value was refused ({code})")
    } else {
        format!("{} ({code})", db.message())
    }
}
