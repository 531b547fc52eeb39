//! The benchmark's database: its records by kind and id, and the hash that tells it from others.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::normal::{normal, object};

/// The kinds of record that the tools keep as documents.
pub(super) const KINDS: [&str; 3] = ["orders", "products", "users"];

/// Records by id.
pub(super) type Records = BTreeMap<String, Value>;

/// Records by kind; a part of a database, or all of it.
pub(super) type Part = BTreeMap<String, Records>;

pub(super) struct World {
    pub(super) records: Part,
    /// Each record in normal form, since most of them are the same in every hash.
    normal: BTreeMap<String, BTreeMap<String, String>>,
}

impl World {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("db.json");
        let text = std::fs::read(&path).with_context(|| {
            format!("cannot read {}: --data names a folder of the benchmark", path.display())
        })?;
        let records: Part = serde_json::from_slice(&text)
            .with_context(|| format!("{} is no database of the benchmark", path.display()))?;
        Self::of(records)
    }

    fn of(records: Part) -> Result<Self> {
        if !records.keys().map(String::as_str).eq(KINDS) {
            bail!("the database has {:?}, not {KINDS:?}", records.keys());
        }
        let normal = records.iter().map(|(kind, records)| {
            let texts = records.iter().map(|(id, record)| (id.clone(), normal(record)));
            (kind.clone(), texts.collect())
        });
        Ok(Self { normal: normal.collect(), records })
    }

    /// The records of `part` that differ from those here.
    pub(super) fn diff(&self, part: &Part) -> Part {
        let mut diff = Part::new();
        for (kind, records) in part {
            for (id, record) in records {
                let before = self.normal.get(kind).and_then(|known| known.get(id));
                if before != Some(&normal(record)) {
                    diff.entry(kind.clone()).or_default().insert(id.clone(), record.clone());
                }
            }
        }
        diff
    }

    /// The hash of the whole database with these records in the place of its own.
    pub(super) fn hash_with(&self, part: &Part) -> String {
        let mut whole = String::new();
        let kinds = self.normal.iter().map(|(kind, known)| {
            let own = known.iter().map(|(id, text)| (id, Cow::from(text)));
            let mut records: BTreeMap<_, _> = own.collect();
            let other = part.get(kind).into_iter().flatten();
            records.extend(other.map(|(id, record)| (id, Cow::from(normal(record)))));
            let mut text = String::new();
            object(records, &mut text);
            (kind, text)
        });
        object(kinds, &mut whole);
        Sha256::digest(whole.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Whether two parts are the same in normal form.
pub(super) fn same(one: &Part, other: &Part) -> bool {
    let text = |part: &Part| {
        let kinds = part.iter().filter(|(_, records)| !records.is_empty());
        let kinds = kinds.map(|(kind, records)| {
            let records: Map<String, Value> = records.clone().into_iter().collect();
            (kind.clone(), Value::Object(records))
        });
        normal(&Value::Object(kinds.collect()))
    };
    text(one) == text(other)
}
