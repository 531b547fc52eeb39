//! The speech acts of a language as patterns over plain words, read from `acts/*.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pack::files::SpeechAct;

/// The languages that words of a model's own are read in.
pub(super) static LANGUAGES: LazyLock<[Grammar; 2]> = LazyLock::new(|| {
    [Grammar::read(include_str!("acts/es.txt")), Grammar::read(include_str!("acts/en.txt"))]
});

/// As many words as a `~` without a number takes.
const SOFT: usize = 8;

/// As many words as name goods, fields or a topic.
const NAMED: usize = 9;

/// A meaning of a pattern: an act that a mode lists, or one besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Act(SpeechAct),
    /// Words that may stand before others and say nothing.
    Filler,
    /// Words that agree.
    Agree,
    /// Words that close the offer of a person.
    AfterOffer,
}

#[derive(Default)]
pub(super) struct Grammar {
    /// Words of any section's vocabulary.
    common: BTreeSet<String>,
    /// Words that join those of a name.
    joins: BTreeSet<String>,
    /// Words that goods are told apart by, whatever a pack sells.
    goods: BTreeSet<String>,
    sections: BTreeMap<Section, Patterns>,
}

#[derive(Default)]
struct Patterns {
    soft: BTreeSet<String>,
    lines: Vec<Line>,
}

struct Line {
    /// Whether it holds only in questions, or only outside them.
    asks: Option<bool>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    Either(Vec<Vec<Part>>),
    Maybe(Box<Part>),
    /// Up to so many words of the section's own vocabulary.
    Soft(usize),
    Named(Names),
}

/// Words that the pack or the turn gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Goods,
    Fields,
    Topic,
}

/// The words a turn adds to the vocabulary.
#[derive(Clone, Copy)]
pub(super) struct Given<'s> {
    pub(super) goods: &'s BTreeSet<String>,
    pub(super) fields: &'s BTreeSet<String>,
    pub(super) topics: &'s BTreeSet<String>,
}

impl Grammar {
    fn read(text: &str) -> Self {
        let mut grammar = Self::default();
        let mut classes: BTreeMap<&str, Part> = BTreeMap::new();
        let mut section = None;
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (section, line.strip_prefix('['), line.strip_prefix('@')) {
                (_, Some(name), _) => section = Some(named(name.trim_end_matches(']'))),
                (None, _, Some(class)) => {
                    let (name, body) = class.split_once(' ').expect("a class has words");
                    let class = Reader::whole(&classes, body, Reader::alternatives);
                    classes.insert(name, class);
                }
                (None, ..) => grammar.header(line),
                (Some(section), ..) => grammar.line(section, &classes, line),
            }
        }
        grammar
    }

    /// The words before the first section.
    fn header(&mut self, line: &str) {
        let (name, words) = line.split_once(':').expect("a header names its words");
        match name {
            "common" => self.common = listed(words),
            "joins" => self.joins = listed(words),
            _ => panic!("there is no header `{name}`"),
        }
    }

    fn line(&mut self, section: Section, classes: &BTreeMap<&str, Part>, line: &str) {
        let patterns = self.sections.entry(section).or_default();
        if let Some(words) = line.strip_prefix("soft:") {
            patterns.soft.extend(listed(words));
        } else if let Some(words) = line.strip_prefix("goods:") {
            self.goods = listed(words);
            patterns.soft.extend(listed(words));
        } else {
            let (asks, body) = match (line.strip_prefix('¿'), line.strip_prefix('.')) {
                (Some(body), _) => (Some(true), body),
                (_, Some(body)) => (Some(false), body),
                _ => (None, line),
            };
            let parts = Reader::whole(classes, body, Reader::sequence);
            patterns.lines.push(Line { asks, parts });
        }
    }

    pub(super) fn is_common(&self, word: &str) -> bool {
        self.common.contains(word)
    }

    /// Where a section's patterns may end that begin at `at`.
    pub(super) fn ends(
        &self,
        section: Section,
        piece: &Piece<'_>,
        at: usize,
        given: Given<'_>,
    ) -> BTreeSet<usize> {
        let Some(patterns) = self.sections.get(&section) else { return BTreeSet::new() };
        let matcher = Matcher { grammar: self, soft: &patterns.soft, words: piece.words, given };
        let lines =
            patterns.lines.iter().filter(|line| line.asks.is_none_or(|asks| asks == piece.asks));
        lines.flat_map(|line| matcher.sequence(&line.parts, at)).collect()
    }
}

/// Words between two marks, and whether they are asked.
pub(super) struct Piece<'w> {
    pub(super) words: &'w [String],
    pub(super) asks: bool,
}

