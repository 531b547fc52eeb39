//! What a person could see of a text: invisible characters are dropped where messages enter.

/// Symbols and emoji begin here; a joiner means something only between two of them.
const FIRST_SYMBOL: char = '\u{2190}';

/// Removes what no reader sees but a model reads: zero-width characters, tag characters and
/// variation selectors, all used to smuggle instructions. Kept is what emoji need: one joiner
/// between two symbols and one presentation selector after a visible character. The flags of
/// England, Scotland and Wales, spelled with tags, become plain black flags. NUL becomes U+FFFD,
/// since PostgreSQL text cannot hold it.
pub fn visible(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\0' => kept.push(char::REPLACEMENT_CHARACTER),
            '\u{200d}' => {
                let between = kept.ends_with(|before| before >= FIRST_SYMBOL)
                    && rest
                        .peek()
                        .is_some_and(|after| *after >= FIRST_SYMBOL && !is_hidden(*after));
                if between {
                    kept.push(c);
                }
            }
            '\u{fe0e}' | '\u{fe0f}' => {
                if kept.ends_with(|before| !matches!(before, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}'))
                {
                    kept.push(c);
                }
            }
            hidden if is_hidden(hidden) => {}
            shown => kept.push(shown),
        }
    }
    kept
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}'
        | '\u{2060}'
        | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_nobody_sees_is_dropped_and_what_everybody_sees_is_kept() {
        let cases = [
            ("Hola, ¿qué tal? ñandú", "Hola, ¿qué tal? ñandú"),
            ("ho\u{200b}la\u{feff}\u{2060}\u{200e}", "hola"),
            ("hola\u{e0069}\u{e0067}\u{e006e}", "hola"),
            ("a\u{0}b", "a\u{fffd}b"),
            ("fam: 👩\u{200d}👧\u{200d}👦", "fam: 👩\u{200d}👧\u{200d}👦"),
            ("👩🏽\u{200d}🚒", "👩🏽\u{200d}🚒"),
            ("❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}", "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}"),
            ("s\u{200d}i", "si"),
            ("👩\u{200d}", "👩"),
            ("👩\u{200d}\u{200d}👧", "👩\u{200d}👧"),
            ("👩\u{200d}\u{e0041}👧", "👩👧"),
            ("😀\u{fe01}\u{fe0f}\u{fe0f}\u{e0101}", "😀\u{fe0f}"),
            ("\u{200d}\u{fe0f}", ""),
        ];
        for (given, expected) in cases {
            assert_eq!(visible(given), expected, "{given:?}");
        }
    }

    #[test]
    fn cleaning_twice_changes_nothing_more() {
        let alphabet = ['a', '\0', '\u{200d}', '\u{fe0f}', '\u{e0041}', '👩', '\u{200b}'];
        for mut number in 0..7_usize.pow(5) {
            let mut text = String::new();
            for _ in 0..5 {
                text.push(alphabet[number % 7]);
                number /= 7;
            }
            let once = visible(&text);
            assert_eq!(visible(&once), once, "{text:?}");
        }
    }
}
