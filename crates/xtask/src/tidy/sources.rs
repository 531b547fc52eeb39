//! Rules on single files: the opening line, the length, no postponed work, no ignored tests.

use super::Problem;

const LONGEST: usize = 800;

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
    let length = text.lines().count();
    if rust && length > LONGEST {
        let text = format!("has {length} lines; split it, {LONGEST} is the most");
        problems.push(Problem::new(path, LONGEST + 1, text));
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
    fn a_file_may_have_800_lines_and_not_one_more() {
        let longest = "//! Long.\n".repeat(LONGEST);
        assert!(found("crates/a/src/lib.rs", &longest).is_empty());
        let longer = format!("{longest}\n");
        assert_eq!(
            found("crates/a/src/lib.rs", &longer),
            ["crates/a/src/lib.rs:801: has 801 lines; split it, 800 is the most"]
        );
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
