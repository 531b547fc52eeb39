//! A call to a provider: the certainty at its end, and the words that may be kept of it.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};

use crate::{Outgoing, SendError};

/// The whole call, from connecting to the last byte of the answer.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of an answer: real answers are a few hundred, a longer one is some proxy's page.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
const MAX_REASON_CHARS: usize = 300;

/// The authorization header, which no log shows.
pub(crate) fn credentials(scheme: &str, secret: &SecretString) -> Result<HeaderValue, SendError> {
    let mut value =
        HeaderValue::try_from(format!("{scheme} {}", secret.expose_secret())).map_err(|_| {
            SendError::Refused {
                reason: "the channel's key has characters no header can carry".to_owned(),
            }
        })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The failure of a call without an answer: only before a connection is it certain that nothing was
/// sent.
pub(crate) fn unanswered(error: reqwest::Error) -> SendError {
    let cause = root_cause(&error);
    if error.is_builder() {
        SendError::Refused { reason: format!("the channel's api_base is no address: {cause}") }
    } else if error.is_connect() {
        SendError::Retry { reason: format!("could not connect: {cause}"), after_ms: None }
    } else if error.is_timeout() {
        SendError::Unknown { reason: format!("no answer within {} s", TIMEOUT.as_secs()) }
    } else {
        SendError::Unknown { reason: format!("the connection broke before an answer: {cause}") }
    }
}

/// The innermost cause, which names the fault and, unlike the outermost, no address.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(std::error::Error::source) {
        cause = Some(deeper);
    }
    cause.map_or_else(|| "no cause given".to_owned(), ToString::to_string)
}

/// The body, unless it breaks off or is longer than any answer.
pub(crate) async fn read(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_ANSWER_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(None) => return Some(body),
            Ok(Some(_)) | Err(_) => return None,
        }
    }
}

/// The provider's words without the customer's, because errors may quote the number or the text,
/// and reasons end in logs and on screens.
pub(crate) fn scrubbed(said: &str, message: &Outgoing<'_>) -> String {
    let mut said = said.to_owned();
    let values = message.approved.map_or(&[][..], |approved| &approved.values);
    let values = values.iter().map(|value| (value, "«value»"));
    let titles = message.options.iter().map(|option| (&option.title, "«option»"));
    let own = [(message.text.reveal(), "«text»"), (message.to.reveal(), "«to»")];
    for (value, stands_for) in own.into_iter().chain(values).chain(titles) {
        // A shorter value identifies nobody, and would be found in any sentence.
        if value.chars().count() > 2 {
            said = said.replace(value.as_str(), stands_for);
        }
    }
    said.chars().take(MAX_REASON_CHARS).collect()
}

pub(crate) fn because(status: StatusCode, what: &str, said: &str) -> String {
    let code = status.as_u16();
    if said.is_empty() { format!("{code}: {what}") } else { format!("{code}: {what} ({said})") }
}

pub(crate) fn refused(status: StatusCode, what: &str, said: &str) -> SendError {
    SendError::Refused { reason: because(status, what, said) }
}

/// `Retry-After` in seconds, fractions rounded up; its other form, a date, would need a clock.
pub(crate) fn retry_after_ms(headers: &HeaderMap) -> Option<i64> {
    let seconds: f64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).ceil() as i64)
}
