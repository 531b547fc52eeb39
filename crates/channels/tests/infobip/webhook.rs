//! Bodies as Infobip sends them, and the value of each item.

use channels::Parsed;
use channels::infobip::parse;
use domain::{
    Answer, Basket, Card, Content, DeliveryStatus, Media, PaymentNews, Picked, Pii, Reference,
};
use serde_json::{Value, json};

pub(crate) const OURS: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

pub(crate) fn body(results: &[Value]) -> Vec<u8> {
    let count = results.len();
    json!({"results": results, "messageCount": count, "pendingMessageCount": 0}).to_string().into()
}

pub(crate) fn message(id: &str, content: Value) -> Value {
    json!({
        "from": "573001234567",
        "to": "441134960000",
        "integrationType": "WHATSAPP",
        "receivedAt": "2026-03-01T10:10:00.250+0000",
        "messageId": id,
        "message": content,
        "price": {"pricePerMessage": 0, "currency": "EUR"},
        "contact": {"name": "Ana"},
    })
}

pub(crate) fn contents(cases: &[Value]) -> Parsed {
    let results: Vec<_> = cases.iter().map(|content| message("wamid.1", content.clone())).collect();
    parse(&body(&results)).unwrap()
}

#[test]
fn a_text_message_becomes_an_inbound_with_its_sender() {
    let sent = message("wamid.A=", json!({"type": "TEXT", "text": "Hola, ¿qué tal?"}));
    let parsed = parse(&body(&[sent])).unwrap();
    let [inbound] = parsed.messages.as_slice() else { panic!("{parsed:?}") };
    assert_eq!(inbound.external_id, "wamid.A=");
    assert_eq!(inbound.content, Content::text("Hola, ¿qué tal?"));
    assert_eq!(inbound.from.external_id.reveal(), "573001234567");
    assert_eq!(inbound.from.phone, Some(Pii::from("573001234567")));
    assert_eq!(inbound.from.name, Some(Pii::from("Ana")));
    assert_eq!(inbound.sent_at.unwrap().to_string(), "2026-03-01T10:10:00.250Z");
}

