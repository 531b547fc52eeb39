//! Reads a misspelt word as the known word that is one slip away.

use std::collections::{HashMap, HashSet};

use super::features::{Key, key};
use super::lexicon;

/// The shortest word that is mended, because shorter words are one slip away from too many others.
const SHORTEST: usize = 4;

/// The known words, from examples and lexicon. An empty set mends nothing.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    known: HashSet<Key>,
    words: Vec<Box<str>>,
    /// Each word is filed under itself and under itself without each of its letters, so that two
    /// words one slip apart share at least one of these keys.
    shapes: HashMap<Key, u32>,
}

impl Spelling {
    /// The words of the examples come before those of the lexicon, and among them the most frequent
    /// win.
    pub(super) fn of<'a>(examples: impl Iterator<Item = &'a str>) -> Self {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for word in examples {
            *counts.entry(word).or_default() += 1;
        }
        let mut ordered: Vec<_> = counts.into_iter().collect();
        ordered.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let lexicon = lexicon::SPANISH.lines().chain(lexicon::ENGLISH.lines());
        let mut spelling = Self::default();
        for word in ordered.iter().map(|(word, _)| *word).chain(lexicon.flat_map(|l| l.split(' ')))
        {
            spelling.add(word);
        }
        spelling
    }

    fn add(&mut self, word: &str) {
        if !self.known.insert(key(0, word.as_bytes())) || !is_mendable(word) {
            return;
        }
        let place = self.words.len() as u32;
        self.words.push(word.into());
        for shape in shapes(word) {
            self.shapes.entry(shape).or_insert(place);
        }
    }

    pub(super) fn mended<'a>(&'a self, word: &'a str) -> &'a str {
        if self.words.is_empty()
            || !is_mendable(word)
            || self.known.contains(&key(0, word.as_bytes()))
        {
            return word;
        }
        shapes(word)
            .filter_map(|shape| self.shapes.get(&shape))
            .map(|place| &*self.words[*place as usize])
            .find(|meant| is_one_slip(word.as_bytes(), meant.as_bytes()))
            .unwrap_or(word)
    }
}

/// Folded Spanish and English words are plain letters; codes and numbers are never mended.
fn is_mendable(word: &str) -> bool {
    word.len() >= SHORTEST
        && word.len() <= super::features::MAX_WORD_BYTES
        && word.bytes().all(|b| b.is_ascii_alphabetic())
}

fn shapes(word: &str) -> impl Iterator<Item = Key> {
    let bytes = word.as_bytes();
    let without = (0..bytes.len()).map(|gone| {
        let mut shape = Vec::with_capacity(bytes.len());
        shape.extend_from_slice(&bytes[..gone]);
        shape.extend_from_slice(&bytes[gone + 1..]);
        key(0, &shape)
    });
    std::iter::once(key(0, bytes)).chain(without)
}

/// A letter too many, too few, another, or two swapped; people rarely miss the first.
fn is_one_slip(written: &[u8], meant: &[u8]) -> bool {
    let before = written.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (written, meant) = (&written[before..], &meant[before..]);
    let after = written.iter().rev().zip(meant.iter().rev()).take_while(|(a, b)| a == b).count();
    let (written, meant) = (&written[..written.len() - after], &meant[..meant.len() - after]);
    let slip = match (written, meant) {
        ([], [_]) | ([_], []) | ([_], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    };
    slip && before > 0
}

#[cfg(test)]
mod tests {
    use super::Spelling;

    #[test]
    fn one_slip_is_mended_and_two_are_not() {
        let spelling = Spelling::of(["zarzuela", "mochila"].into_iter());
        for (written, meant) in [
            ("zarzuel", "zarzuela"),
            ("zrazuela", "zarzuela"),
            ("zarzzuela", "zarzuela"),
            ("mochika", "mochila"),
            ("mocika", "mocika"),
            ("nochila", "nochila"),
            ("mochila", "mochila"),
            ("moc", "moc"),
            ("m0chila", "m0chila"),
        ] {
            assert_eq!(spelling.mended(written), meant);
        }
    }
}
