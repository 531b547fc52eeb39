//! Finds what a misspelt word was meant to be.

/// The candidate that is fewest typing mistakes away, unless that is too many to be a slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `, did you mean …?` when there is something to suggest; else nothing.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!(", did you mean `{candidate}`?"))
}

/// Characters to add, drop, change or swap with their neighbour, regardless of case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before = vec![0; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = previous[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(previous[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_has_a_suggestion_and_another_word_has_none() {
        let keys = ["listen", "database", "log"];
        for (word, meant) in [
            ("lisen", Some("listen")),
            ("Listen", Some("listen")),
            ("databsae", Some("database")),
            ("lgo", Some("log")),
            ("channels", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), meant, "{word}");
        }
    }
}
