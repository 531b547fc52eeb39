//! A seeded order, since the solvers need a mixed one and training must repeat itself exactly.

/// SplitMix64: enough to mix an order, and the same on every machine.
pub(super) struct Shuffle(u64);

impl Shuffle {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn mix<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = (self.next() % (last as u64 + 1)) as usize;
            items.swap(last, other);
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
