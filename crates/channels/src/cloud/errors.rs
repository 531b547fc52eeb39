//! Meta's error codes: a table of their meaning for a message and for its channel, and its
//! application.
//!
//! Texts on the web disagree about several codes, so a code decides and the provider's own details
//! are always kept beside it.

use metrics::counter;
use serde::Deserialize;

use crate::fields::{self, Raw};
use crate::{ChannelTrouble, SendError};

/// WhatsApp's own figure for one customer: a message in six seconds.
const PAIR_MS: i64 = 6_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureClass {
    /// The customer last wrote too long ago: nothing but templates leaves.
    WindowClosed,
    /// Too many messages to this customer.
    PairPace,
    /// Too many messages from this number.
    NumberPace,
    /// Token, permissions or account: a person has to mend it, and until then nothing else leaves
    /// either.
    Account,
    /// Not now; worth another attempt.
    Retry,
    /// Never.
    Refused,
    /// The message may have been taken.
    Unknown,
}

struct Meaning {
    code: i64,
    class: FailureClass,
    /// The meaning in our words, with the remedy if there is one.
    words: &'static str,
}

const fn means(code: i64, class: FailureClass, words: &'static str) -> Meaning {
    Meaning { code, class, words }
}

use FailureClass::{Account, NumberPace, PairPace, Refused, Retry, Unknown, WindowClosed};

const TABLE: &[Meaning] = &[
    means(0, Account, "the token is not accepted; set the channel's access_token anew"),
    means(1, Unknown, "failed at Meta, which may have taken it"),
    means(2, Retry, "Meta is away for a moment"),
    means(3, Account, "the token may not send; give it whatsapp_business_messaging"),
    means(4, NumberPace, "the app makes too many calls"),
    means(10, Account, "the token may not send; give it whatsapp_business_messaging"),
    means(33, Account, "the number is gone; check the channel's phone_number_id"),
    means(100, Refused, "not accepted as it is"),
    means(190, Account, "the token has expired; set the channel's access_token anew"),
    means(200, Account, "the token may not send; give it whatsapp_business_messaging"),
    means(368, Account, "the account is blocked for a while for its conduct"),
    means(80007, NumberPace, "the account sends too fast"),
    means(130429, NumberPace, "the number sends too fast"),
    means(130472, Refused, "the customer is part of an experiment of Meta's"),
    means(130497, Refused, "the account may not write to that country"),
    means(131000, Unknown, "failed at Meta, which may have taken it"),
    means(131005, Account, "the token may not send; give it whatsapp_business_messaging"),
    means(131008, Refused, "a part is missing"),
    means(131009, Refused, "a part is not as Meta wants it"),
    means(131016, Retry, "Meta is away for a moment"),
    means(131021, Refused, "the number cannot write to itself"),
    means(131026, Refused, "cannot be delivered to this customer"),
    means(131031, Account, "the account is locked"),
    means(131037, Account, "the number's name waits for approval"),
    means(131042, Account, "the account's payment method does not work"),
    means(131045, Account, "the number is not registered, or its certificate is wrong"),
    means(131047, WindowClosed, "the customer last wrote more than 24 h ago"),
    means(131048, Refused, "held back since too many customers complained"),
    means(131049, Refused, "not delivered, by Meta's choice"),
    means(131050, Refused, "the customer wants no marketing"),
    means(131051, Refused, "not a kind of message that Meta sends"),
    means(131056, PairPace, "too many messages to this customer"),
    means(131057, Retry, "the account is being maintained"),
    means(132000, Refused, "the template wants another number of values"),
    means(132001, Refused, "there is no such template in that language"),
    means(132005, Refused, "the template is too long with these values"),
    means(132007, Refused, "the template goes against Meta's policy"),
    means(132012, Refused, "the template wants values of another form"),
    means(132015, Refused, "the template is paused"),
    means(132016, Refused, "the template is disabled"),
    means(133004, Retry, "Meta's server is away for a moment"),
    means(133010, Account, "the number is not registered"),
    means(135000, Refused, "not accepted, and Meta does not say why"),
];

/// A fault that Meta reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) code: Option<i64>,
    /// Title, then details, as they came.
    said: Vec<String>,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    code: Raw<'a>,
    #[serde(borrow)]
    title: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    error_data: Raw<'a>,
}

#[derive(Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    details: Raw<'a>,
}

/// Reads one error object; parts that cannot be read are missing.
pub(super) fn read(raw: Raw<'_>) -> Problem {
    let Some(wire) = raw.and_then(|raw| fields::object::<Wire<'_>>(raw, "error").ok()) else {
        return Problem::default();
    };
    let said = |raw| fields::string(raw, "").ok().flatten().filter(|said| !said.is_empty());
    let details = wire.error_data.and_then(|raw| fields::object::<Details<'_>>(raw, "").ok());
    let mut words: Vec<_> = said(wire.title).or_else(|| said(wire.message)).into_iter().collect();
    words.extend(details.and_then(|details| said(details.details)));
    words.dedup();
    Problem {
        code: wire.code.and_then(|code| code.get().trim_matches('"').parse().ok()),
        said: words,
    }
}

/// The first of a status's errors, which is the one that counts.
pub(super) fn first(errors: Raw<'_>) -> Problem {
    let all: Option<Vec<&serde_json::value::RawValue>> =
        errors.and_then(|raw| serde_json::from_str(raw.get()).ok());
    read(all.and_then(|all| all.first().copied()))
}

impl Problem {
    fn meaning(&self) -> Option<&'static Meaning> {
        let code = self.code?;
        let meaning = TABLE.iter().find(|meaning| meaning.code == code);
        if meaning.is_none() {
            // A warning, so that somebody looks the code up; until then nothing is tried again.
            tracing::warn!(code, "an error code of Meta's that has no meaning here");
            counter!("recado_channel_unknown_codes_total").increment(1);
        }
        meaning
    }

    pub(super) fn closes_window(&self) -> bool {
        self.meaning().is_some_and(|meaning| meaning.class == WindowClosed)
    }

    /// Code, our words and Meta's own.
    pub(super) fn told(&self) -> String {
        let code = self.code.map(|code| code.to_string());
        let ours = self.meaning().map(|meaning| meaning.words.to_owned());
        let theirs = (!self.said.is_empty()).then(|| format!("({})", self.said.join(": ")));
        let parts: Vec<_> = [code, ours].into_iter().flatten().collect();
        let told = [Some(parts.join(": ")), theirs];
        let told: Vec<_> = told.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if told.is_empty() { "no reason given".to_owned() } else { told.join(" ") }
    }

    /// The outcome of a refused send; `None` without a code.
    pub(super) fn judged(&self, reason: String, after_ms: Option<i64>) -> Option<SendError> {
        self.code?;
        let Some(meaning) = self.meaning() else { return Some(SendError::Refused { reason }) };
        Some(match meaning.class {
            WindowClosed => SendError::WindowClosed { reason },
            PairPace => SendError::TooSoon { reason, after_ms: after_ms.unwrap_or(0).max(PAIR_MS) },
            NumberPace => SendError::ChannelWaits { reason, cause: ChannelTrouble::Pace },
            Account => SendError::ChannelWaits { reason, cause: ChannelTrouble::Account },
            Retry => SendError::Retry { reason, after_ms },
            Refused => SendError::Refused { reason },
            Unknown => SendError::Unknown { reason },
        })
    }
}