#[test]
fn every_type_of_message_becomes_its_content() {
    let choice = |text: &str, payload: Option<&str>| Content::Choice {
        text: text.into(),
        payload: payload.map(str::to_owned),
    };
    let notice = |kind: &str, detail: Option<&str>| Content::Notice {
        kind: kind.to_owned(),
        detail: detail.map(Pii::from),
    };
    let answer = |field: &str, value: &str| Answer { field: field.to_owned(), value: value.into() };
    let cases = [
        (json!({"type": "BUTTON", "text": "Sí", "payload": "yes"}), choice("Sí", Some("yes"))),
        (json!({"type": "BUTTON", "text": "Sí"}), choice("Sí", None)),
        (
            json!({"type": "INTERACTIVE_BUTTON_REPLY", "id": "1", "title": "Sí"}),
            choice("Sí", Some("1")),
        ),
        (json!({"type": "INTERACTIVE_LIST_REPLY", "id": "2"}), choice("2", Some("2"))),
        (
            json!({"type": "IMAGE", "url": "https://m.example/1", "caption": "mi foto"}),
            Content::Media(Media {
                kind: "image".to_owned(),
                url: Some("https://m.example/1".into()),
                caption: Some("mi foto".into()),
                ..Media::default()
            }),
        ),
        (
            json!({"type": "LOCATION", "latitude": 4.65, "longitude": -74.1, "name": "Casa", "address": "Cra 7"}),
            Content::Location {
                latitude: 4.65,
                longitude: -74.1,
                label: Some("Casa, Cra 7".into()),
                url: None,
            },
        ),
        (
            json!({"type": "REACTION", "emoji": "❤️", "action": "REACT"}),
            Content::Reaction { emoji: Some("❤️".to_owned()) },
        ),
        (
            json!({"type": "REACTION", "emoji": "❤️", "action": "UNREACT"}),
            Content::Reaction { emoji: None },
        ),
        (json!({"type": "CONTACT", "contacts": []}), Content::Contacts { people: Vec::new() }),
        (
            json!({"type": "CONTACT", "contacts": [
                {"name": {"firstName": "Luis", "formattedName": "Luis Paz"},
                 "phones": [{"phone": "+57 300 111 2233", "type": "CELL", "waId": "573001112233"}],
                 "addresses": [{"city": "Cra 7", "street": "Bogotá", "type": "HOME"}]},
            ]}),
            Content::Contacts {
                people: vec![Card {
                    name: Some("Luis Paz".into()),
                    phones: vec!["+57 300 111 2233".into()],
                    details: vec!["Cra 7".into(), "Bogotá".into()],
                }],
            },
        ),
        (json!({"type": "INFECTED_CONTENT", "malware": "x"}), {
            notice("infected_content", Some("malware: x"))
        }),
        (
            json!({"type": "INTERACTIVE_CALL_PERMISSION_REPLY", "context": {"from": "1", "id": "2"},
                "callPermissionReply": {"response": "REJECT"}}),
            notice(
                "interactive_call_permission_reply",
                Some("callPermissionReply.response: REJECT"),
            ),
        ),
        (
            json!({"type": "INTERACTIVE_FLOW_REPLY", "text": "Sent", "response": {"talla": ["S", "M"]}}),
            Content::Form { name: None, answers: vec![answer("talla", "S, M")] },
        ),
        (
            json!({"type": "INTERACTIVE_PAYMENT_CONFIRMATION", "referenceId": "pedido-7",
                "paymentId": "p1", "status": "SUCCESS", "currency": "INR",
                "totalAmount": {"value": 5099, "offset": 100}, "transactionId": "t1"}),
            Content::Payment(PaymentNews {
                reference: Some("pedido-7".to_owned()),
                payment: Some("p1".to_owned()),
                transaction: Some("t1".to_owned()),
                status: Some("SUCCESS".to_owned()),
                amount: Some("50.99".to_owned()),
                currency: Some("INR".to_owned()),
            }),
        ),
        (
            json!({"type": "ORDER", "catalogId": "c", "productItems": [
                {"productRetailerId": "pan", "quantity": 3, "itemPrice": 9.5, "currency": "COP"}]}),
            Content::Basket(Basket {
                catalog: Some("c".to_owned()),
                items: vec![Picked {
                    sku: "pan".to_owned(),
                    quantity: 3,
                    price: Some("9.5".to_owned()),
                    currency: Some("COP".to_owned()),
                }],
                note: None,
            }),
        ),
        (json!({"type": "UNSUPPORTED"}), notice("unsupported", None)),
        (json!({"type": "INVENTED_LATER", "text": 5}), notice("invented_later", Some("text: 5"))),
    ];
    let parsed = contents(&cases.clone().map(|(given, _)| given));
    assert_eq!(parsed.bad, []);
    for ((given, expected), got) in cases.iter().zip(&parsed.messages) {
        assert_eq!(got.content, *expected, "{given}");
    }
    for kind in ["AUDIO", "DOCUMENT", "STICKER", "VIDEO", "VOICE"] {
        let parsed = contents(&[json!({"type": kind, "url": "https://m.example/2"})]);
        let [inbound] = parsed.messages.as_slice() else { panic!("{parsed:?}") };
        let Content::Media(Media { kind: got, .. }) = &inbound.content else {
            panic!("{inbound:?}")
        };
        assert_eq!(*got, kind.to_lowercase());
    }
}

