//! Phrases as customers say them, written with lists of words, and the patterns they come to.
//!
//! `el/la` is one of several words, `{promos}` one of a list, `(por favor)` may be left out, `[hola/che]`
//! comes any number of times, `...` stands for up to three words, `descuent*` takes any ending and `#`
//! is the number of an option. A whole message may begin with `*`, anything, or `*,`, anything up to a
//! pause, and end with `*`, or with `?` where it may be a question.

use std::collections::BTreeMap;

use document::suggestion;
use nlu::{Normalized, amount_in_words, place_in_words};

/// As long as a phrase or a regular expression may be for a person to read it.
pub(crate) const LONGEST: usize = 120;

/// Lists may stand in lists, but not so deep that one stands in itself.
const DEEPEST: usize = 5;

/// Signs that may close a whole message without changing what it says.
const CLOSING: &str = " .,;:!…👍👌✅🙏😊🙂❤";

/// How a phrase is held against a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The phrase stands anywhere in the message.
    Anywhere,
    /// The phrase is the whole message, but for signs.
    Whole,
}

/// The vocabulary of phrases: lists of words by name, and the number of the option they choose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words<'a> {
    pub(crate) lists: BTreeMap<&'a str, Vec<&'a str>>,
    pub(crate) number: Option<u32>,
}

/// How often a part of a phrase comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    AtMostOnce,
    Any,
    UpToThree,
}

/// A part of a phrase: a regular expression, and how often it comes.
struct Part {
    pattern: String,
    times: Times,
}

impl<'a> Words<'a> {
    pub(crate) fn with_number(&self, number: Option<u32>) -> Self {
        Self { lists: self.lists.clone(), number }
    }

    /// The regular expression over folded text that a phrase comes to.
    pub(crate) fn pattern(&self, phrase: &str, extent: Extent) -> Result<String, String> {
        if extent == Extent::Anywhere {
            return Ok(format!(r"\b{}\b", self.sequence(phrase, extent, 0)?));
        }
        let (begin, rest) = match (phrase.strip_prefix("*, "), phrase.strip_prefix("* ")) {
            (Some(rest), _) => ("(?:^|[,.;:!?\n])[ ¡¿]*", rest),
            (_, Some(rest)) => (r"\b", rest),
            _ => ("^[ ,.;:!¡¿]*", phrase),
        };
        let (end, rest) = match (rest.strip_suffix(" *"), rest.strip_suffix(" ?")) {
            (Some(rest), _) => (r"\b".to_owned(), rest),
            (_, Some(rest)) => (format!("[{CLOSING}?]*$"), rest),
            _ => (format!("[{CLOSING}]*$"), rest),
        };
        Ok(format!("{begin}{}{end}", self.sequence(rest, extent, 0)?))
    }

    /// Every way to say a few words, such as `el # {frascos}`.
    pub(crate) fn spoken(&self, words: &str) -> Result<Vec<String>, String> {
        let tokens = split(words, ' ');
        let mut ways = vec![String::new()];
        for (at, token) in tokens.iter().enumerate() {
            let mut said = Vec::new();
            for word in split(token, '/') {
                said.extend(self.ways(word, at + 1 < tokens.len())?);
            }
            let joined = ways.iter().flat_map(|before| {
                said.iter().map(move |word| format!("{before} {word}").trim().to_owned())
            });
            ways = joined.collect();
        }
        Ok(ways)
    }

