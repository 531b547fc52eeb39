//! A task of the benchmark: calls, what each answered, and what they left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use tools::Registry;

use super::normal::normal;
use super::retail;
use super::world::{Part, Records, World};

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Value,
    ok: bool,
    /// `None` where no output was recorded.
    output: Option<Value>,
}

impl Call {
    /// By the name that its tool has here.
    fn here(self) -> Self {
        Self { name: retail::name(&self.name), ..self }
    }

    /// Whether it writes what could be written twice without a trace but in the count of its steps: an
    /// address that is written again is the same; every other write refuses to be done twice.
    pub(super) fn is_repeatable(&self) -> bool {
        self.ok && self.name.ends_with("_address")
    }

    /// Whether a call that ended so ended as it did where it was recorded.
    pub(super) fn fits(&self, ended: &Result<Value, String>) -> bool {
        match (ended, &self.output) {
            (Ok(output), Some(recorded)) => self.ok && normal(output) == normal(recorded),
            (ended, _) => ended.is_ok() == self.ok,
        }
    }
}

#[derive(Deserialize)]
struct Line {
    #[serde(alias = "task_id")]
    id: Value,
    steps: Vec<Call>,
    db_diff: Part,
    db_sha256_norm: String,
}

#[derive(Clone, Debug)]
pub(super) struct Task {
    /// With the file it is from: ids are those of their file alone.
    pub(super) id: String,
    pub(super) calls: Vec<Call>,
    pub(super) diff: Part,
    pub(super) hash: String,
}

impl Task {
    /// The records that its calls may read or change: every product, and whom and what they name.
    pub(super) fn part(&self, world: &World) -> Part {
        let mut named = BTreeSet::new();
        self.calls.iter().for_each(|call| texts(&call.arguments, &mut named));
        let orders: Records = pick(world, "orders", |id, _| named.contains(id));
        let owners: BTreeSet<_> =
            orders.values().filter_map(|order| order["user_id"].as_str()).collect();
        let users = pick(world, "users", |id, user| {
            let known_by = [&user["email"], &user["address"]["zip"]];
            let known_by = known_by.into_iter().filter_map(Value::as_str);
            owners.contains(id)
                || named.contains(&id.to_lowercase())
                || known_by.into_iter().any(|text| named.contains(&text.to_lowercase()))
        });
        let products = pick(world, "products", |_, _| true);
        let kinds = [("orders", orders), ("products", products), ("users", users)];
        kinds.into_iter().map(|(kind, records)| (kind.to_owned(), records)).collect()
    }

    /// How often each tool changes something.
    pub(super) fn writes(&self, registry: &Registry) -> BTreeMap<String, u64> {
        let mut writes = BTreeMap::new();
        let acts = |call: &&Call| call.ok && retail::acts(registry, &call.name);
        for call in self.calls.iter().filter(acts) {
            *writes.entry(call.name.clone()).or_default() += 1;
        }
        writes
    }
}

fn pick(world: &World, kind: &str, wanted: impl Fn(&str, &Value) -> bool) -> Records {
    let records = world.records.get(kind).into_iter().flatten();
    let records = records.filter(|(id, record)| wanted(id, record));
    records.map(|(id, record)| (id.clone(), record.clone())).collect()
}

/// Every text in a value, as it is and in small letters.
fn texts(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => into.extend([text.clone(), text.to_lowercase()]),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Every task of every `replay_*.jsonl` and `fuzz_*.jsonl` in a folder.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Task>> {
    let cannot_read = || format!("cannot read {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot_read)? {
        let path = entry.with_context(cannot_read)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_ours = name.starts_with("replay_") || name.starts_with("fuzz_");
        if let Some(name) = name.strip_suffix(".jsonl").filter(|_| is_ours) {
            files.push((name.to_owned(), path));
        }
    }
    files.sort();
    let mut tasks = Vec::new();
    for (name, path) in &files {
        let text = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line)
                .with_context(|| format!("{}:{}", path.display(), number + 1))?;
            let id = line.id.as_str().map_or_else(|| line.id.to_string(), str::to_owned);
            tasks.push(Task {
                id: format!("{name}/{id}"),
                calls: line.steps.into_iter().map(Call::here).collect(),
                diff: line.db_diff,
                hash: line.db_sha256_norm,
            });
        }
    }
    if tasks.is_empty() {
        bail!("{} has no tasks: no replay_*.jsonl and no fuzz_*.jsonl", folder.display());
    }
    Ok(tasks)
}
