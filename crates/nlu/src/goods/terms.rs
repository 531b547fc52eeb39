//! Text to the terms that goods are indexed under and looked for by.

use super::lexicon::{
    is_container, is_left_out, is_manner, is_plain, is_stop, numbered_name, spelling,
};
use super::size::{self, Place, Size};
use super::word::root;
use crate::Normalized;
use crate::extract::tokens::{Class, Tokens};

/// One thing that a text says about goods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Word(String),
    /// What they come in: it ranks, but nothing lacks it.
    Container(String),
    Size(Size),
}

impl Term {
    /// As it stands in an index.
    pub fn key(&self) -> String {
        match self {
            Self::Word(word) | Self::Container(word) => word.clone(),
            Self::Size(size) => size.key(),
        }
    }
}

/// No goods are described by more.
const MOST_TERMS: usize = 200;

/// Each term once, in the order they are written.
pub fn terms(text: &str) -> Vec<Term> {
    let text = Normalized::new(text);
    let tokens = Tokens::written_out(&text);
    let mut found: Vec<Term> = Vec::new();
    let mut at = 0;
    while at < tokens.len() && found.len() < MOST_TERMS {
        let (next, read) = term(&tokens, at);
        for term in read {
            if !term.key().is_empty() && !found.contains(&term) {
                found.push(term);
            }
        }
        at = next;
    }
    found
}

/// The words without those at the end that say how goods are to be cut or picked; None where there
/// are none or nothing else is said.
pub fn without_manner(text: &str) -> Option<&str> {
    let original = text;
    let text = Normalized::new(text);
    let tokens = Tokens::written_out(&text);
    let kept = (0..tokens.len()).rev().find(|at| {
        let word = tokens.text(*at);
        !is_manner(word) && !is_stop(word)
    })?;
    let end = text.original_span(tokens.span(kept, kept + 1)).end;
    let rest = (kept + 1..tokens.len()).any(|at| is_manner(tokens.text(at)));
    rest.then(|| &original[..end])
}

/// Whether the goods are said to be of no kind of their own: `harina común`.
pub fn says_plain(text: &str) -> bool {
    let text = Normalized::new(text);
    let tokens = Tokens::written_out(&text);
    (0..tokens.len()).any(|at| is_plain(tokens.text(at)))
}

/// The sizes alone.
pub fn sizes(text: &str) -> Vec<Size> {
    let sizes = terms(text).into_iter().filter_map(|term| match term {
        Term::Size(size) => Some(size),
        _ => None,
    });
    sizes.collect()
}

/// The terms at an index, and the index after them.
fn term(tokens: &Tokens<'_>, at: usize) -> (usize, Vec<Term>) {
    if let Some((name, end)) = numbered_name(tokens, at) {
        return (end, vec![Term::Word(name.to_owned())]);
    }
    let half = matches!(tokens.text(at), "medio" | "media") && at > 0;
    let place = if half || tokens.before(at) == "de" { Place::AfterOf } else { Place::Name };
    if let Some((size, end)) =
        size::read(tokens, at, Place::Name).or_else(|| size::read(tokens, at, place))
    {
        return (end, vec![Term::Size(size)]);
    }
    let word = tokens.text(at);
    if tokens.is(at, Class::Digits) {
        // Flour is named by its zeros; any other number counts something.
        let zeros = word.len() > 1 && word.starts_with('0');
        return (at + 1, zeros.then(|| Term::Word(word.to_owned())).into_iter().collect());
    }
    if !tokens.is(at, Class::Word) || is_stop(word) {
        return (at + 1, Vec::new());
    }
    let next = tokens.text(at + 1);
    if word == "sin" && is_left_out(next) {
        return (at + 2, vec![Term::Word(without(next))]);
    }
    if is_container(word) {
        return (at + 1, vec![Term::Container(root(word))]);
    }
    let meant = spelling(word).unwrap_or(word);
    (at + 1, meant.split(' ').map(|word| Term::Word(root(word))).collect())
}

/// What a name says is not in it, as one term, so that `azúcar` does not find what has none.
fn without(word: &str) -> String {
    match word {
        "azucar" | "azucares" => root("zero"),
        "gluten" => without("tacc"),
        word => format!("sin:{}", root(word)),
    }
}

/// The shapes of a word that survive one slip of the finger, as they stand in an index: the word
/// whole, and without each of its letters. A word and its misspelling share one of them, and few
/// others do, so that no list of an index is longer than that of a word.
pub fn shapes(word: &str) -> Vec<String> {
    let mut found = vec![format!("~{word}")];
    for (at, letter) in word.char_indices() {
        let shape = format!("~{}{}", &word[..at], &word[at + letter.len_utf8()..]);
        if !found.contains(&shape) {
            found.push(shape);
        }
    }
    found
}