    /// Every way to say one word of a phrase.
    fn ways(&self, word: &str, is_followed: bool) -> Result<Vec<String>, String> {
        if let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            return Ok(self.list(name)?.iter().map(|word| (*word).to_owned()).collect());
        }
        match word {
            "#" => Ok(amount_in_words(self.number()?, is_followed)),
            "#º" => Ok(place_in_words(self.number()?)),
            word if word.contains('#') => Ok(vec![word.replace('#', &self.number()?.to_string())]),
            word => Ok(vec![plain(word)?.to_owned()]),
        }
    }

    fn sequence(&self, text: &str, extent: Extent, depth: usize) -> Result<String, String> {
        if depth > DEEPEST {
            return Err("a list of words stands in itself".to_owned());
        }
        let tokens = split(text, ' ');
        let mut parts = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            let is_followed = next.is_some_and(|next| !next.starts_with(['(', '[']));
            parts.push(self.part(token, is_followed, extent, depth)?);
        }
        join(&parts, extent)
            .ok_or_else(|| format!("`{text}` has no word that must be said, so anything would fit"))
    }

    fn part(
        &self,
        token: &str,
        is_followed: bool,
        extent: Extent,
        depth: usize,
    ) -> Result<Part, String> {
        let within = |open, close| token.strip_prefix(open)?.strip_suffix(close);
        let several = |inner: &str| {
            let each = split(inner, '/').into_iter();
            let each = each.map(|one| self.sequence(one.trim(), extent, depth + 1));
            Ok::<_, String>(format!("(?:{})", each.collect::<Result<Vec<_>, _>>()?.join("|")))
        };
        if let Some(inner) = within('(', ')') {
            return Ok(Part { pattern: several(inner)?, times: Times::AtMostOnce });
        }
        if let Some(inner) = within('[', ']') {
            return Ok(Part { pattern: several(inner)?, times: Times::Any });
        }
        if matches!(token, "..." | "…") {
            return Ok(Part { pattern: "[0-9a-z]+".to_owned(), times: Times::UpToThree });
        }
        let mut patterns = Vec::new();
        for word in split(token, '/') {
            patterns.push(self.word(word, is_followed, extent, depth)?);
        }
        Ok(Part { pattern: format!("(?:{})", patterns.join("|")), times: Times::Once })
    }

    fn word(
        &self,
        word: &str,
        is_followed: bool,
        extent: Extent,
        depth: usize,
    ) -> Result<String, String> {
        if let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            let each = self.list(name)?.iter();
            let each = each.map(|entry| self.sequence(entry, extent, depth + 1));
            return Ok(each.collect::<Result<Vec<_>, _>>()?.join("|"));
        }
        if word.contains('#') {
            let ways = self.ways(word, is_followed)?;
            return Ok(ways.join("|"));
        }
        if let Some(stem) = word.strip_suffix('*') {
            return Ok(format!("{}[0-9a-z]*", folded(plain(stem)?)));
        }
        let mut pattern = folded(plain(word)?);
        // «holaaa», «daleee»: a short message is drawn out.
        if extent == Extent::Whole && pattern.ends_with(['a', 'e', 'i', 'o', 'u']) {
            pattern.push('+');
        }
        Ok(pattern)
    }

    fn list(&self, name: &str) -> Result<&Vec<&'a str>, String> {
        self.lists.get(name).ok_or_else(|| {
            let hint = suggestion(name, self.lists.keys().copied())
                .unwrap_or_else(|| "; write it under `words` in intents.yaml".to_owned());
            format!("no list of words is called `{name}`{hint}")
        })
    }

    fn number(&self) -> Result<u32, String> {
        self.number.ok_or_else(|| "`#` stands for the `number` of an option".to_owned())
    }
}

