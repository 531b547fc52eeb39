//! Finds where the functions of formatted code begin and end.

/// The line on which each function begins, from 1, and how many lines it has; inline tests are left out.
/// Formatted code ends a function with a brace as far in as its first line.
pub(crate) fn functions(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let lines: Vec<&str> = text.lines().take_while(|line| *line != "#[cfg(test)]").collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    (0..lines.len()).filter_map(move |at| {
        let words = lines[at].trim_start().split(' ').take(5).collect::<Vec<_>>();
        let is_function = words.contains(&"fn") && !lines[at].trim_start().starts_with("//");
        let (begins, rest) = (indent(lines[at]), &lines[at..]);
        let ends = rest.iter().position(|line| line.trim() == "}" && indent(line) == begins)?;
        let is_whole = is_function && rest[0].trim_end().ends_with(['{', '(', '>', ',']);
        is_whole.then_some((at + 1, ends + 1))
    })
}
