//! Sends a text, with or without options, or an approved template through Infobip, and tells certain
//! failure from uncertain.

use async_trait::async_trait;
use domain::{DeliveryStatus, ReplyOption};
use reqwest::Response;
use reqwest::header::AUTHORIZATION;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};

use super::status::Status;
use crate::exchange::{
    TIMEOUT, because, credentials, read, refused, retry_after_ms, scrubbed, unanswered,
};
use crate::fields::{self, Raw};
use crate::offer::{Layout, layout};
use crate::{Outgoing, Receipt, SendError, Sender};

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
        let key = credentials("App", &self.api_key)?;
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

    /// The last part of the address, and the body posted there.
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
        if let Some(approved) = message.approved {
            let content = json!({
                "templateName": approved.name,
                "templateData": { "body": { "placeholders": approved.values } },
                "language": approved.language,
            });
            return ("template", json!({ "messages": [addressed(content)] }));
        }
        let text = message.text.reveal();
        match layout(text, message.options).filter(|_| !message.options.is_empty()) {
            None => ("text", addressed(json!({ "text": text }))),
            Some(Layout::Buttons) => {
                let button = |option: &ReplyOption| json!({ "type": "REPLY", "id": option.id, "title": option.title });
                let buttons: Vec<_> = message.options.iter().map(button).collect();
                let action = json!({ "buttons": buttons });
                let content = json!({ "body": { "text": text }, "action": action });
                ("interactive/buttons", addressed(content))
            }
            Some(Layout::List) => {
                let sections = json!([{ "rows": message.options }]);
                let action = json!({ "title": message.list_title, "sections": sections });
                let content = json!({ "body": { "text": text }, "action": action });
                ("interactive/list", addressed(content))
            }
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
        let reason = scrubbed(&status.words(), message);
        return Err(match status.is_no_session() {
            true => SendError::WindowClosed { reason },
            false => SendError::Refused { reason },
        });
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

/// The error in an answer; empty if the answer is not Infobip's.
fn problem(body: &[u8]) -> String {
    let problem: Problem = serde_json::from_slice(body).unwrap_or_default();
    let exception = problem.request_error.service_exception;
    [exception.message_id, exception.text].into_iter().flatten().collect::<Vec<_>>().join(": ")
}
