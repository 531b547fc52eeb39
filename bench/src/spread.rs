//! How a set of readings is spread: its quantiles.

#[derive(Default)]
pub(crate) struct Spread(Vec<f64>);

impl Spread {
    pub(crate) fn of(mut readings: Vec<f64>) -> Self {
        readings.sort_unstable_by(f64::total_cmp);
        Self(readings)
    }

    /// The reading that a share `at` of all does not exceed; zero when there is none.
    pub(crate) fn quantile(&self, at: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let place = (last as f64 * at).round() as usize;
        self.0.get(place).copied().unwrap_or(0.0)
    }

    pub(crate) fn p50(&self) -> f64 {
        self.quantile(0.5)
    }

    pub(crate) fn p99(&self) -> f64 {
        self.quantile(0.99)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_readings_whatever_their_order_was() {
        let spread = Spread::of((0..=100).rev().map(f64::from).collect());
        assert_eq!((spread.p50(), spread.p99()), (50.0, 99.0));
        assert_eq!(Spread::default().p50(), 0.0);
    }
}
