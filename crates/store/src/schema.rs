//! Versioned migrations: which are still to run, and the refusal of a schema from the future.

use crate::{StoreError, StoreResult};

/// A step of the schema, in one dialect.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    pub version: i64,
    pub sql: &'static str,
}

/// The migrations of the store that asks, from the folder beside its sources. Both stores have files
/// of the same names, so a migration that only one of them has does not compile.
#[macro_export]
macro_rules! migrations {
    () => {
        $crate::migrations! {
            1 "spine"
            2 "versions"
            3 "models"
            4 "shop"
            5 "handoffs"
            6 "operators"
            7 "channels"
            8 "proposals"
            9 "identities"
            10 "keys"
            11 "texts"
            12 "lanes"
            13 "visitors"
            14 "search"
            15 "state"
            16 "orders"
            17 "rows"
        }
    };
    ($($version:literal $name:literal)*) => {
        &[$($crate::Migration {
            version: $version,
            sql: include_str!(concat!("../migrations/", $version, "_", $name, ".sql")),
        }),*]
    };
}

/// The schema this build writes.
pub const SCHEMA_VERSION: i64 = 17;

/// The migrations to run on a database whose newest applied version is `found`.
pub fn pending_migrations(all: &[Migration], found: i64) -> StoreResult<&[Migration]> {
    if found > SCHEMA_VERSION {
        return Err(StoreError::Unusable(format!(
            "the database has schema version {found}, this recado knows up to {SCHEMA_VERSION}: \
             it was written by a newer recado; run that version, or restore a backup made before \
             the upgrade. Nothing was changed"
        )));
    }
    let done = all.iter().take_while(|migration| migration.version <= found).count();
    Ok(&all[done..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_from_the_future_is_refused_and_an_old_one_brought_forward() {
        let all: Vec<_> =
            (1..=SCHEMA_VERSION).map(|version| Migration { version, sql: "" }).collect();
        assert_eq!(pending_migrations(&all, 0).unwrap().len(), all.len());
        assert_eq!(pending_migrations(&all, 1).unwrap()[0].version, 2);
        assert_eq!(pending_migrations(&all, SCHEMA_VERSION).unwrap().len(), 0);
        let error = pending_migrations(&all, SCHEMA_VERSION + 1).unwrap_err().to_string();
        assert!(error.contains("newer recado"), "{error}");
    }
}
