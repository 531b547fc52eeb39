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
fn what_is_beyond_four_thousand_items_is_kept_in_few_records() {
    let one = |number| message(&format!("wamid.{number}"), json!({"type": "TEXT", "text": "hola"}));
    let results: Vec<_> = (0..4_001).map(one).collect();
    let parsed = parse(&body(&results)).unwrap();
    assert_eq!((parsed.messages.len(), parsed.bad.len()), (4_000, 1));
    let last = parsed.bad[0].raw.as_str().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(last).unwrap(), json!([results[4_000]]));

    // As many items as fit in four megabytes: none is lost, and each record is short.
    let many = format!("{{\"results\":[{}1]}}", "1,".repeat(2_000_000));
    let parsed = parse(many.as_bytes()).unwrap();
    let (read, beyond) = parsed.bad.split_at(4_000);
    assert!(read.iter().all(|bad| bad.raw == json!(1)));
    assert!(beyond.len() <= 32, "{}", beyond.len());
    let kept = |bad: &channels::BadItem| {
        let text = bad.raw.as_str().unwrap();
        assert!(text.len() <= 128 * 1024 + 2, "{}", text.len());
        serde_json::from_str::<Vec<u8>>(text).unwrap().len()
    };
    assert_eq!(beyond.iter().map(kept).sum::<usize>(), 2_000_001 - 4_000);
    assert!(beyond[0].reason.starts_with("beyond the 4000 items"), "{}", beyond[0].reason);
    // An item of those that is long is kept by its beginning.
    let long = json!("x".repeat(200_000));
    let results: Vec<_> = vec![json!(1); 4_000].into_iter().chain([long]).collect();
    assert_eq!(parse(&body(&results)).unwrap().bad[4_000].raw["bytes"], 200_002);
}

#[test]
fn a_report_that_no_provider_sends_is_set_aside_and_a_name_that_nobody_has_is_none() {
    let long = "x".repeat(200_000);
    let report =
        json!({"messageId": OURS, "status": {"groupId": 5}, "error": {"id": 1, "name": long}});
    let mut named = message("wamid.1", json!({"type": "TEXT", "text": "hola"}));
    named["contact"] = json!({"name": long});
    let parsed = parse(&body(&[report, named])).unwrap();
    assert_eq!((parsed.reports.len(), parsed.bad.len(), parsed.messages.len()), (0, 1, 1));
    assert_eq!(parsed.bad[0].reason, "longer than 128 kB, which no provider sends");
    assert_eq!(parsed.messages[0].from.name, None);
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
        let parsed = parse(given);
        assert!(matches!(parsed, Err(NotUnderstood::NotJson { .. })), "{given:?}: {parsed:?}");
    }
    assert!(parse("[".repeat(1_000_000).as_bytes()).is_err());
}

#[test]
fn an_item_that_nests_too_deep_is_kept_as_text_and_its_siblings_stay() {
    let hello = message("wamid.1", json!({"type": "TEXT", "text": "hola"}));
    for (depth, is_text) in [(64, false), (65, true), (500_000, true)] {
        let nested = "[".repeat(depth) + &"]".repeat(depth);
        let parsed = parse(format!("{{\"results\":[{nested},{hello}]}}").as_bytes()).unwrap();
        let [bad] = &parsed.bad[..] else { panic!("{depth}") };
        assert_eq!(bad.reason == "the item nests deeper than 64 levels", is_text, "{depth}");
        let kept = bad.raw.as_str().or(bad.raw["begins"].as_str()).unwrap_or_default();
        assert_eq!(kept.starts_with("[[[["), is_text, "{depth}");
        assert_eq!(parsed.messages.len(), 1, "{depth}");
    }
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
