//! How often a tool may be called, counted for each conversation.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::{ConversationId, Gcra, Timestamp};

use crate::Spec;

/// Above this many counts, those that say nothing any more are looked for and let go.
const KEPT: usize = 4096;

/// A counter for each conversation and tool.
#[derive(Debug, Default)]
pub struct Limits(Mutex<Counters>);

#[derive(Debug, Default)]
struct Counters {
    each: HashMap<(ConversationId, String), Gcra>,
    /// How many were left when all were last looked through. They are looked through again when there
    /// are twice as many, so that a call costs the same however many conversations are still unpaid.
    left: usize,
    #[cfg(test)]
    looked_at: usize,
}

impl Counters {
    fn let_go(&mut self, now: Timestamp) {
        if self.each.len() <= KEPT.max(2 * self.left) {
            return;
        }
        #[cfg(test)]
        {
            self.looked_at += self.each.len();
        }
        self.each.retain(|_, counter| !counter.is_paid_off(now));
        self.left = self.each.len();
    }
}

impl Limits {
    /// Counts a call, or says how long to wait before the next.
    pub fn take(
        &self,
        conversation: ConversationId,
        spec: &Spec,
        now: Timestamp,
    ) -> Result<(), Duration> {
        let Some(limit) = spec.limit else { return Ok(()) };
        // A poisoned count is still a count.
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters.let_go(now);
        counters.each.entry((conversation, spec.name.clone())).or_default().take(limit, now)
    }
}

#[cfg(test)]
mod tests {
    use domain::Rate;

    use super::*;
    use crate::Spec;

    fn conversation(id: u128) -> ConversationId {
        ConversationId(uuid::Uuid::from_u128(id))
    }

    fn spec(count: u32, per: Duration) -> Spec {
        let limit = Some(Rate { count, per });
        Spec { limit, ..Spec::of::<()>("a", "") }
    }

    #[test]
    fn a_burst_up_to_the_limit_passes_and_then_one_call_as_each_is_paid_back() {
        let (limits, spec) = (Limits::default(), spec(3, Duration::from_secs(60)));
        let conversation = conversation(1);
        let take = |ms| limits.take(conversation, &spec, Timestamp::from_millis(ms));
        for _ in 0..3 {
            take(0).unwrap();
        }
        assert_eq!(take(0), Err(Duration::from_secs(20)));
        assert_eq!(take(15_000), Err(Duration::from_secs(5)));
        take(20_000).unwrap();
        assert_eq!(take(20_000), Err(Duration::from_secs(20)));
        // After a quiet stretch no more than the limit has gathered.
        for _ in 0..3 {
            take(1_000_000).unwrap();
        }
        assert!(take(1_000_000).is_err());
    }

    #[test]
    fn conversations_and_tools_are_counted_apart_and_no_limit_counts_nothing() {
        let (limits, one) = (Limits::default(), spec(1, Duration::from_secs(1)));
        let other = Spec { name: "b".to_owned(), ..one.clone() };
        let none = Spec { limit: None, ..one.clone() };
        let now = Timestamp::from_millis(5);
        let [ana, beto] = [1, 2].map(conversation);
        limits.take(ana, &one, now).unwrap();
        limits.take(ana, &one, now).unwrap_err();
        limits.take(beto, &one, now).unwrap();
        limits.take(ana, &other, now).unwrap();
        for _ in 0..100 {
            limits.take(ana, &none, now).unwrap();
        }
        assert!(limits.take(ana, &spec(0, Duration::from_secs(1)), now).is_err());
    }

    #[test]
    fn counts_that_are_paid_back_are_let_go() {
        let (limits, spec) = (Limits::default(), spec(1, Duration::from_secs(1)));
        for n in 0..3 * KEPT {
            let conversation = conversation(n as u128);
            let now = Timestamp::from_millis(i64::try_from(n).unwrap() * 10);
            limits.take(conversation, &spec, now).unwrap();
        }
        assert!(limits.0.lock().unwrap().each.len() <= KEPT + 1);
    }

    #[test]
    fn a_call_looks_through_no_more_counts_when_none_can_be_let_go() {
        let (limits, spec) = (Limits::default(), spec(1, Duration::from_secs(3_600)));
        let calls = 16 * KEPT;
        for n in 0..calls {
            limits.take(conversation(n as u128), &spec, Timestamp::from_millis(0)).unwrap();
        }
        let looked_at = limits.0.lock().unwrap().looked_at;
        assert!(looked_at <= 2 * calls, "{looked_at} for {calls} calls");
    }
}
