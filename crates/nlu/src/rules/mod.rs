//! Keyword sets and patterns, found together in one reading of a message.

mod builtin;
mod clue;
mod hits;
mod keywords;
mod pattern;

pub use builtin::Builtin;
pub(crate) use builtin::is_everyday;
pub use hits::{Hit, Hits};
pub use pattern::BadPattern;

use std::ops::Range;
use std::sync::LazyLock;

use keywords::{Automaton, Phrase};
use pattern::{Bank, Pattern};

use crate::Normalized;

/// Collects the sets; `build` turns them into one automaton and a few regex sets.
#[derive(Clone, Debug, Default)]
pub struct RulesBuilder {
    sets: Vec<String>,
    phrases: Vec<Phrase>,
    folded: Vec<Pattern>,
    plain: Vec<Pattern>,
    exceptions: Vec<Pattern>,
}

impl RulesBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Phrases, normalised as messages are and matched on whole words. A `*` after a word takes any
    /// ending ("cancel*"). A phrase of symbols only ("👍") is matched anywhere; a phrase without
    /// anything to match is left out.
    #[must_use]
    pub fn keywords<'p>(mut self, set: &str, phrases: impl IntoIterator<Item = &'p str>) -> Self {
        let set = self.set(set);
        for written in phrases {
            let text = Normalized::new(written);
            if let Some(phrase) = Phrase::new(set, &text) {
                self.phrases.push(phrase);
            } else if let Some(symbols) = Pattern::symbols(set, &text) {
                self.folded.push(symbols);
            }
        }
        self
    }

    /// A regex over the folded text, which keeps punctuation and emoji. Accents and capitals in
    /// the regex are folded too.
    pub fn pattern(mut self, set: &str, regex: &str) -> Result<Self, BadPattern> {
        let pattern = Pattern::new(self.set(set), regex).map_err(|why| why.of(set))?;
        self.folded.push(pattern);
        Ok(self)
    }

    /// A regex over the plain words, with single spaces between them and no punctuation. Drawn-out
    /// words and chat spelling are matched as they were meant.
    pub fn words_pattern(mut self, set: &str, regex: &str) -> Result<Self, BadPattern> {
        let pattern = Pattern::new(self.set(set), regex).map_err(|why| why.of(set))?;
        self.plain.push(pattern);
        Ok(self)
    }

    /// A regex over the plain words inside whose matches the set does not fire ("soy asesor" is no
    /// request for an asesor). Matches elsewhere in the message still count.
    pub fn except(mut self, set: &str, regex: &str) -> Result<Self, BadPattern> {
        let pattern = Pattern::new(self.set(set), regex).map_err(|why| why.of(set))?;
        self.exceptions.push(pattern);
        Ok(self)
    }

    /// A set that comes with the product; a pack may add to it under the same name.
    #[must_use]
    pub fn builtin(mut self, builtin: Builtin) -> Self {
        let (name, table) = (builtin.name(), builtin.table());
        self = self.keywords(name, table.phrases.iter().copied());
        let set = self.set(name);
        self.folded.extend(table.compiled(set, table.written));
        self.plain.extend(table.compiled(set, table.patterns));
        self.exceptions.extend(table.compiled(set, table.except));
        self
    }

    pub fn build(self) -> Rules {
        Rules {
            automaton: Automaton::new(self.phrases),
            folded: Bank::new(self.folded),
            plain: Bank::new(self.plain),
            exceptions: Bank::new(self.exceptions),
            sets: self.sets,
        }
    }

    fn set(&mut self, name: &str) -> usize {
        self.sets.iter().position(|set| set == name).unwrap_or_else(|| {
            self.sets.push(name.to_owned());
            self.sets.len() - 1
        })
    }
}

/// Sets ready to be matched; immutable and shared between threads.
#[derive(Clone, Debug)]
pub struct Rules {
    sets: Vec<String>,
    automaton: Automaton,
    folded: Bank,
    plain: Bank,
    exceptions: Bank,
}

/// A match of a set's rule, before overlaps are settled.
#[derive(Clone, Debug)]
struct Found<'r> {
    set: usize,
    rule: &'r str,
    span: Range<usize>,
}

impl Rules {
    /// All sets that come with the product. They are large and the same for everyone, so they are
    /// built once and shared.
    pub fn builtin() -> &'static Self {
        static RULES: LazyLock<Rules> = LazyLock::new(|| {
            Builtin::ALL.into_iter().fold(RulesBuilder::new(), RulesBuilder::builtin).build()
        });
        &RULES
    }

    /// Everything that fires, in the order of the message. Where matches of one set overlap, the
    /// longest is kept. Time is linear in the length of the text.
    pub fn find(&self, text: &Normalized<'_>) -> Hits<'_> {
        let mut found: Vec<Found<'_>> = Vec::new();
        self.automaton.find(text, &mut found);
        self.plain.find(text.plain(), |span| text.original_span_of_plain(span), &mut found);
        self.folded.find(text.folded(), |span| text.original_span(span), &mut found);
        if found.is_empty() {
            return Hits::default();
        }
        let mut excepted = Vec::new();
        self.exceptions.find(text.plain(), |span| text.original_span_of_plain(span), &mut excepted);
        found.retain(|hit| !excepted.iter().any(|not| not.set == hit.set && overlap(not, hit)));
        let hits = longest(found).into_iter().map(|hit| Hit {
            set: &self.sets[hit.set],
            rule: hit.rule,
            span: hit.span,
        });
        Hits::new(hits.collect())
    }

    pub fn sets(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(String::as_str)
    }
}

fn overlap(a: &Found<'_>, b: &Found<'_>) -> bool {
    a.span.start < b.span.end && b.span.start < a.span.end
}

fn longest(mut found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    found.sort_by_key(|hit| (hit.set, hit.span.start, std::cmp::Reverse(hit.span.end)));
    let mut kept: Vec<Found<'_>> = Vec::with_capacity(found.len());
    for hit in found {
        match kept.last_mut() {
            Some(last) if last.set == hit.set && overlap(last, &hit) => {
                if hit.span.len() > last.span.len() {
                    *last = hit;
                }
            }
            _ => kept.push(hit),
        }
    }
    kept.sort_by_key(|hit| (hit.span.start, hit.set));
    kept
}
