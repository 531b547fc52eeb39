//! Edits of YAML texts: the changed lines, the kept ones, and the values of the result.

use document::{Edit, EditError, parse, rewrite};
use proptest::prelude::*;
use serde_json::{Value, json};

fn edit(path: &str, value: Value) -> Edit {
    Edit { path: path.to_owned(), value }
}

#[track_caller]
fn check(before: &str, edits: &[(&str, Value)], after: &str) {
    let edits: Vec<Edit> = edits.iter().map(|(path, value)| edit(path, value.clone())).collect();
    assert_eq!(rewrite(before, &edits).as_deref(), Ok(after));
}

const CASE: &str = "\
# Conversations of the shop.
- name: saluda  # first
  steps:
    - say: hola
      expect:
        reply: Buenas # the greeting
        path: [a, b]   # nodes

    # A second step.
    - say: chau
- name: otra
  steps: [{ say: hola, expect: { reply: x } }]
";

#[test]
fn a_value_changes_and_its_comment_stays() {
    check(
        CASE,
        &[("/0/steps/0/expect/reply", json!("¡Hola! ¿Qué tal?"))],
        &CASE.replace("reply: Buenas #", "reply: ¡Hola! ¿Qué tal? #"),
    );
    check(
        CASE,
        &[("/0/steps/0/expect/path", json!(["a", "c: d", 5, null]))],
        &CASE.replace("[a, b]", "[a, \"c: d\", 5, null]"),
    );
}

#[test]
fn several_lines_become_a_block_and_a_block_becomes_a_line() {
    let block = CASE.replace(
        "reply: Buenas # the greeting",
        "reply: |- # the greeting\n          Buenas.\n\n          ¿Qué tal?",
    );
    check(CASE, &[("/0/steps/0/expect/reply", json!("Buenas.\n\n¿Qué tal?"))], &block);
    let line = CASE.replace("reply: Buenas #", "reply: Chau #");
    check(&block, &[("/0/steps/0/expect/reply", json!("Chau"))], &line);
}

#[test]
fn a_missing_key_is_added_below_its_neighbours_and_a_missing_group_is_made() {
    check(
        CASE,
        &[("/0/steps/0/expect/status", json!("closed"))],
        &CASE.replace("# nodes\n", "# nodes\n        status: closed\n"),
    );
    check(
        CASE,
        &[
            ("/0/steps/1/expect/reply", json!("uno\ndos\n")),
            ("/0/steps/1/expect/fields/nombre", Value::Null),
        ],
        &CASE.replace(
            "say: chau\n",
            "say: chau\n      expect:\n        reply: |\n          uno\n          dos\n        \
             fields:\n          nombre: null\n",
        ),
    );
}

#[test]
fn inside_brackets_everything_stays_on_its_line() {
    check(
        CASE,
        &[
            ("/1/steps/0/expect/reply", json!("a, b\nc")),
            ("/1/steps/0/expect/fields", json!({"x": 1, "y": {}})),
        ],
        &CASE.replace("reply: x }", "reply: \"a, b\\nc\", fields: { x: 1, y: {} } }"),
    );
}

#[test]
fn every_way_to_write_a_value_is_replaced_whole() {
    for value in [
        "plain",
        "plain\n    goes on",
        "'single'",
        "\"double \\\" quote\"",
        "|\n    uno\n    dos",
        "|+\n    uno",
        ">-\n    uno\n    dos",
        "|",
        "",
        "~",
        "12.5",
        "[a, b]",
        "[a, # one\n     b]",
        "[a, b # two ]\n    ]",
        "[]",
        "{}",
        "{ a: 1, b }",
        "\n    - a\n    - b: c\n      d: e",
        "\n  - a\n  - b",
        "\n    a: |\n      x\n    b:",
        "!!str 5",
        "&anchor uno",
    ] {
        let before = format!("a:\n  k: {value}\n  # kept\n  z: 1\n\nlast: [x] # end\n");
        let after = "a:\n  k: nuevo\n  # kept\n  z: 1\n\nlast: [x] # end\n";
        let got = rewrite(&before, &[edit("/a/k", json!("nuevo"))]);
        assert_eq!(got.as_deref(), Ok(after), "{before}");
    }
}

