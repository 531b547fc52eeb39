//! Where the boxes and bends of each row lie: near what they are linked with, and never closer to
//! each other than they may.

use super::order::Rows;
use super::straighten::Straighten;

const AROUND_BOX: f64 = 14.0;
const AROUND_BEND: f64 = 8.0;
const SWEEPS: usize = 16;
const SETTLINGS: usize = 48;

/// The middle of every slot, moved so that the leftmost edge of any is at zero.
pub(super) fn middles(rows: &Rows, widths: &[f64]) -> Vec<f64> {
    let mut places = Places::new(rows, widths);
    for row in &rows.rows {
        places.spread(row, |_, _| (0.0, 1.0));
    }
    // First each row follows the one before it, down and up, so that boxes come under each other;
    // then every slot looks both ways, and long wires become straight.
    for sweep in 0..SWEEPS {
        if sweep % 2 == 0 {
            rows.rows
                .iter()
                .for_each(|row| places.spread(row, |at, slot| at.mean(slot, true, false)));
        } else {
            let upwards = rows.rows.iter().rev();
            upwards.for_each(|row| places.spread(row, |at, slot| at.mean(slot, false, true)));
        }
    }
    for _ in 0..SETTLINGS {
        rows.rows.iter().for_each(|row| places.spread(row, Places::settled));
    }
    let mut middles = places.middles.clone();
    Straighten::new(rows, widths.len(), |a, b| places.reach(a) + places.reach(b))
        .apply(&mut middles);
    let lefts = (0..rows.slots)
        .map(|slot| middles[slot] - widths.get(slot).map_or(0.0, |width| width / 2.0));
    let leftmost = lefts.fold(f64::MAX, f64::min);
    middles.iter().map(|middle| middle - leftmost).collect()
}

struct Places<'r> {
    rows: &'r Rows,
    widths: &'r [f64],
    /// By slot: the edge of which it is a bend.
    bend_of: Vec<Option<usize>>,
    middles: Vec<f64>,
}

/// Where a slot would lie if it were alone, and how much that matters.
type Wish = (f64, f64);

impl<'r> Places<'r> {
    fn new(rows: &'r Rows, widths: &'r [f64]) -> Self {
        let mut bend_of = vec![None; rows.slots];
        for (edge, chain) in rows.chains.iter().enumerate() {
            for slot in chain.iter().filter(|slot| **slot >= widths.len()) {
                bend_of[*slot] = Some(edge);
            }
        }
        Self { rows, widths, bend_of, middles: vec![0.0; rows.slots] }
    }

    /// How far from its middle no other slot may reach.
    fn reach(&self, slot: usize) -> f64 {
        self.widths.get(slot).map_or(AROUND_BEND, |width| width / 2.0 + AROUND_BOX)
    }

    /// The mean of the slots it is linked with above or below, in which bends weigh more.
    fn mean(&self, slot: usize, above: bool, below: bool) -> Wish {
        let near = self.rows.links.iter().filter_map(|(upper, lower)| {
            let linked = (above && *lower == slot).then_some(*upper);
            linked.or((below && *upper == slot).then_some(*lower))
        });
        let (sum, weight) = near.fold((0.0, 0.0), |(sum, total), other| {
            let bends = [slot, other].iter().filter(|slot| self.bend_of[**slot].is_some()).count();
            let weight = [1.0, 2.0, 8.0][bends];
            (sum + weight * self.middles[other], total + weight)
        });
        // What has no link on this side stays, lightly.
        if weight == 0.0 { (self.middles[slot], 0.1) } else { (sum / weight, weight) }
    }

    /// A box stands between all it is linked with; a bend stands above and below the others of its
    /// edge, drawn a little to where the edge comes from and goes to.
    fn settled(&self, slot: usize) -> Wish {
        let Some(edge) = self.bend_of[slot] else { return self.mean(slot, true, true) };
        let chain = &self.rows.chains[edge];
        let (ends, bends): (Vec<usize>, Vec<usize>) =
            chain.iter().partition(|slot| self.bend_of[**slot].is_none());
        let mean = |slots: &[usize]| {
            slots.iter().map(|slot| self.middles[*slot]).sum::<f64>() / slots.len() as f64
        };
        (0.9 * mean(&bends) + 0.1 * mean(&ends), 16.0)
    }

    /// Gives a row the places nearest to its wishes by least squares, keeping order and distance.
    ///
    /// With the distances taken off, the places must only not decrease: neighbours that would
    /// overlap are pooled at their common mean until none do.
    fn spread(&mut self, row: &[usize], wish: impl Fn(&Self, usize) -> Wish) {
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(row.len());
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (index, slot) in row.iter().enumerate() {
            if index > 0 {
                offset += self.reach(row[index - 1]) + self.reach(*slot);
            }
            offsets.push(offset);
            let (at, weight) = wish(self, *slot);
            let mut pool = (at - offset, weight, 1);
            while let Some(left) = pools.pop_if(|left| left.0 > pool.0) {
                let weight = left.1 + pool.1;
                pool = ((left.0 * left.1 + pool.0 * pool.1) / weight, weight, left.2 + pool.2);
            }
            pools.push(pool);
        }
        let pooled = pools.iter().flat_map(|(at, _, count)| std::iter::repeat_n(*at, *count));
        for ((slot, offset), at) in row.iter().zip(offsets).zip(pooled) {
            self.middles[*slot] = at + offset;
        }
    }
}
