//! Proposals of the readers, and the choice among those that share text.

use std::ops::Range;

use super::value::Value;

/// The certainty of a reader; of two overlapping proposals the higher one stays.
pub(super) mod rank {
    /// Kept only if its kind was asked for by name: `una`, a bare `2018`.
    pub(in crate::extract) const WEAK: u8 = 0;
    pub(in crate::extract) const BOOLEAN: u8 = 10;
    pub(in crate::extract) const ORDINAL: u8 = 20;
    pub(in crate::extract) const NUMBER: u8 = 30;
    pub(in crate::extract) const CITY: u8 = 40;
    /// Lower than a counted product, because `3 melones` may be the fruit that a shop sells.
    pub(in crate::extract) const SLANG: u8 = 42;
    pub(in crate::extract) const QUANTITY: u8 = 45;
    pub(in crate::extract) const PHONE: u8 = 50;
    pub(in crate::extract) const DATE: u8 = 55;
    pub(in crate::extract) const PERCENT: u8 = 60;
    pub(in crate::extract) const NAME: u8 = 62;
    pub(in crate::extract) const MONEY: u8 = 65;
    pub(in crate::extract) const ADDRESS: u8 = 70;
    pub(in crate::extract) const CUED_PHONE: u8 = 80;
    pub(in crate::extract) const DOCUMENT: u8 = 85;
    pub(in crate::extract) const URL: u8 = 90;
    pub(in crate::extract) const EMAIL: u8 = 95;
    /// Digits dictated in words: they are no amount and no hour, and only a question for a
    /// telephone gets them.
    pub(in crate::extract) const DICTATED: u8 = 100;
}

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Bytes of the folded text.
    pub(super) span: Range<usize>,
    pub(super) value: Value,
    pub(super) rank: u8,
}

impl Candidate {
    pub(super) fn new(span: Range<usize>, value: Value, rank: u8) -> Self {
        Self { span, value, rank }
    }
}

/// Keeps the proposals of the highest rank that do not share text, in order of position.
pub(super) fn without_overlaps(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.retain(|candidate| !candidate.span.is_empty());
    candidates.sort_by(|a, b| {
        (b.rank, b.span.len(), a.span.start).cmp(&(a.rank, a.span.len(), b.span.start))
    });
    // The kept spans by their start. They do not overlap, so only the neighbour on each side can
    // clash.
    let mut kept: std::collections::BTreeMap<usize, Candidate> = std::collections::BTreeMap::new();
    for candidate in candidates {
        let before = kept.range(..candidate.span.end).next_back();
        if before.is_none_or(|(_, before)| before.span.end <= candidate.span.start) {
            kept.insert(candidate.span.start, candidate);
        }
    }
    kept.into_values().collect()
}
