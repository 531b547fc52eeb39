//! Real payloads, and the value of each.

use channels::cloud::parse;
use domain::{Content, DeliveryStatus, Media, Pii, Reference};
use serde_json::Value;

const NUMBER: &str = "1122334455667";

fn parsed(name: &str) -> channels::Parsed {
    let samples = include_str!("webhooks.jsonl");
    let sample = samples
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|sample| sample["name"] == name)
        .unwrap_or_else(|| panic!("no sample {name}"));
    let parsed = parse(sample["payload"].to_string().as_bytes(), NUMBER).unwrap();
    assert!(parsed.bad.is_empty() && parsed.ignored == 0, "{parsed:?}");
    parsed
}

#[test]
fn every_message_of_the_samples_is_read_with_its_sender() {
    let choice =
        || Content::Choice { text: "title".into(), payload: Some("callback_data".to_owned()) };
    let image = Content::Media(Media {
        kind: "image".to_owned(),
        id: Some("65463453".to_owned()),
        mime: Some("image/jpeg".to_owned()),
        sha256: Some("4654+8g=".to_owned()),
        ..Media::default()
    });
    let audio = Content::Media(Media {
        kind: "audio".to_owned(),
        id: Some("1234567890987654321".to_owned()),
        mime: Some("audio/ogg; codecs=opus".to_owned()),
        sha256: Some("E3dxS/PdYZE7ppA3pQ4mpCFaXBJ8pX4SRN/dsfvds/iPGA=".to_owned()),
        ..Media::default()
    });
    for (name, expected, seconds) in [
        ("text", Content::text("Body Text"), 1_697_043_223),
        ("reply", Content::text("replied text"), 1_697_044_746),
        ("button", choice(), 1_698_266_730),
        ("callback", choice(), 1_698_266_905),
        ("image", image, 1_697_043_379),
        ("audio", audio, 1_697_043_509),
    ] {
        let parsed = parsed(name);
        let [message] = parsed.messages.as_slice() else { panic!("{name}: {parsed:?}") };
        assert_eq!(message.content, expected, "{name}");
        assert_eq!(message.sent_at.unwrap().millis(), seconds * 1_000, "{name}");
        assert!(message.external_id.starts_with("wamid."), "{name}");
        let from = &message.from;
        assert_eq!(from.external_id.reveal(), "US.13491208655302741918", "{name}");
        assert_eq!(from.alias, Some(Pii::from("972987654321")), "{name}");
        assert_eq!(from.address().reveal(), "972987654321", "{name}");
        assert_eq!(from.phone, Some(Pii::from("972987654321")), "{name}");
        assert_eq!(from.name, Some(Pii::from("Test Name")), "{name}");
    }
}

#[test]
fn every_status_of_the_samples_is_read_with_its_reason() {
    let reason = "130472: the customer is part of an experiment of Meta's (User's number is part of \
                  an experiment: Failed to send message because this user's phone number is part of \
                  an experiment)";
    for (name, status, error) in [
        ("sent", DeliveryStatus::Sent, None),
        ("delivered", DeliveryStatus::Delivered, None),
        ("read", DeliveryStatus::Read, None),
        ("failed", DeliveryStatus::Failed, Some(reason)),
    ] {
        let parsed = parsed(name);
        let [report] = parsed.reports.as_slice() else { panic!("{name}: {parsed:?}") };
        assert_eq!(report.reference, Reference::Theirs("wamid.xyzxyz".to_owned()), "{name}");
        assert_eq!((report.status, report.error.as_deref()), (status, error), "{name}");
        assert!(!report.window_closed && parsed.messages.is_empty(), "{name}");
    }
}

#[test]
fn what_is_said_of_another_number_is_counted_and_left() {
    let samples = include_str!("webhooks.jsonl");
    for line in samples.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        let parsed = parse(sample["payload"].to_string().as_bytes(), "998877").unwrap();
        assert_eq!(parsed, channels::Parsed { ignored: 1, ..Default::default() });
    }
}
