//! A small seeded generator, so that a run can be repeated.

/// Knuth's MMIX generator; its high bits are the random ones.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// From 0 up to and without `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub(super) fn shuffled<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let mut shuffled = all.to_vec();
        for place in (1..shuffled.len()).rev() {
            shuffled.swap(place, self.below(place as u64 + 1) as usize);
        }
        shuffled
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
