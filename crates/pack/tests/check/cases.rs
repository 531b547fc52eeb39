//! The conversations of a pack: read with their lines, and checked for names that do not exist.

use pack::{Edit, load_cases, rewrite};
use serde_json::json;

use crate::{broken, changed, pedido, source};

const FILE: &str = "tests/agenda.yaml";
const NODES: [&str; 2] = ["extract", "off_topic"];

/// The mistake, the text that is replaced, the new text, and the finding after the file's name.
const ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "a step without anything",
        "    - wait: 30m\n",
        "    - \n",
        "10:7: error: in this step nothing happens: write `say`, `wait`, `operator` or `shop`",
    ),
    (
        "a step that expects only",
        "    - wait: 30m\n      expect:\n",
        "    - expect:\n",
        "9:7: error: in this step nothing happens: write `say`, `wait`, `operator` or `shop`",
    ),
    (
        "a step with two things",
        "    - wait: 30m\n",
        "    - wait: 30m\n      say: hola\n",
        "9:7: error: a step is one thing, not `say`, `wait`: make a step of each",
    ),
    (
        "an unknown field in what is given",
        "given: { nombre: Ana }",
        "given: { nombres: Ana }",
        "17:12: error: no field is called `nombres`, did you mean `nombre`?",
    ),
    (
        "an unknown field in what is expected",
        "metros: 300 }",
        "metro: 300 }",
        "7:37: error: no field is called `metro`, did you mean `metros`?",
    ),
    (
        "an unknown template",
        "[anotado_asi]",
        "[anotado_si]",
        "8:21: error: no template is called `anotado_si`, did you mean `anotado_asi`?",
    ),
    (
        "an unknown intent",
        "intent: precio",
        "intent: presio",
        "21:17: error: no intent is called `presio`, did you mean `precio`?",
    ),
    (
        "an unknown node",
        "[off_topic]",
        "[off_topik]",
        "22:16: error: no node is called `off_topik`, did you mean `off_topic`?",
    ),
    (
        "an unknown status",
        "status: paused",
        "status: pausd",
        "13:25: error: `status` cannot be `pausd`, did you mean `paused`?",
    ),
    (
        "an unknown act of an operator",
        "operator: take",
        "operator: takes",
        "12:17: error: `operator` cannot be `takes`, did you mean `take`?",
    ),
    (
        "an operator without an act",
        "operator: take",
        "operator: [take]",
        "12:17: error: `operator`: expected one of `take`, `return` or a group of keys, found a list",
    ),
    (
        "a misspelt key of an operator",
        "{ say: \"Hola, soy Luis\" }",
        "{ sya: \"Hola, soy Luis\" }",
        "14:19: error: unknown key `sya`, did you mean `say`?",
    ),
    (
        "a length of time in words",
        "wait: 30m",
        "wait: media hora",
        "9:13: error: `wait`: `media hora` is not a length of time; write 90s, 30m, 4h or 2d",
    ),
    (
        "a misspelt key of a step",
        "- say: cuánto sale?",
        "- sey: cuánto sale?",
        "19:7: error: unknown key `sey`, did you mean `say`?",
    ),
    (
        "a misspelt expectation",
        "contains: [Ana Ruiz]",
        "contain: [Ana Ruiz]",
        "6:9: error: unknown key `contain`, did you mean `contains`?",
    ),
    (
        "one text where parts belong",
        "contains: [Ana Ruiz]",
        "contains: Ana Ruiz",
        "6:19: error: `contains`: expected a list, found text; begin each item with `- `",
    ),
    (
        "two tests of one name",
        "Empieza con el nombre puesto",
        "Da todo de una vez y confirma",
        "16:9: error: a test of this name is already on line 2",
    ),
    (
        "a file that is a group",
        "*",
        "name: hola",
        "1:1: error: the file: expected a list, found a group of keys",
    ),
    (
        "steps left out",
        "  steps:\n    - say: cuánto sale?\n      expect:\n        intent: precio\n        path: [off_topic]\n",
        "",
        "16:3: error: `steps` is missing",
    ),
];

#[test]
fn each_mistake_in_a_test_is_told_with_its_place() {
    for (what, old, new, expected) in ROWS {
        let source = broken(&[(FILE, old, new)]);
        let found = load_cases(&source, &NODES).err().map(|findings| findings.to_string());
        let expected: Vec<String> = expected.lines().map(|line| format!("{FILE}:{line}")).collect();
        assert_eq!(found.unwrap_or_default(), expected.join("\n"), "{what}");
    }
}

