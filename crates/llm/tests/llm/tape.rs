//! Recording and replaying: a recorded request is answered, any other is explained.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::{ModelMessage, ModelReply, ModelRequest, OutputSchema};
use llm::{Ask, CallFailure, FailureKind, Provider, Recorder, Replayer};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fake::{Act, Fake};
use super::providers::{call, hello};

fn tape() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("tape.jsonl");
    (folder, path)
}

fn says(text: &str) -> ModelRequest {
    let system = "One\ntwo\nthree".to_owned();
    let temperature = Some(0.3);
    let output = Some(OutputSchema { name: "o".into(), schema: json!({"b": 1, "a": 2}) });
    let messages = vec![ModelMessage::user("before"), ModelMessage::user(text)];
    ModelRequest { system: system.into(), messages, temperature, output, ..hello() }
}

async fn record(path: &Path, acts: &[Act], requests: &[ModelRequest]) {
    let recorder = Recorder::new(Fake::new("x", acts), path).unwrap();
    assert_eq!(recorder.name(), "x");
    for request in requests {
        let _ = call(&recorder, "m", request).await;
    }
}

async fn replay(replayer: &Replayer, request: &ModelRequest) -> Result<ModelReply, CallFailure> {
    call(replayer, "m", request).await.0
}

#[tokio::test]
async fn what_was_recorded_is_answered_in_any_order_and_repeats_in_theirs() {
    let (_folder, path) = tape();
    let acts = [Act::Say("one"), Act::Say("two"), Act::Fail(FailureKind::Overloaded)];
    record(&path, &acts, &[says("a"), says("b"), says("a")]).await;
    // A second recording continues where the first ended.
    record(&path, &[Act::Say("three")], &[says("a")]).await;

    let replayer = Replayer::open("x", &path).unwrap();
    assert_eq!(replayer.left(), 4);
    assert_eq!(replay(&replayer, &says("b")).await.unwrap().text(), "two");
    assert_eq!(replay(&replayer, &says("a")).await.unwrap().text(), "one");
    let failure = replay(&replayer, &says("a")).await.unwrap_err();
    assert_eq!((failure.kind, failure.usage), (FailureKind::Overloaded, super::fake::USAGE));
    assert_eq!(replay(&replayer, &says("a")).await.unwrap().text(), "three");
    assert_eq!(replayer.left(), 0);
    let more = replay(&replayer, &says("a")).await.unwrap_err();
    assert_eq!(more.kind, FailureKind::NotRecorded);
    assert!(more.message.contains("more often than the 3 times"), "{more}");
}

#[tokio::test]
async fn a_request_that_was_not_recorded_is_shown_against_the_nearest() {
    let (_folder, path) = tape();
    record(&path, &[Act::Say("x")], &[hello(), says("¿Cuánto cuesta?")]).await;
    let replayer = Replayer::open("x", &path).unwrap();
    let failure = replay(&replayer, &says("¿Cuánto vale?")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotRecorded);
    assert!(failure.message.contains("tape.jsonl: not recorded; from line 2"), "{failure}");
    let changed = |mark: char| {
        let lines = failure.message.lines().filter(|line| line.starts_with(mark));
        lines.map(|line| line[1..].trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(changed('-'), ["\"text\": \"¿Cuánto cuesta?\","]);
    assert_eq!(changed('+'), ["\"text\": \"¿Cuánto vale?\","]);
    assert!(failure.message.lines().count() < 12, "{failure}");
}

#[tokio::test]
async fn another_component_or_model_is_another_question() {
    let (_folder, path) = tape();
    record(&path, &[Act::Say("x")], &[hello()]).await;
    let replayer = Replayer::open("x", &path).unwrap();
    let request = hello();
    for (component, model) in [("judge", "m"), ("writer", "n")] {
        let ask = Ask { component, model, request: &request, within: Duration::from_secs(1) };
        let failure = replayer.call(&ask, &mut |_| ()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotRecorded);
    }
    assert!(replay(&replayer, &request).await.is_ok());
}

#[tokio::test]
async fn the_order_of_keys_on_the_tape_does_not_matter() {
    let (_folder, path) = tape();
    record(&path, &[Act::Say("x")], &[says("a")]).await;
    let written = std::fs::read_to_string(&path).unwrap();
    let (one, other) = (r#"{"a":2,"b":1}"#, r#"{"b":1,"a":2}"#);
    let swapped = if written.contains(one) {
        written.replace(one, other)
    } else {
        written.replace(other, one)
    };
    assert_ne!(swapped, written);
    std::fs::write(&path, swapped).unwrap();
    assert!(replay(&Replayer::open("x", &path).unwrap(), &says("a")).await.is_ok());
}

#[tokio::test]
async fn a_tape_is_json_lines_that_a_person_can_read() {
    let (_folder, path) = tape();
    record(&path, &[Act::Say("Hola")], &[says("a"), says("b")]).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["component"], "writer");
    assert_eq!(lines[1]["request"]["messages"][1]["parts"][0]["text"], "b");
    assert_eq!(lines[1]["outcome"]["reply"]["parts"][0]["text"], "Hola");
    assert_eq!(lines[0]["request"]["temperature"], 0.3);
}

#[tokio::test]
async fn a_broken_line_is_named_with_its_place() {
    let (_folder, path) = tape();
    record(&path, &[Act::Say("x")], &[hello()]).await;
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{good}\n{}", &good[..good.len() / 2])).unwrap();
    let error = Replayer::open("x", &path).unwrap_err().to_string();
    assert!(error.contains("tape.jsonl:3: not a recorded exchange"), "{error}");
    let error = Replayer::open("x", Path::new("/nowhere/tape.jsonl")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/tape.jsonl: "), "{error}");
}

#[tokio::test]
async fn an_empty_tape_says_so() {
    let (_folder, path) = tape();
    std::fs::write(&path, "").unwrap();
    let failure = replay(&Replayer::open("x", &path).unwrap(), &hello()).await.unwrap_err();
    assert!(failure.message.ends_with("nothing is recorded"), "{failure}");
}

#[tokio::test]
async fn an_exchange_that_cannot_be_written_is_a_failure_that_was_paid() {
    // Every write to this device fails for want of space.
    let fake: Arc<Fake> = Fake::new("x", &[Act::Say("x")]);
    let recorder = Recorder::new(fake, Path::new("/dev/full")).unwrap();
    let failure = call(&recorder, "m", &hello()).await.0.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotRecorded);
    assert_eq!(failure.usage, super::fake::USAGE);
}
