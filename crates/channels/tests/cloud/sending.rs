//! The body posted for each kind of message, and every way a send can end.

use channels::cloud::{Account, AccountError, WhatsappCloud};
use channels::{Outgoing, Receipt, SendError, Sender};
use domain::{Approved, Pii, ReplyOption};
use serde_json::{Value, json};

use super::server::{Server, answer, nowhere};

const REFERENCE: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
pub(crate) const TO: &str = "573001234567";
pub(crate) const TEXT: &str = "¿Confirma su turno A-12?";

// These tests build a client only here, in the shape the product must give it.
#[expect(clippy::disallowed_methods)]
fn client() -> reqwest::Client {
    // Another test may have installed the provider first; either way one is installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap()
}

pub(crate) fn cloud(api_base: &str) -> WhatsappCloud {
    WhatsappCloud {
        api_base: api_base.to_owned(),
        api_version: "v23.0".to_owned(),
        access_token: "t0ken".into(),
        phone_number_id: "100200300".to_owned(),
        client: client(),
    }
}

async fn send(
    api_base: &str,
    to: &str,
    approved: Option<&Approved>,
    options: &[ReplyOption],
) -> Result<Receipt, SendError> {
    let (to, text) = (Pii::from(to), Pii::from(TEXT));
    let reference = REFERENCE.parse().unwrap();
    cloud(api_base)
        .send(Outgoing {
            reference,
            to: &to,
            text: &text,
            approved,
            options,
            list_title: "Ver opciones",
        })
        .await
}

pub(crate) async fn outcome(given: String) -> Result<Receipt, SendError> {
    let server = Server::answering(given).await;
    send(&server.base, TO, None, &[]).await
}

fn taken() -> String {
    json!({
        "messaging_product": "whatsapp", "contacts": [{"input": TO, "wa_id": TO}],
        "messages": [{"id": "wamid.out", "message_status": "accepted"}],
    })
    .to_string()
}

async fn posted(to: &str, approved: Option<&Approved>, options: &[ReplyOption]) -> (String, Value) {
    let server = Server::answering(answer("200 OK", "", &taken())).await;
    let receipt = send(&format!("{}/", server.base), to, approved, options).await;
    assert_eq!(receipt, Ok(Receipt { provider_ref: Some("wamid.out".to_owned()) }));
    let (head, body) = server.request().await;
    (head, serde_json::from_str(&body).unwrap())
}

fn option(id: &str, title: &str, description: Option<&str>) -> ReplyOption {
    let description = description.map(str::to_owned);
    ReplyOption { id: id.to_owned(), title: title.to_owned(), description }
}

