//! Words drawn out for emphasis ("holaaa", "siiii") brought back to their spelling.

/// Spellings with a doubled letter that a drawn-out word may mean, or that end in two vowels.
const DOUBLED: &[&str] = &[
    "aa", "address", "agree", "all", "bamboo", "bee", "been", "bill", "book", "boss", "call",
    "class", "coffee", "cool", "cooperar", "cree", "creer", "cuckoo", "dee", "degree", "door",
    "ee", "employee", "fee", "feel", "feijoo", "foo", "food", "free", "full", "good", "green",
    "guess", "hawaii", "hell", "igloo", "ii", "kangaroo", "keep", "kill", "knee", "lee", "leer",
    "less", "loo", "look", "meet", "miss", "moo", "need", "off", "oo", "pass", "pee", "posee",
    "poseer", "press", "provee", "proveer", "pull", "referee", "relee", "releer", "renee", "room",
    "see", "seem", "sell", "shampoo", "small", "soon", "staff", "still", "street", "stress",
    "taboo", "tattoo", "tee", "tell", "three", "too", "tree", "vee", "voodoo", "waterloo", "week",
    "well", "wii", "will", "woo", "yahoo", "zoo",
];

/// Words that end in a single "e"; in any other word a final "ee" is taken for a name or English.
const ENDING_IN_E: &[&str] =
    &["clase", "dale", "dime", "hace", "me", "noche", "porque", "please", "que", "te", "vale"];

/// Spellings with a single `l` or `r` between vowels that people draw out nonetheless.
const SINGLE: &[&str] = &["ahora", "claro", "dale", "hola", "ola", "quiero", "vale"];

/// The spelling meant, or `None` if the word is not drawn out. Codes (anything with a digit), roman
/// numerals and a single letter repeated ("aaa", "www") are left as they are.
pub(super) fn shortened(word: &str) -> Option<String> {
    if !is_drawn_out(word) || word.chars().any(|c| !c.is_alphabetic()) || is_roman(word) {
        return None;
    }
    let runs = runs(word);
    if runs.len() == 1 && !matches!(word, "sii" | "noo") {
        return None;
    }
    let double = spell(&runs, |_| 2);
    if DOUBLED.binary_search(&double.as_str()).is_ok() {
        return changed(word, double);
    }
    let single = spell(&runs, |_| 1);
    let settled = if SINGLE.contains(&single.as_str()) {
        single
    } else {
        spell(&runs, |at| if is_digraph(&runs, at) { 2 } else { 1 })
    };
    let settled = if ends_in_two_vowels(&settled) { shorter(settled) } else { settled };
    changed(word, settled)
}

fn changed(word: &str, settled: String) -> Option<String> {
    (settled != word).then_some(settled)
}

fn is_drawn_out(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.windows(3).any(|w| w[0] == w[1] && w[1] == w[2]) || ends_in_two_vowels(word)
}

fn ends_in_two_vowels(word: &str) -> bool {
    let mut last = word.bytes().rev();
    let (end, before) = (last.next(), last.next());
    end == before && matches!(end, Some(b'a' | b'e' | b'i' | b'o' | b'u'))
}

/// Shortens a final pair of vowels, unless the word is spelled so.
fn shorter(mut word: String) -> String {
    if DOUBLED.binary_search(&word.as_str()).is_ok() {
        return word;
    }
    let one = &word[..word.len() - 1];
    if one.ends_with('e') && !ENDING_IN_E.contains(&one) {
        return word;
    }
    word.pop();
    word
}

/// Whether the letter at `at` may be double: Spanish doubles `r` and `l` between vowels, and `c`
/// before "e" and "i".
fn is_digraph(runs: &[(char, usize)], at: usize) -> bool {
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let (Some(before), Some(after)) = (at.checked_sub(1).map(|b| runs[b].0), runs.get(at + 1))
    else {
        return false;
    };
    match runs[at].0 {
        'r' | 'l' => vowel(before) && vowel(after.0),
        'c' => vowel(before) && matches!(after.0, 'e' | 'i'),
        _ => false,
    }
}

/// Writes the word again, with runs of three or more letters cut to the length that `length` gives.
fn spell(runs: &[(char, usize)], length: impl Fn(usize) -> usize) -> String {
    let mut word = String::new();
    for (at, (c, count)) in runs.iter().enumerate() {
        let count = if *count >= 3 { length(at) } else { *count };
        word.extend(std::iter::repeat_n(*c, count));
    }
    word
}

fn runs(word: &str) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::with_capacity(word.len());
    for c in word.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == c => *count += 1,
            _ => runs.push((c, 1)),
        }
    }
    runs
}

fn is_roman(word: &str) -> bool {
    word.len() <= 7
        && word.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'))
        && !word.contains("iiii")
}

#[cfg(test)]
mod tests {
    use super::{DOUBLED, shortened};

    #[test]
    fn the_doubled_spellings_are_in_order_so_that_they_can_be_searched() {
        assert!(DOUBLED.is_sorted());
    }

    #[test]
    fn emphasis_is_dropped_and_spelling_is_not() {
        let cases = [
            ("holaaa", "hola"),
            ("hooooola", "hola"),
            ("holllla", "hola"),
            ("holaa", "hola"),
            ("siiii", "si"),
            ("sii", "si"),
            ("noo", "no"),
            ("noooooo", "no"),
            ("quee", "que"),
            ("dalee", "dale"),
            ("carrro", "carro"),
            ("callle", "calle"),
            ("acccion", "accion"),
            ("porfavorrr", "porfavor"),
            ("graciasss", "gracias"),
            ("leeer", "leer"),
            ("goood", "good"),
            ("freeee", "free"),
            ("helloooo", "hello"),
            ("perrrooo", "perro"),
            ("leer", "leer"),
            ("creer", "creer"),
            ("cooperar", "cooperar"),
            ("calle", "calle"),
            ("accion", "accion"),
            ("zoo", "zoo"),
            ("lee", "lee"),
            ("aimee", "aimee"),
            ("coffee", "coffee"),
            ("hawaii", "hawaii"),
            ("isaac", "isaac"),
            ("saavedra", "saavedra"),
            ("aaa", "aaa"),
            ("www", "www"),
            ("xxiii", "xxiii"),
            ("viii", "viii"),
            ("3001110000", "3001110000"),
            ("aaa111", "aaa111"),
        ];
        for (given, expected) in cases {
            assert_eq!(shortened(given).as_deref().unwrap_or(given), expected, "{given}");
        }
    }
}
