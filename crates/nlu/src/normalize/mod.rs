//! Text as it is matched, with the way back to the text as it was written.

mod chat;
mod drawn_out;
mod fold;

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// A message in the three forms that matching needs: as written, folded, and as plain words.
/// Every span of the latter two leads back to the first.
#[derive(Clone, Debug)]
pub struct Normalized<'a> {
    original: &'a str,
    folded: String,
    /// For each byte of `folded`, where in `original` its source character begins.
    starts: Vec<usize>,
    words: Vec<Word>,
    plain: String,
    /// Where in `plain` each word begins.
    plain_starts: Vec<usize>,
}

/// A run of letters and digits. A chat spelling that stands for several words ("xfa") yields
/// several, all with the span of the written one; `text` never holds a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Normalised: folded, emphasis dropped, chat spelling written out.
    pub text: String,
    pub folded: Range<usize>,
    pub original: Range<usize>,
}

impl<'a> Normalized<'a> {
    pub fn new(original: &'a str) -> Self {
        let (folded, starts) = folded(original);
        let mut text = Normalized {
            original,
            folded,
            starts,
            words: Vec::new(),
            plain: String::new(),
            plain_starts: Vec::new(),
        };
        let read = text.read_words();
        text.words = text.write_out(read);
        text.join();
        text
    }

