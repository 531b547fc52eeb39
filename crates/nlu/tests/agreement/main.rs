//! What is a yes to a summary and what is none.

mod measured;
mod robust;
mod table;

/// The summaries as customers saw them: a shop in Spanish, a remedy in Spanish, the shop in English.
fn summary(name: &str) -> &'static str {
    match name {
        "S" => include_str!("../data/agreement/summary-S.txt"),
        "M" => include_str!("../data/agreement/summary-M.txt"),
        "E" => include_str!("../data/agreement/summary-E.txt"),
        _ => panic!("no summary is called {name:?}"),
    }
}
