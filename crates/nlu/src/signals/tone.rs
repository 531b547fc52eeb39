//! The tone of a message: its capitals and its marks.

use crate::Normalized;

/// The least letters of a word that shouts; shorter words in capitals are taken for acronyms (DNI,
/// CUIT, IVA).
const ACRONYM: usize = 4;

/// The least letters of a single word that shouts alone.
const LONE_WORD: usize = 6;

/// The number of a mark in the folded text, where full-width and doubled marks (‼) are plain ones.
pub(super) fn count(text: &Normalized<'_>, mark: char) -> usize {
    text.folded().matches(mark).count()
}

/// Whether the message is shouted: every word of letters is in capitals, and there are two of them
/// or a single long one. Addresses, codes and amounts say nothing either way, and a message of
/// acronyms only is no shouting.
pub(super) fn is_shouted(original: &str) -> bool {
    let (mut words, mut longest) = (0, 0);
    for word in original.split_whitespace().flat_map(spoken) {
        if word.chars().any(char::is_lowercase) {
            return false;
        }
        words += 1;
        longest = longest.max(word.chars().count());
    }
    longest >= LONE_WORD || words >= 2 && longest > ACRONYM
}

/// The runs of letters of a chunk of speech; a chunk with a digit or an address sign is none.
fn spoken(chunk: &str) -> impl Iterator<Item = &str> {
    let code = chunk.contains(|c: char| c.is_numeric() || matches!(c, '@' | '/' | '_' | '#'));
    let chunk = if code { "" } else { chunk };
    chunk
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().any(|c| c.is_uppercase() || c.is_lowercase()))
}