    pub fn original(&self) -> &'a str {
        self.original
    }

    /// Lower case without accents or other marks (ñ becomes n), compatibility forms resolved,
    /// invisible characters dropped, white space as plain spaces, curly quotes and dashes
    /// straight. Punctuation, digits, symbols and emoji are kept.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The words in order. An apostrophe between two letters is part of the word's span and not
    /// of its text ("don't" is "dont"), since half of the people leave it out. Emoji are no words.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The words, normalised, joined by single spaces.
    pub fn plain(&self) -> &str {
        &self.plain
    }

    /// The characters as written that produced a span of the folded text, with their accents.
    /// A span that reaches beyond the text is cut to it.
    pub fn original_span(&self, folded: Range<usize>) -> Range<usize> {
        let start = self.starts.get(folded.start).copied().unwrap_or(self.original.len());
        if folded.start >= folded.end || start == self.original.len() {
            return start..start;
        }
        let last = folded.end.min(self.folded.len()) - 1;
        start..self.end_of_character(self.starts[last])
    }

    /// The characters as written that produced a span of the plain text: exactly those where a
    /// word stands as it was written, otherwise the whole word.
    pub fn original_span_of_plain(&self, plain: Range<usize>) -> Range<usize> {
        let start = self.plain_edge(plain.start, Edge::Start);
        if plain.start >= plain.end {
            return start..start;
        }
        // Two words written out of one share its span, so the gap between them would be inverted.
        start..self.plain_edge(plain.end, Edge::End).max(start)
    }

    /// The end of the character at `start`, with the marks and selectors drawn onto it.
    fn end_of_character(&self, start: usize) -> usize {
        let mut rest = self.original[start..].chars();
        rest.next();
        let tail = rest.as_str();
        let marks = tail.find(|c| !is_combining_mark(c)).unwrap_or(tail.len());
        self.original.len() - tail.len() + marks
    }

    fn plain_edge(&self, at: usize, edge: Edge) -> usize {
        // The byte that decides the word: the one before an end, or the one at a start.
        let held = match edge {
            Edge::Start => at,
            Edge::End => at - 1,
        };
        let Some(index) = self.plain_starts.partition_point(|start| *start <= held).checked_sub(1)
        else {
            return self.original.len();
        };
        let (word, begins) = (&self.words[index], self.plain_starts[index]);
        let next = self.words.get(index + 1);
        let inside = held - begins;
        if inside >= word.text.len() {
            // `at` is the space after the word.
            return match (edge, next) {
                (Edge::End, Some(next)) => next.original.start,
                _ => word.original.end,
            };
        }
        if word.text != self.folded[word.folded.clone()] {
            return match edge {
                Edge::Start => word.original.start,
                Edge::End => word.original.end,
            };
        }
        let byte = word.folded.start + inside;
        let span = self.original_span(byte..byte + 1);
        match edge {
            Edge::Start => span.start,
            Edge::End => span.end,
        }
    }

    /// The runs of letters and digits, with emphasis dropped.
    fn read_words(&self) -> Vec<Word> {
        let mut words = Vec::with_capacity(self.folded.len() / 5 + 1);
        let mut rest = self.folded.char_indices().peekable();
        while let Some((start, first)) = rest.next() {
            if !fold::is_word_char(first) {
                continue;
            }
            let (mut end, mut before, mut joined) = (start + first.len_utf8(), first, false);
            while let Some((at, c)) = rest.peek().copied() {
                let apostrophe = c == '\'' && before.is_alphabetic() && self.letter_at(at + 1);
                if !apostrophe && !fold::is_word_char(c) {
                    break;
                }
                joined |= apostrophe;
                before = c;
                end = at + c.len_utf8();
                rest.next();
            }
            let folded = start..end;
            let written = &self.folded[folded.clone()];
            let text = if joined { written.replace('\'', "") } else { written.to_owned() };
            let text = drawn_out::shortened(&text).unwrap_or(text);
            words.push(Word { text, original: self.original_span(folded.clone()), folded });
        }
        words
    }

    fn letter_at(&self, at: usize) -> bool {
        self.folded[at..].starts_with(|c: char| c.is_alphabetic())
    }

    fn write_out(&self, read: Vec<Word>) -> Vec<Word> {
        let text = |at: usize| read.get(at).map(|word| word.text.as_str());
        let meanings: Vec<_> = (0..read.len())
            .filter_map(|at| {
                let word = &read[at];
                let spelling = chat::spelling(&word.text)?;
                let seen = chat::Surroundings {
                    before: at.checked_sub(1).and_then(text),
                    after: text(at + 1),
                    glued: self.is_glued(&word.folded),
                    capital: self.is_capital(word),
                    capital_after: read.get(at + 1).is_some_and(|next| self.is_capital(next)),
                };
                Some((at, spelling.written_out(&seen)?))
            })
            .collect();
        if meanings.is_empty() {
            return read;
        }
        let mut meanings = meanings.into_iter().peekable();
        let mut words = Vec::with_capacity(read.len() + 4);
        for (at, word) in read.into_iter().enumerate() {
            match meanings.next_if(|(meant, _)| *meant == at) {
                Some((_, meaning)) => words.extend(
                    meaning.split(' ').map(|part| Word { text: part.to_owned(), ..word.clone() }),
                ),
                None => words.push(word),
            }
        }
        words
    }

    fn is_capital(&self, word: &Word) -> bool {
        self.original[word.original.start..].starts_with(char::is_uppercase)
    }

    /// Whether the word is a piece of something longer, such as an address or a code.
    fn is_glued(&self, word: &Range<usize>) -> bool {
        const ALWAYS: &[char] = &['@', '#', '$', '/', '\\', '&', '+', '=', '_'];
        const BETWEEN: &[char] = &['.', '-', ':', '\''];
        let mut before = self.folded[..word.start].chars().rev();
        let mut after = self.folded[word.end..].chars();
        let alone = word.len() == 1;
        let left = before.next().is_some_and(|c| {
            ALWAYS.contains(&c)
                || BETWEEN.contains(&c) && before.next().is_some_and(fold::is_word_char)
        });
        left || after.next().is_some_and(|c| {
            ALWAYS.contains(&c)
                // A letter with a dot is an initial, whatever follows.
                || alone && c == '.'
                || BETWEEN.contains(&c) && after.next().is_some_and(fold::is_word_char)
        })
    }

    fn join(&mut self) {
        self.plain.reserve(self.folded.len() + 8);
        for word in &self.words {
            if !self.plain.is_empty() {
                self.plain.push(' ');
            }
            self.plain_starts.push(self.plain.len());
            self.plain.push_str(&word.text);
        }
    }
}

#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

fn folded(original: &str) -> (String, Vec<usize>) {
    let mut folded = String::with_capacity(original.len());
    let mut starts = Vec::with_capacity(original.len());
    for (start, c) in original.char_indices() {
        if c.is_ascii_graphic() {
            folded.push(c.to_ascii_lowercase());
            starts.push(start);
        } else {
            fold::fold(c, &mut folded);
            starts.resize(folded.len(), start);
        }
    }
    (folded, starts)
}
