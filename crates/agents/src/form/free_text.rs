//! Free text in a message: the company, the name, without the words people put around it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use pack::files::FieldKind;
use regex::Regex;

use super::heard::{Heard, Named};
use super::names;
use super::prose::may_be;
use super::spec::Spec;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Words and signs that lead to the value of a named field: «es …», «se llama …», «: …».
static CONNECTOR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^\s*(?:m[ií]a|nuestra|nuestro|de nosotros)?\s*(?:(?:es|son|ser[ií]a|se llama|le dicen|queda(?:r[ií]a)?(?: como)?|is|called)\b|[:=])\s*(?:es\b|[:=])?\s*",
    )
});

/// In a correction the value comes last: «mi nombre quedó mal, es …», «cambia mi nombre a …».
static LAST_CONNECTOR: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)(?:[,;:]|\b(?:es|son|se llama|por|a)\b)\s+"));

/// Words before an answer, where a comma or the like parts them from it.
static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:(?:hola+|epa|ey|oye|oiga|quiubo|buenas(?: tardes| noches)?|buenos d[ií]as|claro(?: que s[ií])?|s[ií]+|bueno|ok(?:ay)?|dale|listo|pues|eh+|mmm+|ah+|no|perd[oó]n|uy|ups|disculpa|mira|mire|hi|hello|yes|sure|well)\s*[,.!:]+\s*)+",
    )
});

/// Words that lead to a company: «se llama …», «trabajo en …».
static TO_TEXT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:^|[\s,;])(?:se llama|trabajo (?:en|para|con)|somos|es|ser[ií]a|called|it's|it is|quise decir|corrijo)[\s:]+",
    )
});

/// Words that people add behind a value.
static TRAILING: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)(?:[\s,]+(?:por favor|porfa(?:vor)?|gracias|hace .*|please|thanks))+[\s.!]*$")
});

/// The rest of «…, y mi» when what followed was cut off.
static DANGLING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)[\s,;.]+(?:(?:y|e|and|el|la|mi|mis|nuestra|nuestro|un|una|tenemos|tengo|contamos|cuento|con|the|my|de|del|por|es)\b\s*)*$",
    )
});

static LEADING: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^(?:(?:y|e|and|con|de|del|pero)\b[\s,]*)+"));

/// Words that a proper name may write small.
const PARTICLES: [&str; 16] = [
    "de", "del", "la", "las", "los", "el", "en", "y", "e", "con", "a", "para", "por", "al", "of",
    "and",
];

/// Whether a text is written as a proper name is: every word of weight begins with a capital.
pub(crate) fn is_title(text: &str) -> bool {
    let mut weighty = 0;
    for word in text.split_whitespace() {
        let Some(first) = word.chars().find(|letter| letter.is_alphanumeric()) else { continue };
        if first.is_uppercase() || first.is_numeric() {
            weighty += 1;
        } else if !PARTICLES.contains(&word) {
            return false;
        }
    }
    let begins = text.chars().find(|letter| letter.is_alphanumeric());
    weighty >= 2 && begins.is_some_and(|first| first.is_uppercase() || first.is_numeric())
}

/// The text that follows the name of a field, up to the next name or value.
pub(crate) fn labelled(spec: &Spec, heard: &Heard<'_>, at: usize) -> Option<(String, usize)> {
    let named = &heard.named[at];
    let kind = spec.fields[named.field].kind;
    if !kind.is_free_text() {
        return None;
    }
    let original = heard.text.original();
    // Messages that came together are lines, and none speaks for the next.
    let line_end = original[named.span.end..].find('\n').map(|end| named.span.end + end);
    let next_label = heard.named[at + 1..].iter().map(|next| next.span.start);
    let limit = next_label.chain(line_end).min();
    let rest = &original[named.span.end..limit.unwrap_or(original.len())];
    let start = named.span.end + value_start(heard, rest)?;
    let next_value = heard.found.iter().map(|found| found.span.start);
    let end = next_value.chain(limit).filter(|end| *end > start).min();
    let value = &original[start..end.unwrap_or(original.len())];
    let value = if end.is_some() { DANGLING.replace(value, "") } else { value.into() };
    let mut pieces = value.split(['\n', ',', ';']);
    let value = match kind {
        FieldKind::Name => pieces.find_map(|piece| tidy(piece, kind))?,
        _ => tidy(pieces.next().unwrap_or_default(), kind)?,
    };
    if !may_be(FieldKind::Text, &value) {
        return None;
    }
    Some((value, end.unwrap_or(original.len())))
}

/// Where the value begins in what follows a field's name, if a value follows.
fn value_start(heard: &Heard<'_>, rest: &str) -> Option<usize> {
    if heard.is_cue()
        && let Some(last) = LAST_CONNECTOR.find_iter(rest).last()
    {
        return Some(last.end());
    }
    if let Some(lead) = CONNECTOR.find(rest).filter(|lead| lead.end() < rest.len()) {
        return Some(lead.end());
    }
    // «de la empresa Dulces Camila», and lists of names and values without anything between.
    let bare = rest.trim_start();
    let proper = bare.starts_with(char::is_uppercase);
    let listed = heard.named.len() >= 3 && !bare.is_empty();
    (proper || listed).then_some(rest.len() - bare.len())
}

