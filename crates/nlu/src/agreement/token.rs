//! A message as words, numbers and emoji, with the signs and breaks between them.

use std::ops::Range;

use super::emoji::{Emoji, emoji, is_variation};
use crate::{Normalized, Word};

/// A word, a number or an emoji.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// The text. A number has no separators of thousands and a dot for decimals.
    pub(super) text: String,
    pub(super) emoji: Option<Emoji>,
    pub(super) span: Range<usize>,
    pub(super) before: Gap,
    /// Whether a question mark follows before the next token.
    pub(super) asked: bool,
    /// Whether the last letter carries a written accent, which tells a past from a present.
    pub(super) stressed: bool,
    /// Whether this is a form of the verb that was asked about; `text` then is the form of
    /// confirming.
    pub(super) same_verb: bool,
}

/// The text between a token and the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gap {
    /// Punctuation or a new line, so that no phrase runs across.
    pub(super) broken: bool,
    /// A comma, colon or the like: weaker than the end of a line.
    pub(super) line: bool,
    /// A sign of amounts and addresses (`$`, `#`, `°`, `+`), which only a repetition may hold.
    pub(super) sign: Option<char>,
    /// An opening question mark.
    pub(super) asks: bool,
    /// No character stands between.
    pub(super) glued: bool,
}

impl Token {
    pub(super) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit()) && !self.text.ends_with('%')
    }
}

/// The tokens of a text. An unknown character becomes a token of its own, so that a reader who must
/// account for every token notices it.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let normalized = Normalized::new(text);
    let mut cutter = Cutter { text, tokens: Vec::new(), end: 0 };
    let mut before: Option<Range<usize>> = None;
    for word in normalized.words() {
        // A spelling that stands for several words gives several words with one span.
        let again = before.as_ref() == Some(&word.original);
        let gap = if again { Gap::default() } else { cutter.gap(word.original.start) };
        cutter.word(word, gap);
        before = Some(word.original.clone());
    }
    cutter.finish();
    cutter.tokens
}

struct Cutter<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    end: usize,
}

impl Cutter<'_> {
    /// Reads the text between the last token and `until`.
    fn gap(&mut self, until: usize) -> Gap {
        let start = self.end;
        let written = self.text.get(start..until).unwrap_or_default();
        let mut gap = Gap { glued: written.is_empty(), ..Gap::default() };
        if written == "-" {
            return gap;
        }
        for (offset, c) in written.char_indices() {
            let at = start + offset;
            match c {
                '\n' | '\r' => (gap.broken, gap.line) = (true, true),
                '%' if offset == 0 && self.hundred() => {}
                '?' | '？' => {
                    gap.broken = true;
                    if let Some(last) = self.tokens.last_mut() {
                        last.asked = true;
                    }
                }
                '¿' => (gap.broken, gap.asks) = (true, true),
                '(' if written[..offset].ends_with([':', '=', '\'']) => {
                    gap = self.symbol(c, at, gap);
                }
                ',' | '.' | ';' | ':' | '!' | '¡' | '…' | '(' | ')' | '-' | '–' | '—' | '•'
                | '·' | '！' => gap.broken = true,
                '$' | '#' | '°' | '+' | '<' => gap.sign = Some(c),
                '*' | '_' | '~' | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' => {}
                '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
                c if c.is_whitespace() || is_variation(c) => {}
                c => gap = self.symbol(c, at, gap),
            }
        }
        gap
    }

    /// Appends a percent sign to the last token if it is 100 or 1000; false otherwise.
    fn hundred(&mut self) -> bool {
        let last = self.tokens.last_mut().filter(|last| matches!(&*last.text, "100" | "1000"));
        last.map(|last| last.text.push('%')).is_some()
    }

    fn symbol(&mut self, c: char, at: usize, gap: Gap) -> Gap {
        let span = at..at + c.len_utf8();
        self.push(c.to_string(), Some(emoji(c)), span, gap);
        Gap { broken: true, ..Gap::default() }
    }

    fn push(&mut self, text: String, emoji: Option<Emoji>, span: Range<usize>, before: Gap) {
        self.end = span.end;
        self.tokens.push(Token {
            text,
            emoji,
            span,
            before,
            asked: false,
            stressed: false,
            same_verb: false,
        });
    }

    fn word(&mut self, word: &Word, gap: Gap) {
        let span = word.original.clone();
        if let Some(face) = self.face(&word.text, &span, gap) {
            return self.push(word.text.clone(), Some(face), span, gap);
        }
        let mut before = gap;
        for piece in pieces(&word.text) {
            if self.joins(piece, &span, before) {
                self.end = span.end;
            } else {
                self.push(piece.to_owned(), None, span.clone(), before);
            }
            before = Gap { glued: true, ..Gap::default() };
        }
        if let Some(last) = self.tokens.last_mut() {
            let written = self.text[span].chars().next_back();
            last.stressed = written.is_some_and(|c| {
                matches!(c, 'á' | 'é' | 'í' | 'ó' | 'ú' | 'Á' | 'É' | 'Í' | 'Ó' | 'Ú')
            });
        }
    }

    /// A face drawn with a letter or a digit ("xD", ":D", "<3").
    fn face(&self, word: &str, span: &Range<usize>, gap: Gap) -> Option<Emoji> {
        let drawn = self.text[..span.start].chars().next_back();
        let warm = match word {
            "d" | "p" => matches!(drawn, Some(':' | '=' | ';')),
            "3" => gap.sign == Some('<'),
            _ => false,
        };
        warm.then_some(Emoji::Warm)
    }

    /// Appends digits to the number before them if a single dot or comma stands between: three
    /// digits are thousands, fewer are decimals.
    fn joins(&mut self, piece: &str, span: &Range<usize>, gap: Gap) -> bool {
        let end = self.end;
        let between = self.text.get(end..span.start).unwrap_or_default();
        let digits = piece.bytes().all(|b| b.is_ascii_digit());
        if !digits || !gap.broken || !matches!(between, "." | ",") {
            return false;
        }
        let Some(last) = self.tokens.last_mut().filter(|last| last.is_number()) else {
            return false;
        };
        match piece.len() {
            3 if last.text.len() <= 3
                || last.text.len() % 3 == 0
                || last.span.len() > last.text.len() =>
            {
                last.text.push_str(piece)
            }
            1 | 2 if !last.text.contains('.') => {
                let decimals = piece.trim_end_matches('0');
                if !decimals.is_empty() {
                    last.text.push('.');
                    last.text.push_str(decimals);
                }
            }
            _ => return false,
        }
        last.span.end = span.end;
        true
    }

    fn finish(&mut self) {
        let gap = self.gap(self.text.len());
        if let Some(sign) = gap.sign.filter(|sign| *sign != '°') {
            let at = self.text.rfind(sign).unwrap_or(self.end);
            self.symbol(sign, at, Gap::default());
        }
        if let Some(last) = self.tokens.last_mut() {
            last.span.end = last.span.end.min(self.text.len());
        }
    }
}

/// Letters and digits apart ("2b", "x2"); the ending of an ordinal is left out ("2do").
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    let mut number = false;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digit).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        let ordinal = number
            && matches!(
                piece,
                "do" | "da" | "ro" | "ra" | "er" | "to" | "ta" | "o" | "nd" | "rd" | "th"
            );
        number = digit;
        Some(if ordinal { "" } else { piece })
    })
    .filter(|piece| !piece.is_empty())
}
