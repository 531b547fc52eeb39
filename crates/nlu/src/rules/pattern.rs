//! Regexes made safe to run on every message, and a bank that runs many of them at once.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Found;
use crate::Normalized;

/// A compiled regex may take this much memory, which bounds what a pack can make a node hold.
const SIZE_LIMIT: usize = 1 << 20;

/// Spans looked up per pattern: a search is linear, so a fixed number of them is too.
const SPANS: usize = 8;

/// A regex that cannot serve as a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pattern {pattern:?} of set {set:?}: {reason}")]
pub struct BadPattern {
    pub set: String,
    pub pattern: String,
    pub reason: String,
}

impl BadPattern {
    pub(super) fn of(mut self, set: &str) -> Self {
        set.clone_into(&mut self.set);
        self
    }
}

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    set: usize,
    written: String,
    prepared: String,
    /// Needed only for the spans of a pattern that matched: most never do.
    regex: OnceLock<Regex>,
}

impl Pattern {
    pub(super) fn new(set: usize, written: &str) -> Result<Self, BadPattern> {
        let bad =
            |reason: String| BadPattern { set: String::new(), pattern: written.to_owned(), reason };
        let pattern = Self::trusted(set, written);
        let regex = compile(&pattern.prepared).map_err(|error| bad(reason(&error)))?;
        if regex.is_match("") {
            return Err(bad("it matches the empty text, so it would fire on everything".into()));
        }
        Ok(Pattern { regex: regex.into(), ..pattern })
    }

    /// One that ships, and that a test has compiled.
    pub(super) fn trusted(set: usize, written: &str) -> Self {
        let prepared = prepared(written);
        Pattern { set, written: written.to_owned(), prepared, regex: OnceLock::new() }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compile(&self.prepared).expect("its group compiled"))
    }

    /// The same, shown in traces as it stands in its table.
    pub(super) fn shown_as(mut self, written: &str) -> Self {
        written.clone_into(&mut self.written);
        self
    }

    /// The visible text taken literally, or nothing when there is none.
    pub(super) fn symbols(set: usize, text: &Normalized<'_>) -> Option<Self> {
        let symbols = text.folded().trim();
        let pattern = (!symbols.is_empty())
            .then(|| Pattern::new(set, &regex::escape(symbols)))?
            .expect("an escaped text of a keyword's length compiles");
        Some(pattern.shown_as(text.original()))
    }
}

fn compile(prepared: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(prepared).size_limit(SIZE_LIMIT).build()
}

fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("compiled, it takes more than the {limit} bytes allowed")
        }
        other => other.to_string(),
    }
}

/// The regex over folded text that was meant: letters lose their accents, and `\b`, `\w` and `\d`
/// look at ASCII only. Folded Spanish and English are ASCII; a Unicode `\b` would turn off the fast
/// engine for every message with a "¿", and a Unicode `\w` is a hundred times larger.
fn prepared(written: &str) -> String {
    let mut regex = String::with_capacity(written.len() * 2);
    if written.contains(char::is_uppercase) {
        regex.push_str("(?i)");
    }
    let mut in_class = 0_usize;
    let mut rest = written.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(kind @ ('b' | 'B')) if rest.peek() != Some(&'{') => {
                    regex.extend([r"(?-u:\", if kind == 'b' { "b)" } else { "B)" }]);
                }
                Some('w') if in_class == 0 => regex.push_str(r"(?-u:\w)"),
                Some('d') if in_class == 0 => regex.push_str("[0-9]"),
                escaped => regex.extend(std::iter::once('\\').chain(escaped)),
            },
            c if c.is_alphabetic() && !c.is_ascii() => {
                regex.push_str(Normalized::new(c.encode_utf8(&mut [0; 4])).folded());
            }
            c => {
                match c {
                    '[' => in_class += 1,
                    ']' => in_class = in_class.saturating_sub(1),
                    _ => {}
                }
                regex.push(c);
            }
        }
    }
    regex
}

/// Patterns asked together, so that only those that match are searched for spans.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    patterns: Vec<Pattern>,
    /// One per `TOGETHER` patterns.
    groups: Vec<RegexSet>,
}

/// One automaton for everything would be one reading, but its states are the product of what each
/// pattern may be waiting for, and it spends its time making new ones. Small groups stay warm.
const TOGETHER: usize = 8;

/// What the automaton of a group may remember of the texts it has read, per thread that reads.
const WARM: usize = 512 << 10;

impl Bank {
    pub(super) fn new(patterns: Vec<Pattern>) -> Self {
        let group = |patterns: &[Pattern]| {
            RegexSetBuilder::new(patterns.iter().map(|pattern| pattern.prepared.as_str()))
                .size_limit((TOGETHER + 1) * SIZE_LIMIT)
                .dfa_size_limit(WARM)
                .build()
                .expect("each pattern compiled on its own within its share of the limit")
        };
        Bank { groups: patterns.chunks(TOGETHER).map(group).collect(), patterns }
    }

    pub(super) fn find<'r>(
        &'r self,
        text: &str,
        original: impl Fn(Range<usize>) -> Range<usize>,
        found: &mut Vec<Found<'r>>,
    ) {
        for (patterns, group) in self.patterns.chunks(TOGETHER).zip(&self.groups) {
            for at in group.matches(text) {
                let pattern = &patterns[at];
                let spans =
                    pattern.regex().find_iter(text).filter(|hit| !hit.is_empty()).take(SPANS);
                found.extend(spans.map(|hit| Found {
                    set: pattern.set,
                    rule: &pattern.written,
                    span: original(hit.range()),
                }));
            }
        }
    }
}
