//! The order of boxes and bends within each row, so that few wires cross.

const SWEEPS: usize = 12;

/// What lies in rows: boxes first, then the bends where a long edge passes a row.
pub(super) struct Rows {
    pub(super) rows: Vec<Vec<usize>>,
    /// Pairs of slots in neighbouring rows, upper first.
    pub(super) links: Vec<(usize, usize)>,
    /// By edge: the slots it passes from its box to its target; empty for one that leads back.
    pub(super) chains: Vec<Vec<usize>>,
    pub(super) slots: usize,
}

impl Rows {
    pub(super) fn new(row: &[usize], edges: &[(usize, usize)], back: &[bool]) -> Self {
        let mut rows = vec![Vec::new(); row.iter().max().map_or(0, |last| last + 1)];
        for (slot, row) in row.iter().enumerate() {
            rows[*row].push(slot);
        }
        let mut slots = row.len();
        let mut chains = Vec::with_capacity(edges.len());
        for ((from, to), back) in edges.iter().zip(back) {
            let mut chain = Vec::new();
            if !back {
                chain.push(*from);
                for passed in &mut rows[row[*from] + 1..row[*to]] {
                    passed.push(slots);
                    chain.push(slots);
                    slots += 1;
                }
                chain.push(*to);
            }
            chains.push(chain);
        }
        let links = chains.iter().flat_map(|chain| chain.windows(2)).map(|pair| (pair[0], pair[1]));
        let mut rows = Self { rows, links: links.collect(), chains, slots };
        rows.order();
        rows
    }

    /// Sweeps down and up, each row by the mean position of its neighbours; keeps the best.
    fn order(&mut self) {
        let near = Near::of(self);
        let mut best = (near.crossings(&self.rows), self.rows.clone());
        for sweep in 0..SWEEPS {
            if best.0 == 0 {
                break;
            }
            let last = self.rows.len().saturating_sub(1);
            for step in 1..=last {
                let down = sweep % 2 == 0;
                let (row, near_in) =
                    if down { (step, &near.above) } else { (last - step, &near.below) };
                sort(&mut self.rows, row, near_in, self.slots);
            }
            near.swap_neighbours(&mut self.rows, self.slots);
            let crossings = near.crossings(&self.rows);
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }
}

/// By slot: what it is linked with in the row above, and in the row below.
struct Near {
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl Near {
    fn of(rows: &Rows) -> Self {
        let (mut above, mut below) = (vec![Vec::new(); rows.slots], vec![Vec::new(); rows.slots]);
        for (upper, lower) in &rows.links {
            below[*upper].push(*lower);
            above[*lower].push(*upper);
        }
        Self { above, below }
    }

    /// Means tie where a swap would still help.
    fn swap_neighbours(&self, rows: &mut [Vec<usize>], slots: usize) {
        for row in 0..rows.len() {
            let place = places(rows, slots);
            let cross = |left: usize, right: usize| {
                [&self.above, &self.below]
                    .map(|near| inversions(&near[left], &near[right], &place))
                    .iter()
                    .sum::<usize>()
            };
            for right in 1..rows[row].len() {
                let (one, other) = (rows[row][right - 1], rows[row][right]);
                if cross(other, one) < cross(one, other) {
                    rows[row].swap(right - 1, right);
                }
            }
        }
    }

    fn crossings(&self, rows: &[Vec<usize>]) -> usize {
        let place = places(rows, self.below.len());
        let pairs = rows.iter().flat_map(|row| {
            row.iter()
                .enumerate()
                .flat_map(|(at, left)| row[at + 1..].iter().map(move |right| (left, right)))
        });
        pairs.map(|(left, right)| inversions(&self.below[*left], &self.below[*right], &place)).sum()
    }
}

/// How many wires of a slot cross those of one to its right.
fn inversions(left: &[usize], right: &[usize], place: &[usize]) -> usize {
    left.iter().map(|one| right.iter().filter(|other| place[*one] > place[**other]).count()).sum()
}

fn sort(rows: &mut [Vec<usize>], row: usize, near: &[Vec<usize>], slots: usize) {
    let place = places(rows, slots);
    let mean = |slot: usize| match near[slot].as_slice() {
        [] => place[slot] as f64,
        near => near.iter().map(|other| place[*other] as f64).sum::<f64>() / near.len() as f64,
    };
    rows[row].sort_by(|one, other| mean(*one).total_cmp(&mean(*other)));
}

/// By slot: how many lie left of it in its row.
fn places(rows: &[Vec<usize>], slots: usize) -> Vec<usize> {
    let mut places = vec![0; slots];
    for row in rows {
        for (place, slot) in row.iter().enumerate() {
            places[*slot] = place;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossed_pairs_are_uncrossed() {
        // 0 leads to 1 and 2, which lead to 4 and 3.
        let rows = Rows::new(&[0, 1, 1, 2, 2], &[(0, 1), (0, 2), (1, 4), (2, 3)], &[false; 4]);
        assert_eq!(Near::of(&rows).crossings(&rows.rows), 0);
    }

    #[test]
    fn a_long_edge_has_a_bend_in_every_row_it_passes() {
        let rows = Rows::new(&[0, 1, 2, 3], &[(0, 1), (1, 2), (2, 3), (0, 3)], &[false; 4]);
        assert_eq!(rows.slots, 6);
        assert_eq!(rows.chains[3], [0, 4, 5, 3]);
    }
}