/// The names of lists that a phrase, or a word of a list, uses.
pub(crate) fn lists_in(phrase: &str) -> impl Iterator<Item = &str> {
    phrase.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// The parts as one expression, each with what sets it apart from its neighbours.
fn join(parts: &[Part], extent: Extent) -> Option<String> {
    let apart = match extent {
        Extent::Anywhere => " ",
        Extent::Whole => "[ ,.;:!¡]+",
    };
    let first = parts.iter().position(|part| part.times == Times::Once)?;
    let mut joined = String::new();
    for (at, Part { pattern, times }) in parts.iter().enumerate() {
        let repeated = match times {
            Times::Once => "",
            Times::AtMostOnce => "?",
            Times::Any => "*",
            Times::UpToThree => "{0,3}?",
        };
        joined.push_str(&match (times, at.cmp(&first)) {
            (Times::Once, std::cmp::Ordering::Equal) => pattern.clone(),
            (Times::Once, _) => format!("{apart}{pattern}"),
            // A few words are said without a pause.
            (Times::UpToThree, _) => format!("(?: {pattern}){repeated}"),
            (_, std::cmp::Ordering::Less) => format!("(?:{pattern}{apart}){repeated}"),
            _ => format!("(?:{apart}{pattern}){repeated}"),
        });
    }
    Some(joined)
}

/// The parts of a text between marks that stand in no bracket.
fn split(text: &str, mark: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|letter| {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == mark && depth == 0
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// A word, which has no signs in it.
fn plain(word: &str) -> Result<&str, String> {
    let fits = |letter: char| letter.is_alphanumeric() || "-'&%$".contains(letter);
    if !word.is_empty() && word.chars().all(fits) {
        return Ok(word);
    }
    Err(format!(
        "`{word}` is no word; a phrase has words, {{lists}}, (what may be left out), [what comes any \
         number of times], `...` for a few words and `*` for any ending"
    ))
}

fn folded(word: &str) -> String {
    regex::escape(Normalized::new(word).folded())
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    fn words() -> Words<'static> {
        let lists = BTreeMap::from([
            ("quiero", vec!["quiero", "dame", "me llevo"]),
            ("frascos", vec!["frasco", "frascos"]),
            ("cortesía", vec!["por favor", "porfa*"]),
        ]);
        Words { lists, number: Some(2) }
    }

    fn fits(phrase: &str, extent: Extent, text: &str) -> bool {
        let pattern = words().pattern(phrase, extent).unwrap();
        Regex::new(&pattern).unwrap().is_match(Normalized::new(text).folded())
    }

    #[test]
    fn a_phrase_is_found_where_its_words_are_said_in_order() {
        let rows = [
            ("{quiero} (el/la) # ({frascos})", "hola, me llevo dos frascos", true),
            ("{quiero} (el/la) # ({frascos})", "dame un par", true),
            ("{quiero} (el/la) # ({frascos})", "quiero el 2", true),
            ("{quiero} (el/la) # ({frascos})", "quiero 20", false),
            ("hacen ... descuent*", "¿me hacen algún descuentico?", true),
            ("cuánto/cómo sale", "como sale", true),
            ("cuánto/cómo sale", "cuanto me sale", false),
        ];
        for (phrase, text, expected) in rows {
            assert_eq!(fits(phrase, Extent::Anywhere, text), expected, "{phrase}: {text}");
        }
    }

    #[test]
    fn a_whole_message_says_nothing_else() {
        let rows = [
            ("[hola/buenas] quiero ({cortesía})", "Holaaa, buenas, ¡quiero por favor! 🙏", true),
            ("[hola/buenas] quiero ({cortesía})", "quiero saber", false),
            ("[hola/buenas] quiero ({cortesía})", "¿quiero?", false),
            ("* el precio ?", "hola, me das el precio?", true),
            ("* el precio ?", "el precio de dos", false),
            ("*, quiero comprar *", "me gustó, quiero comprar uno", true),
            ("*, quiero comprar *", "no quiero comprar", false),
            ("abren hoy ?", "¿abren hoy?", true),
        ];
        for (phrase, text, expected) in rows {
            assert_eq!(fits(phrase, Extent::Whole, text), expected, "{phrase}: {text}");
        }
    }

    #[test]
    fn what_is_no_phrase_is_refused_with_what_to_write() {
        let rows = [
            ("{quero} dos", "no list of words is called `quero`, did you mean `quiero`?"),
            ("(por favor)", "`(por favor)` has no word that must be said, so anything would fit"),
        ];
        for (phrase, expected) in rows {
            assert_eq!(words().pattern(phrase, Extent::Anywhere).unwrap_err(), expected);
        }
        assert!(words().pattern("dos|tres", Extent::Anywhere).unwrap_err().contains("is no word"));
        let none = Words::default().pattern("las #", Extent::Anywhere).unwrap_err();
        assert_eq!(none, "`#` stands for the `number` of an option");
    }

    #[test]
    fn a_few_words_are_said_in_every_way() {
        assert_eq!(words().spoken("#x").unwrap(), ["2x"]);
        assert_eq!(words().spoken("la #º").unwrap(), ["la segundo", "la segunda"]);
        assert!(words().spoken("# {frascos}").unwrap().contains(&"dos frascos".to_owned()));
    }
}
