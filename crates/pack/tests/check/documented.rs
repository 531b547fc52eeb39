//! The example of docs/packs.md is a pack without findings, and its tables are those of the engine.

use std::fs;
use std::path::Path;

use pack::Source;
use sentences::{Explanations, Frames, Hours, Sentences};

use crate::{changed, findings, pedido};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/packs.md");
    fs::read_to_string(path).unwrap()
}

/// The blocks that begin with the name of their file.
fn example() -> Source {
    let text = document();
    let blocks = text.split("```yaml\n# ").skip(1).map(|block| {
        let block = block.split("```").next().unwrap();
        let (name, text) = block.split_once('\n').unwrap();
        (name.to_owned(), text.to_owned())
    });
    Source::new(blocks)
}

#[test]
fn the_documented_example_is_a_sound_pack() {
    let example = example();
    assert_eq!(example.iter().count(), 5);
    assert_eq!(findings(&example), "");
    let cases = pack::load_cases(&example, &[]).unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(cases[0].cases.0.len(), 1);
}

/// The document with its tables as the engine's own tables have them, between their comments.
fn tables(text: &str) -> String {
    let [conditions, texts] = pack::facts::tables();
    let mut text = text.to_owned();
    for (name, table) in [
        ("facts in conditions", conditions),
        ("facts in texts", texts),
        ("sentences", Sentences::table()),
        ("explanations", Explanations::table()),
        ("hours", Hours::table()),
        ("frames", Frames::table()),
    ] {
        let opening = format!("<!-- table of {name} -->\n");
        let (before, rest) = text.split_once(&opening).unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        text = format!("{before}{opening}{table}<!-- end -->{after}");
    }
    text
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it may also write what it compares")]
fn the_tables_are_those_that_the_engine_knows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/packs.md");
    if std::env::var("UPDATE_DOCS").is_ok() {
        fs::write(&path, tables(&document())).unwrap();
    }
    let text = document();
    assert!(text == tables(&text), "docs/packs.md differs: run the tests with UPDATE_DOCS=1");
}

#[test]
fn every_fact_is_known_to_conditions() {
    for name in pack::facts::in_conditions() {
        let when = format!("when: has(tarifa.x) && {name} == {name}");
        let source = changed(&pedido(), &[("flow.yaml", "when: hora < 20", &when)]);
        assert_eq!(findings(&source), "", "{name}");
    }
}
