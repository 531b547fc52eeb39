//! Turns to begin a conversation in a channel that more networks want to begin in than it takes: each network
//! has one at a time, so that a flood from hundreds of networks costs a customer a wait that can be told, and
//! not the conversation.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use domain::{ChannelId, Gcra, Rate, Timestamp};

use crate::visits::{locked, whole_seconds};

/// Networks that have a turn before them at once, in one channel.
const WAITING: usize = 10_000;
/// How often it is looked for networks that did not come, at most.
const FORGET_MS: i64 = 1_000;
/// How long a turn lasts: a browser may put off the timer of a page that nobody looks at for a minute.
const LASTS_MS: i64 = 60_000;

#[derive(Default)]
pub(crate) struct Newcomers(Mutex<HashMap<ChannelId, Turns>>);

#[derive(Default)]
struct Turns {
    /// All that were given out, those to come too.
    given: Gcra,
    /// When the turn of a network begins.
    begins: HashMap<IpAddr, Timestamp>,
    forgot_at: Option<Timestamp>,
}

impl Newcomers {
    /// Takes the network's turn if it has come; if not, says in how many seconds to come for it. `rested` is
    /// the wait of a network that began a conversation just now: until that is over it has no further turn.
    pub(crate) fn take(
        &self,
        channel: &ChannelId,
        network: IpAddr,
        per_minute: u32,
        rested: Result<(), u64>,
        now: Timestamp,
    ) -> Result<(), u64> {
        let mut channels = locked(&self.0);
        if !channels.contains_key(channel) {
            channels.insert(channel.clone(), Turns::default());
        }
        let Some(turns) = channels.get_mut(channel) else { return rested };
        let rate = Rate::per_minute(per_minute);
        turns.take(network, rate, rested, now)
    }
}

impl Turns {
    fn take(
        &mut self,
        network: IpAddr,
        rate: Rate,
        rested: Result<(), u64>,
        now: Timestamp,
    ) -> Result<(), u64> {
        if let Some(begins) = self.begins.get(&network).copied() {
            let late_ms = now.since_ms(begins);
            if late_ms < 0 {
                return Err(whole_seconds(Duration::from_millis(late_ms.unsigned_abs())));
            }
            self.begins.remove(&network);
            if late_ms <= LASTS_MS {
                return Ok(());
            }
        }
        rested?;
        let wait = self.given.wait(rate, now);
        if !wait.is_zero() {
            self.forget(now);
            if self.begins.len() >= WAITING {
                return Err(whole_seconds(wait));
            }
            self.begins.insert(network, now.after(wait));
        }
        self.given.charge(rate, now);
        if wait.is_zero() { Ok(()) } else { Err(whole_seconds(wait)) }
    }

    /// Makes room for others, if all places are taken, of those who did not come for their turn.
    fn forget(&mut self, now: Timestamp) {
        let looked = self.forgot_at.is_some_and(|last| now.since_ms(last) < FORGET_MS);
        if self.begins.len() >= WAITING && !looked {
            self.forgot_at = Some(now);
            self.begins.retain(|_, begins| now.since_ms(*begins) <= LASTS_MS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + ms)
    }

    fn network(number: u32) -> IpAddr {
        IpAddr::from((number << 8).to_be_bytes())
    }

    /// A channel that takes one in six seconds, and ten at once; those ten are taken.
    fn full() -> (Turns, Rate) {
        let (mut turns, rate) = (Turns::default(), Rate::per_minute(10));
        for number in 0..10 {
            assert_eq!(turns.take(network(number), rate, Ok(()), at(0)), Ok(()));
        }
        (turns, rate)
    }

    #[test]
    fn each_network_has_the_turn_that_it_was_told_and_no_other_takes_it() {
        let (mut turns, rate) = full();
        let mut take = |number, ms| turns.take(network(number), rate, Ok(()), at(ms));
        assert_eq!([20, 21, 20, 22].map(|number| take(number, 0)), [6, 12, 6, 18].map(Err));
        assert_eq!(take(20, 5_999), Err(1));
        assert_eq!(take(21, 6_000), Err(6), "the turn of another");
        assert_eq!(take(22, 18_000), Ok(()), "although two before it did not come");
        assert_eq!(take(20, 66_000), Ok(()), "a minute late");
        assert_eq!(take(21, 72_001), Ok(()), "too late, and there is room by now");
    }

    #[test]
    fn whoever_began_just_now_waits_for_the_others_and_then_in_their_turn() {
        let (mut turns, rate) = full();
        assert_eq!(turns.take(network(1), rate, Err(40), at(0)), Err(40));
        assert_eq!(turns.take(network(1), rate, Ok(()), at(0)), Err(6));
        assert_eq!(turns.take(network(1), rate, Err(40), at(6_000)), Ok(()), "as it was told");
        assert_eq!(turns.take(network(1), rate, Ok(()), at(6_000)), Err(6), "once");
    }

    #[test]
    fn a_turn_that_was_missed_is_followed_by_another_at_the_end() {
        let (mut turns, rate) = full();
        let mut take = |number, ms| turns.take(network(number), rate, Ok(()), at(ms));
        assert_eq!(take(20, 0), Err(6));
        for number in 21..40 {
            let _ = take(number, 0);
        }
        assert_eq!(take(20, 66_001), Err(60), "behind the nineteen");
    }

    #[test]
    fn ten_thousand_networks_wait_and_those_that_did_not_come_are_forgotten() {
        let (mut turns, rate) = full();
        for number in 0..12_000 {
            assert!(turns.take(network(number), rate, Ok(()), at(0)).is_err());
        }
        assert_eq!(turns.begins.len(), WAITING);
        let last = turns.take(network(11_999), rate, Ok(()), at(0));
        assert_eq!(last, Err(6 * 10_001), "told when there may be room");
        assert!(turns.take(network(11_999), rate, Ok(()), at(70_000)).is_err());
        assert_eq!(turns.begins.len(), WAITING, "the first had not come for theirs");
    }
}