#[tokio::test]
async fn a_text_is_posted_under_our_reference_and_shows_no_preview() {
    let (head, body) = posted(TO, None, &[]).await;
    assert!(head.starts_with("post /v23.0/100200300/messages http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer t0ken"), "{head}");
    let expected = json!({
        "messaging_product": "whatsapp", "recipient_type": "individual", "to": TO, "type": "text",
        "text": {"preview_url": false, "body": TEXT}, "biz_opaque_callback_data": REFERENCE,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_customer_who_hides_the_number_is_written_to_by_the_businesss_own_id() {
    let (_, body) = posted("CO.77", None, &[]).await;
    assert_eq!((&body["recipient"], &body["to"]), (&json!("CO.77"), &Value::Null));
}

#[tokio::test]
async fn a_template_is_posted_with_its_values_and_without_what_may_be_picked() {
    let mut approved = Approved {
        name: "turno_listo".to_owned(),
        language: "es_CO".to_owned(),
        values: vec!["Ana".to_owned(), "A-12".to_owned()],
    };
    let (_, body) = posted(TO, Some(&approved), &[]).await;
    assert_eq!(body["type"], "template");
    let expected = json!({
        "name": "turno_listo", "language": {"code": "es_CO"},
        "components": [{"type": "body", "parameters": [
            {"type": "text", "text": "Ana"}, {"type": "text", "text": "A-12"},
        ]}],
    });
    assert_eq!(body["template"], expected);
    approved.values.clear();
    let (_, body) = posted(TO, Some(&approved), &[]).await;
    assert_eq!(body["template"], json!({"name": "turno_listo", "language": {"code": "es_CO"}}));
}

#[tokio::test]
async fn a_few_options_are_buttons_and_more_or_described_ones_a_list() {
    let (_, body) = posted(TO, None, &[option("si", "Sí", None), option("no", "No", None)]).await;
    let expected = json!({
        "type": "button", "body": {"text": TEXT},
        "action": {"buttons": [
            {"type": "reply", "reply": {"id": "si", "title": "Sí"}},
            {"type": "reply", "reply": {"id": "no", "title": "No"}},
        ]},
    });
    assert_eq!((&body["type"], &body["interactive"]), (&json!("interactive"), &expected));

    let (_, body) = posted(TO, None, &[option("p", "Pan", Some("recién hecho"))]).await;
    let expected = json!({
        "type": "list", "body": {"text": TEXT},
        "action": {"button": "Ver opciones", "sections": [{"rows": [
            {"id": "p", "title": "Pan", "description": "recién hecho"},
        ]}]},
    });
    assert_eq!(body["interactive"], expected);
}

#[tokio::test]
async fn an_accepted_call_with_an_unreadable_answer_is_unknown() {
    let cut_off = "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"messages\":".to_owned();
    let two = json!({"messages": [{"id": "a"}, {"id": "b"}]}).to_string();
    let bodies = ["<html>", "{}", r#"{"messages":[]}"#, r#"{"messages":[{"id":5}]}"#, &two];
    for given in bodies.into_iter().map(|body| answer("200 OK", "", body)).chain([cut_off]) {
        let got = outcome(given).await;
        assert!(matches!(got, Err(SendError::Unknown { .. })), "{got:?}");
    }
}

#[tokio::test]
async fn where_no_code_speaks_the_status_does() {
    for (status, headers, expected) in [
        (
            "429 Slow",
            "retry-after: 7\r\n",
            "Retry { reason: \"429: not taken now\", after_ms: Some(7000) }",
        ),
        ("503 Away", "", "Retry { reason: \"503: not taken now\", after_ms: None }"),
        ("400 Bad", "", "Refused { reason: \"400: not accepted as it is\" }"),
        (
            "404 Not",
            "",
            "Refused { reason: \"404: no such address; check api_base and phone_number_id\" }",
        ),
        (
            "302 Found",
            "",
            "Refused { reason: \"302: redirected elsewhere; check the channel's api_base\" }",
        ),
        (
            "500 Oops",
            "",
            "Unknown { reason: \"500: failed at the provider, which may have taken it\" }",
        ),
        (
            "502 Oops",
            "",
            "Unknown { reason: \"502: failed at the provider, which may have taken it\" }",
        ),
    ] {
        for body in ["", "<html>", "{}", r#"{"error":"odd"}"#, r#"{"error":{"code":"odd"}}"#] {
            let got = outcome(answer(status, headers, body)).await.unwrap_err();
            assert_eq!(format!("{got:?}"), expected, "{status} {body}");
        }
    }
}

#[tokio::test]
async fn only_before_a_connection_is_it_sure_that_nothing_was_sent() {
    let got = send(&nowhere().await, TO, None, &[]).await;
    assert!(matches!(got, Err(SendError::Retry { after_ms: None, .. })), "{got:?}");
    let got = outcome(String::new()).await;
    assert!(matches!(got, Err(SendError::Unknown { .. })), "{got:?}");
    match send("not an address", TO, None, &[]).await {
        Err(SendError::Refused { reason }) => assert!(reason.contains("api_base"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn no_reason_repeats_the_customers_number_or_words() {
    let details = format!("cannot send '{TEXT}' to +{TO}");
    let error =
        json!({"error": {"code": 131026, "message": "m", "error_data": {"details": details}}});
    let reason = outcome(answer("400 Bad", "", &error.to_string())).await.unwrap_err().to_string();
    assert!(reason.contains("(m: cannot send '«text»' to +«to»)"), "{reason}");
}

#[tokio::test]
async fn the_account_is_asked_for_with_its_token_and_what_it_says_is_told() {
    let said = json!({"display_phone_number": "+57 300", "verified_name": "Tienda", "id": "1"});
    let server = Server::answering(answer("200 OK", "", &said.to_string())).await;
    let account = cloud(&server.base).account().await.unwrap();
    let verified_name = Some("Tienda".to_owned());
    let display_phone_number = Some("+57 300".to_owned());
    assert_eq!(account, Account { verified_name, display_phone_number, quality_rating: None });
    let (head, _) = server.request().await;
    assert!(head.starts_with("get /v23.0/100200300?fields="), "{head}");
    assert!(head.contains("authorization: bearer t0ken"), "{head}");

    let expired = json!({"error": {"code": 190, "message": "Session has expired"}}).to_string();
    let server = Server::answering(answer("401 Unauthorized", "", &expired)).await;
    match cloud(&server.base).account().await {
        Err(AccountError::Refused(reason)) => assert!(reason.contains("access_token"), "{reason}"),
        other => panic!("{other:?}"),
    }
    let away = cloud(&nowhere().await).account().await;
    assert!(matches!(away, Err(AccountError::Unreachable(_))), "{away:?}");
}
