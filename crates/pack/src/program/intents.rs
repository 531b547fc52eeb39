//! The intents that a message may be taken to have: a pack's own, and those that every flow knows.

use std::collections::BTreeMap;

use super::Step;
use crate::files::{self, Means, Thread};

/// An intent of a program, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IntentId(usize);

impl IntentId {
    /// The intent of a message that gives data.
    pub const DATA: Self = Self(0);
    /// The intent of what no intent is.
    pub const OTHER: Self = Self(1);
    /// The intent of what nobody understood.
    pub const UNKNOWN: Self = Self(2);
    /// The intent of a wish for a person.
    pub const ESCALATION: Self = Self(3);
}

/// The intents that every flow knows, at the places that [`IntentId`] names.
const EVERYWHERE: [&str; 4] = ["datos_cliente", "otro", "unknown", "escalacion"];

/// A thing that a message may be taken to want.
#[derive(Clone, Debug, Default)]
pub struct Intent {
    pub name: String,
    /// Whether the pack has it, so that messages may be understood as it.
    pub declared: bool,
    pub label: Option<String>,
    /// The template that answers it.
    pub reply: Option<String>,
    pub means: Option<Means>,
    pub thread: Option<Thread>,
    /// The steps that answer it in every mode that does not say otherwise.
    pub steps: Option<Vec<Step>>,
}

/// The intents of a program.
#[derive(Clone, Debug)]
pub struct Intents {
    all: Vec<Intent>,
    /// The pack's own, in its order.
    declared: Vec<IntentId>,
    by_name: BTreeMap<String, IntentId>,
}

impl Intents {
    /// The intents of a pack, none of which does anything yet.
    pub(super) fn of(intents: &files::Intents) -> Self {
        let mut all: Vec<Intent> = Vec::new();
        let mut by_name = BTreeMap::new();
        for name in EVERYWHERE.into_iter().chain(intents.intents.iter().map(|one| &*one.name)) {
            by_name.entry(name.to_owned()).or_insert_with(|| {
                all.push(Intent { name: name.to_owned(), ..Intent::default() });
                IntentId(all.len() - 1)
            });
        }
        let mut declared = Vec::new();
        for files::Intent { name, label, reply, means, thread, .. } in &intents.intents {
            let id = by_name[name];
            declared.push(id);
            all[id.0] = Intent {
                name: name.clone(),
                declared: true,
                label: label.clone(),
                reply: reply.clone(),
                means: *means,
                thread: *thread,
                steps: None,
            };
        }
        Self { all, declared, by_name }
    }

    pub fn get(&self, id: IntentId) -> &Intent {
        &self.all[id.0]
    }

    pub(super) fn get_mut(&mut self, id: IntentId) -> &mut Intent {
        &mut self.all[id.0]
    }

    /// The pack's own, in its order.
    pub fn declared(&self) -> &[IntentId] {
        &self.declared
    }

    /// An intent by name: sessions are stored with names, and models and examples give them.
    pub fn named(&self, name: &str) -> Option<IntentId> {
        self.by_name.get(name).copied()
    }

    /// The pack's first intent that means this.
    pub fn meaning(&self, means: Means) -> Option<IntentId> {
        self.declared.iter().copied().find(|id| self.get(*id).means == Some(means))
    }
}
