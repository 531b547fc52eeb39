//! The benchmark's records as documents of a workspace: put there, and read back.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Deed, DeedError, Records, StoreResult};

use super::retail::WRITES;
use super::world::{KINDS, Part};

/// The records that a task has left in a workspace.
#[derive(Serialize, Deserialize)]
pub(super) struct Left {
    pub(super) part: Part,
    /// How often each tool changed something.
    pub(super) writes: BTreeMap<String, u64>,
}

pub(super) async fn put(records: &mut dyn Records, part: &Part) -> StoreResult<()> {
    for (kind, documents) in part {
        for (id, document) in documents {
            records.put_document(kind, id, Some(document)).await?;
        }
    }
    Ok(())
}

pub(super) async fn left(records: &mut dyn Records) -> StoreResult<Left> {
    let mut part = Part::new();
    for kind in KINDS {
        part.insert(kind.to_owned(), records.documents(kind).await?.into_iter().collect());
    }
    let writes = records.documents(WRITES).await?;
    let writes = writes.into_iter().map(|(tool, count)| (tool, count.as_u64().unwrap_or_default()));
    Ok(Left { part, writes: writes.collect() })
}

/// Puts a part of the database into a workspace.
pub(super) struct Fill(pub(super) Part);

#[async_trait]
impl Deed for Fill {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        put(records, &self.0).await?;
        Ok(Value::Null)
    }
}

/// Reads what is left in a workspace.
pub(super) struct ReadLeft;

#[async_trait]
impl Deed for ReadLeft {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(json!(left(records).await?))
    }
}
