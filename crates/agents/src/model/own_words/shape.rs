//! How words of a model's own may be written: letters of our languages, and marks that join nothing.

/// Longer than any answer in a chat.
const LONGEST: usize = 1_200;

/// Marks that end a sentence or part it; a space or an end must follow them.
const ENDS: [char; 6] = ['.', ',', ';', ':', '!', '?'];

/// Pictures that say no more than a smile does.
const SMILES: &str =
    "😊🙂😄😃😀😅😉😍🥰🤗🙌👋🙏✨🌙⭐🌟☀🌞🎉🥳🎂💛💙💚❤🧡💜🤍😂🤣😢😔😕🤔☕🧉🍞🥛🛒🛍🌸🌻🐶🐱";

/// Why a text may not be sent for how it is written.
pub(super) fn refuses(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".to_owned());
    }
    if text.chars().count() > LONGEST {
        return Some(format!("it is longer than {LONGEST} characters"));
    }
    if let Some(odd) = text.chars().find(|c| !is_plain(*c)) {
        return Some(format!("`{}` has no place in words of your own", odd.escape_default()));
    }
    joined(text).map(|mark| format!("`{mark}` is joined as in an address"))
}

pub(super) fn is_plain(c: char) -> bool {
    let letter = c.is_ascii_alphabetic() || "áéíóúüñÁÉÍÓÚÜÑ".contains(c);
    // The selector that makes a heart red is seen by nobody, and parts no word of letters.
    letter
        || matches!(c, ' ' | '\n' | '¿' | '¡' | '…' | '—' | '–' | '-' | '\'' | '’' | '\u{fe0f}')
        || ENDS.contains(&c)
        || SMILES.contains(c)
}

/// A mark that stands as no sentence has it: before a letter, behind a space, or inside a word.
pub(super) fn joined(text: &str) -> Option<char> {
    let chars: Vec<char> = text.chars().collect();
    let near = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied();
    let fault = chars.iter().enumerate().find(|(at, mark)| {
        let (before, after) = (near(at.checked_sub(1)), near(Some(at + 1)));
        let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        match mark {
            '\u{fe0f}' => letter(before) || before.is_none(),
            '\'' | '’' => !(letter(before) && letter(after)),
            '-' => letter(before) != letter(after),
            mark if ENDS.contains(mark) => {
                letter(after) || before.is_none_or(|c| c.is_whitespace() || c == '\u{fe0f}')
            }
            _ => false,
        }
    });
    fault.map(|(_, mark)| *mark)
}
