//! Every way a send can end, against a server that behaves so.

use channels::infobip::Infobip;
use channels::{Outgoing, Receipt, SendError, Sender};
use domain::{Approved, OutboundId, Pii, ReplyOption};
use serde_json::{Value, json};

use super::server::{Server, answer, nowhere};

const REFERENCE: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const NUMBER: &str = "573001234567";
const TEXT: &str = "Tu turno es el A-12";

// This crate's tests build a client only here, in the shape the product must give it.
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

async fn send_to(api_base: &str) -> Result<Receipt, SendError> {
    send(api_base, None).await
}

async fn send(api_base: &str, approved: Option<&Approved>) -> Result<Receipt, SendError> {
    send_offering(api_base, approved, &[]).await
}

async fn send_offering(
    api_base: &str,
    approved: Option<&Approved>,
    options: &[ReplyOption],
) -> Result<Receipt, SendError> {
    let infobip = Infobip {
        api_base: api_base.to_owned(),
        api_key: "k3y".into(),
        sender: "441134960000".to_owned(),
        client: client(),
    };
    let reference: OutboundId = REFERENCE.parse().unwrap();
    let (to, text) = (Pii::from(NUMBER), Pii::from(TEXT));
    infobip
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

async fn outcome(answer: String) -> Result<Receipt, SendError> {
    let server = Server::answering(answer).await;
    send_to(&server.base).await
}

fn group(name: &str) -> String {
    json!({
        "to": NUMBER, "messageCount": 1, "messageId": REFERENCE,
        "status": {"groupName": name, "name": "THE_NAME", "description": "the description"},
    })
    .to_string()
}

fn problem(text: &str) -> String {
    json!({"requestError": {"serviceException": {"messageId": "CODE", "text": text}}}).to_string()
}

#[tokio::test]
async fn a_text_is_posted_in_the_providers_shape_under_our_reference() {
    let server = Server::answering(answer("200 OK", "", &group("PENDING"))).await;
    let receipt = send_to(&format!("{}/", server.base)).await;
    assert_eq!(receipt, Ok(Receipt { provider_ref: Some(REFERENCE.to_owned()) }));

    let (head, body) = server.request().await;
    assert!(head.starts_with("post /whatsapp/1/message/text http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: app k3y"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    let expected = json!({
        "from": "441134960000", "to": NUMBER, "messageId": REFERENCE,
        "content": {"text": TEXT}, "callbackData": REFERENCE,
    });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
}

fn template() -> Approved {
    let values = vec!["Ana María".to_owned(), "A-12".to_owned()];
    Approved { name: "turno_listo".to_owned(), language: "es_CO".to_owned(), values }
}

async fn template_outcome(body: &str) -> Result<Receipt, SendError> {
    let server = Server::answering(answer("200 OK", "", body)).await;
    send(&server.base, Some(&template())).await
}

#[tokio::test]
async fn a_template_is_posted_in_a_list_of_one_instead_of_the_text() {
    let body = format!("{{\"messages\": [{}], \"bulkId\": \"b1\"}}", group("PENDING"));
    let server = Server::answering(answer("200 OK", "", &body)).await;
    let receipt = send(&server.base, Some(&template())).await;
    assert_eq!(receipt, Ok(Receipt { provider_ref: Some(REFERENCE.to_owned()) }));

    let (head, body) = server.request().await;
    assert!(head.starts_with("post /whatsapp/1/message/template http/1.1\r\n"), "{head}");
    let expected = json!({"messages": [{
        "from": "441134960000", "to": NUMBER, "messageId": REFERENCE,
        "content": {
            "templateName": "turno_listo",
            "templateData": {"body": {"placeholders": ["Ana María", "A-12"]}},
            "language": "es_CO",
        },
        "callbackData": REFERENCE,
    }]});
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
}

#[tokio::test]
async fn options_are_posted_as_buttons_or_as_a_list_in_the_providers_shape() {
    let option = |id: &str, title: &str, description: Option<&str>| ReplyOption {
        id: id.to_owned(),
        title: title.to_owned(),
        description: description.map(str::to_owned),
    };
    let buttons = json!({"body": {"text": TEXT}, "action": {"buttons": [
        {"type": "REPLY", "id": "1", "title": "Sí"}, {"type": "REPLY", "id": "2", "title": "No"},
    ]}});
    let list = json!({"body": {"text": TEXT}, "action": {"title": "Ver opciones", "sections": [
        {"rows": [{"id": "1", "title": "Pan", "description": "recién hecho"}]},
    ]}});
    for (options, path, content) in [
        (vec![option("1", "Sí", None), option("2", "No", None)], "buttons", buttons),
        (vec![option("1", "Pan", Some("recién hecho"))], "list", list),
    ] {
        let server = Server::answering(answer("200 OK", "", &group("PENDING"))).await;
        send_offering(&server.base, None, &options).await.unwrap();
        let (head, body) = server.request().await;
        let start = format!("post /whatsapp/1/message/interactive/{path} http/1.1\r\n");
        assert!(head.starts_with(&start), "{head}");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((&body["content"], &body["messageId"]), (&content, &json!(REFERENCE)));
    }
}

#[tokio::test]
async fn what_is_said_of_a_template_is_read_in_its_list() {
    let rejected = format!("{{\"messages\": [{}]}}", group("REJECTED"));
    let reason = "THE_NAME: the description".to_owned();
    assert_eq!(template_outcome(&rejected).await, Err(SendError::Refused { reason }));
    let two = format!("{{\"messages\": [{0}, {0}]}}", group("PENDING"));
    for odd in [group("PENDING"), two, "{\"messages\": []}".to_owned(), "{}".to_owned()] {
        let got = template_outcome(&odd).await;
        assert!(matches!(got, Err(SendError::Unknown { .. })), "{odd}: {got:?}");
    }
}

#[tokio::test]
async fn a_text_refused_because_the_window_has_closed_says_so() {
    let closed = json!({
        "messageId": REFERENCE,
        "status": {"groupName": "REJECTED", "id": 7010, "name": "EC_NO_SESSION", "description": "d"},
    });
    let reason = "outside the 24 h window: EC_NO_SESSION".to_owned();
    let got = outcome(answer("200 OK", "", &closed.to_string())).await;
    assert_eq!(got, Err(SendError::WindowClosed { reason }));
}

#[tokio::test]
async fn an_accepted_call_whose_status_is_a_failure_is_refused() {
    for name in ["REJECTED", "UNDELIVERABLE", "EXPIRED"] {
        let reason = "THE_NAME: the description".to_owned();
        let got = outcome(answer("200 OK", "", &group(name))).await;
        assert_eq!(got, Err(SendError::Refused { reason }), "{name}");
    }
}

#[tokio::test]
async fn an_accepted_call_with_an_unreadable_answer_is_unknown() {
    let cut_off = "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"messageId\":".to_owned();
    let endless = answer("200 OK", "", &" ".repeat(70_000));
    for given in [cut_off, endless, answer("200 OK", "", "<html>"), answer("200 OK", "", "{}")] {
        let got = outcome(given).await;
        assert!(matches!(got, Err(SendError::Unknown { .. })), "{got:?}");
    }
}

#[tokio::test]
async fn busy_answers_are_tried_again_after_the_time_they_name() {
    let cases = [
        ("429 Too Many Requests", "retry-after: 7\r\n", Some(7_000)),
        ("503 Service Unavailable", "retry-after: 0.0015\r\n", Some(2)),
        ("503 Service Unavailable", "retry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n", None),
        ("429 Too Many Requests", "retry-after: -3\r\n", None),
        ("429 Too Many Requests", "retry-after: inf\r\n", None),
        ("429 Too Many Requests", "", None),
    ];
    for (status, headers, expected) in cases {
        match outcome(answer(status, headers, "")).await {
            Err(SendError::Retry { after_ms, .. }) => assert_eq!(after_ms, expected, "{headers}"),
            other => panic!("{status} {headers}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn what_the_provider_does_not_accept_is_refused_with_its_words_and_what_to_fix() {
    let cases = [
        ("400 Bad Request", "400: not accepted as it is (CODE: why)"),
        ("401 Unauthorized", "api_key"),
        ("403 Forbidden", "scope"),
        ("404 Not Found", "api_base"),
        ("422 Unprocessable", "422: not accepted as it is (CODE: why)"),
        ("307 Temporary Redirect", "api_base"),
    ];
    for (status, expected) in cases {
        match outcome(answer(status, "", &problem("why"))).await {
            Err(SendError::Refused { reason }) => assert!(reason.contains(expected), "{reason}"),
            other => panic!("{status}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_failure_at_the_provider_leaves_the_outcome_unknown() {
    for status in ["500 Internal Server Error", "502 Bad Gateway", "504 Gateway Timeout"] {
        let got = outcome(answer(status, "", "<html>oops</html>")).await;
        assert!(matches!(got, Err(SendError::Unknown { .. })), "{status}: {got:?}");
    }
}

#[tokio::test]
async fn a_connection_closed_after_the_request_leaves_the_outcome_unknown() {
    let got = outcome(String::new()).await;
    assert!(matches!(got, Err(SendError::Unknown { .. })), "{got:?}");
}

#[tokio::test]
async fn with_nothing_listening_it_was_certainly_not_sent() {
    let got = send_to(&nowhere().await).await;
    assert!(matches!(got, Err(SendError::Retry { after_ms: None, .. })), "{got:?}");
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_with_what_to_fix() {
    match send_to("not an address").await {
        Err(SendError::Refused { reason }) => assert!(reason.contains("api_base"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn no_reason_repeats_the_customers_number_or_words() {
    let quoting = problem(&format!("cannot send '{TEXT}' to +{NUMBER}"));
    for status in ["400 Bad Request", "401 Unauthorized", "429 Slow Down", "500 Oops"] {
        let reason = outcome(answer(status, "", &quoting)).await.unwrap_err().to_string();
        assert!(reason.contains("cannot send '«text»' to +«to»"), "{reason}");
        assert!(!reason.contains(NUMBER) && !reason.contains(TEXT), "{reason}");
    }
    let server =
        Server::answering(answer("400 Bad Request", "", &problem("Ana María, A-12"))).await;
    let reason = send(&server.base, Some(&template())).await.unwrap_err().to_string();
    assert!(reason.contains("«value», «value»"), "{reason}");
}
