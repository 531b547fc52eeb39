//! The name that was probably meant by one that does not exist.

/// The candidate that takes the fewest edits, if few enough that it may be a slip.
pub(crate) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let few = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(edits, _)| *edits <= few)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
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
}
