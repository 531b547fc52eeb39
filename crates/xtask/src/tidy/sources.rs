//! Rules on single files: the opening line, their length and that of their functions, no postponed work,
//! no ignored tests.

use super::Problem;
use crate::functions::functions;

/// The most lines of a file. Tests may have more: many are tables.
const LONGEST: usize = 500;
const LONGEST_TEST: usize = 800;
/// The most lines of a function, its signature and its last brace among them.
const LONGEST_FUNCTION: usize = 70;

// Spelled in halves, or this file would break its own rule.
const POSTPONED: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const IGNORED: &str = concat!("#[", "ignore");

pub(super) fn check(path: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let rust = path.ends_with(".rs");
    if rust && !text.starts_with("//! ") {
        problems.push(Problem::new(
            path,
            1,
            "must open with a `//!` line on what it is responsible for",
        ));
    }
    if rust {
        problems.extend(long(path, text));
    }
    for (number, line) in (1..).zip(text.lines()) {
        for word in POSTPONED {
            if postpones(line, word, path.starts_with("packs/")) {
                problems.push(Problem::new(
                    path,
                    number,
                    format!("does not keep a {word}: do it or leave it"),
                ));
            }
        }
        if rust && line.contains(IGNORED) {
            problems.push(Problem::new(path, number, "ignores a test: mend it or remove it"));
        }
    }
    problems
}

/// Files and functions that nobody reads in one go.
fn long(path: &str, text: &str) -> Vec<Problem> {
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    let (length, most) = (text.lines().count(), if is_test { LONGEST_TEST } else { LONGEST });
    let mut problems = Vec::new();
    if length > most {
        let text = format!("has {length} lines; split it, {most} is the most");
        problems.push(Problem::new(path, most + 1, text));
    }
    if !is_test {
        problems.extend(functions(text).filter(|(_, lines)| *lines > LONGEST_FUNCTION).map(
            |(line, lines)| {
                let text =
                    format!("begins a function of {lines} lines; {LONGEST_FUNCTION} is the most");
                Problem::new(path, line, text)
            },
        ));
    }
    problems
}

/// Packs speak Spanish, where the first of the words means "everything" and customers shout it: it
/// counts there only with the colon or bracket that a note to oneself has.
fn postpones(line: &str, word: &str, spanish: bool) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        let whole = ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_');
        whole && (!spanish || matches!(after, Some(':' | '(')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(path, text).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_file_that_keeps_the_rules_has_no_problem() {
        assert!(found("crates/a/src/lib.rs", "//! Adds.\n\nfn add() {}\n").is_empty());
    }

    #[test]
    fn a_rust_file_must_say_what_it_is_responsible_for() {
        assert_eq!(
            found("crates/a/src/lib.rs", "fn add() {}\n"),
            ["crates/a/src/lib.rs:1: must open with a `//!` line on what it is responsible for"]
        );
        assert!(found("crates/a/Cargo.toml", "[package]\n").is_empty());
    }

    #[test]
    fn a_file_may_have_500_lines_and_tests_800_and_not_one_more() {
        for (path, most) in [("crates/a/src/lib.rs", 500), ("crates/a/tests/table.rs", 800)] {
            let longest = "//! Long.\n".repeat(most);
            assert!(found(path, &longest).is_empty());
            let expected =
                format!("{path}:{0}: has {0} lines; split it, {most} is the most", most + 1);
            assert_eq!(found(path, &format!("{longest}\n")), [expected]);
        }
    }

    #[test]
    fn a_function_may_have_70_lines_and_not_one_more() {
        let with = |lines: usize| {
            let body = "        step();\n".repeat(lines - 2);
            format!("//! Long.\nimpl A {{\n    pub(crate) async fn go(\n{body}    }}\n}}\n")
        };
        assert!(found("crates/a/src/lib.rs", &with(70)).is_empty());
        assert_eq!(
            found("crates/a/src/lib.rs", &with(71)),
            ["crates/a/src/lib.rs:3: begins a function of 71 lines; 70 is the most"]
        );
        assert!(found("crates/a/tests/a.rs", &with(200)).is_empty());
    }

    #[test]
    fn postponed_work_is_found_as_a_whole_word_only() {
        let word = POSTPONED[0];
        assert_eq!(found("bench/run.toml", &format!("a = 1\n# {word} b\n")).len(), 1);
        assert!(found("bench/run.toml", &format!("# {word}S and {word}_X\n")).is_empty());
    }

    #[test]
    fn a_pack_may_shout_everything_in_spanish() {
        let word = POSTPONED[0];
        assert!(found("packs/a/intents.yaml", &format!("- QUIERO {word} YA\n")).is_empty());
        assert_eq!(found("packs/a/intents.yaml", &format!("# {word}: more\n")).len(), 1);
    }

    #[test]
    fn an_ignored_test_is_found() {
        let text = format!("//! Adds.\n    {IGNORED} = \"slow\"]\n");
        assert_eq!(
            found("crates/a/src/lib.rs", &text),
            ["crates/a/src/lib.rs:2: ignores a test: mend it or remove it"]
        );
    }
}