fn named(name: &str) -> Section {
    match name {
        "filler" => Section::Filler,
        "agree" => Section::Agree,
        "after_offer" => Section::AfterOffer,
        act => {
            let act = serde_json::from_value(act.into());
            Section::Act(act.expect("a section is named after a speech act"))
        }
    }
}

fn listed(words: &str) -> BTreeSet<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// Reads one pattern.
struct Reader<'t, 'c> {
    classes: &'c BTreeMap<&'t str, Part>,
    rest: &'t str,
}

impl<'t, 'c> Reader<'t, 'c> {
    /// Reads all of a text.
    fn whole<T>(
        classes: &'c BTreeMap<&'t str, Part>,
        text: &'t str,
        read: impl Fn(&mut Self) -> T,
    ) -> T {
        let mut reader = Self { classes, rest: text };
        let whole = read(&mut reader);
        assert!(reader.rest.is_empty(), "`{text}` has more than a pattern");
        whole
    }

    fn alternatives(&mut self) -> Part {
        let mut all = vec![self.sequence()];
        while let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            all.push(self.sequence());
        }
        Part::Either(all)
    }

    /// Parts up to a `|` or `)` of the group they are in.
    fn sequence(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None | Some('|' | ')') => return parts,
                Some('(') => {
                    self.rest = &self.rest[1..];
                    let group = self.alternatives();
                    self.rest = self.rest.strip_prefix(')').expect("a group is closed");
                    parts.push(self.maybe(group));
                }
                Some(_) => {
                    let part = self.single();
                    parts.push(part);
                }
            }
        }
    }

    fn single(&mut self) -> Part {
        let end = self.rest.find([' ', '|', ')', '?']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let part = match word {
            "<goods>" => Part::Named(Names::Goods),
            "<field>" => Part::Named(Names::Fields),
            "<topic>" => Part::Named(Names::Topic),
            _ => match (word.strip_prefix('~'), word.strip_prefix('@')) {
                (Some(most), _) => Part::Soft(most.parse().unwrap_or(SOFT)),
                (_, Some(class)) => self.classes.get(class).expect("a class is defined").clone(),
                _ => Part::Word(word.to_owned()),
            },
        };
        self.maybe(part)
    }

    fn maybe(&mut self, part: Part) -> Part {
        match self.rest.strip_prefix('?') {
            Some(rest) => {
                self.rest = rest;
                Part::Maybe(Box::new(part))
            }
            None => part,
        }
    }
}

struct Matcher<'s> {
    grammar: &'s Grammar,
    soft: &'s BTreeSet<String>,
    words: &'s [String],
    given: Given<'s>,
}

impl Matcher<'_> {
    fn sequence(&self, parts: &[Part], at: usize) -> BTreeSet<usize> {
        let mut ends = BTreeSet::from([at]);
        for part in parts {
            ends = ends.into_iter().flat_map(|at| self.part(part, at)).collect();
        }
        ends
    }

    fn part(&self, part: &Part, at: usize) -> BTreeSet<usize> {
        match part {
            Part::Word(word) => {
                let fits = self.words.get(at).is_some_and(|said| said == word);
                fits.then_some(at + 1).into_iter().collect()
            }
            Part::Either(all) => all.iter().flat_map(|parts| self.sequence(parts, at)).collect(),
            Part::Maybe(part) => self.part(part, at).into_iter().chain([at]).collect(),
            Part::Soft(most) => self.run(at, *most, |word| self.is_soft(word)).collect(),
            Part::Named(names) => self.names(*names, at),
        }
    }

    /// Every end of a run of words that all fit, the empty one among them.
    fn run(
        &self,
        at: usize,
        most: usize,
        fits: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = usize> {
        let rest = self.words.get(at..).unwrap_or_default();
        let count = rest.iter().take(most).take_while(|word| fits(word)).count();
        at..=at + count
    }

    fn is_soft(&self, word: &str) -> bool {
        self.soft.contains(word) || self.grammar.common.contains(word)
    }

    /// Words that name something: at least one of them is given, the others join them.
    fn names(&self, names: Names, at: usize) -> BTreeSet<usize> {
        let is_name = |word: &str| match names {
            Names::Goods => {
                self.given.goods.contains(word)
                    || self.given.topics.contains(word)
                    || self.grammar.goods.contains(word)
            }
            Names::Fields => self.given.fields.contains(word),
            Names::Topic => self.given.topics.contains(word),
        };
        let joins = |word: &str| {
            self.grammar.joins.contains(word)
                || (names == Names::Fields && self.soft.contains(word))
        };
        let ends = self.run(at, NAMED, |word| is_name(word) || joins(word));
        ends.filter(|end| self.words[at..*end].iter().any(|word| is_name(word))).collect()
    }
}
