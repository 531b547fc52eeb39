//! Scripted models: files of answers, read with the place of every mistake.

use pack::{load_script, read_script};
use serde_json::json;

const SCRIPT: &str = "\
- to: detector
  when: quiero
  json: { intent: compra, confidence: 0.9 }
- calls:
    - flow.go: { mode: datos }
- { text: Hola, times: 2 }
- { fail: rate_limited }
";

#[test]
fn a_script_is_read_line_by_line() {
    let script = read_script("guion.yaml", SCRIPT).unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(script.0.len(), 4);
    assert_eq!(script.0[0].json, Some(json!({ "intent": "compra", "confidence": 0.9 })));
    assert_eq!(script.0[1].calls.as_ref().unwrap()[0]["flow.go"], json!({ "mode": "datos" }));
    assert_eq!((script.0[2].text.as_deref(), script.0[2].times), (Some("Hola"), Some(2)));
    assert_eq!(script.0[3].fail.as_deref(), Some("rate_limited"));
}

#[test]
fn each_mistake_in_a_script_is_told_with_its_place() {
    for (old, new, expected) in [
        (
            "{ text: Hola, times: 2 }",
            "{ times: 2 }",
            "6:3: error: this line answers nothing: write one of `text`, `json`, `calls`, `fail`",
        ),
        (
            "{ text: Hola, times: 2 }",
            "{ text: Hola, fail: empty }",
            "6:3: error: a line is one answer, not `text`, `fail`",
        ),
        (
            "{ text: Hola, times: 2 }",
            "{ txt: Hola }",
            "6:5: error: unknown key `txt`, did you mean `text`?",
        ),
        (
            "to: detector",
            "to: detectr",
            "1:7: error: `to` cannot be `detectr`, did you mean `detector`?",
        ),
        (
            "fail: rate_limited",
            "fail: rate_limit",
            "7:11: error: `fail` cannot be `rate_limit`, did you mean `rate_limited`?",
        ),
        (
            "- flow.go: { mode: datos }",
            "- { flow.go: {}, flow.say: {} }",
            "5:7: error: a call is one tool with its input, as `crm.order.create: {}`",
        ),
        (
            "- flow.go: { mode: datos }",
            "- flow.go",
            "5:7: error: an item of `calls`: expected a group of keys, found text",
        ),
    ] {
        let found = read_script("guion.yaml", &SCRIPT.replacen(old, new, 1)).unwrap_err();
        assert_eq!(found.to_string(), format!("guion.yaml:{expected}"), "{new}");
    }
    assert!(read_script("guion.yaml", "- [").is_err());
}

#[test]
fn a_script_is_read_from_its_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("guion.yaml");
    let absent = load_script(&path).unwrap_err().to_string();
    assert!(absent.contains("guion.yaml: error: cannot be read"), "{absent}");
    std::fs::write(&path, SCRIPT).unwrap();
    assert_eq!(load_script(&path).unwrap().0.len(), 4);
}
