//! The rules that fired on a message, by set.

use std::ops::Range;

/// A rule that fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit<'r> {
    pub set: &'r str,
    /// The phrase or pattern that fired, for the trace.
    pub rule: &'r str,
    /// The place in the text as it was written.
    pub span: Range<usize>,
}

/// Hits in the order of the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits<'r>(Vec<Hit<'r>>);

impl<'r> Hits<'r> {
    pub(super) fn new(hits: Vec<Hit<'r>>) -> Self {
        Hits(hits)
    }

    /// The hits of both, in the order of the message.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self.0.sort_by_key(|hit| (hit.span.start, hit.span.end));
        self
    }

    /// All hits but those of one set.
    #[must_use]
    pub fn without(mut self, set: &str) -> Self {
        self.0.retain(|hit| hit.set != set);
        self
    }

    pub fn any(&self, set: &str) -> bool {
        self.first(set).is_some()
    }

    pub fn first(&self, set: &str) -> Option<&Hit<'r>> {
        self.of(set).next()
    }

    pub fn of<'h, 's>(
        &'h self,
        set: &'s str,
    ) -> impl Iterator<Item = &'h Hit<'r>> + use<'h, 's, 'r> {
        self.0.iter().filter(move |hit| hit.set == set)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Hit<'r>> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'h, 'r> IntoIterator for &'h Hits<'r> {
    type Item = &'h Hit<'r>;
    type IntoIter = std::slice::Iter<'h, Hit<'r>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
