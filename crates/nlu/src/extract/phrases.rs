//! Phrases that readers look for, each with its meaning, and a bit mask that rules out most tokens
//! before any phrase is compared.

use super::tokens::Tokens;

/// Phrases of one word per token, in order of preference.
pub(super) struct Phrases<T: 'static> {
    list: &'static [(&'static str, T)],
    /// The bits of the phrases' first words.
    firsts: u64,
}

impl<T: Copy> Phrases<T> {
    pub(super) const fn new(list: &'static [(&'static str, T)]) -> Self {
        let (mut firsts, mut at) = (0, 0);
        while at < list.len() {
            firsts |= glance(first_word(list[at].0.as_bytes()));
            at += 1;
        }
        Self { list, firsts }
    }

    /// The first phrase of the list that stands at an index: the index after it and its meaning.
    pub(super) fn first(&self, tokens: &Tokens<'_>, at: usize) -> Option<(usize, T)> {
        self.all(tokens, at).next()
    }

    /// The longest phrase that stands at an index; of equals the last in the list.
    pub(super) fn longest(&self, tokens: &Tokens<'_>, at: usize) -> Option<(usize, T)> {
        self.all(tokens, at).max_by_key(|(end, _)| *end)
    }

    fn all(&self, tokens: &Tokens<'_>, at: usize) -> impl Iterator<Item = (usize, T)> {
        let possible = self.firsts & glance(tokens.text(at).as_bytes()) != 0;
        let list = if possible { self.list } else { &[] };
        list.iter().filter_map(move |(words, says)| Some((tokens.follow(at, words)?, *says)))
    }
}

const fn first_word(phrase: &[u8]) -> &[u8] {
    let mut end = 0;
    while end < phrase.len() && phrase[end] != b' ' {
        end += 1;
    }
    phrase.split_at(end).0
}

/// A bit that words share only if their length and outer letters are alike; the empty word has no
/// bit.
const fn glance(word: &[u8]) -> u64 {
    match word {
        [] => 0,
        [first, .., last] => 1 << ((word.len() * 7 + *first as usize * 3 + *last as usize) % 64),
        [letter] => 1 << (*letter as usize % 64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_where_it_stands_with_what_it_says() {
        const LIST: Phrases<u8> =
            Phrases::new(&[("a las", 1), ("hoy", 2), ("hoy mismo", 3), ("a", 4), ("i ' m", 5)]);
        let tokens = Tokens::new("hoy mismo a las 5, i'm a hoy");
        let first: Vec<_> = (0..=tokens.len()).map(|at| LIST.first(&tokens, at)).collect();
        let says: Vec<_> = first.iter().map(|found| found.map(|(_, says)| says)).collect();
        let said =
            [Some(2), None, Some(1), None, None, None, Some(5), None, None, Some(4), Some(2)];
        assert_eq!(says[..11], said);
        assert_eq!(says[11], None);
        assert_eq!(LIST.longest(&tokens, 0), Some((2, 3)));
        assert_eq!(first[2], Some((4, 1)));
    }
}
