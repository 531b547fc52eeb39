//! Counts what a reader of the code meets: files, functions, structs, parameters, public names, comments.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::functions::functions;
use crate::tree::{File, texts};

/// The number of the largest structs and traits that are named.
const NAMED: usize = 10;
/// The fewest parameters of a function that is counted as having many.
const MANY_PARAMETERS: usize = 7;

/// The counts of a checkout's Rust code, as two Markdown tables and a list.
pub(crate) fn report(root: &Path) -> io::Result<String> {
    let files = texts(root, &["crates", "bench"])?;
    let code = || files.iter().filter(|file| file.path.ends_with(".rs"));
    let mut crates: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    let mut tests = Counts::default();
    for file in code() {
        if is_test(&file.path) {
            tests.add(file);
        } else {
            all.add(file);
            crates.entry(crate_of(&file.path)).or_default().add(file);
        }
    }
    let mut rows = vec![
        "| | files | lines a file: median, 90 %, most | functions | lines a function | comments a line | public |"
            .to_owned(),
        "|---|---:|---:|---:|---:|---:|---:|".to_owned(),
        all.row("**all but tests**"),
        tests.row("tests"),
    ];
    rows.extend(crates.iter_mut().map(|(name, counts)| counts.row(name)));
    rows.push(String::new());
    rows.push(format!("Structs with most fields: {}.", most(&mut all.structs)));
    rows.push(format!("Traits with most functions: {}.", most(&mut all.traits)));
    rows.push(format!(
        "Functions with {MANY_PARAMETERS} parameters or more: {}.",
        all.parameters.iter().filter(|count| **count >= MANY_PARAMETERS).count()
    ));
    Ok(rows.join("\n") + "\n")
}

#[derive(Default)]
struct Counts {
    files: Vec<usize>,
    functions: Vec<usize>,
    parameters: Vec<usize>,
    structs: Vec<(usize, String)>,
    traits: Vec<(usize, String)>,
    code: usize,
    comments: usize,
    public: usize,
}

impl Counts {
    fn add(&mut self, file: &File) {
        let bare = without_inline_tests(&file.text);
        let lines: Vec<&str> = bare.lines().collect();
        self.files.push(lines.len());
        self.comments += lines.iter().filter(|line| line.trim_start().starts_with("//")).count();
        self.code += lines.iter().filter(|line| is_code(line)).count();
        self.public += lines.iter().filter(|line| is_public(line)).count();
        for (begins, length) in functions(&file.text) {
            self.functions.push(length);
            self.parameters.push(parameters(&lines[begins - 1..]));
        }
        for (at, line) in lines.iter().enumerate() {
            if let Some(name) = name_after(line, "struct ") {
                self.structs.push((members(&lines[at..], is_field), format!("`{name}`")));
            }
            if let Some(name) = name_after(line, "trait ") {
                self.traits.push((members(&lines[at..], is_function), format!("`{name}`")));
            }
        }
    }

    fn row(&mut self, name: &str) -> String {
        format!(
            "| {name} | {} | {} | {} | {} | {:.2} | {} |",
            self.files.len(),
            spread(&mut self.files),
            self.functions.len(),
            spread(&mut self.functions),
            self.comments as f64 / self.code.max(1) as f64,
            self.public
        )
    }
}

fn crate_of(path: &str) -> &str {
    let path = path.strip_prefix("crates/").unwrap_or(path);
    path.split('/').next().unwrap_or(path)
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/contract/")
}

fn without_inline_tests(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

fn is_public(line: &str) -> bool {
    let line = line.trim_start();
    [
        "fn ",
        "async fn ",
        "const fn ",
        "struct ",
        "enum ",
        "trait ",
        "type ",
        "const ",
        "static ",
        "use ",
    ]
    .iter()
    .any(|kind| line.strip_prefix("pub ").is_some_and(|rest| rest.starts_with(kind)))
}

/// The name that a declaration of this kind gives; `impl` and comments declare nothing.
fn name_after<'l>(line: &'l str, kind: &str) -> Option<&'l str> {
    let declared = line.trim_start();
    let declared = declared
        .split_once(") ")
        .filter(|(start, _)| start.starts_with("pub("))
        .map_or(declared.strip_prefix("pub ").unwrap_or(declared), |(_, rest)| rest);
    let rest = declared.strip_prefix(kind)?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    rest.ends_with('{').then_some(&rest[..end])
}

