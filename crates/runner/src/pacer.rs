//! The pace of whole channels, as this node sees it: a rate per number, and channels that wait.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use channels::ChannelTrouble;
use domain::{Backoff, ChannelId, Gcra, Rate, Timestamp};

/// How long a channel waits after its provider said that its number is too fast, again and again.
const TOO_FAST: Backoff = Backoff { base_ms: 2_000, max_ms: 60_000 };
/// How long it waits for a person to mend its account, before it looks again.
const ACCOUNT_MS: i64 = 60_000;
/// After a wait one message goes ahead; the others wait for what becomes of it.
const PROBE_MS: i64 = 10_000;

#[derive(Default)]
pub(crate) struct Pacer(Mutex<HashMap<ChannelId, Channel>>);

#[derive(Default)]
struct Channel {
    sent: Gcra,
    /// The times told to those who have to wait, each a message apart, so that not all come back at
    /// once.
    promised: Gcra,
    waits: Option<Wait>,
    /// Times in a row that the number was too fast.
    too_fast: u32,
}

struct Wait {
    until: Timestamp,
    cause: ChannelTrouble,
}

impl Pacer {
    fn on<T>(&self, channel: &ChannelId, act: impl FnOnce(&mut Channel) -> T) -> T {
        // The map is whole between statements, so a panic elsewhere does not spoil it.
        let mut channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match channels.get_mut(channel) {
            Some(known) => act(known),
            None => act(channels.entry(channel.clone()).or_default()),
        }
    }

    /// Takes the right to send one message now, or says when to come back.
    pub(crate) fn take(
        &self,
        channel: &ChannelId,
        pace: Option<Rate>,
        now: Timestamp,
    ) -> Result<(), Timestamp> {
        self.on(channel, |channel| channel.take(pace, now))
    }

    /// Gives back the right to a message that was not sent after all.
    pub(crate) fn give_back(&self, channel: &ChannelId, pace: Option<Rate>) {
        if let Some(pace) = pace {
            self.on(channel, |channel| channel.sent.give_back(pace));
        }
    }

    /// A message of the channel was taken: whatever was wrong is over.
    pub(crate) fn went(&self, channel: &ChannelId) {
        self.on(channel, |channel| {
            channel.waits = None;
            channel.too_fast = 0;
        });
    }

    /// The whole channel waits; until when.
    pub(crate) fn wait(
        &self,
        channel: &ChannelId,
        cause: ChannelTrouble,
        now: Timestamp,
    ) -> Timestamp {
        self.on(channel, |channel| {
            let ms = match cause {
                ChannelTrouble::Account => ACCOUNT_MS,
                ChannelTrouble::Pace => {
                    channel.too_fast += 1;
                    TOO_FAST.delay_ms(channel.too_fast)
                }
            };
            let until = now.plus_ms(ms);
            channel.waits = Some(Wait { until, cause });
            until
        })
    }
}

impl Channel {
    fn take(&mut self, pace: Option<Rate>, now: Timestamp) -> Result<(), Timestamp> {
        if let Some(wait) = &mut self.waits {
            if wait.until > now {
                return Err(wait.until);
            }
            let again = now.plus_ms(match wait.cause {
                ChannelTrouble::Account => PROBE_MS,
                ChannelTrouble::Pace => TOO_FAST.base_ms,
            });
            wait.until = again;
        }
        let Some(pace) = pace else { return Ok(()) };
        let Err(wait) = self.sent.take(pace, now) else { return Ok(()) };
        let free_at = now.after(wait);
        let one_by_one = Rate { count: 1, per: pace.per / pace.count.max(1) };
        let (Ok(wait) | Err(wait)) = self.promised.reserve(one_by_one, free_at, Duration::MAX);
        Err(free_at.after(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIFTY: Option<Rate> = Some(Rate::per_second(50));

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + ms)
    }

    #[test]
    fn no_second_holds_more_than_its_share_after_the_first() {
        let (pacer, id) = (Pacer::default(), ChannelId::from("tienda"));
        let took = |from: i64, to: i64| {
            (from..to).filter(|ms| pacer.take(&id, FIFTY, at(*ms)).is_ok()).count()
        };
        let burst = (0..1_000).filter(|_| pacer.take(&id, FIFTY, at(0)).is_ok()).count();
        assert_eq!(burst, 50);
        for second in 0..5 {
            let count = took(second * 1_000 + 1, (second + 1) * 1_000 + 1);
            assert!((49..=50).contains(&count), "{count} in second {second}");
        }
    }

    #[test]
    fn those_who_wait_are_told_different_times() {
        let (pacer, id) = (Pacer::default(), ChannelId::from("tienda"));
        while pacer.take(&id, FIFTY, at(0)).is_ok() {}
        let told: Vec<_> = (0..100).filter_map(|_| pacer.take(&id, FIFTY, at(0)).err()).collect();
        assert!(told.is_sorted_by(|earlier, later| later.since_ms(*earlier) == 20), "{told:?}");
        assert!(told[0] > at(0) && told[0] <= at(61), "{told:?}");
        assert!(pacer.take(&"otra".into(), FIFTY, at(0)).is_ok(), "another channel has its own");
    }

    #[test]
    fn a_right_given_back_can_be_taken_again() {
        let (pacer, id) = (Pacer::default(), ChannelId::from("tienda"));
        while pacer.take(&id, FIFTY, at(0)).is_ok() {}
        pacer.give_back(&id, FIFTY);
        assert!(pacer.take(&id, FIFTY, at(0)).is_ok());
        assert!(pacer.take(&id, FIFTY, at(0)).is_err());
    }

    #[test]
    fn after_a_wait_one_goes_ahead_and_its_end_decides_for_the_others() {
        let (pacer, id) = (Pacer::default(), ChannelId::from("tienda"));
        let until = pacer.wait(&id, ChannelTrouble::Account, at(0));
        assert_eq!(until, at(60_000));
        assert_eq!(pacer.take(&id, None, at(59_999)), Err(until));
        assert_eq!(pacer.take(&id, None, until), Ok(()));
        assert_eq!(pacer.take(&id, None, until), Err(until.plus_ms(PROBE_MS)));
        assert_eq!(pacer.wait(&id, ChannelTrouble::Account, until), until.plus_ms(60_000));
        assert!(pacer.take(&id, None, until.plus_ms(59_999)).is_err());
        assert_eq!(pacer.take(&id, None, until.plus_ms(60_000)), Ok(()));
        pacer.went(&id);
        assert_eq!(pacer.take(&id, None, until.plus_ms(60_000)), Ok(()));
    }

    #[test]
    fn a_number_that_stays_too_fast_waits_longer_each_time() {
        let (pacer, id) = (Pacer::default(), ChannelId::from("tienda"));
        let waits = |times: usize| -> Vec<i64> {
            let wait = |_| pacer.wait(&id, ChannelTrouble::Pace, at(0)).since_ms(at(0));
            (0..times).map(wait).collect()
        };
        assert_eq!(waits(7), [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
        pacer.went(&id);
        assert_eq!(waits(1), [2_000]);
    }
}
