//! A roster whose agents come in versions: the test says which is current and which are at hand.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use agents::{Agent, AgentError, Context, Outcome, TurnInput};
use async_trait::async_trait;
use domain::{Confidence, EventKind, TurnTrace};
use runner::Roster;
use serde_json::json;
use store::StoredPack;

use super::agents::NAME;

/// Answers `v1 #2: words` in the second turn of a session of version `v1`, and leaves a trace.
pub(crate) struct Edition {
    version: String,
    source: BTreeMap<String, String>,
}

impl Edition {
    pub(crate) fn new(version: &str) -> Self {
        let source = [("edition".to_owned(), version.to_owned())].into();
        Self { version: version.to_owned(), source }
    }

    pub(crate) fn stored(version: &str) -> StoredPack {
        let Self { version, source } = Self::new(version);
        StoredPack { name: NAME.to_owned(), version, source }
    }
}

#[async_trait]
impl Agent for Edition {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn source(&self) -> Option<&BTreeMap<String, String>> {
        Some(&self.source)
    }

    fn initial_mode(&self) -> &str {
        "inicio"
    }

    async fn turn(
        &self,
        input: &TurnInput,
        _context: &mut dyn Context,
    ) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        let turn = input.state.memory.get("turns").and_then(|turns| turns.as_u64()).unwrap_or(0);
        outcome.state.memory.insert("turns".to_owned(), json!(turn + 1));
        let words: Vec<_> = input
            .events
            .iter()
            .map(|event| match &event.kind {
                EventKind::Message(content) => content.words().unwrap_or_default(),
                _ => "-".to_owned(),
            })
            .collect();
        outcome.reply(format!("{} #{}: {}", self.version, turn + 1, words.join(" ")));
        outcome.trace = Some(TurnTrace {
            intents: vec![("eco".to_owned(), Confidence::CERTAIN)],
            notes: vec![format!("by {}", self.version)],
            ..TurnTrace::default()
        });
        Ok(outcome)
    }
}

pub(crate) struct Shelf {
    current: Mutex<Arc<dyn Agent>>,
    at_hand: Mutex<HashMap<String, Arc<dyn Agent>>>,
    /// Whether this build still knows how to make agents from their source.
    readable: bool,
    /// Put behind the names of versions made from their source, as by a build that counts otherwise.
    mark: &'static str,
    panics: AtomicU32,
    revived: AtomicU32,
}

impl Shelf {
    pub(crate) fn with(version: &str) -> Arc<Self> {
        Self::made(version, true, "", 0)
    }

    /// Calls what it makes from a stored version by another name than it was stored under.
    pub(crate) fn renaming(version: &str) -> Arc<Self> {
        Self::made(version, true, "'", 0)
    }

    /// Cannot make an agent from a stored version.
    pub(crate) fn illiterate(version: &str) -> Arc<Self> {
        Self::made(version, false, "", 0)
    }

    /// Panics the first times it makes an agent from a stored version.
    pub(crate) fn panicking(version: &str, times: u32) -> Arc<Self> {
        Self::made(version, true, "", times)
    }

    fn made(version: &str, readable: bool, mark: &'static str, panics: u32) -> Arc<Self> {
        let current: Arc<dyn Agent> = Arc::new(Edition::new(version));
        Arc::new(Self {
            at_hand: Mutex::new([(version.to_owned(), Arc::clone(&current))].into()),
            current: Mutex::new(current),
            readable,
            mark,
            panics: AtomicU32::new(panics),
            revived: AtomicU32::new(0),
        })
    }

    /// Makes a version current; the earlier ones stay at hand.
    pub(crate) fn publish(&self, version: &str) {
        let agent: Arc<dyn Agent> = Arc::new(Edition::new(version));
        self.at_hand.lock().unwrap().insert(version.to_owned(), Arc::clone(&agent));
        *self.current.lock().unwrap() = agent;
    }

    /// How many agents were made from what was stored.
    pub(crate) fn revived(&self) -> u32 {
        self.revived.load(Ordering::SeqCst)
    }
}

impl Roster for Shelf {
    fn names(&self) -> Vec<String> {
        vec![NAME.to_owned()]
    }

    fn current(&self, name: &str) -> Option<Arc<dyn Agent>> {
        (name == NAME).then(|| Arc::clone(&self.current.lock().unwrap()))
    }

    fn version(&self, name: &str, version: &str) -> Option<Arc<dyn Agent>> {
        self.at_hand.lock().unwrap().get(version).filter(|_| name == NAME).cloned()
    }

    fn revive(&self, name: &str, stored: &StoredPack) -> Option<Arc<dyn Agent>> {
        assert_eq!((name, &stored.version), (stored.name.as_str(), &stored.source["edition"]));
        let minus_one = |left: u32| left.checked_sub(1);
        if self.panics.fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus_one).is_ok() {
            panic!("the source is odd");
        }
        if !self.readable {
            return None;
        }
        self.revived.fetch_add(1, Ordering::SeqCst);
        let version = format!("{}{}", stored.version, self.mark);
        let agent: Arc<dyn Agent> = Arc::new(Edition::new(&version));
        self.at_hand.lock().unwrap().insert(stored.version.clone(), Arc::clone(&agent));
        Some(agent)
    }
}
