//! Folds a character to the form in which it is matched: small, without marks, visible.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Appends the form in which `c` is matched: nothing for an invisible character, several characters
/// for a ligature. Neighbours play no part, so folding a folded text changes nothing.
pub(super) fn fold(c: char, into: &mut String) {
    if c.is_ascii() {
        match c {
            c if c.is_ascii_whitespace() || c == '\u{b}' => into.push(' '),
            c if c.is_ascii_control() => {}
            c => into.push(c.to_ascii_lowercase()),
        }
        return;
    }
    if let Some(known) = common(c) {
        into.push(known);
        return;
    }
    decompose_compatible(c, |part| {
        for small in part.to_lowercase() {
            // Some small forms come apart once more, and a few letters lose their stroke only here.
            decompose_compatible(small, |last| fold_small(last, into));
        }
    });
}

/// The common characters of Spanish, answered without the Unicode tables.
fn common(c: char) -> Option<char> {
    Some(match c {
        'á' | 'Á' => 'a',
        'é' | 'É' => 'e',
        'í' | 'Í' => 'i',
        'ó' | 'Ó' => 'o',
        'ú' | 'Ú' | 'ü' | 'Ü' => 'u',
        'ñ' | 'Ñ' => 'n',
        '¿' | '¡' => c,
        // Phones type curly quotes, and Spanish keyboards a free-standing accent, for an
        // apostrophe.
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{b4}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => return None,
    })
}

fn fold_small(c: char, into: &mut String) {
    match c {
        'ß' => into.push_str("ss"),
        'æ' => into.push_str("ae"),
        'œ' => into.push_str("oe"),
        'ø' => into.push('o'),
        'ł' => into.push('l'),
        'đ' | 'ð' => into.push('d'),
        'ı' => into.push('i'),
        c if c.is_whitespace() || c == BRAILLE_BLANK => into.push(' '),
        c if is_combining_mark(c) || is_invisible(c) => {}
        c => into.push(common(c).unwrap_or(c)),
    }
}

const BRAILLE_BLANK: char = '\u{2800}';

/// Controls, format characters (zero-width, bidirectional, tags) and letters that draw nothing.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{115f}' | '\u{1160}'
            | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Letters and digits, without the squared and regional letters that only serve as emoji.
pub(super) fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_alphanumeric() && !matches!(c, '\u{1f100}'..='\u{1f1ff}')
}

#[cfg(test)]
mod tests {
    use super::{fold, is_word_char};

    fn folded(c: char) -> String {
        let mut text = String::new();
        fold(c, &mut text);
        text
    }

    #[test]
    fn every_character_there_is_folds_to_something_that_folds_to_itself() {
        for c in '\0'..=char::MAX {
            let once = folded(c);
            for part in once.chars() {
                assert_eq!(folded(part), part.to_string(), "{c:?} became {once:?}");
                assert!(!(part.is_uppercase() && is_word_char(part)), "{c:?} became {once:?}");
            }
        }
    }
}
