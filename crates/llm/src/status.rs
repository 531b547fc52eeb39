//! What an HTTP status and a provider's error object mean for a call.

use std::time::Duration;

use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::{CallFailure, FailureKind};

/// What only a person with a credit card can mend, as providers put it.
const SPEND_CAP: &[&str] = &[
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit",
    "billing_not_active",
    "billing details",
    "credit balance",
    "insufficient balance",
    "insufficient credits",
    "current quota",
    "spend limit",
    "spending limit",
    "spend cap",
    "api usage limits",
    "monthly usage limit",
];

/// An answer whose status is not a success.
pub(crate) fn failure(status: u16, headers: &HeaderMap, body: &str) -> CallFailure {
    let error = ErrorObject::parse(body);
    let kind = if status == 402 || (matches!(status, 400 | 403 | 429) && error.spend_cap()) {
        FailureKind::SpendCap
    } else {
        kind_of(status)
    };
    let message = match error.message.as_str() {
        "" => format!("status {status}"),
        text => format!("status {status}: {text}"),
    };
    let retry_after = retry_after(headers);
    CallFailure { retry_after, ..CallFailure::new(kind, message) }
}

/// An error object inside an answer whose status was a success.
pub(crate) fn in_band(error: &Value) -> CallFailure {
    let error = ErrorObject::read(error);
    let kind = if error.spend_cap() {
        FailureKind::SpendCap
    } else {
        match error.kind.as_str() {
            "overloaded_error" => FailureKind::Overloaded,
            "rate_limit_error" | "rate_limit_exceeded" => FailureKind::RateLimited,
            "invalid_request_error" | "not_found_error" | "request_too_large" => {
                FailureKind::BadRequest
            }
            "authentication_error" | "permission_error" => FailureKind::Auth,
            _ => error.status.map_or(FailureKind::Server, kind_of),
        }
    };
    CallFailure::new(kind, error.message)
}

fn kind_of(status: u16) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Auth,
        429 => FailureKind::RateLimited,
        529 => FailureKind::Overloaded,
        408 | 409 | 425 | 500.. => FailureKind::Server,
        _ => FailureKind::BadRequest,
    }
}

/// What providers say of an error, each in its own place.
#[derive(Default)]
struct ErrorObject {
    kind: String,
    code: String,
    status: Option<u16>,
    message: String,
}

