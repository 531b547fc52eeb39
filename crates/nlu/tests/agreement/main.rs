//! Answers to a summary: which are a yes and which are not.

mod asides;
mod asked;
mod measured;
mod neighbours;
mod own_words;
mod robust;
mod table;
mod twins;

use nlu::{Agreement, reads_agreement};

/// The summaries as customers saw them: a shop in Spanish, a remedy in Spanish, the shop in English.
fn summary(name: &str) -> &'static str {
    match name {
        "S" => include_str!("../data/agreement/summary-S.txt"),
        "M" => include_str!("../data/agreement/summary-M.txt"),
        "E" => include_str!("../data/agreement/summary-E.txt"),
        _ => panic!("no summary is called {name:?}"),
    }
}

fn check(name: &str, expected: bool, messages: &[&str]) {
    let mut wrong = Vec::new();
    for message in messages {
        let read = reads_agreement(message, summary(name));
        if (read == Agreement::Yes) != expected {
            wrong.push(format!("{message:?}: {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
