//! A stretch of a document's text, and the place of a byte of a scalar's value.

use serde_saphyr::Location;

/// The place of something in the file. Ordered from the top of the file to its end; line 0 is the
/// file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// The first byte. A block scalar begins at its text, after `|` or `>`.
    pub start: usize,
    /// The byte after a scalar; for a list or group only the byte after its opening bracket, if it
    /// has one.
    pub end: usize,
}

impl Place {
    /// The place of the byte `offset` of the scalar's value `value`, which was written here in
    /// `text`. White space is not counted, because folding and indentation add and drop it; the
    /// other characters are.
    pub fn within(&self, text: &str, value: &str, offset: usize) -> Self {
        let before = value.get(..offset).unwrap_or(value);
        let mut left = before.chars().filter(|letter| !letter.is_whitespace()).count();
        let written = text.get(self.start..self.end).unwrap_or_default();
        let quote = written.chars().next().filter(|first| matches!(first, '"' | '\''));
        let mut here = *self;
        let mut letters = written.chars().peekable();
        if quote.is_some() {
            here.pass(letters.next());
        }
        while let Some(&letter) = letters.peek() {
            let counts = if quote == Some('"') && letter == '\\' {
                // An escape such as `\n` or `\t` stands for white space, which is not counted.
                let escaped = letters.clone().nth(1);
                let counts = !matches!(escaped, Some('n' | 't' | 'r' | ' ' | '\n'));
                if left == 0 && counts {
                    break;
                }
                here.pass(letters.next());
                counts
            } else if quote == Some('\'') && letter == '\'' {
                if left == 0 {
                    break;
                }
                here.pass(letters.next());
                true
            } else {
                !letter.is_whitespace()
            };
            if left == 0 && counts {
                break;
            }
            here.pass(letters.next());
            left -= usize::from(counts);
        }
        here
    }

    fn pass(&mut self, letter: Option<char>) {
        match letter {
            None => {}
            Some('\n') => {
                self.line += 1;
                self.column = 1;
                self.start += 1;
            }
            Some(letter) => {
                self.column += 1;
                self.start += letter.len_utf8();
            }
        }
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        let span = location.span();
        let byte = |offset: Option<u64>| usize::try_from(offset.unwrap_or(0)).unwrap_or(0);
        let start = byte(span.byte_offset());
        Self {
            line: location.line(),
            column: location.column(),
            start,
            end: start + byte(span.byte_len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Value, parse};

    #[test]
    fn an_offset_into_a_value_is_found_where_it_was_written() {
        for (text, line, column) in [
            ("a: hola X", 1, 9),
            ("a: 'it''s X'", 1, 11),
            ("a: \"x \\\"y\\\" X\"", 1, 13),
            ("a: \"uno\\ndos X\"", 1, 14),
            ("a: |\n  uno\n  dos X\n", 3, 7),
            ("a: >-\n  uno\n  dos X\n", 3, 7),
            ("a: uno\n  dos X\n", 2, 7),
        ] {
            let node = parse(text).unwrap_or_else(|_| panic!("{text}"));
            let node = node.get("a").unwrap();
            let Value::Text(value) = &node.value else { panic!("{text}") };
            let place = node.at.within(text, value, value.find('X').unwrap());
            assert_eq!((place.line, place.column), (line, column), "{text}");
            assert_eq!(&text[place.start..place.start + 1], "X", "{text}");
        }
    }
}
