//! The terms under which goods are indexed and searched.

use super::lexicon::{
    is_container, is_left_out, is_plain, is_stop, numbered_name, says_how, spelling,
};
use super::size::{self, Context, Size};
use super::word::root;
use crate::Normalized;
use crate::extract::tokens::{Class, Tokens};

/// A term of a text about goods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Word(String),
    /// A container: it ranks goods, but goods without it are found as well.
    Container(String),
    Size(Size),
}

impl Term {
    /// The term's key in an index.
    pub fn key(&self) -> String {
        match self {
            Self::Word(word) | Self::Container(word) => word.clone(),
            Self::Size(size) => size.key(),
        }
    }
}

/// The most terms of a description.
const MOST_TERMS: usize = 200;

/// Each term once, in the order of the text.
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

/// The text without words at its end for how goods are to be cut or picked; `None` if there are no
/// such words or no others.
pub fn without_how(text: &str) -> Option<&str> {
    let original = text;
    let text = Normalized::new(text);
    let tokens = Tokens::written_out(&text);
    let kept = (0..tokens.len()).rev().find(|at| {
        let word = tokens.text(*at);
        !says_how(word) && !is_stop(word)
    })?;
    let end = text.original_span(tokens.span(kept, kept + 1)).end;
    let rest = (kept + 1..tokens.len()).any(|at| says_how(tokens.text(at)));
    rest.then(|| &original[..end])
}

/// Whether the text says that the goods are of no special kind: `harina común`.
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
    let context = if half || tokens.before(at) == "de" { Context::AfterOf } else { Context::Name };
    if let Some((size, end)) =
        size::read(tokens, at, Context::Name).or_else(|| size::read(tokens, at, context))
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

/// The term for an ingredient that the goods lack, so that `azúcar` does not find goods without it.
fn without(word: &str) -> String {
    match word {
        "azucar" | "azucares" => root("zero"),
        "gluten" => without("tacc"),
        word => format!("sin:{}", root(word)),
    }
}

/// The shapes of a word that survive one slip of the finger, as keys of an index: the word whole,
/// and without each of its letters. A word and its misspelling share one of them and few other
/// words do, so that no list of an index is longer than that of a word.
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
