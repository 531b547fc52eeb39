//! Bodies as the Cloud API sends them, and the value of each item.

use channels::Parsed;
use channels::cloud::parse;
use domain::{
    Answer, Basket, Card, Content, DeliveryStatus, Media, PaymentNews, Picked, Pii, Reference,
};
use serde_json::{Value, json};

pub(crate) const NUMBER: &str = "100200300";
pub(crate) const OURS: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

pub(crate) fn change(field: &str, mut value: Value) -> Value {
    value["messaging_product"] = json!("whatsapp");
    value["metadata"] = json!({"display_phone_number": "573001112233", "phone_number_id": NUMBER});
    json!({"field": field, "value": value})
}

pub(crate) fn body(changes: &[Value]) -> Vec<u8> {
    let entry = json!([{"id": "1", "changes": changes}]);
    json!({"object": "whatsapp_business_account", "entry": entry}).to_string().into()
}

pub(crate) fn message(id: &str, kind: &str, part: Value) -> Value {
    json!({"from": "573001234567", "id": id, "timestamp": "1772359800", "type": kind, kind: part})
}

pub(crate) fn read(value: Value) -> Parsed {
    parse(&body(&[change("messages", value)]), NUMBER).unwrap()
}

#[test]
fn every_type_of_message_becomes_its_content() {
    let media =
        |kind: &str| Media { kind: kind.to_owned(), id: Some("77".to_owned()), ..Media::default() };
    let full = json!({
        "id": "77", "mime_type": "application/pdf", "sha256": "abc=", "caption": "la factura",
        "filename": "factura.pdf", "url": "https://lookaside.fbsbx.com/x",
    });
    let document = Media {
        mime: Some("application/pdf".to_owned()),
        sha256: Some("abc=".to_owned()),
        caption: Some("la factura".into()),
        filename: Some("factura.pdf".into()),
        url: Some("https://lookaside.fbsbx.com/x".into()),
        ..media("document")
    };
    let choice = |text: &str, payload: Option<&str>| Content::Choice {
        text: text.into(),
        payload: payload.map(str::to_owned),
    };
    let notice = |kind: &str, detail: Option<&str>| Content::Notice {
        kind: kind.to_owned(),
        detail: detail.map(Pii::from),
    };
    let reaction = |emoji: Option<&str>| Content::Reaction { emoji: emoji.map(str::to_owned) };
    let answer = |field: &str, value: &str| Answer { field: field.to_owned(), value: value.into() };
    let cases = [
        // Kept to the letter, because Telugu needs invisible characters.
        ("text", json!({"body": "క్\u{200c}ల\u{200b}\u{202e}"}), {
            Content::text("క్\u{200c}ల\u{200b}\u{202e}")
        }),
        ("image", json!({"id": "77"}), Content::Media(media("image"))),
        ("video", json!({"id": "77"}), Content::Media(media("video"))),
        ("sticker", json!({"id": "77", "animated": true}), Content::Media(media("sticker"))),
        ("audio", json!({"id": "77", "voice": false}), Content::Media(media("audio"))),
        ("audio", json!({"id": "77", "voice": true}), Content::Media(media("voice"))),
        ("document", full, Content::Media(document)),
        // An odd field of a file beside its id does not lose the file.
        (
            "image",
            json!({"id": "77", "mime_type": 5, "sha256": {}}),
            Content::Media(media("image")),
        ),
        (
            "location",
            json!({"latitude": 4.65, "longitude": -74.1, "name": "Casa", "address": "Cra 7",
                "url": "https://casa.example"}),
            Content::Location {
                latitude: 4.65,
                longitude: -74.1,
                label: Some("Casa, Cra 7".into()),
                url: Some("https://casa.example".into()),
            },
        ),
        (
            "location",
            json!({"latitude": 4, "longitude": -74}),
            Content::Location { latitude: 4.0, longitude: -74.0, label: None, url: None },
        ),
        ("button", json!({"text": "Sí", "payload": "yes"}), choice("Sí", Some("yes"))),
        ("button", json!({"text": "Sí"}), choice("Sí", None)),
        (
            "interactive",
            json!({"type": "button_reply", "button_reply": {"id": "1", "title": "Sí"}}),
            choice("Sí", Some("1")),
        ),
        (
            "interactive",
            json!({"type": "list_reply", "list_reply": {"id": "2", "title": "Pan", "description": "d"}}),
            choice("Pan", Some("2")),
        ),
        (
            "interactive",
            json!({"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent",
                "response_json": r#"{"flow_token":"f1","nombre":"Ana","extra":{"talla":"M"}}"#}}),
            Content::Form {
                name: Some("flow".to_owned()),
                answers: vec![
                    answer("extra.talla", "M"),
                    answer("flow_token", "f1"),
                    answer("nombre", "Ana"),
                ],
            },
        ),
        (
            "interactive",
            json!({"type": "nfm_reply", "nfm_reply": {"response_json": "roto {"}}),
            Content::Form { name: None, answers: vec![answer("response", "roto {")] },
        ),
        (
            "interactive",
            json!({"type": "call_permission_reply",
                "call_permission_reply": {"response": "accept", "is_permanent": false}}),
            notice("call_permission", Some("is_permanent: false, response: accept")),
        ),
        (
            "interactive",
            json!({"type": "later_reply", "later_reply": {"a": 1}}),
            notice("interactive_later_reply", Some("later_reply.a: 1")),
        ),
        ("reaction", json!({"message_id": "wamid.0", "emoji": "❤️"}), reaction(Some("❤️"))),
        ("reaction", json!({"message_id": "wamid.0", "emoji": ""}), reaction(None)),
        ("reaction", json!({"message_id": "wamid.0"}), reaction(None)),
        (
            "contacts",
            json!([
                {"name": {"formatted_name": "Luis"}},
                {"phones": [{"wa_id": "573001112233"}, {"phone": 5}, {"phone": "+57 1", "wa_id": "571"}],
                 "emails": [{"email": "luis@x.co", "type": "HOME"}], "org": {"company": "Acme"}},
                // A contact without content is left out, and loses no other.
                {"name": 5}, "nadie",
            ]),
            Content::Contacts {
                people: vec![
                    Card { name: Some("Luis".into()), ..Card::default() },
                    Card {
                        phones: vec!["573001112233".into(), "+57 1".into()],
                        details: vec!["luis@x.co".into(), "Acme".into()],
                        ..Card::default()
                    },
                ],
            },
        ),
        (
            "order",
            json!({"catalog_id": "c1", "text": "para hoy", "product_items": [
                {"product_retailer_id": "coca-500", "quantity": "2", "item_price": "1700.50",
                 "currency": "ARS"},
                {"product_retailer_id": "pan", "quantity": 1, "item_price": 900},
            ]}),
            Content::Basket(Basket {
                catalog: Some("c1".to_owned()),
                items: vec![
                    Picked {
                        sku: "coca-500".to_owned(),
                        quantity: 2,
                        price: Some("1700.50".to_owned()),
                        currency: Some("ARS".to_owned()),
                    },
                    Picked {
                        sku: "pan".to_owned(),
                        quantity: 1,
                        price: Some("900".to_owned()),
                        currency: None,
                    },
                ],
                note: Some("para hoy".into()),
            }),
        ),
        (
            "system",
            json!({"body": "cambió de número", "new_wa_id": "57301", "type": "user_changed_number"}),
            notice("user_changed_number", Some("body: cambió de número, new_wa_id: 57301")),
        ),
        ("system", json!({"identity": "x1", "type": "customer_identity_changed"}), {
            notice("customer_identity_changed", Some("identity: x1"))
        }),
        ("unsupported", json!({"type": "poll"}), notice("unsupported", Some("type: poll"))),
        ("invented_later", json!(5), notice("invented_later", Some("5"))),
        ("invented_later", json!({}), {
            notice(
                "invented_later",
                Some("131051: not a kind of message that Meta sends (Message type unknown)"),
            )
        }),
    ];
    for (kind, part, expected) in cases {
        let mut sent = message("wamid.1", kind, part.clone());
        sent["context"] = json!({"from": 7, "id": ["odd"]});
        sent["errors"] = json!([{"code": 131051, "title": "Message type unknown"}]);
        let parsed = read(json!({"messages": [sent]}));
        let [message] = parsed.messages.as_slice() else { panic!("{kind} {part}: {parsed:?}") };
        assert_eq!(message.content, expected, "{kind} {part}");
        assert!(parsed.bad.is_empty());
    }
}

#[test]
fn who_wrote_is_known_by_the_businesss_own_id_and_the_number_is_their_other_name() {
    let contact = |wa_id: Value, user_id: Value| json!({"profile": {"name": " A\u{200b}na\u{202e} "}, "wa_id": wa_id, "user_id": user_id});
    let written = |fields: Value| {
        let mut sent = message("wamid.1", "text", json!({"body": "hola"}));
        for (key, value) in fields.as_object().unwrap() {
            sent[key] = value.clone();
        }
        sent
    };
    let (number, own) = ("573001234567", "CO.77");
    let hidden = json!({"from": null, "from_user_id": own});
    let cases = [
        // The columns: contacts, message, id, other name, phone, name.
        (json!([]), json!({}), number, None, Some(number), None),
        (
            json!([contact(json!(number), json!(null))]),
            json!({}),
            number,
            None,
            Some(number),
            Some("Ana"),
        ),
        (
            json!([contact(json!(number), json!(own))]),
            json!({}),
            own,
            Some(number),
            Some(number),
            Some("Ana"),
        ),
        (json!([]), json!({"from_user_id": own}), own, Some(number), Some(number), None),
        (json!([contact(json!(null), json!(own))]), hidden.clone(), own, None, None, Some("Ana")),
        (
            json!([contact(json!(null), json!(own))]),
            json!({"from": null}),
            own,
            None,
            None,
            Some("Ana"),
        ),
        (
            json!([contact(json!(null), json!(own))]),
            json!({"from": own}),
            own,
            None,
            None,
            Some("Ana"),
        ),
        (
            json!([contact(json!("579"), json!("CO.9"))]),
            json!({}),
            number,
            None,
            Some(number),
            None,
        ),
        (
            json!([contact(json!("579"), json!("CO.9")), contact(json!(number), json!(own))]),
            json!({}),
            own,
            Some(number),
            Some(number),
            Some("Ana"),
        ),
        (json!("odd"), json!({}), number, None, Some(number), None),
        (
            json!([5, contact(json!(number), json!(7))]),
            json!({}),
            number,
            None,
            Some(number),
            Some("Ana"),
        ),
    ];
    for (contacts, fields, id, alias, phone, name) in cases {
        let told = format!("{contacts} {fields}");
        let parsed = read(json!({"contacts": contacts, "messages": [written(fields)]}));
        let [message] = parsed.messages.as_slice() else { panic!("{told}: {parsed:?}") };
        let from = &message.from;
        assert_eq!(from.external_id.reveal(), id, "{told}");
        assert_eq!(from.alias, alias.map(Pii::from), "{told}");
        assert_eq!(from.phone, phone.map(Pii::from), "{told}");
        assert_eq!(from.name, name.map(Pii::from), "{told}");
    }
    let nobody = read(json!({"messages": [written(json!({"from": null}))]}));
    assert_eq!(nobody.bad[0].reason, "from is missing");
}

#[test]
fn a_batch_is_read_whole_but_for_its_bad_items_which_are_kept_as_they_came() {
    let good = |id: &str| message(id, "text", json!({"body": id}));
    let bad = json!({"from": "573001234567", "id": "wamid.x", "type": "text", "text": {"body": 7}});
    let status = json!({"id": "wamid.out", "status": "read", "biz_opaque_callback_data": OURS});
    let bytes = json!({"entry": [
        {"id": "1", "changes": [
            change("messages", json!({"messages": [good("a"), bad.clone(), good("b")], "statuses": [status, 5]})),
            change("messages", json!({"messages": "odd", "statuses": [{"id": "w", "status": "sent"}]})),
            change("account_update", json!({"event": "VERIFIED_ACCOUNT"})),
            {"field": "messages", "value": {"messages": [good("nobody")]}},
            "odd",
        ]},
        7,
        {"id": "2", "changes": [change("messages", json!({"messages": [good("c"), good("a")]}))]},
        {"id": "3"},
    ]});
    let parsed = parse(bytes.to_string().as_bytes(), NUMBER).unwrap();
    let ids: Vec<_> = parsed.messages.iter().map(|one| one.external_id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", "a"], "repeats are the inbox's to know");
    let references: Vec<_> = parsed.reports.iter().map(|one| one.reference.clone()).collect();
    let expected = [Reference::Ours(OURS.parse().unwrap()), Reference::Theirs("w".to_owned())];
    assert_eq!(references, expected);
    let reasons: Vec<_> = parsed.bad.iter().map(|one| one.reason.as_str()).collect();
    let expected = [
        "text.body is not a readable string",
        "the status is not an object, or repeats a field",
        "messages is not a list",
        "metadata is missing",
        "the change is not an object, or repeats a field",
        "entry is not an object, or repeats a field",
    ];
    assert_eq!(reasons, expected);
    assert_eq!(parsed.bad[0].raw, bad);
    assert_eq!(parsed.ignored, 1, "the account's own news");
}

#[test]
fn statuses_of_every_kind_are_read_by_our_reference_or_by_theirs() {
    use DeliveryStatus::{Delivered, Failed, Read, Sent};
    let ours = Reference::Ours(OURS.parse().unwrap());
    for (word, expected) in [
        ("sent", Sent),
        ("delivered", Delivered),
        ("read", Read),
        ("played", Read),
        ("failed", Failed),
    ] {
        let status = json!({"id": "wamid.out", "status": word, "biz_opaque_callback_data": OURS});
        let parsed = read(json!({"statuses": [status]}));
        assert_eq!((&parsed.reports[0].reference, parsed.reports[0].status), (&ours, expected));
    }
    let odd = json!({"id": "wamid.out", "status": "sent", "biz_opaque_callback_data": "not ours"});
    let parsed = read(json!({"statuses": [odd, {"id": "wamid.out", "status": "warped"}]}));
    assert_eq!(parsed.reports[0].reference, Reference::Theirs("wamid.out".to_owned()));
    assert_eq!((parsed.reports.len(), parsed.ignored), (1, 1), "an unknown one is counted");
}

#[test]
fn why_it_failed_is_kept_with_code_title_and_details() {
    let failed = |errors: Value| {
        let status = json!({"id": "wamid.out", "status": "failed", "errors": errors});
        let parsed = read(json!({"statuses": [status]}));
        let report = parsed.reports.into_iter().next().unwrap();
        (report.error.unwrap(), report.window_closed)
    };
    let window = json!([{"code": 131047, "title": "Re-engagement message",
        "message": "Re-engagement message", "error_data": {"details": "more than 24 hours"}}]);
    let (error, closed) = failed(window);
    assert_eq!(
        error,
        "131047: the customer last wrote more than 24 h ago (Re-engagement message: more than 24 hours)"
    );
    assert!(closed);
    for (errors, expected) in [
        (
            json!([{"code": 131026, "title": "Undeliverable"}]),
            "131026: cannot be delivered to this customer (Undeliverable)",
        ),
        (json!([{"code": "131049"}]), "131049: not delivered, by Meta's choice"),
        (json!([{"code": 999999, "message": "new"}]), "999999 (new)"),
        (json!([{"title": "odd"}]), "(odd)"),
        (json!([]), "no reason given"),
        (json!("odd"), "no reason given"),
        (json!(null), "no reason given"),
    ] {
        assert_eq!(failed(errors), (expected.to_owned(), false));
    }
}

#[test]
fn an_edit_says_what_it_changes_and_what_the_message_says_now() {
    let edit = |now: Value| {
        message("wamid.9", "edit", json!({"original_message_id": "wamid.1", "message": now}))
    };
    let text = json!({"context": {"id": "M0"}, "type": "text", "text": {"body": "3 leches"}});
    let image = json!({"type": "image", "image": {"id": "77", "caption": "mejor así"}});
    let parsed = read(json!({"messages": [
        edit(text), edit(image), edit(json!({"type": "revoke", "revoke": {"original_message_id": "x"}})),
        message("wamid.9", "edit", json!({"message": {"type": "text"}})),
        edit(json!({"type": "edit", "edit": {"original_message_id": "x",
            "message": {"type": "text", "text": {"body": "2"}}}})),
    ]}));
    let [text, image] = parsed.messages.as_slice() else { panic!("{parsed:?}") };
    assert_eq!(text.content, Content::text("3 leches"));
    assert_eq!(text.external_id, "wamid.9");
    assert_eq!(image.content.words().as_deref(), Some("mejor así"));
    for edit in [text, image] {
        assert_eq!(edit.edits.as_deref(), Some("wamid.1"));
    }
    let reasons: Vec<_> = parsed.bad.iter().map(|one| one.reason.as_str()).collect();
    let odd = "edit.message is no content";
    assert_eq!(reasons, [odd, "edit.original_message_id is missing", odd]);
}

#[test]
fn an_order_of_which_a_part_is_unclear_is_kept_whole_for_a_person() {
    let good = json!({"product_retailer_id": "pan", "quantity": 1});
    for (odd, reason) in [
        (json!({"product_retailer_id": "coca"}), "an item's quantity is not a whole number"),
        (json!({"product_retailer_id": "coca", "quantity": "dos"}), {
            "an item's quantity is not a whole number"
        }),
        (json!({"product_retailer_id": "coca", "quantity": 1.5}), {
            "an item's quantity is not a whole number"
        }),
        (json!({"product_retailer_id": "coca", "quantity": -1}), {
            "an item's quantity is not a whole number"
        }),
        (json!({"quantity": 2}), "an item's product_retailer_id is missing"),
        (json!("coca"), "an item of the order is not an object, or repeats a field"),
    ] {
        let order = json!({"catalog_id": "c1", "product_items": [good, odd]});
        let parsed = read(json!({"messages": [message("wamid.1", "order", order)]}));
        assert!(parsed.messages.is_empty(), "{parsed:?}");
        assert_eq!(parsed.bad[0].reason, reason);
    }
}

#[test]
fn only_a_new_number_or_id_says_that_somebody_is_called_otherwise() {
    for (kind, renamed) in [
        ("user_changed_number", true),
        ("customer_changed_number", true),
        ("user_changed_user_id", true),
        ("customer_identity_changed", false),
        ("invented_later", false),
    ] {
        let system = json!({"type": kind, "wa_id": "57301", "body": "cambió"});
        let parsed = read(json!({"messages": [message("wamid.1", "system", system)]}));
        assert_eq!(parsed.renamed.len(), usize::from(renamed), "{kind}");
        assert_eq!(parsed.messages.len(), 1, "{kind} is on record");
    }
}

#[test]
fn what_became_of_a_payment_is_told_by_its_customer_once_for_each_status() {
    let told = |status: &str, amount: Value| {
        json!({"id": "wamid.out", "type": "payment", "status": status, "recipient_id": "573001234567",
            "timestamp": "1772359800", "payment": {"reference_id": "pedido-7", "amount": amount,
            "currency": "BRL", "transaction": {"id": "t9", "type": "pix", "status": "success"}}})
    };
    let parsed = read(json!({"statuses": [
        told("pending", json!({"value": 12500, "offset": 100})),
        told("captured", json!({"value": "12505", "offset": 100})),
        told("captured", json!({"value": 7, "offset": 30})),
        told("captured", json!("9.90")),
    ]}));
    let news = |status: &str, amount: &str| {
        Content::Payment(PaymentNews {
            reference: Some("pedido-7".to_owned()),
            payment: None,
            transaction: Some("t9".to_owned()),
            status: Some(status.to_owned()),
            amount: Some(amount.to_owned()),
            currency: Some("BRL".to_owned()),
        })
    };
    let contents: Vec<_> = parsed.messages.iter().map(|one| one.content.clone()).collect();
    let captured = |amount: &str| news("captured", amount);
    let expected =
        [news("pending", "125.00"), captured("125.05"), captured("7 of 30"), captured("9.90")];
    assert_eq!(contents, expected);
    let ids: Vec<_> = parsed.messages.iter().map(|one| one.external_id.as_str()).collect();
    assert_eq!(ids[..2], ["payment/wamid.out/t9/pending", "payment/wamid.out/t9/captured"]);
    assert_eq!(parsed.messages[0].from.external_id.reveal(), "573001234567");
    assert!(parsed.reports.is_empty() && parsed.bad.is_empty());
}

#[test]
fn what_was_deleted_is_named_whichever_way_it_is_told() {
    let status = json!({"id": "wamid.in", "status": "deleted"});
    let revoked = message("wamid.2", "revoke", json!({"original_message_id": "wamid.1"}));
    let odd = message("wamid.3", "revoke", json!({}));
    let parsed = read(json!({"statuses": [status], "messages": [revoked, odd]}));
    assert_eq!(parsed.deleted, ["wamid.1", "wamid.in"]);
    assert_eq!(parsed.bad[0].reason, "revoke.original_message_id is missing");
    assert!(parsed.messages.is_empty() && parsed.reports.is_empty());
}

#[test]
fn what_the_business_wrote_from_its_phone_is_an_echo_to_its_customer() {
    let echo = |id: &str, kind: &str, part: Value| {
        json!({"from": "573001112233", "to": "573001234567", "id": id, "timestamp": "1772359800",
               "type": kind, kind: part})
    };
    let value = json!({
        "contacts": [{"wa_id": "573001234567", "user_id": "CO.77"}],
        "message_echoes": [
            echo("wamid.1", "text", json!({"body": "ya le llevo"})),
            echo("wamid.2", "image", json!({"id": "5"})),
            echo("wamid.3", "revoke", json!({"original_message_id": "wamid.1"})),
            echo("wamid.5", "edit", json!({"original_message_id": "wamid.1",
                "message": {"type": "text", "text": {"body": "ya se lo llevo"}}})),
            {"id": "wamid.4", "type": "text", "text": {"body": "¿a quién?"}, "to": 5},
            9,
        ],
    });
    let parsed = parse(&body(&[change("smb_message_echoes", value)]), NUMBER).unwrap();
    let [text, image, edit] = parsed.echoes.as_slice() else { panic!("{parsed:?}") };
    assert_eq!(edit.text.reveal(), "ya se lo llevo [edited]");
    assert_eq!(
        (text.external_id.as_str(), text.text.reveal().as_str()),
        ("wamid.1", "ya le llevo")
    );
    assert_eq!(text.to.external_id.reveal(), "CO.77");
    assert_eq!(text.to.alias, Some(Pii::from("573001234567")));
    assert_eq!(text.sent_at.unwrap().millis(), 1_772_359_800_000);
    assert_eq!(image.text.reveal(), "[image]");
    assert_eq!((parsed.ignored, parsed.bad.len()), (1, 2), "a deletion says nothing new");
    assert!(parsed.messages.is_empty());
}
