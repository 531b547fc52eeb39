//! The folded text cut into words, runs of digits and single symbols, which readers walk by index.

use std::ops::Range;

use super::trigger::{Marks, marks};
use crate::Normalized;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
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
    marks: Marks,
}

#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    list: Vec<Token<'t>>,
    /// The marks of all tokens together.
    marks: Marks,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(folded: &'t str) -> Self {
        let mut tokens = Self::with_room_for(folded.len() / 4 + 1);
        tokens.cut(folded, 0);
        tokens.mark();
        tokens
    }

    /// The tokens with drawn-out words and chat spelling written out; spans are still those of the
    /// folded text.
    pub(crate) fn written_out(text: &'t Normalized<'_>) -> Self {
        let folded = text.folded();
        let mut tokens = Self::with_room_for(text.words().len() + 8);
        let mut end = 0;
        for word in text.words() {
            let span = word.folded.clone();
            // Several words that were written as one share its span.
            if end < span.start {
                tokens.cut(&folded[end..span.start], end);
            }
            if word.text == folded[span.clone()] {
                tokens.cut(&word.text, span.start);
            } else {
                tokens.push(&word.text, span.clone(), Class::Word);
            }
            end = span.end;
        }
        tokens.cut(&folded[end..], end);
        tokens.mark();
        tokens
    }

    fn with_room_for(tokens: usize) -> Self {
        Self { list: Vec::with_capacity(tokens), marks: Marks::default() }
    }

    /// Adds the tokens of a piece of text that begins at a byte offset of the folded text.
    fn cut(&mut self, piece: &'t str, offset: usize) {
        let mut chars = piece.char_indices().peekable();
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
            self.push(&piece[start..end], offset + start..offset + end, class);
        }
    }

    fn push(&mut self, text: &'t str, span: Range<usize>, class: Class) {
        let glued = self.list.last().is_some_and(|last| last.end == span.start);
        let marks = Marks::default();
        self.list.push(Token { text, start: span.start, end: span.end, class, glued, marks });
    }

    /// Marks every token, from the last one on, because some marks depend on the tokens behind.
    fn mark(&mut self) {
        for at in (0..self.len()).rev() {
            let marks = marks(self, at);
            self.list[at].marks = marks;
            self.marks = self.marks | marks;
        }
    }

    /// Gives every token every mark, so that every reader looks everywhere.
    pub(super) fn marked_with_all(mut self) -> Self {
        self.list.iter_mut().for_each(|token| token.marks = Marks::ALL);
        self.marks = Marks::ALL;
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'t>> {
        self.list.get(at)
    }

    /// The text at an index; empty beyond the end, so that readers need not check.
    pub(crate) fn text(&self, at: usize) -> &'t str {
        self.list.get(at).map_or("", |token| token.text)
    }

    /// The text of the token before an index; empty at the beginning.
    pub(crate) fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.text(at))
    }

    pub(crate) fn is(&self, at: usize, class: Class) -> bool {
        self.list.get(at).is_some_and(|token| token.class == class)
    }

    pub(crate) fn glued(&self, at: usize) -> bool {
        self.list.get(at).is_some_and(|token| token.glued)
    }

    /// Whether any token has one of these marks.
    pub(super) fn have(&self, marks: Marks) -> bool {
        self.marks.meets(marks)
    }

    pub(super) fn is_marked(&self, at: usize, marks: Marks) -> bool {
        self.list.get(at).is_some_and(|token| token.marks.meets(marks))
    }

    /// The first index from `from` on whose token has one of these marks.
    pub(super) fn seek(&self, from: usize, marks: Marks) -> Option<usize> {
        (from..self.len()).find(|at| self.is_marked(*at, marks))
    }

    /// How many digits the text has.
    pub(super) fn digits(&self) -> usize {
        let digits = self.list.iter().filter(|token| token.class == Class::Digits);
        digits.map(|token| token.text.len()).sum()
    }

    /// How many words of the text can begin a number.
    pub(super) fn numerals(&self) -> usize {
        let is_numeral =
            |token: &&Token<'_>| token.class == Class::Word && token.marks.meets(Marks::NUMBER);
        self.list.iter().filter(is_numeral).count()
    }

    /// How many bytes of the folded text lie between a token and the one before it.
    pub(super) fn gap(&self, at: usize) -> usize {
        match (at.checked_sub(1).and_then(|before| self.get(before)), self.get(at)) {
            (Some(before), Some(token)) => token.start - before.end,
            _ => 0,
        }
    }

    /// Bytes of the folded text from one token up to, and without, another.
    pub(crate) fn span(&self, from: usize, to: usize) -> Range<usize> {
        let start = self.list.get(from).map_or(0, |token| token.start);
        let end = to.checked_sub(1).and_then(|last| self.list.get(last)).map_or(start, |t| t.end);
        start..end.max(start)
    }

    /// The index of the first token that starts at or after a byte.
    pub(super) fn at_byte(&self, byte: usize) -> usize {
        self.list.partition_point(|token| token.start < byte)
    }

    /// The index after `words` if they stand at `at`, a word per token.
    pub(crate) fn follow(&self, at: usize, words: &str) -> Option<usize> {
        let mut rest = words;
        let mut next = at;
        loop {
            // No token holds a blank, so the rest of a longer word is refused below.
            rest = rest.strip_prefix(self.text(next))?;
            next += 1;
            if rest.is_empty() {
                return Some(next);
            }
            rest = rest.strip_prefix(' ')?;
        }
    }

    /// As `follow`, for the first of several phrases that stands there.
    pub(crate) fn follow_any(&self, at: usize, phrases: &[&str]) -> Option<usize> {
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
