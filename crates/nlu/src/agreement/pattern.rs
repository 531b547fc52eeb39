//! The notation in which phrases are written down, and how they are matched.
//!
//! `a|b` is one word or the other, `[x/y]` may stand or not, `{x/y}` has to, `<name>` is one of the
//! phrases of a class; inside brackets a slash parts phrases of several words.

use std::collections::{BTreeSet, HashMap, HashSet};

/// Phrases that stand for one another.
pub(super) type Alternatives = Vec<Sequence>;

/// Elements in order.
pub(super) type Sequence = Vec<Element>;

#[derive(Clone, Debug)]
pub(super) enum Element {
    Words(Vec<&'static str>),
    Group { alternatives: Alternatives, optional: bool },
    Class(&'static str),
}

/// The classes by name.
pub(super) type Classes = HashMap<&'static str, Alternatives>;

/// Reads a phrase. The phrases ship with the code, and a test reads every one of them.
pub(super) fn sequence(written: &'static str) -> Sequence {
    let mut elements = Sequence::new();
    let mut rest = written.trim_start();
    while let Some(first) = rest.chars().next() {
        let after = match first {
            '[' | '{' => {
                let close = closing(rest);
                elements.push(Element::Group {
                    alternatives: alternatives(&rest[1..close]),
                    optional: first == '[',
                });
                close + 1
            }
            '<' => {
                let close = rest.find('>').expect("a class ends in >");
                elements.push(Element::Class(&rest[1..close]));
                close + 1
            }
            _ => {
                let end = rest.find(' ').unwrap_or(rest.len());
                elements.push(Element::Words(rest[..end].split('|').collect()));
                end
            }
        };
        rest = rest[after..].trim_start();
    }
    elements
}

/// The phrases between slashes that stand outside inner brackets.
pub(super) fn alternatives(written: &'static str) -> Alternatives {
    let (mut parts, mut start, mut depth) = (Alternatives::new(), 0, 0_usize);
    for (at, c) in written.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => {
                parts.push(sequence(&written[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(sequence(&written[start..]));
    parts
}

fn closing(written: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in written.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    panic!("a bracket is left open in {written:?}")
}

/// The ends of a sequence that begins at any of `starts`. `word` gives the word at an index,
/// provided that the phrase may run on into it from the word before.
pub(super) fn ends<'w>(
    sequence: &Sequence,
    classes: &Classes,
    starts: BTreeSet<usize>,
    word: &impl Fn(usize) -> Option<&'w str>,
) -> BTreeSet<usize> {
    let mut at = starts;
    for element in sequence {
        if at.is_empty() {
            break;
        }
        at = match element {
            Element::Words(words) => at
                .into_iter()
                .filter(|index| word(*index).is_some_and(|word| words.contains(&word)))
                .map(|index| index + 1)
                .collect(),
            Element::Group { alternatives, optional } => {
                let mut found = either(alternatives, classes, &at, word);
                if *optional {
                    found.extend(at);
                }
                found
            }
            Element::Class(name) => either(&classes[name], classes, &at, word),
        };
    }
    at
}

fn either<'w>(
    alternatives: &Alternatives,
    classes: &Classes,
    starts: &BTreeSet<usize>,
    word: &impl Fn(usize) -> Option<&'w str>,
) -> BTreeSet<usize> {
    alternatives.iter().flat_map(|sequence| ends(sequence, classes, starts.clone(), word)).collect()
}

/// The words with which a sequence may begin, and whether it may be empty.
pub(super) fn firsts(sequence: &Sequence, classes: &Classes) -> (HashSet<&'static str>, bool) {
    let mut words = HashSet::new();
    for element in sequence {
        let (alternatives, optional) = match element {
            Element::Words(given) => {
                words.extend(given);
                return (words, false);
            }
            Element::Group { alternatives, optional } => (alternatives, *optional),
            Element::Class(name) => (&classes[name], false),
        };
        let mut skipped = optional;
        for alternative in alternatives {
            let (first, empty) = firsts(alternative, classes);
            words.extend(first);
            skipped |= empty;
        }
        if !skipped {
            return (words, false);
        }
    }
    (words, true)
}

/// Every word that occurs in a sequence itself, without those of its classes.
pub(super) fn vocabulary(sequence: &Sequence, into: &mut HashSet<&'static str>) {
    for element in sequence {
        match element {
            Element::Words(words) => into.extend(words),
            Element::Group { alternatives, .. } => {
                alternatives.iter().for_each(|sequence| vocabulary(sequence, into));
            }
            Element::Class(_) => {}
        }
    }
}
