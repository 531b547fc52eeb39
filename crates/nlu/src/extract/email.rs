//! E-mail addresses as typed, and as said: `juan arroba gmail punto com`.

use std::sync::LazyLock;

use regex::Regex;

use super::candidate::{Candidate, rank};
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::Value;

static TYPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])",
    )
    .expect("the pattern is constant")
});

/// The most parts of an address.
const MOST_PARTS: usize = 12;

pub(super) fn find(folded: &str, tokens: &Tokens<'_>, found: &mut Vec<Candidate>) {
    for typed in TYPED.find_iter(folded) {
        if let Some((start, address)) = trimmed(folded, typed.start(), typed.as_str()) {
            let value = Value::Email(address.to_owned());
            found.push(Candidate::new(start..typed.end(), value, rank::EMAIL));
        }
    }
    let mut from = 0;
    while let Some(at) = tokens.seek(from, Marks::AT) {
        if let Some((first, end, address)) = said(tokens, at) {
            found.push(Candidate::new(tokens.span(first, end), Value::Email(address), rank::EMAIL));
        }
        from = at + 1;
    }
}

/// Drops an opening quote or sign before the address; refuses addresses with misplaced dots.
fn trimmed<'t>(folded: &str, start: usize, matched: &'t str) -> Option<(usize, &'t str)> {
    let address = matched.trim_start_matches(['\'', '`', '*', '{', '|', '#', '=', '/', '?']);
    let start = start + (matched.len() - address.len());
    let (local, domain) = address.split_once('@')?;
    let after = folded[start + address.len()..].chars().next();
    let runs_on = after.is_some_and(|c| c == '@' || c == '_' || c == '-' || c.is_alphanumeric());
    let dots =
        local.is_empty() || local.starts_with('.') || local.ends_with('.') || local.contains("..");
    let lengths = local.len() <= 64 && domain.split('.').all(|label| label.len() <= 63);
    (!runs_on && !dots && lengths && domain.len() <= 253).then_some((start, address))
}

/// Reads an address around a spoken or spaced `@`; returns its tokens and the address.
fn said(tokens: &Tokens<'_>, at: usize) -> Option<(usize, usize, String)> {
    let spoken = match tokens.text(at) {
        "arroba" => true,
        "@" => !(tokens.glued(at) && tokens.glued(at + 1)) || tokens.text(at + 2) == "punto",
        "at" => tokens.before(at) == "(" && tokens.text(at + 1) == ")",
        _ => false,
    };
    if !spoken {
        return None;
    }
    let round = usize::from(tokens.text(at) == "at");
    let (first, local) = local_part(tokens, at - round)?;
    let (end, domain) = domain(tokens, at + 1 + round)?;
    Some((first, end, format!("{local}@{domain}")))
}

/// Walks left from the sign: a run of glued tokens, or several runs joined by `punto` or `guion`.
fn local_part(tokens: &Tokens<'_>, sign: usize) -> Option<(usize, String)> {
    let mut parts: Vec<&str> = Vec::new();
    let mut at = sign;
    while parts.len() < MOST_PARTS && at > 0 {
        let word = tokens.text(at - 1);
        let piece = match word {
            "punto" | "dot" if !parts.is_empty() => ".",
            "guion" if !parts.is_empty() => "-",
            "medio" if tokens.before(at - 1) == "guion" => "-",
            "bajo" if tokens.before(at - 1) == "guion" => "_",
            "." | "_" | "-" | "+" if tokens.glued(at) => word,
            word if word.is_ascii() && !tokens.is(at - 1, Class::Symbol) => word,
            _ => break,
        };
        let joint = |text: &str| matches!(text, "." | "-" | "_" | "+");
        let joined = parts.is_empty()
            || tokens.glued(at)
            || joint(piece)
            || parts.last().is_some_and(|last| joint(last));
        if !joined {
            break;
        }
        at -= 1 + usize::from(matches!(word, "medio" | "bajo") && joint(piece));
        parts.push(piece);
    }
    while parts.last().is_some_and(|part| matches!(*part, "." | "-" | "+")) {
        parts.pop();
        at += 1;
    }
    parts.reverse();
    let local = parts.concat();
    (!local.is_empty()).then_some((at, local))
}

/// Walks right from the sign: labels with `punto` or a dot between them, the last without digits.
fn domain(tokens: &Tokens<'_>, start: usize) -> Option<(usize, String)> {
    let mut labels: Vec<String> = Vec::new();
    let mut at = start;
    while labels.len() < 5 {
        let (mut label, mut next) = (String::new(), at);
        while !tokens.is(next, Class::Symbol) || tokens.text(next) == "-" {
            let piece = tokens.text(next);
            let inside = next > at && !tokens.glued(next);
            if piece.is_empty() || !piece.is_ascii() || inside || label.len() > 63 {
                break;
            }
            label.push_str(piece);
            next += 1;
        }
        if label.is_empty() {
            break;
        }
        labels.push(label);
        at = next;
        let dot_word = matches!(tokens.text(at), "punto" | "dot") && tokens.is(at + 1, Class::Word);
        let dot = tokens.text(at) == "." && tokens.glued(at) && tokens.glued(at + 1);
        if !(dot_word || dot && !tokens.is(at + 1, Class::Symbol)) {
            break;
        }
        at += 1;
    }
    let last = labels.last()?;
    let tld = (2..=24).contains(&last.len()) && last.bytes().all(|b| b.is_ascii_lowercase());
    (labels.len() > 1 && tld).then(|| (at, labels.join(".")))
}