/// The same of a flow's tests.
const FLOW_ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "an unknown mode",
        "mode: elegir",
        "mode: elegr",
        "11:15: error: no mode is called `elegr`, did you mean `elegir`?",
    ),
    (
        "an unknown intent",
        "intent: compra\n",
        "intent: comprar\n",
        "12:17: error: no intent is called `comprar`, did you mean `compra`?",
    ),
    (
        "an unknown template that something stood for",
        "precios#respaldo1",
        "precio#respaldo1",
        "13:36: error: no template is called `precio`, did you mean `precios`?",
    ),
    (
        "an unknown tool",
        "[bodega.existencias]",
        "[bodega.existencia]",
        "14:17: error: no tool is called `bodega.existencia`, did you mean `bodega.existencias`?",
    ),
    (
        "an unknown use of a model",
        "models: [detector]",
        "models: [detecter]",
        "15:18: error: no use of a model is called `detecter`, did you mean `detector`?",
    ),
    ("an unknown move", "[go cierre]", "[goes cierre]", "16:19: error: no move is called `goes`"),
    (
        "an unknown choice",
        "{ bolsa: null }",
        "{ bolso: null }",
        "17:20: error: no choice is called `bolso`, did you mean `bolsa`?",
    ),
    (
        "an unknown stamp",
        "[first_data_at]",
        "[first_date_at]",
        "18:18: error: no stamp is called `first_date_at`, did you mean `first_data_at`?",
    ),
    (
        "an unknown band",
        "band: proceed",
        "band: proced",
        "19:15: error: `band` cannot be `proced`, did you mean `proceed`?",
    ),
    (
        "an unknown tier",
        "tier: local",
        "tier: locl",
        "20:15: error: `tier` cannot be `locl`, did you mean `local`?",
    ),
    (
        "a scripted line without an answer",
        "{ fail: overloaded, times: 1 }",
        "{ times: 1 }",
        "7:7: error: this line answers nothing: write one of `text`, `json`, `calls`, `fail`",
    ),
    (
        "a scripted line with two answers",
        "{ fail: overloaded, times: 1 }",
        "{ fail: overloaded, text: a }",
        "7:7: error: a line is one answer, not `text`, `fail`",
    ),
    (
        "an unknown asker",
        "to: detector",
        "to: detecto",
        "5:13: error: `to` cannot be `detecto`, did you mean `detector`?",
    ),
    (
        "an empty list of messages",
        "say: [quiero café, en Cali]",
        "say: []",
        "9:12: error: `say` is empty",
    ),
];

#[test]
fn each_mistake_in_a_flows_test_is_told_with_its_place() {
    for (what, old, new, expected) in FLOW_ROWS {
        let source = changed(&pedido(), &[("tests/pedido.yaml", old, new)]);
        let found = load_cases(&source, &[]).err().map(|findings| findings.to_string());
        assert_eq!(found.unwrap_or_default(), format!("tests/pedido.yaml:{expected}"), "{what}");
    }
}

#[test]
fn a_broken_test_does_not_stop_the_pack() {
    let source = broken(&[(FILE, "*", "- [")]);
    assert!(pack::read(&source).is_ok());
    assert!(load_cases(&source, &NODES).is_err());
}

#[test]
fn names_are_not_called_unknown_where_they_cannot_be_known() {
    let source = broken(&[("form.yaml", "*", "- ["), ("templates.yaml", "*", "a: [")]);
    assert!(load_cases(&source, &[]).is_ok());
}

#[test]
fn cases_know_their_lines() {
    let all = load_cases(&source(), &NODES).unwrap_or_else(|findings| panic!("{findings}"));
    let [cases] = all.as_slice() else { panic!("one file") };
    assert_eq!(cases.file, FILE);
    assert_eq!(cases.cases.0.len(), 2);
    assert_eq!((cases.case_line(0), cases.case_line(1)), (2, 16));
    assert_eq!((cases.step_line(0, 0), cases.step_line(0, 1)), (4, 9));
    assert_eq!(cases.expect_line(0, 0, "fields"), 7);
    assert_eq!(cases.expect_line(0, 0, "reply"), 4);
}

#[test]
fn expectations_are_rewritten_and_the_rest_stays() {
    let source = source();
    let text = source.get(FILE).unwrap();
    let edits = [
        Edit { path: "/0/steps/0/expect/fields/metros".to_owned(), value: json!(400) },
        Edit { path: "/0/steps/3/expect/status".to_owned(), value: json!("paused") },
        Edit { path: "/1/steps/0/expect/reply".to_owned(), value: json!("Uno.\n\n¿Dos?") },
    ];
    let expected = text
        .replace("metros: 300", "metros: 400")
        .replace("soy Luis\" }\n", "soy Luis\" }\n      expect:\n        status: paused\n")
        .replace(
            "path: [off_topic]\n",
            "path: [off_topic]\n        reply: |-\n          Uno.\n\n          ¿Dos?\n",
        );
    assert_eq!(rewrite(text, &edits).as_deref(), Ok(expected.as_str()));
}
