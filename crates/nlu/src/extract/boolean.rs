//! Yes and no at the head of an answer, in words or with a hand.

use super::candidate::{Candidate, rank};
use super::tokens::{Class, Tokens};
use super::value::Value;

const YES: [&str; 24] = [
    "si",
    "sip",
    "sisi",
    "claro que si",
    "por supuesto",
    "claro",
    "dale",
    "ok",
    "okay",
    "okey",
    "bueno",
    "listo",
    "correcto",
    "exacto",
    "afirmativo",
    "obvio",
    "de acuerdo",
    "asi es",
    "yes",
    "yeah",
    "yep",
    "sure",
    "of course",
    "👌",
];

const NO: [&str; 14] = [
    "no",
    "nop",
    "nope",
    "nah",
    "para nada",
    "claro que no",
    "por supuesto que no",
    "de ninguna manera",
    "negativo",
    "jamas",
    "nunca",
    "no thanks",
    "✋",
    "👎",
];

const SIGNS_OF_YES: [&str; 4] = ["👍", "👌", "✅", "✔"];

/// Finds the first yes or no only, because the words after it explain it (`sí, dije que no`).
pub(super) fn find(
    tokens: &Tokens<'_>,
    accented_si: impl Fn(usize) -> bool,
    found: &mut Vec<Candidate>,
) {
    let mut first = true;
    for at in 0..tokens.len() {
        let sign = tokens.is(at, Class::Symbol);
        let heads = first;
        first &= sign;
        // Past the head of the answer, only a written accent tells the answer `sí` from the
        // condition `si`.
        if !(heads || sign || (tokens.text(at) == "si" && accented_si(at))) {
            continue;
        }
        let Some((yes, end)) = answer(tokens, at) else { continue };
        let skin =
            usize::from(sign && matches!(tokens.text(end), "🏻" | "🏼" | "🏽" | "🏾" | "🏿"));
        let value = Value::Boolean(yes);
        found.push(Candidate::new(tokens.span(at, end + skin), value, rank::BOOLEAN));
        return;
    }
}

fn answer(tokens: &Tokens<'_>, at: usize) -> Option<(bool, usize)> {
    let longest =
        |phrases: &[&str]| phrases.iter().filter_map(|phrase| tokens.follow(at, phrase)).max();
    let yes = longest(&YES).into_iter().chain(longest(&SIGNS_OF_YES)).max();
    match (yes, longest(&NO)) {
        (Some(yes), no) if no.is_none_or(|no| yes >= no) => Some((true, yes)),
        (_, Some(no)) => Some((false, no)),
        _ => None,
    }
}
