//! Mistakes, one at a time and all at once, and texts that are no packs at all.

mod flow_actions;
mod flow_conditions;
mod flow_names;
mod flow_texts;
mod flow_ways;
mod form;
mod manifest;
mod texts;
mod tools;

use proptest::prelude::*;

use crate::{broken, changed, findings, pedido, source};

/// The mistake, the file, the text that is replaced, the new text, and all that is printed.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[test]
fn each_mistake_is_told_with_its_place_and_what_was_meant() {
    for (what, file, old, new, expected) in [manifest::ROWS, form::ROWS, texts::ROWS].concat() {
        let found = findings(&broken(&[(file, old, new)]));
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn each_mistake_of_a_flow_is_told_with_its_place_and_what_was_meant() {
    let pedido = pedido();
    let rows = [
        flow_names::ROWS,
        flow_actions::ROWS,
        flow_conditions::ROWS,
        flow_ways::ROWS,
        flow_texts::ROWS,
        tools::ROWS,
    ];
    for (what, file, old, new, expected) in rows.concat() {
        let found = findings(&changed(&pedido, &[(file, old, new)]));
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn a_good_pack_has_no_findings() {
    assert_eq!(findings(&source()), "");
    assert_eq!(findings(&pedido()), "");
}

#[test]
fn a_field_for_a_city_needs_a_list_of_cities() {
    let city = ("form.yaml", "type: email", "type: city");
    assert_eq!(findings(&broken(&[city])), "");
    let without = broken(&[city, ("pack.yaml", "cities: [Rosario, Funes]", "cities: []")]);
    let expected =
        "form.yaml:9:11: error: a field of type `city` needs the list `cities` in pack.yaml";
    assert_eq!(findings(&without), expected);
}

#[test]
fn what_takes_things_out_of_a_summed_up_cart_needs_a_summary_that_asks_whether_to_empty_it() {
    let offered = ("flow.yaml", "tools: [envios.cotizar]", "tools: [remove_from_cart]");
    let proposed = ("flow.yaml", "proposes: crm.order.create,", "proposes: confirm_order,");
    let asks = "add one under `summaries` with `proposes: clear_cart`";
    assert!(!findings(&changed(&pedido(), &[offered])).contains(asks));
    let found = findings(&changed(&pedido(), &[offered, proposed]));
    assert!(found.contains("flow.yaml:73:13: error: `remove_from_cart` does not empty"), "{found}");
    assert!(found.contains(asks), "{found}");
}

#[test]
fn every_mistake_of_every_file_is_told_at_once() {
    let source = broken(&[
        ("pack.yaml", "locale: es-AR", "locale: español"),
        ("pack.yaml", "kind: form", "kind: from"),
        ("form.yaml", "type: email", "type: emial"),
        ("form.yaml", "ask: pedir_correo", "ask: pedir_coreo"),
        ("form.yaml", "min: 10", "min: 9000"),
        ("intents.yaml", "*", "intents: [\n"),
        ("templates.yaml", "¿Será {{ valor }}?", "¿Será {{ balor }}?"),
        ("templates.yaml", "¿Te paso con alguien por {{ campo }}?", "¿Te paso {% con %}?"),
    ]);
    let expected = [
        "form.yaml:9:11: error: `type` cannot be `emial`, did you mean `email`?",
        "form.yaml:12:10: error: no template is called `pedir_coreo`, did you mean `pedir_correo`?",
        "form.yaml:19:10: error: `min` is 9000 and `max` is 5000: nothing fits",
        "intents.yaml:1:10: error: unclosed bracket '['",
        "pack.yaml:5:9: error: `locale`: expected es or en, and a country, such as es-CO, \
         found `español`",
        "pack.yaml:10:11: error: `kind` cannot be `from`, did you mean `form`?",
        "templates.yaml:11:21: error: unknown value `balor`, did you mean `valor`?",
        "templates.yaml:13:30: error: the text cannot be written: unknown statement con",
    ];
    assert_eq!(findings(&source), expected.join("\n"));
}

proptest! {
    #[test]
    fn any_text_in_any_file_is_refused_without_a_panic(
        text in "[a-z0-9:#'\"{}\\[\\],\\-|>&*!%~? \n\t]{0,80}",
        file in prop::sample::select(vec![
            "pack.yaml", "form.yaml", "intents.yaml", "templates.yaml", "tests/agenda.yaml",
        ]),
    ) {
        let source = broken(&[(file, "*", &format!(" {text}"))]);
        let _ = pack::read(&source);
        let _ = pack::load_cases(&source, &["ask"]);
    }

    #[test]
    fn any_text_of_a_template_is_written_or_refused(text in "[a-z{}%| .()'+*0-9\n]{0,60}") {
        let quoted = serde_json::to_string(&format!("x{{{{ {text}")).unwrap();
        let source = broken(&[("templates.yaml", "¿Qué lote es?", &quoted)]);
        let _ = pack::read(&source);
    }
}

// A flow takes longer to look at as a whole.
proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_in_any_file_of_a_flow_is_refused_without_a_panic(
        text in "[a-z0-9:#'\"{}\\[\\],\\-|>&*!%~? \n\t]{0,80}",
        file in prop::sample::select(vec![
            "flow.yaml", "tools.yaml", "datos.yaml", "tests/pedido.yaml",
        ]),
    ) {
        let source = changed(&pedido(), &[(file, "*", &format!(" {text}"))]);
        let _ = pack::read(&source);
        let _ = pack::load_cases(&source, &[]);
        let _ = pack::read_script("guion.yaml", &text);
    }

    /// A line of the flow goes, or is put in another place.
    #[test]
    fn a_flow_with_its_lines_mixed_up_is_read_or_refused(
        from in 0..106_usize, to in 0..106_usize, keeps in any::<bool>(),
    ) {
        let pedido = pedido();
        let mut lines: Vec<&str> = pedido.get("flow.yaml").unwrap().lines().collect();
        let line = lines.remove(from.min(lines.len() - 1));
        if keeps {
            lines.insert(to.min(lines.len()), line);
        }
        let _ = pack::read(&changed(&pedido, &[("flow.yaml", "*", &lines.join("\n"))]));
    }
}
