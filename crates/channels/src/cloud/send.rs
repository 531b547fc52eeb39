//! Sends a text, with or without options, or an approved template through the Cloud API.

use async_trait::async_trait;
use domain::{Approved, ReplyOption};
use reqwest::Response;
use reqwest::header::AUTHORIZATION;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::errors::{self, Problem};
use crate::exchange::{
    TIMEOUT, because, credentials, read, refused, retry_after_ms, scrubbed, unanswered,
};
use crate::fields::{self, Raw};
use crate::offer::{Layout, layout};
use crate::webhook::phone;
use crate::{Outgoing, Receipt, SendError, Sender};

pub struct WhatsappCloud {
    /// `https://graph.facebook.com`, or a substitute for it.
    pub api_base: String,
    /// Such as `v23.0`.
    pub api_version: String,
    pub access_token: SecretString,
    pub phone_number_id: String,
    /// Must follow no redirects and retry nothing: one call is one attempt.
    pub client: reqwest::Client,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    messages: [Taken<'a>; 1],
}

#[derive(Deserialize)]
struct Taken<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
}

#[derive(Deserialize)]
struct Wrong<'a> {
    #[serde(borrow)]
    error: Raw<'a>,
}

#[async_trait]
impl Sender for WhatsappCloud {
    async fn send(&self, message: Outgoing<'_>) -> Result<Receipt, SendError> {
        let response = self.call(&message).await?;
        let status = response.status();
        let after_ms = retry_after_ms(response.headers());
        let body = read(response).await;
        if status.is_success() {
            return accepted(body.as_deref());
        }
        let problem = body.as_deref().map(problem).unwrap_or_default();
        let said = scrubbed(&problem.told(), &message);
        if let Some(judged) = problem.judged(said.clone(), after_ms) {
            return Err(judged);
        }
        // Without an error of Meta's in the answer, only the status speaks.
        Err(match status.as_u16() {
            408 | 429 | 503 => {
                SendError::Retry { reason: because(status, "not taken now", ""), after_ms }
            }
            300..=399 => refused(status, "redirected elsewhere; check the channel's api_base", ""),
            404 => refused(status, "no such address; check api_base and phone_number_id", ""),
            400..=499 => refused(status, "not accepted as it is", ""),
            _ => SendError::Unknown {
                reason: because(status, "failed at the provider, which may have taken it", ""),
            },
        })
    }
}

impl WhatsappCloud {
    async fn call(&self, message: &Outgoing<'_>) -> Result<Response, SendError> {
        let Self { api_version, phone_number_id, .. } = self;
        let base = self.api_base.trim_end_matches('/');
        self.client
            .post(format!("{base}/{api_version}/{phone_number_id}/messages"))
            .header(AUTHORIZATION, credentials("Bearer", &self.access_token)?)
            .timeout(TIMEOUT)
            .json(&body(message))
            .send()
            .await
            .map_err(unanswered)
    }
}

fn body(message: &Outgoing<'_>) -> Value {
    let (kind, content) = match message.approved {
        Some(approved) => ("template", template(approved)),
        None => spoken(message),
    };
    // A number goes under `to`. The business's own id for a customer who hides the number goes
    // under `recipient`.
    let to = message.to.reveal();
    let addressed = if phone(to).is_some() { "to" } else { "recipient" };
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        addressed: to,
        "type": kind,
        kind: content,
        "biz_opaque_callback_data": message.reference,
    })
}

fn template(approved: &Approved) -> Value {
    let mut template = json!({ "name": approved.name, "language": { "code": approved.language } });
    if !approved.values.is_empty() {
        let value = |text: &String| json!({ "type": "text", "text": text });
        let parameters: Vec<_> = approved.values.iter().map(value).collect();
        template["components"] = json!([{ "type": "body", "parameters": parameters }]);
    }
    template
}

fn spoken(message: &Outgoing<'_>) -> (&'static str, Value) {
    let text = message.text.reveal();
    let layout = layout(text, message.options).filter(|_| !message.options.is_empty());
    let (kind, action) = match layout {
        None => return ("text", json!({ "preview_url": false, "body": text })),
        Some(Layout::Buttons) => {
            let button = |option: &ReplyOption| json!({ "type": "reply", "reply": { "id": option.id, "title": option.title } });
            let buttons: Vec<_> = message.options.iter().map(button).collect();
            ("button", json!({ "buttons": buttons }))
        }
        Some(Layout::List) => {
            let sections = json!([{ "rows": message.options }]);
            ("list", json!({ "button": message.list_title, "sections": sections }))
        }
    };
    ("interactive", json!({ "type": kind, "body": { "text": text }, "action": action }))
}

fn accepted(body: Option<&[u8]>) -> Result<Receipt, SendError> {
    let unknown = |reason: &str| Err(SendError::Unknown { reason: reason.to_owned() });
    let Some(body) = body else { return unknown("accepted, but the answer broke off") };
    let Ok(Answer { messages: [taken] }) = serde_json::from_slice(body) else {
        return unknown("accepted, but the answer is not Meta's");
    };
    match fields::id(taken.id, "id") {
        Ok(id) => Ok(Receipt { provider_ref: Some(id) }),
        Err(_) => unknown("accepted, but the answer says nothing of the message"),
    }
}

/// The error in an answer; empty if the answer is not Meta's.
pub(super) fn problem(body: &[u8]) -> Problem {
    let raw: Result<&RawValue, _> = serde_json::from_slice(body);
    let wrong = raw.ok().and_then(|raw| fields::object::<Wrong<'_>>(raw, "").ok());
    wrong.map(|wrong| errors::read(wrong.error)).unwrap_or_default()
}
