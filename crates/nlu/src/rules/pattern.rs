//! Regexes made safe to run on every message, and a bank that runs many of them at once.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::Found;
use super::clue::{self, Clues};
use crate::Normalized;

/// The memory that a compiled regex may take, which bounds the memory a pack can take of a node.
const SIZE_LIMIT: usize = 1 << 20;

/// Spans found per pattern: a search is linear, so a fixed number of searches is too.
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
    /// Compiled only for the spans of a pattern that matched, because most never do.
    regex: OnceLock<Regex>,
}

impl Pattern {
    pub(super) fn new(set: usize, written: &str) -> Result<Self, BadPattern> {
        let bad =
            |reason: String| BadPattern { set: String::new(), pattern: written.to_owned(), reason };
        let pattern = Self::trusted(set, written);
        let regex = compile(&pattern.prepared).map_err(|error| bad(reason(&error)))?;
        if regex.is_match("") {
            return Err(bad(
                "the pattern matches the empty text, so it would fire on everything".into()
            ));
        }
        Ok(Pattern { regex: regex.into(), ..pattern })
    }

    /// A pattern that ships with the product, and that a test has compiled.
    pub(super) fn trusted(set: usize, written: &str) -> Self {
        let prepared = prepared(written);
        Pattern { set, written: written.to_owned(), prepared, regex: OnceLock::new() }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compile(&self.prepared).expect("its group compiled"))
    }

    /// The same pattern, shown in traces as it stands in its table.
    pub(super) fn shown_as(mut self, written: &str) -> Self {
        written.clone_into(&mut self.written);
        self
    }

    /// The visible text taken literally, or `None` if there is none.
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
            format!("the compiled pattern takes more than the {limit} bytes allowed")
        }
        other => other.to_string(),
    }
}

/// The regex rewritten for folded text: letters lose their accents, and `\b`, `\w` and `\d` mean
/// ASCII only. Folded Spanish and English are ASCII; a Unicode `\b` would turn off the fast engine
/// for every message with a "¿", and a Unicode `\w` is a hundred times larger.
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

/// Patterns matched together, so that only those that can match are searched for.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    patterns: Vec<Pattern>,
    clues: Clues,
    /// Patterns without a clue, by their place, matched in groups.
    groups: Vec<(Vec<usize>, RegexSet)>,
}

/// The patterns of a group. A single automaton for all patterns would read a text once, but its
/// states multiply and most of its time would go into building them; the states of small groups are
/// soon built.
const TOGETHER: usize = 8;

/// The memory for built states of a group's automaton, per reading thread.
const WARM: usize = 512 << 10;

impl Bank {
    pub(super) fn new(patterns: Vec<Pattern>) -> Self {
        let mut clues = Vec::new();
        let mut without = Vec::new();
        for (place, pattern) in patterns.iter().enumerate() {
            match clue::of(&pattern.prepared) {
                Some(texts) => clues.extend(texts.into_iter().map(|text| (text, place))),
                None => without.push(place),
            }
        }
        let group = |places: &[usize]| {
            let texts = places.iter().map(|place| patterns[*place].prepared.as_str());
            let set = RegexSetBuilder::new(texts)
                .size_limit((TOGETHER + 1) * SIZE_LIMIT)
                .dfa_size_limit(WARM)
                .build()
                .expect("each pattern compiled on its own within its share of the limit");
            (places.to_vec(), set)
        };
        let groups = without.chunks(TOGETHER).map(group).collect();
        Bank { clues: Clues::new(clues), groups, patterns }
    }

    pub(super) fn find<'r>(
        &'r self,
        text: &str,
        original: impl Fn(Range<usize>) -> Range<usize>,
        found: &mut Vec<Found<'r>>,
    ) {
        let mut candidates = self.clues.candidates(text);
        for (places, group) in &self.groups {
            candidates.extend(group.matches(text).into_iter().map(|at| places[at]));
        }
        candidates.sort_unstable();
        candidates.dedup();
        for pattern in candidates.into_iter().map(|place| &self.patterns[place]) {
            let spans = pattern.regex().find_iter(text).filter(|hit| !hit.is_empty()).take(SPANS);
            found.extend(spans.map(|hit| Found {
                set: pattern.set,
                rule: &pattern.written,
                span: original(hit.range()),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Patterns of every shape that rules are written in, with a clue at one end, at both or at
    /// none.
    const PATTERNS: &[&str] = &[
        r"\bquiero\b",
        r"\b(?:quiero|querria|me gustaria) (?:un|una)\b",
        r"\w+ por favor$",
        r"(?:no|nunca) mas",
        r"[0-9]+ ?(?:kg|kilos)",
        r"^si\b",
        r"\b\w{3} \w{3}\b",
        r"(?i)Hola",
        r"quier[oe]s?",
        r"(?:hola )?buen(?:os|as)",
    ];

    proptest! {
        #[test]
        fn a_bank_finds_what_each_pattern_finds_alone(
            words in proptest::collection::vec(
                prop_oneof![
                    Just("quiero"), Just("querria"), Just("un"), Just("por favor"), Just("no"),
                    Just("mas"), Just("3 kg"), Just("si"), Just("hola"), Just("buenas"), Just("quieres"),
                    Just("me gustaria una"), Just("nunca"), Just("sinquiero"), Just("kilos"),
                ],
                0..8,
            ),
        ) {
            let text = words.join(" ");
            let patterns: Vec<_> =
                (0..).zip(PATTERNS).map(|(set, text)| Pattern::trusted(set, text)).collect();
            let mut expected = Vec::new();
            for pattern in &patterns {
                let spans = pattern.regex().find_iter(&text).take(SPANS);
                expected.extend(spans.map(|hit| (pattern.set, hit.range())));
            }
            let bank = Bank::new(patterns);
            let mut found = Vec::new();
            bank.find(&text, |span| span, &mut found);
            let found: Vec<_> = found.into_iter().map(|hit| (hit.set, hit.span)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
