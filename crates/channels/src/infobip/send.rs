//! Sends a text or an approved template through Infobip, and tells certain failure from uncertain.

use std::error::Error as _;
use std::time::Duration;

use async_trait::async_trait;
use domain::DeliveryStatus;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fields::{self, Raw};
use super::status::Status;
use crate::{Outgoing, Receipt, SendError, Sender};

/// The whole call, from connecting to the last byte of the answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Answers are a few hundred bytes; what is longer is a page of somebody else's.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
const MAX_REASON_CHARS: usize = 300;

pub struct Infobip {
    /// The account's own address, such as `https://abc123.api.infobip.com`.
    pub api_base: String,
    pub api_key: SecretString,
    /// The number messages come from.
    pub sender: String,
    /// Must follow no redirects and retry nothing: one call is one attempt.
    pub client: reqwest::Client,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(borrow)]
    message_id: Raw<'a>,
    #[serde(borrow)]
    status: Option<Status<'a>>,
}

/// Templates are sent in lists, and answered so; ours has one.
#[derive(Deserialize)]
struct Answers<'a> {
    #[serde(borrow)]
    messages: [Answer<'a>; 1],
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Problem {
    request_error: RequestError,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RequestError {
    service_exception: ServiceException,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ServiceException {
    message_id: Option<String>,
    text: Option<String>,
}

#[async_trait]
impl Sender for Infobip {
    async fn send(&self, message: Outgoing<'_>) -> Result<Receipt, SendError> {
        let response = self.call(&message).await?;
        let status = response.status();
        let after_ms = retry_after_ms(response.headers());
        let body = read(response).await;
        let said = || scrubbed(&body.as_deref().map(problem).unwrap_or_default(), &message);
        match status.as_u16() {
            200..=299 => accepted(body.as_deref(), &message),
            // 408: the provider gave up before it had the whole request.
            408 | 429 | 503 => Err(SendError::Retry {
                reason: because(status, "not taken now", &said()),
                after_ms,
            }),
            401 => Err(refused(
                status,
                "the key was not accepted; check the channel's api_key and that it belongs to its api_base",
                &said(),
            )),
            403 => Err(refused(
                status,
                "the key may not send; give it the WhatsApp scope in Infobip and check the channel's sender",
                &said(),
            )),
            404 => Err(refused(status, "no such address; check the channel's api_base", &said())),
            300..=399 => {
                Err(refused(status, "redirected elsewhere; check the channel's api_base", &said()))
            }
            400..=499 => Err(refused(status, "not accepted as it is", &said())),
            _ => Err(SendError::Unknown {
                reason: because(status, "failed at the provider, which may have taken it", &said()),
            }),
        }
    }
}

impl Infobip {
    async fn call(&self, message: &Outgoing<'_>) -> Result<Response, SendError> {
        let mut key = HeaderValue::try_from(format!("App {}", self.api_key.expose_secret()))
            .map_err(|_| SendError::Refused {
                reason: "the channel's api_key has characters no header can carry".to_owned(),
            })?;
        key.set_sensitive(true);
        let (kind, body) = self.body(message);
        self.client
            .post(format!("{}/whatsapp/1/message/{kind}", self.api_base.trim_end_matches('/')))
            .header(AUTHORIZATION, key)
            .timeout(TIMEOUT)
            .json(&body)
            .send()
            .await
            .map_err(unanswered)
    }

    /// The last part of the address, and what is posted there.
    fn body(&self, message: &Outgoing<'_>) -> (&'static str, Value) {
        let addressed = |content: Value| {
            json!({
                "from": self.sender,
                "to": message.to.reveal(),
                "messageId": message.reference,
                "content": content,
                "callbackData": message.reference,
            })
        };
        match message.approved {
            None => ("text", addressed(json!({ "text": message.text.reveal() }))),
            Some(approved) => {
                let content = json!({
                    "templateName": approved.name,
                    "templateData": { "body": { "placeholders": approved.values } },
                    "language": approved.language,
                });
                ("template", json!({ "messages": [addressed(content)] }))
            }
        }
    }
}

/// What is known when no answer came: only before a connection is it sure that nothing was sent.
fn unanswered(error: reqwest::Error) -> SendError {
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
async fn read(mut response: Response) -> Option<Vec<u8>> {
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

fn accepted(body: Option<&[u8]>, message: &Outgoing<'_>) -> Result<Receipt, SendError> {
    let unknown = |reason: &str| Err(SendError::Unknown { reason: reason.to_owned() });
    let Some(body) = body else {
        return unknown("accepted, but the answer broke off");
    };
    let Ok(answer) = answer(body, message) else {
        return unknown("accepted, but the answer is not Infobip's");
    };
    if let Some(status) = &answer.status
        && status.delivery() == Some(DeliveryStatus::Failed)
    {
        return Err(SendError::Refused { reason: scrubbed(&status.words(), message) });
    }
    let provider_ref = fields::id(answer.message_id, "messageId").ok();
    if provider_ref.is_none() && answer.status.is_none() {
        return unknown("accepted, but the answer says nothing of the message");
    }
    Ok(Receipt { provider_ref })
}

fn answer<'a>(body: &'a [u8], message: &Outgoing<'_>) -> serde_json::Result<Answer<'a>> {
    if message.approved.is_none() {
        return serde_json::from_slice(body);
    }
    serde_json::from_slice(body).map(|Answers { messages: [answer] }| answer)
}

/// What an error answer says of itself; nothing when it is not Infobip's.
fn problem(body: &[u8]) -> String {
    let problem: Problem = serde_json::from_slice(body).unwrap_or_default();
    let exception = problem.request_error.service_exception;
    [exception.message_id, exception.text].into_iter().flatten().collect::<Vec<_>>().join(": ")
}

/// The provider's words without the customer's: errors may quote the number or the text, and
/// reasons end in logs and on screens.
fn scrubbed(said: &str, message: &Outgoing<'_>) -> String {
    let mut said = said.to_owned();
    let values = message.approved.map_or(&[][..], |approved| &approved.values);
    let values = values.iter().map(|value| (value, "«value»"));
    let own = [(message.text.reveal(), "«text»"), (message.to.reveal(), "«to»")];
    for (value, stands_for) in own.into_iter().chain(values) {
        // A shorter value tells nothing, and would be found in any sentence.
        if value.chars().count() > 2 {
            said = said.replace(value.as_str(), stands_for);
        }
    }
    said.chars().take(MAX_REASON_CHARS).collect()
}

fn because(status: StatusCode, what: &str, said: &str) -> String {
    let code = status.as_u16();
    if said.is_empty() { format!("{code}: {what}") } else { format!("{code}: {what} ({said})") }
}

fn refused(status: StatusCode, what: &str, said: &str) -> SendError {
    SendError::Refused { reason: because(status, what, said) }
}

/// `Retry-After` in seconds, fractions rounded up; its other form, a date, would need a clock.
fn retry_after_ms(headers: &HeaderMap) -> Option<i64> {
    let seconds: f64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).ceil() as i64)
}
