//! Wrong keys are counted per caller and key, so that guessing takes for ever and nobody is locked
//! out by another's mistakes: not even the holder of a key behind the same proxy as who guesses it.
//! Keys that nobody has are counted per caller as well, since each costs the database a read; a key that
//! opened here lately is read all the same.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::{Gcra, KeyId, Rate, Timestamp};

use crate::peer::Peer;
use crate::remembered::Remembered;
use crate::token::Token;
use crate::visits::whole_seconds;

/// Wrong keys at once before a caller has to wait, and one more in each six seconds.
const TRIES: Rate = Rate::per_minute(10);
/// Keys that nobody has at once from one caller, and one more in each second.
const UNKNOWN: Rate = Rate::per_minute(60);
/// Keys remembered to have opened.
const OPENED: usize = 10_000;
/// Callers remembered; those who may try freely again are forgotten first.
const CALLERS: usize = 10_000;
/// How often it is looked for those, at most.
const FORGET_MS: i64 = 1_000;

/// An attempt: its caller and the key tried; `None` if the text did not even look like a key.
pub(super) type Attempt = (Peer, Option<KeyId>);

#[derive(Default)]
struct Tries {
    wrong: Gcra,
    /// The hash that is kept of the key: whoever brings that one is its holder and waits for nobody.
    kept: Option<String>,
}

#[derive(Default)]
pub(crate) struct Throttle(Mutex<Callers>);

#[derive(Default)]
struct Callers {
    tries: HashMap<Attempt, Tries>,
    /// Keys tried that nobody has.
    unknown: HashMap<Peer, Gcra>,
    opened: Remembered<KeyId, OPENED>,
    forgot_at: Option<Timestamp>,
}

impl Throttle {
    /// How many seconds to wait, if this one has to.
    pub(super) fn wait_s(
        &self,
        attempt: Attempt,
        token: Option<&Token>,
        now: Timestamp,
    ) -> Option<u64> {
        let (wait, kept) = {
            let callers = self.lock();
            let tries = callers.tries.get(&attempt);
            let own = tries.map_or(Duration::ZERO, |tries| tries.wrong.wait(TRIES, now));
            let kept = tries.and_then(|tries| tries.kept.as_ref());
            let (peer, key) = attempt;
            let is_known = |key| kept.is_some() || callers.opened.has(&key);
            let unknown =
                callers.unknown.get(&peer).filter(|_| key.is_some_and(|key| !is_known(key)));
            let wait = own.max(unknown.map_or(Duration::ZERO, |tried| tried.wait(UNKNOWN, now)));
            (wait, (!wait.is_zero()).then(|| kept.cloned())?)
        };
        let is_holder = kept.zip(token).is_some_and(|(kept, token)| token.has(&kept));
        (!is_holder).then(|| whole_seconds(wait))
    }

    /// Counts a wrong key; `kept` is what the right one would have been held against.
    pub(super) fn failed(&self, attempt: Attempt, kept: Option<String>, now: Timestamp) {
        let mut callers = self.lock();
        let looked = callers.forgot_at.is_some_and(|last| now.since_ms(last) < FORGET_MS);
        if callers.tries.len().max(callers.unknown.len()) >= CALLERS && !looked {
            callers.forgot_at = Some(now);
            callers.tries.retain(|_, tries| !tries.wrong.is_paid_off(now));
            callers.unknown.retain(|_, tried| !tried.is_paid_off(now));
        }
        let (peer, key) = attempt;
        let is_unknown = key.is_some() && kept.is_none();
        if is_unknown && (callers.unknown.len() < CALLERS || callers.unknown.contains_key(&peer)) {
            // No more is owed than a minute, however many were under way at once.
            let _ = callers.unknown.entry(peer).or_default().take(UNKNOWN, now);
        }
        if callers.tries.len() < CALLERS || callers.tries.contains_key(&attempt) {
            let tries = callers.tries.entry(attempt).or_default();
            tries.wrong.charge(TRIES, now);
            tries.kept = kept;
        }
    }

