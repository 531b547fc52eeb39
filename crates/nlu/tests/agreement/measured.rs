//! Messages written and labelled by people who had not seen the reader.

use nlu::{Agreement, reads_agreement};
use serde_json::Value;

use crate::summary;

#[test]
fn no_labelled_no_is_taken_for_a_yes_and_nearly_every_yes_is_taken() {
    holds(include_str!("../data/agreement/build.jsonl"));
    holds(include_str!("../data/agreement/opened.jsonl"));
    holds(include_str!("../data/agreement/opened2.jsonl"));
    holds(include_str!("../data/agreement/opened3.jsonl"));
}

fn holds(rows: &str) {
    let (mut yeses, mut missed, mut falsely) = (0, Vec::new(), Vec::new());
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| row[name].as_str().unwrap();
        let read = reads_agreement(field("text"), summary(field("summary")));
        let said = format!("{:?}: {read:?}", field("text"));
        let yes = field("label") == "yes";
        yeses += usize::from(yes);
        match (yes, read == Agreement::Yes) {
            (true, false) => missed.push(said),
            (false, true) => falsely.push(said),
            _ => {}
        }
    }
    println!("{yeses} yeses, {} missed", missed.len());
    missed.iter().for_each(|said| println!("missed {said}"));
    assert!(falsely.is_empty(), "taken for a yes: {falsely:#?}");
    assert!(missed.len() * 100 <= yeses * 3, "missed: {missed:#?}");
}
