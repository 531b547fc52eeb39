//! Refuses sentences of comments that open with a pronoun, because their reader has to guess the subject.

use super::Problem;
use crate::tree::File;

/// Words that open a sentence in the place of a noun.
const OPENINGS: [&str; 9] =
    ["It", "Its", "None", "One", "Those", "What", "Whatever", "Who", "Whoever"];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        problems.extend(openings(&file.text).into_iter().map(|(line, word)| {
            let text = format!("opens a sentence with `{word}`: name the thing it is about");
            Problem::new(&file.path, line, text)
        }));
    }
    problems
}

/// The refused openings of a file's comments, each with its line.
fn openings(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut before = "";
    let mut begins = true;
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        let Some((marker, said)) = comment(line) else {
            (before, begins, fenced) = ("", true, false);
            continue;
        };
        // Comments of another kind, and behind code, are blocks of their own.
        if marker != before || marker.is_empty() {
            (before, begins, fenced) = (marker, true, false);
        }
        if said.starts_with("```") {
            fenced = !fenced;
        }
        if fenced || said.is_empty() || said.starts_with("```") {
            begins = true;
            continue;
        }
        let item = said.strip_prefix("- ").or_else(|| said.strip_prefix("* "));
        let first = (begins || item.is_some()).then(|| item.unwrap_or(said));
        let refused = first.into_iter().chain(sentences(said)).filter_map(opening);
        found.extend(refused.map(|word| (number, word)));
        begins = ends(said);
    }
    found
}

/// The marker of a line's comment and its words. A comment behind code has an empty marker; an odd
/// number of quotes before the slashes means that they stand inside a text.
fn comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.starts_with("//") {
        let marked = line.trim_start_matches('/').trim_start_matches('!');
        return Some((&line[..line.len() - marked.len()], marked.trim()));
    }
    let (code, said) = line.rsplit_once(" // ")?;
    let quotes = code.matches('"').count() - code.matches("\\\"").count();
    quotes.is_multiple_of(2).then_some(("", said.trim()))
}

/// The sentences that begin inside a line.
fn sentences(said: &str) -> impl Iterator<Item = &str> {
    said.match_indices(' ').filter(|(at, _)| ends(&said[..*at])).map(|(at, _)| &said[at + 1..])
}

/// Whether a sentence ends with these words.
fn ends(said: &str) -> bool {
    said.trim_end_matches(['"', '\'', '`', ')', '*', '»']).ends_with(['.', '!', '?'])
}

/// The word with which a sentence opens, if that word is refused.
fn opening(sentence: &str) -> Option<&str> {
    let end = sentence.find(|c: char| !c.is_alphabetic()).unwrap_or(sentence.len());
    let is_part = sentence[end..].starts_with(['-', '_', ':']);
    OPENINGS.contains(&&sentence[..end]).then_some(&sentence[..end]).filter(|_| !is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, &str)> {
        openings(text)
    }

    #[test]
    fn a_sentence_without_its_noun_is_found_wherever_it_begins() {
        for (text, expected) in [
            ("//! What a file is for.\n", vec![(1, "What")]),
            ("    /// One that waits.\n", vec![(1, "One")]),
            ("// A lane waits. It is held.\n", vec![(1, "It")]),
            ("// A lane waits.\n// Its holder acts.\n", vec![(2, "Its")]),
            ("/// A lane.\n///\n/// Those behind it wait.\n", vec![(3, "Those")]),
            ("/// Lanes:\n/// - None if nobody waits.\n", vec![(2, "None")]),
            ("let a = 1; // Who acts.\n", vec![(1, "Who")]),
            ("/// Is it (\"so?\") Whoever asks.\n", vec![(1, "Whoever")]),
            ("/// A lane\n// It waits.\n", vec![(2, "It")]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_that_names_its_subject_may_say_the_same_words_later() {
        for text in [
            "/// The lane that it holds, and what one of them does.\n",
            "/// `None` if nobody waits.\n",
            "/// A rule for\n/// One-time keys and Whatsoever.\n",
            "/// A lane goes on:\n/// What follows is the rest of this sentence.\n",
            "let url = \"http://a // It is text\";\n",
            "let url = 1;\n",
            "/// A lane.\n/// ```\n/// // It is code.\n/// ```\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_problem_names_the_line_and_the_word() {
        let text = "//! Adds.\n\n/// It adds.\nfn add() {}\n".to_owned();
        let files = [File { path: "crates/nowhere/src/lib.rs".to_owned(), text }];
        assert_eq!(
            check(&files).iter().map(Problem::to_string).collect::<Vec<_>>(),
            ["crates/nowhere/src/lib.rs:3: opens a sentence with `It`: name the thing it is about"]
        );
    }
}
