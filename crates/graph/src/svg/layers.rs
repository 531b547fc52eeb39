//! Which row each box lies in: below all that lead to it, save those that lead back.

/// The rows of boxes, and the edges that lead up instead of down.
pub(super) struct Layers {
    /// By box.
    pub(super) row: Vec<usize>,
    /// By edge.
    pub(super) back: Vec<bool>,
}

/// Every box must be reachable from `start`; nothing may lead on from `end`.
pub(super) fn layers(boxes: usize, edges: &[(usize, usize)], start: usize, end: usize) -> Layers {
    let (back, finished) = walk(boxes, edges, start);
    let mut row = vec![0; boxes];
    // A box is finished after all that it leads down to; backwards, each comes before those.
    for from in finished.into_iter().rev() {
        for (edge, (_, to)) in edges.iter().enumerate().filter(|(_, edge)| edge.0 == from) {
            if !back[edge] {
                row[*to] = row[*to].max(row[from] + 1);
            }
        }
    }
    let deepest = (0..boxes).filter(|index| *index != end).map(|index| row[index]).max();
    row[end] = row[end].max(deepest.map_or(0, |row| row + 1));
    Layers { row, back }
}

/// Walks in depth, and returns which edges lead to a box that is still open, and the boxes in the
/// order in which they were finished.
fn walk(boxes: usize, edges: &[(usize, usize)], start: usize) -> (Vec<bool>, Vec<usize>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Finished,
    }
    let mut back = vec![false; edges.len()];
    let mut finished = Vec::new();
    let mut seen = vec![Seen::Not; boxes];
    seen[start] = Seen::Open;
    let mut open = vec![(start, 0)];
    while let Some((from, tried)) = open.pop() {
        let Some(edge) = (tried..edges.len()).find(|edge| edges[*edge].0 == from) else {
            seen[from] = Seen::Finished;
            finished.push(from);
            continue;
        };
        open.push((from, edge + 1));
        let to = edges[edge].1;
        match seen[to] {
            Seen::Not => {
                seen[to] = Seen::Open;
                open.push((to, 0));
            }
            Seen::Open => back[edge] = true,
            Seen::Finished => {}
        }
    }
    (back, finished)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_lies_below_the_longest_way_to_it_and_a_loop_leads_up() {
        // START 0 → 1 → 2 → 3 → END 4; 1 → 3 is shorter; 3 → 1 leads back, as does 2 → 2.
        let edges = [(0, 1), (1, 3), (1, 2), (2, 3), (3, 1), (2, 2), (3, 4)];
        let layers = layers(5, &edges, 0, 4);
        assert_eq!(layers.row, [0, 1, 2, 3, 4]);
        assert_eq!(layers.back, [false, false, false, false, true, true, false]);
    }

    #[test]
    fn the_end_lies_below_a_box_that_only_leads_back() {
        let layers = layers(4, &[(0, 1), (1, 3), (1, 2), (2, 1)], 0, 3);
        assert_eq!(layers.row, [0, 1, 2, 3]);
    }
}
