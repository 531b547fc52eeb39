//! Templates with values, as a customer reads them.

use pack::RenderError;
use serde_json::{Value, json};

use crate::{broken, good};

#[track_caller]
fn check(locale: &str, template: &str, values: Value, expected: &str) {
    let quoted = serde_json::to_string(template).unwrap();
    let source =
        broken(&[("pack.yaml", "es-AR", locale), ("templates.yaml", "¿Qué lote es?", &quoted)]);
    let loaded = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}"));
    let rendered = loaded.pack.render("pedir_lote", 0, values.as_object().unwrap());
    assert_eq!(rendered.as_deref(), Ok(expected));
}

#[test]
fn values_are_written_as_they_are_and_nothing_is_escaped() {
    check(
        "es-AR",
        "{{ nombre }}",
        json!({"nombre": "<b>Ana & Co.</b> 'x'"}),
        "<b>Ana & Co.</b> 'x'",
    );
    check("es-AR", "{{ valor }}", json!({"valor": true}), "sí");
    check("en-US", "{{ valor }}", json!({"valor": false}), "no");
}

#[test]
fn a_field_without_a_value_is_empty_and_counts_as_no() {
    check("es-AR", "[{{ nombre }}]", json!({}), "[]");
    check("es-AR", "[{{ nombre }}]", json!({"nombre": null}), "[]");
    check("es-AR", "{% if nombre %}sí{% else %}no{% endif %}", json!({}), "no");
    check("es-AR", "{{ explicacion }}.", json!({}), ".");
}

#[test]
fn numbers_are_written_as_the_locale_writes_them() {
    let metros = json!({"metros": 1_500_000});
    check("es-AR", "{{ metros }}", metros.clone(), "1.500.000");
    check("es-MX", "{{ metros }}", metros.clone(), "1,500,000");
    check("en-US", "{{ metros }}", metros.clone(), "1,500,000");
    check("es-AR", "{{ metros | plain }}", metros.clone(), "1500000");
    check("es-AR", "{{ metros + 1 }}", metros, "1.500.001");
    check("es-CO", "{{ metros }}", json!({"metros": 1234.5}), "1.234,5");
    check("es-CO", "{{ metros }}", json!({"metros": "3115550100"}), "3115550100");
}

#[test]
fn line_ends_behind_a_text_are_dropped_and_those_within_stay() {
    check("es-AR", "uno\n\ndos\n\n", json!({}), "uno\n\ndos");
}

#[test]
fn wordings_are_taken_in_turn() {
    let pack = good();
    let render = |wording| pack.render("hola", wording, &Default::default()).unwrap();
    assert_eq!(pack.templates.wordings("hola"), 2);
    assert_ne!(render(0), render(1));
    assert_eq!(render(0), render(2));
    assert_eq!(render(1), render(usize::MAX));
}

#[test]
fn a_template_that_is_not_there_is_an_error() {
    let rendered = good().render("nada", 0, &Default::default());
    assert_eq!(rendered, Err(RenderError::Unknown("nada".to_owned())));
}

#[test]
fn a_value_that_does_not_fit_is_an_error_and_no_panic() {
    let source = broken(&[("templates.yaml", "¿Qué lote es?", "'{{ metros + 1 }}'")]);
    let pack = pack::read(&source).unwrap_or_else(|findings| panic!("{findings}")).pack;
    let values = json!({"metros": "muchos"});
    let rendered = pack.render("pedir_lote", 0, values.as_object().unwrap());
    assert!(matches!(rendered, Err(RenderError::Failed { .. })), "{rendered:?}");
}

#[test]
fn a_loop_that_runs_away_is_stopped() {
    let pack = {
        let text = "'{% for x in valor %}{% for y in valor %}{% for z in valor %}.{% endfor %}\
                    {% endfor %}{% endfor %}'";
        let source = broken(&[("templates.yaml", "¿Qué lote es?", text)]);
        pack::read(&source).unwrap_or_else(|findings| panic!("{findings}")).pack
    };
    let values = json!({"valor": vec![0; 100]});
    let rendered = pack.render("pedir_lote", 0, values.as_object().unwrap());
    assert!(matches!(rendered, Err(RenderError::Failed { .. })), "{rendered:?}");
}