#[test]
fn reports_become_the_status_of_our_message() {
    use DeliveryStatus::{Delivered, Failed, Read, Sent};
    let error = json!({"groupId": 1, "id": 7008, "name": "EC_BLOCKED", "description": "blocked"});
    let no_error = json!({"groupId": 0, "id": 0, "name": "NO_ERROR", "description": "No Error"});
    let blocked = Some("EC_BLOCKED: blocked");
    let cases = [
        (json!({"messageId": OURS, "status": {"groupName": "PENDING"}}), Sent, None),
        (
            json!({"messageId": OURS, "status": {"groupName": "DELIVERED"}, "error": no_error}),
            Delivered,
            None,
        ),
        (
            json!({"messageId": OURS, "status": {"groupName": "REJECTED"}, "error": error}),
            Failed,
            blocked,
        ),
        (
            json!({"messageId": OURS, "status": {"groupName": "UNDELIVERABLE", "name": "N"}, "error": no_error}),
            Failed,
            Some("N"),
        ),
        (
            json!({"messageId": OURS, "status": {"groupName": "EXPIRED"}}),
            Failed,
            Some("no reason given"),
        ),
        (json!({"messageId": OURS, "status": {"groupId": 1}}), Sent, None),
        (json!({"messageId": OURS, "status": {"groupId": 3}}), Delivered, None),
        (
            json!({"messageId": OURS, "status": {"groupId": 5}, "error": {"id": 7010, "name": "EC_NO_SESSION", "description": "d"}}),
            Failed,
            Some("outside the 24 h window: EC_NO_SESSION"),
        ),
        (json!({"messageId": OURS, "status": {"groupId": 2}, "error": error}), Failed, blocked),
        (json!({"messageId": OURS, "status": {"groupId": 4}, "error": error}), Failed, blocked),
        (json!({"messageId": OURS, "status": {"groupId": 5}, "error": error}), Failed, blocked),
        (
            json!({"messageId": "wamid.1", "callbackData": OURS, "status": {"groupId": 3}}),
            Delivered,
            None,
        ),
        (
            json!({"messageId": OURS, "from": "573001234567", "seenAt": "2026-03-01T10:10:00.000+0000"}),
            Read,
            None,
        ),
    ];
    for (given, status, error) in cases {
        let parsed = parse(&body(std::slice::from_ref(&given))).unwrap();
        let [report] = parsed.reports.as_slice() else { panic!("{given}: {parsed:?}") };
        assert_eq!(report.reference, Reference::Ours(OURS.parse().unwrap()));
        assert_eq!((report.status, report.error.as_deref()), (status, error), "{given}");
    }
}

#[test]
fn reports_on_messages_that_are_not_ours_are_counted_and_left() {
    let parsed = parse(&body(&[
        json!({"messageId": "wamid.1", "status": {"groupName": "DELIVERED"}}),
        json!({"messageId": 5, "callbackData": "theirs", "seenAt": "2026-03-01T10:10:00.000+0000"}),
        json!({"status": {"groupName": "NEVER_HEARD_OF"}}),
    ]));
    assert_eq!(parsed, Ok(Parsed { ignored: 3, ..Parsed::default() }));
}

#[test]
fn one_bad_item_spoils_none_of_its_siblings_and_repeats_are_kept() {
    let good = message("wamid.1", json!({"type": "TEXT", "text": "uno"}));
    let mut nameless = good.clone();
    nameless["contact"] = json!({"name": 7});
    nameless["receivedAt"] = json!("yesterday");
    let mut scoped = good.clone();
    scoped["from"] = json!("CO.1234abc");
    let mut no_from = good.clone();
    no_from.as_object_mut().unwrap().remove("from");
    let mut no_id = good.clone();
    no_id["messageId"] = json!("");
    let unknown = json!({"messageId": OURS, "status": {"groupId": 99}});
    let items =
        [good.clone(), no_from, json!(3), good, no_id, json!({}), nameless, unknown, scoped];
    let parsed = parse(&body(&items)).unwrap();
    let place = |raw: &Value| items.iter().position(|item| item == raw).unwrap();
    let bad: Vec<_> = parsed.bad.iter().map(|bad| (place(&bad.raw), bad.reason.as_str())).collect();
    assert_eq!(
        bad,
        [
            (1, "from is missing"),
            (2, "the item is not an object, or repeats a field"),
            (4, "messageId is empty"),
            (5, "the item is neither a message nor a report"),
            (7, "status has a group unknown to us"),
        ]
    );
    let [first, second, nameless, scoped] = parsed.messages.as_slice() else {
        panic!("{parsed:?}")
    };
    assert_eq!(first, second);
    assert_eq!((&nameless.from.name, nameless.sent_at), (&None, None));
    assert_eq!(scoped.from.phone, None);
}
