//! The path of one run: which nodes it entered, in order, and how long each took.

use std::fmt;
use std::sync::Arc;

/// A monotonic clock in nanoseconds. Given by parameter: this crate never reads the time itself.
pub type Ticks<'t> = &'t (dyn Fn() -> u64 + Send + Sync);

/// Records one run. A node's name costs nothing to record: the trace shares the graph's names.
///
/// A node that holds others, be it a subgraph or parallel branches, is entered before them and its
/// time is the whole of theirs; what runs inside it follows as `outer/inner`.
#[derive(Clone, Default)]
pub struct Trace<'t> {
    names: Names,
    visits: Vec<Entry>,
    ticks: Option<Ticks<'t>>,
}

/// The names of a graph's nodes, and behind them those of the nodes inside its nodes.
pub(crate) type Names = Arc<[Box<str>]>;

#[derive(Clone, Copy)]
struct Entry {
    name: u32,
    nanos: u64,
}

/// A node that a run entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit<'n> {
    pub node: &'n str,
    /// Zero without a clock, and for a node that failed.
    pub nanos: u64,
}

impl<'t> Trace<'t> {
    /// Records the path, without times.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records the path and, by this clock, the time each node takes with the choice of the next.
    pub fn timed(ticks: Ticks<'t>) -> Self {
        Self { ticks: Some(ticks), ..Self::default() }
    }

    /// The nodes entered, in order; after an error it ends with the node that failed.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.visits().map(|visit| visit.node)
    }

    /// The nodes entered, in order, with their times.
    pub fn visits(&self) -> impl DoubleEndedIterator<Item = Visit<'_>> + ExactSizeIterator {
        self.visits
            .iter()
            .map(|entry| Visit { node: &self.names[entry.name as usize], nanos: entry.nanos })
    }

    /// Forgets the last run, and takes the names of the graph that is about to run.
    pub(crate) fn begin(&mut self, names: &Names) {
        self.names = Arc::clone(names);
        self.visits.clear();
        self.visits.reserve(16);
    }

    pub(crate) fn len(&self) -> usize {
        self.visits.len()
    }

    pub(crate) fn name(&self, name: usize) -> &str {
        &self.names[name]
    }

    /// Records that a node is entered, and returns where its time is to be written.
    pub(crate) fn enter(&mut self, name: usize) -> usize {
        // A graph of more than u32::MAX nodes does not fit in memory.
        self.visits.push(Entry { name: name as u32, nanos: 0 });
        self.visits.len() - 1
    }

    pub(crate) fn set_nanos(&mut self, visit: usize, nanos: u64) {
        self.visits[visit].nanos = nanos;
    }

    pub(crate) fn ticks(&self) -> Option<Ticks<'t>> {
        self.ticks
    }
}

/// What the clock says, or zero where there is none.
pub(crate) fn now(ticks: Option<Ticks<'_>>) -> u64 {
    ticks.map_or(0, |ticks| ticks())
}

impl fmt::Debug for Trace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.visits()).finish()
    }
}
