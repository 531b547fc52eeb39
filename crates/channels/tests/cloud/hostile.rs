//! Bodies as nobody should send them: hostile, broken, huge or empty.

use channels::cloud::parse;
use channels::{NotUnderstood, Parsed};
use serde_json::json;

use super::webhook::{NUMBER, body, change, message, read};

#[test]
fn a_body_without_entries_holds_nothing_and_one_that_is_no_webhook_is_not_understood() {
    for given in ["{}", r#"{"entry":[]}"#, r#"{"entry":null,"object":7}"#] {
        assert_eq!(parse(given.as_bytes(), NUMBER), Ok(Parsed::default()), "{given}");
    }
    for given in ["", "hola", "5", "{", r#"{"entry":5}"#, r#"{"entry":[],"entry":[]}"#, "{} x"] {
        let parsed = parse(given.as_bytes(), NUMBER);
        assert!(matches!(parsed, Err(NotUnderstood::NotJson { .. })), "{given}: {parsed:?}");
    }
    assert!(parse("[".repeat(1_000_000).as_bytes(), NUMBER).is_err());
}

#[test]
fn what_nests_too_deep_is_kept_as_text_and_its_siblings_stay() {
    let nested = "[".repeat(100_000) + &"]".repeat(100_000);
    let hello = message("wamid.1", "text", json!({"body": "hola"}));
    // Within a list of messages, of changes and of entries.
    let whole = |place: &str| {
        let messages = json!([if place == "message" { json!("HERE") } else { json!(1) }, hello]);
        let changes = [change("messages", json!({ "messages": messages })), json!(place)];
        let text = String::from_utf8(body(&changes)).unwrap();
        let text = text.replace("\"HERE\"", &nested).replace("\"change\"", &nested);
        match place {
            "entry" => text.replace("\"entry\":[", &format!("\"entry\":[{nested},")),
            _ => text,
        }
    };
    for place in ["message", "change", "entry"] {
        let parsed = parse(whole(place).as_bytes(), NUMBER).unwrap();
        assert_eq!(parsed.messages.len(), 1, "{place}");
        let deep = parsed.bad.iter().filter(|bad| bad.reason.contains("deeper than 64"));
        assert_eq!(deep.count(), 1, "{place}: {:?}", parsed.bad);
    }
}

#[test]
fn what_is_beyond_four_thousand_items_is_kept_in_few_records_whatever_lists_it_is_in() {
    let messages: Vec<_> = (0..3_000)
        .map(|number| message(&format!("wamid.{number}"), "text", json!({"body": "hola"})))
        .collect();
    let one = change("messages", json!({ "messages": messages }));
    let parsed = parse(&body(&[one.clone(), one.clone(), one]), NUMBER).unwrap();
    assert_eq!(parsed.messages.len(), 4_000);
    let kept: usize = parsed
        .bad
        .iter()
        .map(|bad| {
            bad.raw["bytes"]
                .as_u64()
                .map_or_else(|| bad.raw.as_str().unwrap().matches("wamid.").count(), |_| 3_000)
        })
        .sum();
    assert_eq!(kept, 5_000, "2,000 of the second change, and the third, which is long, as one");
    assert!(parsed.bad.len() < 20, "{}", parsed.bad.len());
}

#[test]
fn a_delivery_that_names_more_people_than_it_may_have_messages_is_kept() {
    let contacts: Vec<_> = (0..4_001).map(|n| json!({"wa_id": n.to_string()})).collect();
    let hello = message("wamid.1", "text", json!({"body": "hola"}));
    let named = |contacts: &[serde_json::Value]| {
        read(json!({"contacts": contacts, "messages": [hello.clone()]}))
    };
    assert_eq!(named(&contacts[1..]).messages.len(), 1);
    let parsed = named(&contacts);
    assert_eq!((parsed.messages.len(), parsed.bad.len()), (0, 1));
    assert_eq!(parsed.bad[0].reason, "contacts names more than 4000 people");
}

#[test]
fn an_echo_that_nobody_writes_is_set_aside() {
    let mut echo = message("wamid.1", "text", json!({"body": "x".repeat(200_000)}));
    echo["to"] = json!("573001234567");
    let parsed = read(json!({"message_echoes": [echo]}));
    assert_eq!((parsed.echoes.len(), parsed.bad.len()), (0, 1));
}

