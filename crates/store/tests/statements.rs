//! Every statement stands in a list, so that the drivers' tests look at its plan unless it says there
//! that no message waits for it.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder of statements").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The names of a file's statements, those that may lock their row among them.
fn statements(source: &str) -> Vec<&str> {
    let typed = |line: &&str| line.contains(": Sql =") || line.contains(": Lockable =");
    let lines = source.lines().filter(typed);
    let named = lines.filter_map(|line| line.split_once("const ")?.1.split_once(':'));
    named.map(|(name, _)| name).collect()
}

/// The words in a file's lists of statements, which are constants or parts of one list.
fn listed(source: &str) -> Vec<&str> {
    let lists = source.split("[Sql]").skip(1).filter_map(|rest| rest.split_once(";\n"));
    lists.flat_map(|(list, _)| list.split(|c: char| !c.is_alphanumeric() && c != '_')).collect()
}

#[test]
fn a_statement_that_is_in_no_list_fails_here() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sql"), &mut files);
    let (mut all, mut missing) = (0, Vec::new());
    for path in files {
        let source = fs::read_to_string(&path).expect("a source file");
        let beside = fs::read_to_string(path.with_file_name("mod.rs")).expect("its module");
        let lists = [listed(&source), listed(&beside)].concat();
        for statement in statements(&source) {
            all += 1;
            if !lists.contains(&statement) {
                missing.push(format!("{}: {statement}", path.display()));
            }
        }
    }
    assert!(all > 200, "{all} statements were found");
    assert!(
        missing.is_empty(),
        "add to EACH, STATEMENTS or BESIDE of the file:\n{}",
        missing.join("\n")
    );
}
