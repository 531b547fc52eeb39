//! Words as they were meant: drawn out, written several times, run together or mistyped.

use super::phrases::Phrases;
use super::words::{FORGIVEN, OTHERWISE, REPEATED, RUN_TOGETHER};

/// The words of the phrases that a written word stands for, or the word itself if there are none.
pub(super) fn meant(written: &str, phrases: &Phrases) -> Vec<String> {
    if phrases.knows(written) {
        return vec![written.to_owned()];
    }
    if let Some(yes) = repeated(written) {
        return vec![yes.to_owned()];
    }
    let short = without_doubles(written);
    if short != written && phrases.knows(&short) {
        return vec![short];
    }
    if let Some(yes) = repeated(&short) {
        return vec![yes.to_owned()];
    }
    if let Some((first, second)) = run_together(&short).or_else(|| run_together(written)) {
        return vec![first.to_owned(), second.to_owned()];
    }
    let with_c = short.replace('k', "c");
    if with_c != short && with_c.len() > 3 && phrases.knows(&with_c) {
        return vec![with_c];
    }
    if let Some(word) = forgiven(&short).or_else(|| forgiven(written)) {
        return vec![word.to_owned()];
    }
    if is_laughter(&short) {
        return vec!["jaja".to_owned()];
    }
    vec![written.to_owned()]
}

fn without_doubles(word: &str) -> String {
    let mut short = String::with_capacity(word.len());
    for c in word.chars() {
        if !short.ends_with(c) || c.is_ascii_digit() {
            short.push(c);
        }
    }
    short
}

fn repeated(word: &str) -> Option<&'static str> {
    REPEATED.iter().copied().find(|yes| {
        word.len() > yes.len()
            && word.len().is_multiple_of(yes.len())
            && word.replace(yes, "").is_empty()
    })
}

fn run_together(word: &str) -> Option<(&'static str, &'static str)> {
    let (firsts, seconds) = RUN_TOGETHER;
    firsts.iter().find_map(|first| {
        let rest = word.strip_prefix(first)?;
        seconds.iter().find(|second| **second == rest).map(|second| (*first, *second))
    })
}

/// Two letters of laughter in turn, in any order.
fn is_laughter(word: &str) -> bool {
    word.len() >= 4
        && word.chars().all(|c| matches!(c, 'j' | 'a' | 'k' | 'h'))
        && word.contains(['j', 'h'])
        && word.contains('a')
}

/// The long word from which the written word is one slip away. Beginning and ending must be right,
/// because endings tell who confirms and when.
fn forgiven(word: &str) -> Option<&'static str> {
    if OTHERWISE.contains(&word) || !word.is_ascii() {
        return None;
    }
    FORGIVEN.iter().copied().find(|meant| {
        word.as_bytes().first() == meant.as_bytes().first()
            && word.len() >= 5
            && word.as_bytes()[word.len() - 2..] == meant.as_bytes()[meant.len() - 2..]
            && is_one_slip(word.as_bytes(), meant.as_bytes())
    })
}

/// Whether one letter is left out, added, mistaken, or swapped with its neighbour.
fn is_one_slip(word: &[u8], meant: &[u8]) -> bool {
    let ahead = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (word, meant) = (&word[ahead..], &meant[ahead..]);
    match word.len() as isize - meant.len() as isize {
        0 if word.len() >= 2 => {
            word[1..] == meant[1..]
                || word[0] == meant[1] && word[1] == meant[0] && word[2..] == meant[2..]
        }
        1 => word[1..] == *meant,
        -1 => *word == meant[1..],
        _ => false,
    }
}