/// The message as the answer to a free-text field, without what was already taken from it.
pub(crate) fn answer(
    spec: &Spec,
    heard: &Heard<'_>,
    taken: &[Range<usize>],
    kind: FieldKind,
) -> Option<String> {
    let original = heard.text.original().trim();
    if heard.is_code {
        return None;
    }
    if taken.is_empty() && kind == FieldKind::Text && is_title(original) {
        return tidy(original, kind).filter(|value| may_be(kind, value));
    }
    let named = |named: &Named| spec.fields[named.field].kind == kind;
    let one_clause = !original.contains([',', ';', '\n']);
    if heard.goes_without() && (one_clause || heard.named.iter().any(named)) {
        return None;
    }
    // A text with signs of programs is no name.
    if kind == FieldKind::Name && original.contains(['{', '}', '<', '>', '=', '\\', '|', ';']) {
        return None;
    }
    let text = without(heard.text.original(), taken);
    let value = pick(spec, &text, kind)?;
    let fits = kind != FieldKind::Name || is_what_it_says(spec, &text, &value);
    fits.then_some(value)
}

/// A single word of a letter full of others is no name, and no letter is.
const LETTER: usize = 6;

/// Whether a name is what a text says, and not a word of something else.
fn is_what_it_says(spec: &Spec, text: &str, name: &str) -> bool {
    let count = |text: &str| text.split_whitespace().count();
    let pieces = text.split([',', ';', '\n']).filter(|piece| !spec.is_talk(piece));
    let beside = pieces.map(count).sum::<usize>().saturating_sub(count(name));
    beside <= LETTER || beside <= 2 * LETTER && count(name) > 1
}

/// A piece of text without the words that only led to what was cut off behind it.
pub(crate) fn undangled(text: &str) -> Cow<'_, str> {
    DANGLING.replace(text, "")
}

/// Whether a message says what a company is called.
pub(crate) fn introduces(heard: &Heard<'_>) -> bool {
    static INTRODUCES: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\b(?:se llama|trabajo (?:en|para|con))\b"));
    INTRODUCES.is_match(heard.text.folded())
}

/// Whether a message is a name beside a greeting: «Felipe, mucho gusto».
pub(crate) fn is_greeting_with_name(spec: &Spec, heard: &Heard<'_>) -> bool {
    let pieces = heard.text.original().split([',', ';', '\n']).map(str::trim);
    let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    // «Ana Gómez», and in another message «quiero registrarme».
    let proper = |piece: &&&str| is_title(piece) && tidy(piece, FieldKind::Name).is_some();
    if pieces.len() > 1 && pieces.iter().filter(proper).count() == 1 {
        return true;
    }
    let (talk, rest): (Vec<&str>, Vec<&str>) = pieces.iter().partition(|piece| spec.is_talk(piece));
    match rest.as_slice() {
        [name] => {
            !talk.is_empty()
                && name.starts_with(char::is_uppercase)
                && tidy(name, FieldKind::Name).is_some()
        }
        _ => false,
    }
}

/// The value of a correction in which none was recognised.
pub(crate) fn corrected(spec: &Spec, heard: &Heard<'_>, kind: FieldKind) -> Option<String> {
    let original = heard.text.original();
    let end = heard.hits.of("correction").map(|hit| hit.span.end).max();
    let rest = end.map_or(original, |end| &original[end..]);
    let rest = LEADING.replace(rest.trim_start_matches([' ', ',', ':', '.']), "");
    pick(spec, &rest, kind).filter(|_| !heard.is_code)
}

/// The text with the taken parts cut out of it.
fn without(text: &str, taken: &[Range<usize>]) -> String {
    let mut taken = taken.to_vec();
    taken.sort_by_key(|span| span.start);
    let mut kept = String::new();
    let mut from = 0;
    for span in taken {
        if span.start > from {
            kept.push_str(&DANGLING.replace(&text[from..span.start], ""));
            kept.push_str(", ");
        }
        from = from.max(span.end);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

/// The part of a text that is the value: not small talk, and the proper name if there is one.
fn pick(spec: &Spec, text: &str, kind: FieldKind) -> Option<String> {
    let opened = OPENING.replace(text.trim(), "");
    let opened = match kind {
        FieldKind::Text => {
            TO_TEXT.find_iter(&opened).last().map_or(&*opened, |lead| &opened[lead.end()..])
        }
        _ => &opened,
    };
    let pieces: Vec<&str> = opened
        .split([',', ';', '\n'])
        .map(str::trim)
        .filter(|piece| !piece.is_empty() && !spec.is_talk(piece))
        .collect();
    if kind == FieldKind::Name {
        return pieces.into_iter().find_map(|piece| tidy(piece, kind));
    }
    let proper = pieces.iter().position(|piece| is_title(piece));
    let value = match proper {
        Some(at) if at > 0 && !is_title(pieces[0]) => tidy(pieces[at], kind),
        _ => tidy(&pieces.join(", "), kind),
    };
    value.filter(|value| may_be(kind, value))
}

/// A value without politeness, emoji and stray signs; a name also spelt as names are.
pub(crate) fn tidy(text: &str, kind: FieldKind) -> Option<String> {
    let text = TRAILING.replace(text, "");
    let text = LEADING.replace(text.trim(), "");
    let is_edge = |c: char| !(c.is_alphanumeric() || "¿¡(".contains(c));
    let start = text.trim_start_matches(|c| is_edge(c) || c == '(');
    let mut end = start.trim_end_matches(|c: char| is_edge(c) && !"?!).".contains(c));
    // «S.A.S.» keeps its last point; a sentence does not.
    if !end.ends_with(|c: char| c.is_alphanumeric()) && !is_initials(end) {
        end = end.trim_end_matches(['.', '!', '?', ')']);
    }
    if !end.contains(char::is_alphanumeric) {
        return None;
    }
    match kind {
        FieldKind::Name => names::spelt(end),
        _ => Some(end.to_owned()),
    }
}

fn is_initials(text: &str) -> bool {
    let last = text.split_whitespace().last().unwrap_or_default();
    last.ends_with('.') && last.matches('.').count() >= 2
}
