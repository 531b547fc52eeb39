//! Checks that the paths a page names in backticks exist, so that pages do not outlive the code.

use super::Problem;

const DIRECTORIES: [&str; 6] = ["crates/", "packs/", "docs/", "bench/", "scripts/", "dashboard/"];

pub(super) fn check(page: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for quoted in line.split('`').skip(1).step_by(2) {
            if let Some(path) = path(quoted)
                && !exists(&path)
            {
                let text = format!("names `{path}`, which does not exist");
                problems.push(Problem::new(page, number, text));
            }
        }
    }
    problems
}

/// The path that a quotation names: without a command's arguments or a `:line`, and no further
/// than the first part that stands for several (`packs/*/tests`, `packs/NAME`).
fn path(quoted: &str) -> Option<String> {
    let word = quoted.split([' ', ':', '#']).next()?;
    if !DIRECTORIES.iter().any(|directory| word.starts_with(directory)) {
        return None;
    }
    let definite: Vec<&str> =
        word.split('/').take_while(|part| !stands_for_several(part)).collect();
    Some(definite.join("/"))
}

fn stands_for_several(part: &str) -> bool {
    part.contains(['*', '<', '{', '…'])
        || (part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let exists =
            |path: &str| ["crates/runner/src/lane.rs", "packs", "scripts/postgres"].contains(&path);
        check("README.md", text, exists).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_path_that_is_gone_is_found_with_its_line() {
        assert_eq!(
            found("See `crates/runner/src/lane.rs`\nand `crates/runner/src/gone.rs`.\n"),
            ["README.md:2: names `crates/runner/src/gone.rs`, which does not exist"]
        );
    }

    #[test]
    fn arguments_and_lines_are_not_part_of_a_path() {
        assert!(found("`scripts/postgres start DIR`, `crates/runner/src/lane.rs:12`").is_empty());
    }

    #[test]
    fn a_path_that_stands_for_several_counts_up_to_there() {
        assert!(found("`packs/*/tests`, `packs/<name>/x`, `packs/NAME/x`").is_empty());
    }

    #[test]
    fn other_quotations_and_fenced_blocks_are_left_alone() {
        assert!(found("`cargo`, `a/b`, crates/gone\n```\n`crates/gone`\n```\n").is_empty());
    }
}
