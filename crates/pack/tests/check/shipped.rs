//! The packs that ship have nothing wrong with them, nor have their tests.

use std::fs;
use std::path::Path;

use pack::Source;

use crate::findings;

#[test]
fn the_packs_that_ship_have_no_findings() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs");
    let mut folders: Vec<_> =
        fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("pack.yaml").is_file());
    assert!(!folders.is_empty());
    for folder in folders {
        let source = Source::read(&folder).unwrap_or_else(|findings| panic!("{findings}"));
        assert_eq!(findings(&source), "", "{}", folder.display());
        if let Err(findings) = pack::load_cases(&source, &[]) {
            panic!("{findings}");
        }
    }
}