#[test]
fn hostile_values_make_bad_items_and_their_reasons_quote_nothing() {
    let cases = [
        json!({"from": "1", "id": {"secreto": 1}, "type": "text", "text": {"body": "a"}}),
        json!({"from": 573001234567_i64, "id": "m", "type": "text", "text": {"body": "secreto"}}),
        json!({"from": "", "id": "m", "type": "text", "text": {"body": "secreto"}}),
        json!({"from": "1\u{0}", "id": "m", "type": "text", "text": {"body": "secreto"}}),
        json!({"from": "1", "type": "text", "text": {"body": "secreto"}}),
        json!({"from": "1", "id": "m".repeat(1025), "type": "text", "text": {"body": "secreto"}}),
        json!({"from": "1", "id": "m", "text": {"body": "secreto"}}),
        json!({"from": "1", "id": "m", "type": ["secreto"]}),
        json!({"from": "1", "id": "m", "type": "text"}),
        json!({"from": "1", "id": "m", "type": "text", "text": "secreto"}),
        json!({"from": "1", "id": "m", "type": "image", "image": {"caption": "secreto"}}),
        json!({"from": "1", "id": "m", "type": "location", "location": {"latitude": "secreto", "longitude": 0}}),
        json!({"from": "1", "id": "m", "type": "button", "button": {}}),
        json!({"from": "1", "id": "m", "type": "interactive", "interactive": {"type": "list_reply"}}),
        json!("secreto"),
        json!(null),
    ];
    for given in cases {
        let parsed = read(json!({"messages": [given.clone()]}));
        let [bad] = parsed.bad.as_slice() else { panic!("{given}: {parsed:?}") };
        assert!(!bad.reason.contains("secreto"), "{}", bad.reason);
        assert_eq!(bad.raw, given, "kept as it came");
    }
    // Half a surrogate is no JSON value; the item is kept as the text it was.
    let half = r#"{"from":"1","id":"m","type":"text","text":{"body":"\ud800"}}"#;
    let whole =
        String::from_utf8(body(&[change("messages", json!({"messages": ["HERE"]}))])).unwrap();
    let parsed = parse(whole.replace("\"HERE\"", half).as_bytes(), NUMBER).unwrap();
    assert_eq!(parsed.bad[0].raw, json!(half));
}

#[test]
fn odd_times_are_no_times_and_lose_nothing() {
    for (given, expected) in [
        (json!("1772359800"), Some(1_772_359_800_000)),
        (json!(1_772_359_800), Some(1_772_359_800_000)),
        (json!("-5"), None),
        (json!("99999999999999999999"), None),
        (json!(1.5), None),
        (json!("ayer"), None),
        (json!(null), None),
    ] {
        let mut sent = message("wamid.1", "text", json!({"body": "hola"}));
        sent["timestamp"] = given.clone();
        let parsed = read(json!({"messages": [sent]}));
        let at = parsed.messages[0].sent_at.map(domain::Timestamp::millis);
        assert_eq!(at, expected, "{given}");
    }
}

#[test]
fn no_cut_or_changed_byte_of_a_body_makes_it_panic() {
    let status = json!({"id": "w", "status": "failed", "errors": [{"code": 131047, "title": "ñ"}]});
    let sent =
        message("wamid.1", "location", json!({"latitude": 1.5, "longitude": 2, "name": "ñ"}));
    let contacts =
        json!([{"profile": {"name": "Ana"}, "wa_id": "573001234567", "user_id": "CO.7"}]);
    let value = json!({"contacts": contacts, "messages": [sent], "statuses": [status]});
    let whole = body(&[change("messages", value)]);
    for end in 0..whole.len() {
        assert!(parse(&whole[..end], NUMBER).is_err());
        for byte in [0, b'"', b'\\', b'{', b']', b'9', b'-', 0xff] {
            let mut changed = whole.clone();
            changed[end] = byte;
            if let Ok(parsed) = parse(&changed, NUMBER) {
                let read = parsed.messages.len() + parsed.reports.len() + parsed.bad.len();
                assert!(read + parsed.ignored <= 3, "{parsed:?}");
            }
        }
    }
}

#[test]
fn two_thousand_messages_fit_in_one_body() {
    let one = |number: usize| message(&format!("wamid.{number}"), "text", json!({"body": "hola"}));
    let messages: Vec<_> = (0..2_000).map(one).collect();
    assert_eq!(read(json!({"messages": messages})).messages.len(), 2_000);
}
