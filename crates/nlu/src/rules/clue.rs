//! Clues: texts without which a regex cannot match, so that most regexes need not run at all.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{ExtractKind, Extractor};

/// The shortest clue; a shorter text stands in too many messages to rule anything out.
const SHORTEST: usize = 3;

/// Texts of which every match of the regex contains at least one; `None` if there is no such list.
pub(super) fn of(regex: &str) -> Option<Vec<Vec<u8>>> {
    let parsed = regex_syntax::parse(regex).ok()?;
    let ends = [ExtractKind::Prefix, ExtractKind::Suffix];
    ends.into_iter().filter_map(|end| at(end, &parsed)).max_by_key(|texts| shortest(texts))
}

fn at(end: ExtractKind, regex: &Hir) -> Option<Vec<Vec<u8>>> {
    let found = Extractor::new().kind(end).extract(regex);
    let texts: Vec<_> = found.literals()?.iter().map(|text| text.as_bytes().to_vec()).collect();
    (shortest(&texts) >= SHORTEST).then_some(texts)
}

fn shortest(texts: &[Vec<u8>]) -> usize {
    texts.iter().map(Vec::len).min().unwrap_or(0)
}

/// The clues of many patterns, found in one reading of a text.
#[derive(Clone, Debug)]
pub(super) struct Clues {
    texts: AhoCorasick,
    /// The pattern that each text is a clue of.
    of: Vec<usize>,
}

impl Clues {
    pub(super) fn new(clues: Vec<(Vec<u8>, usize)>) -> Self {
        let (texts, of): (Vec<_>, Vec<_>) = clues.into_iter().unzip();
        let texts = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(texts)
            .expect("a pack's patterns are far fewer than an automaton can hold");
        Clues { texts, of }
    }

    /// The patterns that may match, in any order, some of them more than once.
    pub(super) fn candidates(&self, text: &str) -> Vec<usize> {
        let hits = self.texts.find_overlapping_iter(text);
        hits.map(|hit| self.of[hit.pattern().as_usize()]).collect()
    }
}
