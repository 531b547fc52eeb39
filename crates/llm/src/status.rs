//! HTTP statuses and providers' error objects as kinds of failure.

use std::time::Duration;

use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::{CallFailure, FailureKind};

/// Words of providers for a limit that only a person with a credit card can lift.
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

/// The words of an error in which names of parameters are looked for.
const MOST_NAMES: usize = 60;

/// Words of providers for a parameter that they do not take.
const REFUSALS: &[&str] = &[
    "unsupported",
    "not supported",
    "does not support",
    "doesn't support",
    "unrecognized",
    "unknown parameter",
    "unknown_parameter",
    "unknown field",
    "unexpected",
    "extra inputs",
    "extra_forbidden",
    "not permitted",
    "not allowed",
    "deprecated",
    "no longer",
];

/// The failure of an answer whose status is not a success.
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
    CallFailure { retry_after, refuses: error.refuses(), ..CallFailure::new(kind, message) }
}

/// The failure in an error object of an answer whose status was a success.
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
    CallFailure { refuses: error.refuses(), ..CallFailure::new(kind, error.message) }
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

/// The fields of an error, which each provider has in its own place.
#[derive(Default)]
struct ErrorObject {
    kind: String,
    code: String,
    status: Option<u16>,
    message: String,
    /// The parameters that the error names.
    params: Vec<String>,
}

impl ErrorObject {
    fn parse(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => match value.get("detail").and_then(Value::as_array) {
                Some(mistakes) => Self::of_mistakes(mistakes),
                None => Self::read(value.get("error").unwrap_or(&value)),
            },
            // The body is a proxy's page, whose words often tell the cause.
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
            params: Some(text("param").to_owned())
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect(),
        }
    }

    /// The mistakes in a request as servers in Python list them, each with the path to the faulty
    /// field.
    fn of_mistakes(mistakes: &[Value]) -> Self {
        let step = |step: &Value| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
        let way = |mistake: &Value| {
            let steps = mistake.get("loc")?.as_array()?;
            Some(steps.iter().map(step).collect::<Vec<_>>().join("."))
        };
        let text = |mistake: &Value, key: &str| {
            mistake.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let told = |mistake: &Value| {
            let way = way(mistake).unwrap_or_default();
            format!("{way}: {} ({})", text(mistake, "msg"), text(mistake, "type"))
        };
        Self {
            message: one_line(&mistakes.iter().map(told).collect::<Vec<_>>().join("; ")),
            params: mistakes.iter().filter_map(way).collect(),
            ..Self::default()
        }
    }

    /// The refused parameters: those the error names or else those its words may mean.
    fn refuses(&self) -> Vec<String> {
        let said = format!("{} {} {}", self.kind, self.code, self.message).to_lowercase();
        if !REFUSALS.iter().any(|words| said.contains(words)) {
            return Vec::new();
        }
        if !self.params.is_empty() {
            return self.params.clone();
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
        let names = self.message.split(|c: char| !is_name(c));
        let names = names.map(|name| name.trim_matches('.')).filter(|name| !name.is_empty());
        names.take(MOST_NAMES).map(str::to_owned).collect()
    }

    fn spend_cap(&self) -> bool {
        let said = format!("{} {} {}", self.kind, self.code, self.message).to_lowercase();
        SPEND_CAP.iter().any(|words| said.contains(words))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The wait the provider asks for: milliseconds if it gives them, else seconds, else a date. A date
/// is compared with the answer's own date, so that our clock need not agree with theirs.
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

    #[test]
    fn what_an_error_does_not_take_is_read_however_it_is_put() {
        let first = |body: &str, name: &str| {
            let refuses = failure(400, &headers(&[]), body).refuses;
            refuses.iter().position(|one| one == name).map(|_| refuses.len())
        };
        for (body, name, names) in [
            (
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
                "max_tokens",
                Some(1),
            ),
            (
                r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.2","param":"temperature","code":"unsupported_value"}}"#,
                "temperature",
                Some(1),
            ),
            (
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"temperature: Extra inputs are not permitted"}}"#,
                "temperature",
                Some(6),
            ),
            (
                r#"{"error":{"message":"`temperature` is deprecated for this model."}}"#,
                { "temperature" },
                Some(6),
            ),
            (
                r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#,
                "stream_options",
                Some(5),
            ),
            (
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
                "body.stream_options",
                Some(1),
            ),
            (r#"{"error":{"message":"max_tokens: 9 > 8, the maximum"}}"#, "max_tokens", None),
            (r#"{"error":{"message":"bad","param":"messages"}}"#, "messages", None),
            ("", "max_tokens", None),
        ] {
            assert_eq!(first(body, name), names, "{body}");
        }
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
