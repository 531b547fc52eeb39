//! The example of docs/packs.md is a pack without findings, and the names it lists are those known.

use std::fs;
use std::path::Path;

use pack::Source;

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

#[test]
fn the_documented_facts_are_known_to_conditions() {
    let text = document();
    let table = text.split("| name | what it is |").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = table.lines().skip(2).flat_map(|row| {
        let name = row.split('|').nth(1).unwrap();
        name.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    });
    let names: Vec<String> = names.filter(|name| name != "values" && name != "save").collect();
    assert_eq!(names.len(), 27);
    for name in names {
        let when = format!("when: has(tarifa.x) && {name} == {name}");
        let source = changed(&pedido(), &[("flow.yaml", "when: hora < 20", &when)]);
        assert_eq!(findings(&source), "", "{name}");
    }
}
