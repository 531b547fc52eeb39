//! Bodies as nobody should send them: hostile, broken, huge or empty.

use channels::infobip::parse;
use channels::{NotUnderstood, Parsed};
use serde_json::json;

use super::webhook::{OURS, body, contents, message};

#[test]
fn invisible_characters_are_dropped_and_long_texts_are_whole() {
    let long = "ñ".repeat(60_000);
    let parsed = contents(&[
        json!({"type": "TEXT", "text": "ho\u{200b}la\u{e0041}\u{0}"}),
        json!({"type": "TEXT", "text": long}),
    ]);
    assert_eq!(parsed.messages[0].content.words().as_deref(), Some("hola\u{fffd}"));
    assert_eq!(parsed.messages[1].content.words().as_deref(), Some(long.as_str()));
}

#[test]
fn a_text_that_no_customer_writes_is_set_aside_with_its_beginning_and_its_siblings_stay() {
    let parsed = contents(&[
        json!({"type": "TEXT", "text": "ñ".repeat(200_000)}),
        json!({"type": "TEXT", "text": "hola"}),
    ]);
    assert_eq!(parsed.messages[0].content.words().as_deref(), Some("hola"));
    let [bad] = &parsed.bad[..] else { panic!("{:?}", parsed.bad) };
    assert_eq!(bad.reason, "longer than 128 kB, which no customer writes");
    assert!(bad.raw["begins"].as_str().is_some_and(|begins| begins.contains("ññññ")));
}

#[test]
fn two_thousand_results_fit_in_one_body() {
    let one = |number| message(&format!("wamid.{number}"), json!({"type": "TEXT", "text": "hola"}));
    let results: Vec<_> = (0..2_000).map(one).collect();
    let parsed = parse(&body(&results)).unwrap();
    assert_eq!((parsed.messages.len(), parsed.bad.len()), (2_000, 0));
    assert_eq!(parsed.messages[1_999].external_id, "wamid.1999");
}

#[test]
fn a_body_without_results_holds_nothing() {
    for given in ["{}", r#"{"results":[]}"#, r#"{"results":null}"#, r#"{"messageCount":"many"}"#] {
        assert_eq!(parse(given.as_bytes()), Ok(Parsed::default()), "{given}");
    }
}

#[test]
fn a_body_that_is_no_webhook_is_not_understood() {
    let cases: [&[u8]; 9] = [
        b"",
        b"hola",
        b"5",
        b"{",
        b"{\"results\":[",
        b"{\"results\":5}",
        b"{\"results\":[\xff]}",
        b"{\"results\":[],\"results\":[]}",
        b"{} trailing",
    ];
    for given in cases {
        let verdict = parse(given);
        assert!(matches!(verdict, Err(NotUnderstood::NotJson { .. })), "{given:?}: {verdict:?}");
    }
    let nested = |depth: usize| {
        let inner = depth - 2;
        format!("{{\"results\":[{}{}]}}", "[".repeat(inner), "]".repeat(inner))
    };
    assert_eq!(parse(nested(64).as_bytes()).unwrap().bad.len(), 1);
    assert_eq!(parse(nested(65).as_bytes()), Err(NotUnderstood::TooDeep));
    assert_eq!(parse("[".repeat(1_000_000).as_bytes()), Err(NotUnderstood::TooDeep));
    let in_text =
        message("wamid.1", json!({"type": "TEXT", "text": format!("\"\\{}", "[".repeat(99))}));
    assert_eq!(parse(&body(&[in_text])).unwrap().messages.len(), 1);
}

#[test]
fn hostile_values_make_bad_items_and_their_reasons_quote_nothing() {
    let cases = [
        r#"{"from":"1","from":"2","messageId":"m","message":{"type":"TEXT","text":"secreto"}}"#,
        r#"{"from":573001234567,"messageId":"m","message":{"type":"TEXT","text":"secreto"}}"#,
        r#"{"from":"573001234567","messageId":{"secreto":1},"message":{"type":"TEXT","text":"a"}}"#,
        r#"{"from":"573001234567","messageId":"a\u0000b","message":{"type":"TEXT","text":"a"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":"secreto"}"#,
        r#"{"from":"573001234567","messageId":"m","message":[]}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"text":"secreto"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":7,"text":"secreto"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"TEXT","text":["secreto"]}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"TEXT","text":"secreto\ud800"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"TEXT"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"BUTTON"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"IMAGE","caption":"secreto"}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"LOCATION","latitude":1e999,"longitude":0}}"#,
        r#"{"from":"573001234567","messageId":"m","message":{"type":"LOCATION","latitude":"secreto","longitude":0}}"#,
        r#""secreto""#,
        "null",
        "-1e-999999",
    ];
    for given in cases {
        let parsed = parse(format!("{{\"results\":[{given}]}}").as_bytes()).unwrap();
        let [bad] = parsed.bad.as_slice() else { panic!("{given}: {parsed:?}") };
        assert!(!bad.reason.contains("secreto") && !bad.reason.contains("5730"), "{}", bad.reason);
    }
    let too_long = message(&"m".repeat(1_025), json!({"type": "TEXT", "text": "a"}));
    assert_eq!(parse(&body(&[too_long])).unwrap().bad[0].reason, "messageId cannot be stored");
    // An odd value in a field that nobody reads spoils nothing.
    let odd = r#"{"from":"1","messageId":"m","price":1e99999,"x":"\ud800","message":{"type":"TEXT","text":"a"}}"#;
    let parsed = parse(format!("{{\"results\":[{odd}]}}").as_bytes()).unwrap();
    assert_eq!(parsed.messages.len(), 1, "{parsed:?}");
}

#[test]
fn no_cut_or_changed_byte_of_a_body_makes_it_panic() {
    let whole = body(&[
        message(
            "wamid.1",
            json!({"type": "LOCATION", "latitude": 1.5, "longitude": 2, "name": "ñ"}),
        ),
        json!({"messageId": OURS, "status": {"groupId": 5}, "error": {"id": 1, "name": "N"}}),
    ]);
    for end in 0..whole.len() {
        assert!(parse(&whole[..end]).is_err());
        for byte in [0, b'"', b'\\', b'{', b']', b'9', b'-', 0xff] {
            let mut changed = whole.clone();
            changed[end] = byte;
            if let Ok(parsed) = parse(&changed) {
                let read = parsed.messages.len() + parsed.reports.len() + parsed.bad.len();
                assert!(read + parsed.ignored <= 2, "{parsed:?}");
            }
        }
    }
}
