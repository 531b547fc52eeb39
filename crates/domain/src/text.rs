//! Invisible characters: left out of a text that is read, shown where they could deceive.

/// Symbols and emoji begin here; a joiner between two of them makes one of both.
const FIRST_SYMBOL: char = '\u{2190}';

const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// The flags that are spelled with tags: England, Scotland, Wales.
const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// A text as a person sees it, for its readers: rules, models, names in a list. Characters go that
/// no person sees but a model reads, or that change the order of the visible ones: zero-width,
/// bidirectional and tag characters, fillers, soft hyphens, controls. Characters stay that writing
/// needs: a joiner after a letter of a script that joins or between two symbols, and a presentation
/// selector after a visible character.
pub fn visible(text: &str) -> String {
    judged(text, None)
}

/// A text for a person who must not be deceived, on a page or a terminal: an invisible character
/// stands as its number, `⟨U+202E⟩`. Lines and tabs stay; no other control gets through, nor a
/// return that ends no line, by which a terminal overwrites its line.
pub fn revealed(text: &str) -> String {
    judged(text, Some(|hidden| format!("⟨U+{:04X}⟩", u32::from(hidden))))
}

/// A text as it was written, but for NUL, which PostgreSQL cannot hold.
pub fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Keeps visible characters; the others are left out, or replaced by their mark.
fn judged(text: &str, mark: Option<fn(char) -> String>) -> String {
    let mut kept = String::with_capacity(text.len());
    // The character in `kept` that the next one stands after.
    let mut before = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(flag) = FLAGS.iter().find(|flag| rest.starts_with(**flag)) {
            kept.push_str(flag);
            before = None;
            rest = &rest[flag.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let after = rest.chars().next();
        let overwrites = mark.is_some() && c == '\r' && after != Some('\n');
        if is_seen(before, c, after) && !overwrites {
            kept.push(c);
            before = Some(c);
        } else if let Some(mark) = mark {
            kept.push_str(&mark(c));
            before = None;
        }
    }
    kept
}

/// Whether a character can be seen, or changes a visible one, between these two.
fn is_seen(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        JOINER | NON_JOINER => {
            let joined = before.is_some_and(joins);
            let is_symbol = |c: char| c >= FIRST_SYMBOL && !is_hidden(c);
            let between = c == JOINER && before.is_some_and(is_part_of_symbol);
            joined || between && after.is_some_and(is_symbol)
        }
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| !is_hidden(before)),
        c => !is_hidden(c),
    }
}

/// Whether a character can be part of a symbol, because an emoji may end in its selector.
fn is_part_of_symbol(c: char) -> bool {
    c >= FIRST_SYMBOL && c != NON_JOINER && c != JOINER
}

/// Letters of scripts whose writing needs joiners: Arabic, those of India, and their neighbours.
fn joins(c: char) -> bool {
    matches!(c,
        '\u{620}'..='\u{6d3}' | '\u{6d5}'..='\u{6dc}' | '\u{6e5}'..='\u{6ff}'
        | '\u{710}'..='\u{109f}'
        | '\u{1700}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}'
        | '\u{1820}'..='\u{1cff}'
        | '\u{a840}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdff}')
}

