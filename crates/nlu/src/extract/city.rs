//! Cities of the business's own list, found as whole words however they are spelled.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::candidate::{Candidate, rank};
use super::value::Value;
use crate::Normalized;

/// The list compiled once: every spelling leads to the canonical one.
#[derive(Clone, Debug)]
pub(super) struct Cities {
    spellings: Option<AhoCorasick>,
    names: Vec<String>,
}

impl Cities {
    /// Takes each city with its other spellings.
    pub(super) fn new(list: &[(String, Vec<String>)]) -> Self {
        let mut patterns = Vec::new();
        let mut names = Vec::new();
        for (name, aliases) in list {
            for spelling in std::iter::once(name).chain(aliases) {
                let folded = Normalized::new(spelling).folded().trim().to_owned();
                if !folded.is_empty() {
                    patterns.push(folded);
                    names.push(name.clone());
                }
            }
        }
        // A folded list of plain words always builds; an oversized list finds nothing.
        let spellings = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&patterns)
            .ok()
            .filter(|_| !patterns.is_empty());
        Self { spellings, names }
    }

    pub(super) fn find(&self, folded: &str, found: &mut Vec<Candidate>) {
        let Some(spellings) = &self.spellings else { return };
        for matched in spellings.find_iter(folded) {
            let before = folded[..matched.start()].chars().next_back();
            let after = folded[matched.end()..].chars().next();
            let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            if !inside(before) && !inside(after) {
                let name = self.names[matched.pattern().as_usize()].clone();
                found.push(Candidate::new(matched.range(), Value::City(name), rank::CITY));
            }
        }
    }
}
