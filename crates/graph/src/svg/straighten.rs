//! Takes the small kinks out of wires, once every box and bend has about its place.

use super::order::Rows;

/// How far a box moves to stand exactly under the one that leads to it.
const SNAP: f64 = 14.0;

/// What may move, and how near to its neighbours.
pub(super) struct Straighten<'r> {
    rows: &'r Rows,
    boxes: usize,
    /// By slot: its neighbours in the row, with the distance to keep between the middles.
    left: Vec<Option<(usize, f64)>>,
    right: Vec<Option<(usize, f64)>>,
}

impl<'r> Straighten<'r> {
    pub(super) fn new(
        rows: &'r Rows,
        boxes: usize,
        distance: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let (mut left, mut right) = (vec![None; rows.slots], vec![None; rows.slots]);
        for pair in rows.rows.iter().flat_map(|row| row.windows(2)) {
            let apart = distance(pair[0], pair[1]);
            right[pair[0]] = Some((pair[1], apart));
            left[pair[1]] = Some((pair[0], apart));
        }
        Self { rows, boxes, left, right }
    }

    pub(super) fn apply(&self, middles: &mut [f64]) {
        // A wire that moves makes room for its neighbour, which may have been done before it.
        for _ in 0..3 {
            self.snap(middles);
            for chain in &self.rows.chains {
                let bends: Vec<usize> =
                    chain.iter().copied().filter(|slot| *slot >= self.boxes).collect();
                self.align(&bends, middles);
            }
        }
        self.follow(middles);
    }

    /// Puts bends that follow each other on one line, as many as there is a line for.
    fn align(&self, bends: &[usize], middles: &mut [f64]) {
        let mut rest = bends;
        while !rest.is_empty() {
            let (mut low, mut high) = (f64::MIN, f64::MAX);
            let mut count = 0;
            for bend in rest {
                let (from, to) = self.room(*bend, middles);
                if low.max(from) > high.min(to) {
                    break;
                }
                (low, high) = (low.max(from), high.min(to));
                count += 1;
            }
            // A bend always has room where it is, but rounding may deny it.
            let (line, after) = rest.split_at(count.max(1));
            let mean = line.iter().map(|bend| middles[*bend]).sum::<f64>() / line.len() as f64;
            line.iter().for_each(|bend| middles[*bend] = mean.max(low).min(high));
            rest = after;
        }
    }

    /// Puts two linked boxes under each other where they almost are.
    fn snap(&self, middles: &mut [f64]) {
        for (upper, lower) in self.boxed_links() {
            if (middles[upper] - middles[lower]).abs() <= SNAP {
                self.move_to(lower, middles[upper], middles);
                self.move_to(upper, middles[lower], middles);
            }
        }
    }

    /// Puts a box that has only one link under or over what it is linked with.
    fn follow(&self, middles: &mut [f64]) {
        let mut links = vec![0; self.rows.slots];
        for (upper, lower) in &self.rows.links {
            links[*upper] += 1;
            links[*lower] += 1;
        }
        for (upper, lower) in self.boxed_links() {
            if links[upper] == 1 {
                self.move_to(upper, middles[lower], middles);
            } else if links[lower] == 1 {
                self.move_to(lower, middles[upper], middles);
            }
        }
    }

    fn boxed_links(&self) -> impl Iterator<Item = (usize, usize)> {
        let links = self.rows.links.iter().copied();
        links.filter(|(upper, lower)| *upper < self.boxes && *lower < self.boxes)
    }

    fn move_to(&self, slot: usize, wanted: f64, middles: &mut [f64]) {
        let (low, high) = self.room(slot, middles);
        if low <= wanted && wanted <= high {
            middles[slot] = wanted;
        }
    }

    /// How far left and right the middle of a slot may lie while its neighbours stay.
    fn room(&self, slot: usize, middles: &[f64]) -> (f64, f64) {
        let low = self.left[slot].map_or(f64::MIN, |(other, apart)| middles[other] + apart);
        let high = self.right[slot].map_or(f64::MAX, |(other, apart)| middles[other] - apart);
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_moves_under_another_only_where_there_is_room() {
        // 0 and 1 lie over 2 and 3, and lead to them.
        let rows = Rows::new(&[0, 0, 1, 1], &[(0, 2), (1, 3)], &[false; 2]);
        let distance = |left, _| if left == 0 { 80.0 } else { 95.0 };
        let mut middles = vec![0.0, 90.0, 0.0, 100.0];
        Straighten::new(&rows, 4, distance).apply(&mut middles);
        assert_eq!(middles, [0.0, 100.0, 0.0, 100.0]);
    }

    #[test]
    fn the_bends_of_a_wire_come_on_one_line_where_there_is_one() {
        // 0 leads to 3 past 1 and 2, by the bends 4 and 5.
        let edges = [(0, 1), (1, 2), (2, 3), (0, 3)];
        let rows = Rows::new(&[0, 1, 2, 3], &edges, &[false; 4]);
        let mut middles = vec![0.0, 0.0, 0.0, 0.0, 40.0, 60.0];
        Straighten::new(&rows, 4, |_, _| 55.0).apply(&mut middles);
        assert_eq!(middles[4..], [55.0, 55.0]);
    }
}
