//! The folded text cut into words, runs of digits and single symbols, so readers walk it by index.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Digits,
    Symbol,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) class: Class,
    /// Nothing lies between this token and the one before it.
    pub(super) glued: bool,
}

#[derive(Debug)]
pub(super) struct Tokens<'t> {
    list: Vec<Token<'t>>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(folded: &'t str) -> Self {
        let mut list: Vec<Token<'t>> = Vec::new();
        let mut chars = folded.char_indices().peekable();
        while let Some((start, first)) = chars.next() {
            if first.is_whitespace() {
                continue;
            }
            let class = class_of(first);
            let mut end = start + first.len_utf8();
            if class != Class::Symbol {
                while let Some(&(at, next)) = chars.peek() {
                    if class_of(next) != class {
                        break;
                    }
                    end = at + next.len_utf8();
                    chars.next();
                }
            }
            let glued = list.last().is_some_and(|last| last.end == start);
            list.push(Token { text: &folded[start..end], start, end, class, glued });
        }
        Self { list }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'t>> {
        self.list.get(at)
    }

    /// The text at an index; empty beyond the end, so that a reader matches without checking.
    pub(super) fn text(&self, at: usize) -> &'t str {
        self.list.get(at).map_or("", |token| token.text)
    }

    /// The text of the token before an index; empty at the beginning.
    pub(super) fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.text(at))
    }

    pub(super) fn is(&self, at: usize, class: Class) -> bool {
        self.list.get(at).is_some_and(|token| token.class == class)
    }

    pub(super) fn glued(&self, at: usize) -> bool {
        self.list.get(at).is_some_and(|token| token.glued)
    }

    /// How many bytes of the folded text lie between a token and the one before it.
    pub(super) fn gap(&self, at: usize) -> usize {
        match (at.checked_sub(1).and_then(|before| self.get(before)), self.get(at)) {
            (Some(before), Some(token)) => token.start - before.end,
            _ => 0,
        }
    }

    /// Bytes of the folded text from one token up to, and without, another.
    pub(super) fn span(&self, from: usize, to: usize) -> Range<usize> {
        let start = self.list.get(from).map_or(0, |token| token.start);
        let end = to.checked_sub(1).and_then(|last| self.list.get(last)).map_or(start, |t| t.end);
        start..end.max(start)
    }

    /// The index of the first token that starts at or after a byte.
    pub(super) fn at_byte(&self, byte: usize) -> usize {
        self.list.partition_point(|token| token.start < byte)
    }

    /// The index after `words` when they stand at `at`, one per token.
    pub(super) fn follow(&self, at: usize, words: &str) -> Option<usize> {
        let mut next = at;
        for word in words.split(' ') {
            if self.text(next) != word {
                return None;
            }
            next += 1;
        }
        Some(next)
    }

    /// As `follow`, for the first of several phrases that stands there.
    pub(super) fn follow_any(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        phrases.iter().find_map(|phrase| self.follow(at, phrase))
    }
}

fn class_of(c: char) -> Class {
    if c.is_ascii_digit() {
        Class::Digits
    } else if c.is_alphabetic() {
        Class::Word
    } else {
        Class::Symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_digits_and_symbols_part_and_remember_what_was_glued() {
        let tokens = Tokens::new("a las 10:30hs");
        let seen: Vec<_> =
            (0..tokens.len()).map(|at| (tokens.text(at), tokens.glued(at))).collect();
        assert_eq!(
            seen,
            [("a", false), ("las", false), ("10", false), (":", true), ("30", true), ("hs", true)]
        );
        assert_eq!(tokens.span(2, 5), 6..11);
        assert_eq!(tokens.follow(0, "a las"), Some(2));
        assert_eq!(tokens.text(99), "");
    }
}