/// Lines of a block's first level for which `counts` holds. Formatted code ends the block with a brace as
/// far in as its first line.
fn members(lines: &[&str], counts: fn(&str) -> bool) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begins = indent(lines[0]);
    let inside =
        lines[1..].iter().take_while(|line| !(line.trim() == "}" && indent(line) == begins));
    inside.filter(|line| indent(line) == begins + 4 && counts(line.trim_start())).count()
}

fn is_field(line: &str) -> bool {
    is_code(line) && !line.starts_with('#') && line.contains(": ")
}

fn is_function(line: &str) -> bool {
    line.starts_with("fn ") || line.starts_with("async fn ")
}

/// Parameters of the function that begins here, `self` among them: commas outside any bracket but the
/// function's own.
fn parameters(lines: &[&str]) -> usize {
    let signature: String = lines.iter().take(12).map(|line| line.trim()).collect();
    let Some(begins) = signature.find("fn ").and_then(|at| Some(at + opening(&signature[at..])?))
    else {
        return 0;
    };
    let (mut depth, mut count, mut filled) = (0_i32, 0, false);
    for c in signature[begins + 1..].chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                count += 1;
                filled = false;
                continue;
            }
            _ => {}
        }
        filled |= !c.is_whitespace();
    }
    count + usize::from(filled)
}

/// Where the parameters begin: the first parenthesis outside the function's generics.
fn opening(signature: &str) -> Option<usize> {
    let mut depth = 0_i32;
    signature.char_indices().find_map(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    })
}

/// The median, the ninth decile and the maximum.
fn spread(counts: &mut [usize]) -> String {
    counts.sort_unstable();
    let at = |tenths: usize| counts.get((counts.len().saturating_sub(1)) * tenths / 10).copied();
    let shown = [at(5), at(9), at(10)].map(Option::unwrap_or_default);
    format!("{} / {} / {}", shown[0], shown[1], shown[2])
}

fn most(named: &mut [(usize, String)]) -> String {
    named.sort_by(|one, other| other.cmp(one));
    let shown = named.iter().take(NAMED).map(|(count, name)| format!("{name} {count}"));
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_counted_without_its_inline_tests() {
        let text = "//! Adds.\n\npub struct Sum {\n    pub one: u8,\n    #[serde(skip)]\n    two: Vec<(u8, u8)>,\n}\n\n\
                    pub(crate) trait Adds {\n    fn add(&self);\n\n    fn sum(&self) -> u8 {\n        0\n    }\n}\n\n\
                    pub fn add(\n    one: Result<u8, u8>,\n    two: &[(u8, u8)],\n    three: impl Fn(u8, u8),\n) {\n    go();\n}\n\n\
                    #[cfg(test)]\nmod tests {\n    fn left_out() {}\n}\n";
        let mut counts = Counts::default();
        counts.add(&File { path: "crates/a/src/lib.rs".to_owned(), text: text.to_owned() });
        assert_eq!(counts.structs, [(2, "`Sum`".to_owned())]);
        assert_eq!(counts.traits, [(2, "`Adds`".to_owned())]);
        assert_eq!(counts.functions, [3, 7]);
        assert_eq!(counts.parameters, [1, 3]);
        assert_eq!((counts.comments, counts.public), (1, 2));
    }

    #[test]
    fn a_spread_names_median_ninth_tenth_and_most() {
        assert_eq!(spread(&mut [9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]), "6 / 10 / 11");
        assert_eq!(spread(&mut []), "0 / 0 / 0");
    }
}
