//! The lines in which two texts differ.

use std::collections::HashMap;

/// Unchanged lines shown around a change.
const AROUND: usize = 2;
/// The most lines compared of either text, because the table grows with the square.
const LONGEST: usize = 2_000;

/// The number of lines that two texts share, in any order.
pub(super) fn likeness(left: &str, right: &str) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in left.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let mut shared = 0;
    for line in right.lines() {
        if let Some(left) = counts.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    shared
}

/// The differences with a little around them: `-` only on the left, `+` only on the right.
pub(super) fn lines(left: &str, right: &str) -> String {
    let left: Vec<&str> = left.lines().take(LONGEST).collect();
    let right: Vec<&str> = right.lines().take(LONGEST).collect();
    let all = marked(&left, &right);
    let near = |place: usize| {
        let from = place.saturating_sub(AROUND);
        all[from..all.len().min(place + AROUND + 1)].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut shown = Vec::new();
    let mut skipped = false;
    for (place, (mark, line)) in all.iter().enumerate() {
        if near(place) {
            if std::mem::take(&mut skipped) {
                shown.push("  …".to_owned());
            }
            shown.push(format!("{mark} {line}"));
        } else {
            skipped = true;
        }
    }
    shown.join("\n")
}

/// Every line of both texts with its mark, by the longest common subsequence.
fn marked<'a>(left: &[&'a str], right: &[&'a str]) -> Vec<(char, &'a str)> {
    let common = common(left, right);
    let (mut l, mut r) = (0, 0);
    let mut all = Vec::new();
    while l < left.len() || r < right.len() {
        if l < left.len() && r < right.len() && left[l] == right[r] {
            all.push((' ', left[l]));
            (l, r) = (l + 1, r + 1);
        } else if r == right.len() || (l < left.len() && common[l + 1][r] >= common[l][r + 1]) {
            all.push(('-', left[l]));
            l += 1;
        } else {
            all.push(('+', right[r]));
            r += 1;
        }
    }
    all
}

/// For each pair of places, the number of lines that the rests have in common, in order.
fn common(left: &[&str], right: &[&str]) -> Vec<Vec<u32>> {
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for l in (0..left.len()).rev() {
        for r in (0..right.len()).rev() {
            table[l][r] = if left[l] == right[r] {
                table[l + 1][r + 1] + 1
            } else {
                table[l + 1][r].max(table[l][r + 1])
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_two_lines_around() {
        let left = "a\nb\nc\nd\ne\nf\ng\nh";
        let right = "a\nb\nc\nd\nE\nf\ng\nh\ni";
        assert_eq!(lines(left, right), "  …\n  c\n  d\n- e\n+ E\n  f\n  g\n  h\n+ i");
        assert_eq!(lines(left, left), "");
        assert_eq!(lines("", "x"), "+ x");
    }

    #[test]
    fn likeness_counts_shared_lines_each_once() {
        assert_eq!(likeness("a\na\nb", "a\nb\nb"), 2);
        assert_eq!(likeness("a", "b"), 0);
    }
}
