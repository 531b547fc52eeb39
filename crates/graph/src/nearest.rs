//! The name that was probably meant by one that does not exist.

/// The candidate that takes the fewest edits, if few enough that it may be a slip.
pub(crate) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let few = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(edits, _)| *edits <= few)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace, or swap with their neighbour.
fn edits(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut fewest = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                fewest = fewest.min(rows[i - 2][j - 2] + 1);
            }
            row.push(fewest);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let names = ["check_escalation", "check_correction", "validate", "ask", "END"];
        for (slip, meant) in [
            ("chek_correction", Some("check_correction")),
            ("check-escalation", Some("check_escalation")),
            ("vaildate", Some("validate")),
            ("aks", Some("ask")),
            ("EN", Some("END")),
            ("complete", None),
            ("", None),
        ] {
            assert_eq!(nearest(slip, names), meant, "{slip}");
        }
    }

    #[test]
    fn of_two_names_that_are_near_the_nearer_is_meant() {
        for names in [["check_order", "check_orders"], ["check_orders", "check_order"]] {
            assert_eq!(nearest("chek_orders", names), Some("check_orders"));
            assert_eq!(nearest("chek_order", names), Some("check_order"));
        }
    }

    #[test]
    fn edits_count_each_way_of_slipping_once() {
        for (from, to, count) in [
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "xbcd", 2),
        ] {
            assert_eq!(edits(from, to), count, "{from} {to}");
        }
    }
}