    /// This key let its holder in.
    pub(super) fn opened(&self, key: KeyId) {
        self.lock().opened.remember(key);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Callers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use domain::{SeededIds, VirtualClock, WorkspaceId};
    use store::KeyRole;
    use uuid::Uuid;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_780_000_000_000 + ms)
    }

    fn from(address: &str, key: u128) -> Attempt {
        (Peer(address.parse().unwrap()), Some(KeyId(Uuid::from_u128(key))))
    }

    #[test]
    fn ten_wrong_keys_are_forgiven_and_then_one_in_six_seconds() {
        let (throttle, ana) = (Throttle::default(), from("10.0.0.1", 1));
        let wait_s = |attempt, now| throttle.wait_s(attempt, None, now);
        for _ in 0..10 {
            assert_eq!(wait_s(ana, at(0)), None);
            throttle.failed(ana, None, at(0));
        }
        assert_eq!(wait_s(ana, at(0)), Some(6));
        assert_eq!(wait_s(ana, at(5_999)), Some(1));
        assert_eq!(wait_s(ana, at(6_000)), None);
        throttle.failed(ana, None, at(6_000));
        assert_eq!(wait_s(ana, at(6_000)), Some(6));
        for other in [from("10.0.0.2", 1), from("10.0.0.1", 2)] {
            assert_eq!(wait_s(other, at(6_000)), None, "that is none of theirs");
        }
        assert_eq!(wait_s(ana, at(100_000)), None);
    }

    #[test]
    fn whoever_has_the_key_itself_is_never_made_to_wait() {
        let ids = SeededIds::new(VirtualClock::at(at(0)), 7);
        let mint =
            || crate::mint(WorkspaceId::from_slug("t"), "ana", KeyRole::Viewer, None, &ids, at(0));
        let ((token, stored), (other, _)) = (mint(), mint());
        let (throttle, attempt) = (Throttle::default(), from("10.0.0.1", 1));
        for _ in 0..20 {
            throttle.failed(attempt, Some(stored.secret_sha256.clone()), at(0));
        }
        assert_eq!(throttle.wait_s(attempt, Some(&token), at(0)), None);
        assert_eq!(throttle.wait_s(attempt, Some(&other), at(0)), Some(66));
    }

    #[test]
    fn keys_that_nobody_has_are_slowed_down_together_and_those_that_opened_lately_are_not() {
        let throttle = Throttle::default();
        let wait_s = |attempt| throttle.wait_s(attempt, None, at(0));
        throttle.opened(KeyId(Uuid::from_u128(7)));
        for key in 100..160 {
            assert_eq!(wait_s(from("10.0.0.1", key)), None);
            throttle.failed(from("10.0.0.1", key), None, at(0));
        }
        assert_eq!(
            wait_s(from("10.0.0.1", 999)),
            Some(1),
            "a key that is tried for the first time"
        );
        assert_eq!(wait_s(from("10.0.0.1", 7)), None, "a holder at the same address");
        assert_eq!(wait_s(from("10.0.0.2", 999)), None, "somebody else");
        // A wrong secret of a key that somebody has is another matter, and has a count of its own.
        throttle.failed(from("10.0.0.1", 8), Some("kept".to_owned()), at(0));
        assert_eq!(wait_s(from("10.0.0.1", 8)), None);
        assert_eq!(throttle.wait_s(from("10.0.0.1", 999), None, at(1_000)), None);
    }

    #[test]
    fn a_flood_of_callers_fills_no_memory() {
        let throttle = Throttle::default();
        for key in 0..20_000 {
            throttle.failed(from("10.0.0.1", key), None, at(0));
        }
        assert_eq!(throttle.lock().tries.len(), CALLERS);
        throttle.failed(from("10.0.0.1", 99_999), None, at(6_000));
        assert_eq!(throttle.lock().tries.len(), 1, "those who may try again are forgotten");
    }
}
