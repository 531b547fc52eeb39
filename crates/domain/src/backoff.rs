//! Exponential backoff as data: how long to wait before the next attempt.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    pub base_ms: i64,
    pub max_ms: i64,
}

impl Backoff {
    /// The wait after `attempt` attempts have failed, counting from 1; doubles up to the maximum.
    pub fn delay_ms(self, attempt: u32) -> i64 {
        let doublings = attempt.saturating_sub(1).min(32);
        self.base_ms.saturating_mul(1 << doublings).min(self.max_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_doubles_until_the_maximum() {
        let backoff = Backoff { base_ms: 500, max_ms: 3_000 };
        let waits: Vec<_> = (1..=5).map(|attempt| backoff.delay_ms(attempt)).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 3_000, 3_000]);
        assert_eq!(backoff.delay_ms(u32::MAX), 3_000);
    }
}
