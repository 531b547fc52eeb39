//! Finds where the functions of formatted code begin and end.

use std::ops::Range;

/// The line on which each function begins, from 1, and how many lines it has; inline tests are left out.
/// Formatted code ends a function with a brace as far in as its first line.
pub(crate) fn functions(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let tests = inline_tests(&lines);
    let indent = |line: &str| line.len() - line.trim_start().len();
    (0..lines.len()).filter(move |at| !tests.iter().any(|tests| tests.contains(at))).filter_map(
        move |at| {
            let words = lines[at].trim_start().split(' ').take(5).collect::<Vec<_>>();
            let is_function = words.contains(&"fn") && !lines[at].trim_start().starts_with("//");
            let (begins, rest) = (indent(lines[at]), &lines[at..]);
            let ends = rest.iter().position(|line| line.trim() == "}" && indent(line) == begins)?;
            let is_whole = is_function && rest[0].trim_end().ends_with(['{', '(', '>', ',']);
            is_whole.then_some((at + 1, ends + 1))
        },
    )
}

/// The lines of modules that are compiled for tests alone and stand in this file.
fn inline_tests(lines: &[&str]) -> Vec<Range<usize>> {
    let opens = |at: &usize| {
        let module = lines.get(at + 1).is_some_and(|line| line.starts_with("mod "));
        lines[*at] == "#[cfg(test)]" && module && lines[at + 1].ends_with('{')
    };
    let closes = |at: usize| lines[at..].iter().position(|line| *line == "}");
    let begins = (0..lines.len()).filter(opens);
    begins.map(|at| at..at + closes(at).map_or(lines.len() - at, |length| length + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_modules_of_tests_are_left_out() {
        let text = "#[cfg(test)]\nmod kit;\n\nfn one() {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    \
                    fn two() {\n    }\n}\n\n#[cfg(test)]\nfn three() {\n}\n";
        assert_eq!(functions(text).collect::<Vec<_>>(), [(4, 3), (15, 2)]);
    }
}