impl ErrorObject {
    fn parse(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::read(value.get("error").unwrap_or(&value)),
            // A proxy's page; its words often tell.
            Err(_) => Self { message: one_line(body), ..Self::default() },
        }
    }

    fn read(error: &Value) -> Self {
        let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
        let message = error.as_str().unwrap_or_else(|| text("message"));
        let status = error.get("code").and_then(Value::as_u64);
        Self {
            kind: text("type").to_owned(),
            code: text("code").to_owned(),
            status: status.and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400),
            message: one_line(message),
        }
    }

    fn spend_cap(&self) -> bool {
        let said = format!("{} {} {}", self.kind, self.code, self.message).to_lowercase();
        SPEND_CAP.iter().any(|words| said.contains(words))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Milliseconds where the provider gives them, else seconds, else a date. A date is held against
/// the answer's own, so that our clock need not agree with theirs.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let amount = |text: &str| text.parse::<f64>().ok();
    if let Some(ms) = text("retry-after-ms").and_then(amount) {
        return Duration::try_from_secs_f64(ms / 1_000.0).ok();
    }
    let given = text(RETRY_AFTER.as_str())?;
    if let Some(seconds) = amount(given) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let instant = |text: &str| Some(rfc2822::parse(text).ok()?.timestamp());
    let wait = instant(given)?.as_millisecond() - instant(text(DATE.as_str())?)?.as_millisecond();
    Some(Duration::from_millis(u64::try_from(wait).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn each_status_and_error_object_has_its_kind() {
        let cases = [
            (400, r#"{"error":{"type":"invalid_request_error","message":"bad"}}"#, BadRequest),
            (400, r#"{"error":{"message":"Your credit balance is too low"}}"#, SpendCap),
            (400, r#"{"error":{"code":"billing_hard_limit_reached"}}"#, SpendCap),
            (400, r#"{"error":{"message":"You have reached your API usage limits."}}"#, SpendCap),
            (401, r#"{"error":{"type":"authentication_error"}}"#, Auth),
            (402, "", SpendCap),
            (403, r#"{"error":{"type":"permission_error"}}"#, Auth),
            (404, r#"{"error":"model 'x' not found"}"#, BadRequest),
            (408, "", Server),
            (413, r#"{"error":{"type":"request_too_large"}}"#, BadRequest),
            (422, "", BadRequest),
            (429, "", RateLimited),
            (429, r#"{"error":{"type":"rate_limit_error","message":"slow down"}}"#, RateLimited),
            (429, r#"{"error":{"type":"insufficient_quota","message":"x"}}"#, SpendCap),
            (429, r#"{"error":{"message":"You exceeded your current quota"}}"#, SpendCap),
            (429, r#"{"error":{"message":"monthly spend limit reached"}}"#, SpendCap),
            (
                429,
                r#"{"error":{"message":"Limit 3 / min. See platform/account/billing to raise it"}}"#,
                RateLimited,
            ),
            (500, r#"{"error":{"type":"api_error"}}"#, Server),
            (502, "<html>Bad gateway</html>", Server),
            (503, "", Server),
            (504, "", Server),
            (529, r#"{"error":{"type":"overloaded_error"}}"#, Overloaded),
            (301, "", BadRequest),
        ];
        for (status, body, kind) in cases {
            assert_eq!(failure(status, &headers(&[]), body).kind, kind, "{status} {body}");
        }
    }

    #[test]
    fn an_error_inside_a_stream_has_the_kind_its_words_say() {
        let cases = [
            (r#"{"type":"overloaded_error","message":"Overloaded"}"#, Overloaded),
            (r#"{"type":"rate_limit_error"}"#, RateLimited),
            (r#"{"type":"api_error"}"#, Server),
            (r#"{"type":"invalid_request_error"}"#, BadRequest),
            (r#"{"type":"authentication_error"}"#, Auth),
            (r#"{"type":"insufficient_quota"}"#, SpendCap),
            (r#"{"code":429,"message":"slow"}"#, RateLimited),
            (r#"{"code":502,"message":"upstream"}"#, Server),
            (r#""the model crashed""#, Server),
        ];
        for (error, kind) in cases {
            assert_eq!(in_band(&serde_json::from_str(error).unwrap()).kind, kind, "{error}");
        }
    }

    #[test]
    fn the_providers_words_are_shown_in_one_line() {
        let shown = |body: &str| failure(400, &headers(&[]), body).message;
        assert_eq!(shown(r#"{"error":{"message":"max_tokens:\n too big"}}"#), {
            "status 400: max_tokens: too big"
        });
        assert_eq!(shown(r#"{"object":"error","message":"vLLM says no"}"#), {
            "status 400: vLLM says no"
        });
        assert_eq!(shown(""), "status 400");
        assert_eq!(shown("<html>\n Bad\n</html>"), "status 400: <html> Bad </html>");
    }

    type Given = &'static [(&'static str, &'static str)];

    #[test]
    fn the_wait_is_read_in_every_form_it_is_given() {
        const DATED: (&str, &str) = ("date", "Sun, 15 Nov 2026 16:00:00 GMT");
        let cases: [(Given, Option<u64>); 9] = [
            (&[("retry-after", "7")], Some(7_000)),
            (&[("retry-after", "0.25")], Some(250)),
            (&[("retry-after", "9"), ("retry-after-ms", "1500")], Some(1_500)),
            (&[("retry-after", "Sun, 15 Nov 2026 16:00:30 GMT"), DATED], Some(30_000)),
            (&[("retry-after", "Sun, 15 Nov 2026 15:59:30 GMT"), DATED], Some(0)),
            (&[("retry-after", "Sun, 15 Nov 2026 16:00:30 GMT")], None),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ];
        for (given, expected) in cases {
            let wait = retry_after(&headers(given)).map(|wait| wait.as_millis());
            assert_eq!(wait, expected.map(u128::from), "{given:?}");
        }
    }
}