/// Whether a character draws nothing of its own: controls, format characters, fillers, selectors.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t');
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{70f}'
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_left_out_or_shown_and_what_everybody_sees_is_kept() {
        let cases = [
            ("Hola, ¿qué tal? ñandú\n\t1", "Hola, ¿qué tal? ñandú\n\t1", None),
            ("ho\u{200b}la\u{feff}", "hola", Some("ho⟨U+200B⟩la⟨U+FEFF⟩")),
            ("\u{202e}1234\u{202c}", "1234", Some("⟨U+202E⟩1234⟨U+202C⟩")),
            ("\u{2066}a\u{2069}\u{200e}\u{61c}", "a", Some("⟨U+2066⟩a⟨U+2069⟩⟨U+200E⟩⟨U+061C⟩")),
            ("con\u{ad}firmo", "confirmo", Some("con⟨U+00AD⟩firmo")),
            ("\u{3164}\u{115f}\u{1160}\u{ffa0}x", "x", Some("⟨U+3164⟩⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩x")),
            ("hola\u{e0069}\u{e0067}", "hola", Some("hola⟨U+E0069⟩⟨U+E0067⟩")),
            // Controls that a terminal would obey.
            ("\u{1b}[2Jx\u{9b}31m\u{7}\u{8}", "[2Jx31m", {
                Some("⟨U+001B⟩[2Jx⟨U+009B⟩31m⟨U+0007⟩⟨U+0008⟩")
            }),
            ("a\u{0}b", "ab", Some("a⟨U+0000⟩b")),
            ("uno\r\ndos\r\n", "uno\r\ndos\r\n", None),
            ("debe 900\rpagado", "debe 900\rpagado", Some("debe 900⟨U+000D⟩pagado")),
            // Scripts that need joiners: Telugu, Persian, Sinhala.
            ("క్రికెట్\u{200c}లో", "క్రికెట్\u{200c}లో", None),
            ("می\u{200c}خواهم", "می\u{200c}خواهم", None),
            ("ශ්\u{200d}රී", "ශ්\u{200d}රී", None),
            ("క్\u{200c}\u{200c}ల", "క్\u{200c}ల", Some("క్\u{200c}⟨U+200C⟩ల")),
            ("s\u{200d}í\u{200c}", "sí", Some("s⟨U+200D⟩í⟨U+200C⟩")),
            // Emoji.
            ("fam: 👩\u{200d}👧\u{200d}👦", "fam: 👩\u{200d}👧\u{200d}👦", None),
            ("👩🏽\u{200d}🚒", "👩🏽\u{200d}🚒", None),
            (
                "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
                "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
                None,
            ),
            ("👩\u{200d}", "👩", Some("👩⟨U+200D⟩")),
            ("👩\u{200d}\u{200d}👧", "👩\u{200d}👧", Some("👩⟨U+200D⟩⟨U+200D⟩👧")),
            ("👩\u{200d}\u{e0041}👧", "👩👧", Some("👩⟨U+200D⟩⟨U+E0041⟩👧")),
            (
                "😀\u{fe01}\u{fe0f}\u{fe0f}\u{e0101}",
                "😀\u{fe0f}",
                Some("😀⟨U+FE01⟩⟨U+FE0F⟩⟨U+FE0F⟩⟨U+E0101⟩"),
            ),
            ("\u{200d}\u{fe0f}", "", Some("⟨U+200D⟩⟨U+FE0F⟩")),
            (FLAGS[0], FLAGS[0], None),
            ("\u{1f3f4}\u{e0067}", "\u{1f3f4}", Some("\u{1f3f4}⟨U+E0067⟩")),
        ];
        for (given, seen, shown) in cases {
            assert_eq!(visible(given), seen, "{given:?}");
            assert_eq!(revealed(given), shown.unwrap_or(given), "{given:?}");
        }
    }

    #[test]
    fn reading_twice_changes_nothing_more_and_nothing_hidden_is_left() {
        let alphabet = ['a', '\0', '\u{200d}', '\u{fe0f}', '\u{e0041}', '👩', '\u{200c}', 'క'];
        for mut number in 0..8_usize.pow(5) {
            let mut text = String::new();
            for _ in 0..5 {
                text.push(alphabet[number % 8]);
                number /= 8;
            }
            let once = visible(&text);
            assert_eq!(visible(&once), once, "{text:?}");
            assert_eq!(revealed(&once), once, "{text:?}");
            assert_eq!(revealed(&revealed(&text)), revealed(&text), "{text:?}");
        }
    }

    #[test]
    fn what_is_stored_is_what_was_written() {
        let written = "క్\u{200c} \u{202e}\u{1b}[2J \u{200b}";
        assert_eq!(storable(written), written);
        assert_eq!(storable("a\0b"), "a\u{fffd}b");
    }
}
