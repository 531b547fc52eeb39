//! Every error code that has a meaning, and the outcome of a send that gets it.

use channels::ChannelTrouble::{self, Account, Pace};
use channels::SendError;
use serde_json::json;

use super::sending::outcome;
use super::server::answer;

#[derive(Clone, Copy, Debug)]
enum Expected {
    WindowClosed,
    TooSoon,
    Waits(ChannelTrouble),
    Retry,
    Refused,
    Unknown,
}
use Expected::{Refused, Retry, TooSoon, Unknown, Waits, WindowClosed};

/// Status, code, outcome, and a word that tells a person the subject.
const ROWS: &[(&str, i64, Expected, &str)] = &[
    ("400 Bad", 131047, WindowClosed, "24 h"),
    ("400 Bad", 131056, TooSoon, "too many messages to this customer"),
    ("429 Slow", 130429, Waits(Pace), "too fast"),
    ("400 Bad", 80007, Waits(Pace), "too fast"),
    ("400 Bad", 4, Waits(Pace), "too many calls"),
    ("401 No", 190, Waits(Account), "access_token"),
    ("401 No", 0, Waits(Account), "access_token"),
    ("403 No", 10, Waits(Account), "whatsapp_business_messaging"),
    ("403 No", 200, Waits(Account), "whatsapp_business_messaging"),
    ("403 No", 3, Waits(Account), "whatsapp_business_messaging"),
    ("403 No", 131005, Waits(Account), "whatsapp_business_messaging"),
    ("400 Bad", 33, Waits(Account), "phone_number_id"),
    ("403 No", 368, Waits(Account), "blocked"),
    ("403 No", 131031, Waits(Account), "locked"),
    ("400 Bad", 131037, Waits(Account), "approval"),
    ("400 Bad", 131042, Waits(Account), "payment"),
    ("400 Bad", 131045, Waits(Account), "registered"),
    ("400 Bad", 133010, Waits(Account), "registered"),
    ("503 Away", 2, Retry, "for a moment"),
    ("500 Oops", 131016, Retry, "for a moment"),
    ("500 Oops", 133004, Retry, "for a moment"),
    ("500 Oops", 131057, Retry, "maintained"),
    ("500 Oops", 1, Unknown, "may have taken"),
    ("500 Oops", 131000, Unknown, "may have taken"),
    ("400 Bad", 131026, Refused, "cannot be delivered"),
    ("400 Bad", 131048, Refused, "complained"),
    ("400 Bad", 131049, Refused, "choice"),
    ("400 Bad", 131050, Refused, "marketing"),
    ("400 Bad", 131051, Refused, "kind"),
    ("400 Bad", 130472, Refused, "experiment"),
    ("400 Bad", 130497, Refused, "country"),
    ("400 Bad", 131021, Refused, "itself"),
    ("400 Bad", 100, Refused, "not accepted"),
    ("400 Bad", 131008, Refused, "missing"),
    ("400 Bad", 131009, Refused, "not as Meta wants"),
    ("400 Bad", 132000, Refused, "number of values"),
    ("404 Not", 132001, Refused, "no such template"),
    ("400 Bad", 132005, Refused, "too long"),
    ("400 Bad", 132007, Refused, "policy"),
    ("400 Bad", 132012, Refused, "form"),
    ("400 Bad", 132015, Refused, "paused"),
    ("400 Bad", 132016, Refused, "disabled"),
    ("400 Bad", 135000, Refused, "does not say why"),
    // An unknown code is never tried again, whatever its status.
    ("400 Bad", 987654, Refused, "987654"),
    ("500 Oops", 987654, Refused, "987654"),
];

#[tokio::test]
async fn every_code_comes_to_what_the_table_says_with_the_providers_own_words() {
    for (status, code, expected, word) in ROWS {
        let error = json!({"error": {
            "message": format!("(#{code}) title"), "type": "OAuthException", "code": code,
            "error_data": {"messaging_product": "whatsapp", "details": "the details"},
        }});
        let got = outcome(answer(status, "retry-after: 9\r\n", &error.to_string())).await;
        let got = got.unwrap_err();
        let reason = got.to_string();
        assert!(reason.contains(&code.to_string()) && reason.contains(word), "{code}: {reason}");
        assert!(reason.contains("the details"), "{code}: {reason}");
        let as_expected = match (expected, &got) {
            (WindowClosed, SendError::WindowClosed { .. })
            | (Retry, SendError::Retry { after_ms: Some(9_000), .. })
            | (TooSoon, SendError::TooSoon { after_ms: 9_000, .. })
            | (Refused, SendError::Refused { .. })
            | (Unknown, SendError::Unknown { .. }) => true,
            (Waits(trouble), SendError::ChannelWaits { cause, .. }) => trouble == cause,
            _ => false,
        };
        assert!(as_expected, "{code}: expected {expected:?}, got {got:?}");
    }
}

#[tokio::test]
async fn too_soon_for_a_customer_is_never_less_than_six_seconds() {
    let error = json!({"error": {"code": 131056}}).to_string();
    for headers in ["", "retry-after: 1\r\n"] {
        let got = outcome(answer("400 Bad", headers, &error)).await;
        assert!(matches!(got, Err(SendError::TooSoon { after_ms: 6_000, .. })), "{got:?}");
    }
}