#[test]
fn text_that_a_block_cannot_hold_is_quoted() {
    for text in
        ["  a\nb", "\na\nb", "a\n\n", "a\n  \nb", "a\r\nb", "a\u{85}b\nc", "# a", "- a", " "]
    {
        let written = rewrite("k: 1\nz: 2\n", &[edit("/k", json!(text))]).unwrap();
        assert!(written.starts_with("k: \"") && written.ends_with("\nz: 2\n"), "{written}");
        let read = parse(&written).ok().and_then(|tree| Some(tree.text("k")?.0.to_owned()));
        assert_eq!(read.as_deref(), Some(text));
    }
}

#[test]
fn comments_between_a_key_and_its_value_are_kept() {
    check(
        "k: # one\n  # two\n  viejo\nz: 1\n",
        &[("/k", json!("nuevo"))],
        "k: nuevo # one\n# two\nz: 1\n",
    );
    check("k: | # one\n  viejo\nz: 1\n", &[("/k", json!("a\nb"))], "k: |- # one\n  a\n  b\nz: 1\n");
    check("k: # one\nz: 1\n", &[("/k", json!("a\nb"))], "k: |- # one\n  a\n  b\nz: 1\n");
}

#[test]
fn files_without_a_last_line_end_or_with_windows_ones_are_kept_so() {
    check("k: uno", &[("/k", json!("dos")), ("/z", json!(1))], "k: dos\nz: 1");
    check("k: uno\r\nz: 1\r\n", &[("/k", json!("a\nb"))], "k: |-\r\n  a\r\n  b\r\nz: 1\r\n");
}

#[test]
fn what_does_not_change_is_not_touched() {
    let odd = "k:   'uno'   \nl: [ a,b ]\n";
    check(odd, &[("/k", json!("uno")), ("/l", json!(["a", "b"]))], odd);
}

#[test]
fn what_cannot_be_changed_alone_is_an_error_and_never_a_broken_file() {
    for (text, path, error) in [
        ("k: [", "/k", EditError::NotADocument),
        ("k: uno", "/k/z", EditError::Place("/k/z".to_owned())),
        ("- uno", "/0", EditError::Place("/0".to_owned())),
        ("- uno", "/7", EditError::Place("/7".to_owned())),
        ("a: &x uno\nb: *x\n", "/a", EditError::Place("/a".to_owned())),
    ] {
        assert_eq!(rewrite(text, &[edit(path, json!("nuevo"))]), Err(error), "{text}");
    }
    let alias = rewrite("a: &x uno\nb: *x\n", &[edit("/b", json!("dos"))]);
    assert_eq!(alias.as_deref(), Ok("a: &x uno\nb: dos\n"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        "[a-zñ¿?:#'\"{}\\[\\],\\-|> \n\t]{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec!["true", "no", "~", "1e3", "0x1F", "-", "", "null", "2026-01-01"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z:# ]{1,5}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_result_reads_as_the_edited_document(
        value in any_json(),
        path in prop::sample::select(vec![
            "/0/name", "/0/steps/0/expect/reply", "/0/steps/0/expect/path",
            "/0/steps/0/expect/fields", "/0/steps/1/expect/reply", "/0/steps/1/expect/fields/a",
            "/1/steps/0/expect/reply", "/1/steps/0/expect/fields/b", "/1/steps/0/expect",
            "/0/steps/0/expect/path/1",
        ]),
    ) {
        let before = parse(CASE).map(|tree| tree.to_json()).unwrap();
        let after = rewrite(CASE, &[edit(path, value.clone())])
            .unwrap_or_else(|error| panic!("{error}: {value}"));
        let read = parse(&after).unwrap_or_else(|fault| panic!("{fault:?}\n{after}"));
        prop_assert_eq!(read.at(path).map(|node| node.to_json()), Some(value));
        // Every comment is still there, and so is every line that the path does not lead to.
        for kept in ["# Conversations", "# first", "    # A second step.", "- name: otra"] {
            prop_assert!(after.contains(kept), "{}", after);
        }
        let case = usize::from(path.starts_with("/0"));
        let pointer = format!("/{case}");
        let read = read.to_json();
        prop_assert_eq!(read.pointer(&pointer), before.pointer(&pointer));
    }

    #[test]
    fn any_text_is_parsed_or_refused_without_a_panic(text in "[a-z0-9:#'\"{}\\[\\],\\-|>&*!%~? \n\t]{0,60}") {
        if let Ok(tree) = parse(&text) {
            let _ = tree.to_json();
            let paths = ["/a", "/0", "/0/a", "/a/b"];
            for path in paths {
                let _ = rewrite(&text, &[edit(path, json!("x\ny"))]);
            }
        }
    }
}
