//! The paths of wires: down through the gaps between rows, and back up round the right side.

use std::fmt::Write;

/// What a wire must know of the drawing.
pub(super) struct Ground<'l> {
    /// By row: its top and its bottom.
    pub(super) rows: &'l [(f64, f64)],
    /// By box, then by bend.
    pub(super) middles: &'l [f64],
    /// By box.
    pub(super) row: &'l [usize],
    /// By box: its top, bottom and width.
    pub(super) boxes: &'l [(f64, f64, f64)],
}

/// A path, and the point where it arrives from above.
pub(super) struct Wire {
    pub(super) path: String,
    pub(super) tip: (f64, f64),
}

/// How far a wire that leads back keeps from boxes, and from the next such wire.
const LANE: f64 = 10.0;

/// How far a wire goes straight down before it arrives.
const ARRIVAL: f64 = 8.0;

impl Ground<'_> {
    /// Curves only between rows, where no box lies, and passes rows straight.
    pub(super) fn down(&self, chain: &[usize]) -> Wire {
        let (from, to) = (chain[0], chain[chain.len() - 1]);
        let mut row = self.row[from];
        let mut x = self.middles[from];
        let mut path = format!("M{x:.1} {:.1}V{:.1}", self.boxes[from].1, self.rows[row].1);
        for slot in &chain[1..] {
            let (upper, lower) = (self.rows[row].1, self.rows[row + 1].0);
            row += 1;
            let middle = (upper + lower) / 2.0 - ARRIVAL / 2.0;
            let next = self.middles[*slot];
            let _ = write!(
                path,
                "C{x:.1} {middle:.1} {next:.1} {middle:.1} {next:.1} {:.1}",
                lower - ARRIVAL
            );
            x = next;
            let bottom = if *slot == to { self.boxes[to].0 } else { self.rows[row].1 };
            let _ = write!(path, "V{bottom:.1}");
        }
        Wire { path, tip: (x, self.boxes[to].0) }
    }

    /// Leaves below its box, runs between rows to its own lane right of everything, and comes in
    /// above its target.
    pub(super) fn up(&self, (from, to): (usize, usize), lane: usize, right: f64) -> Wire {
        let out = self.middles[from] + self.boxes[from].2 / 4.0;
        let back = self.middles[to] + self.boxes[to].2 / 4.0;
        // Wires in one gap keep apart, and below the upper row from above the lower one.
        let shift = LANE + 3.0 * (lane % 5) as f64;
        let below = self.rows[self.row[from]].1 + shift;
        let above = self.rows[self.row[to]].0 - shift - ARRIVAL;
        let side = lane_at(lane, right);
        let r = 6.0;
        let path = format!(
            "M{out:.1} {:.1}V{:.1}Q{out:.1} {below:.1} {:.1} {below:.1}H{:.1}\
             Q{side:.1} {below:.1} {side:.1} {:.1}V{:.1}Q{side:.1} {above:.1} {:.1} {above:.1}\
             H{:.1}Q{back:.1} {above:.1} {back:.1} {:.1}V{:.1}",
            self.boxes[from].1,
            below - r,
            out + r,
            side - r,
            below - r,
            above + r,
            side - r,
            back + r,
            above + r,
            self.boxes[to].0,
        );
        Wire { path, tip: (back, self.boxes[to].0) }
    }
}

/// Where the lane lies in which the wire with this number leads up.
pub(super) fn lane_at(lane: usize, right: f64) -> f64 {
    right + LANE * (2 + lane) as f64
}
