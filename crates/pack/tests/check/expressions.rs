//! Expressions: what they come to, what is refused, and that no text breaks them.

use pack::{Expression, Facts};
use proptest::prelude::*;
use serde_json::{Value, json};

fn facts() -> Facts {
    let facts = json!({
        "modo": "resumen", "minimos": true, "nuevo": false, "hora": 9, "confianza": 0.85,
        "datos": { "ciudad": "Cali", "edad": 40, "nada": null },
        "enviados": ["saludo", "precio"], "faltan": [],
        "precios": { "1x": 77_900, "2x": 109_900 }, "pack": "2x", "tasa": 0.5,
        "grande": 9_007_199_254_740_993_i64, "pedido": {}, "ñandú": 1,
        "lineas": [{ "precio": 10, "cantidad": 2 }, { "precio": 5, "cantidad": 1 }],
    });
    facts.as_object().unwrap().clone()
}

#[track_caller]
fn parse(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn expressions_come_to_what_they_say() {
    for (text, expected) in [
        ("precios[pack]", json!(109_900)),
        ("precios[pack] + 100", json!(110_000)),
        ("precios['1x'] * 2", json!(155_800)),
        ("double(precios['1x']) * tasa", json!(38_950.0)),
        ("grande", json!(9_007_199_254_740_993_i64)),
        ("grande + 1", json!(9_007_199_254_740_994_i64)),
        ("tasa", json!(0.5)),
        ("tasa + 0.25", json!(0.75)),
        ("7 / 2", json!(3)),
        ("'somnio-' + pack", json!("somnio-2x")),
        ("has(datos.ciudad) ? datos.ciudad : null", json!("Cali")),
        ("has(datos.barrio) ? datos.barrio : null", json!(null)),
        ("datos", json!({ "ciudad": "Cali", "edad": 40, "nada": null })),
        (
            "[{'a': pack, 'b': [1, 2.5, true, null]}]",
            json!([{ "a": "2x", "b": [1, 2.5, true, null] }]),
        ),
        ("enviados.filter(t, t != 'saludo')", json!(["precio"])),
        ("lineas.map(l, l.precio * l.cantidad)", json!([20, 5])),
        ("string(hora) + 'h'", json!("9h")),
        ("int('12') + 1", json!(13)),
        ("size(enviados)", json!(2)),
        ("hora > 3 ? 7 : 3", json!(7)),
        ("datos.barrio", json!(null)),
        ("pedido.orden", json!(null)),
    ] {
        assert_eq!(parse(text).value(&facts()), Ok(expected), "{text}");
    }
}

#[test]
fn conditions_hold_or_do_not() {
    for (text, expected) in [
        ("minimos && !nuevo", true),
        ("modo == 'resumen' || modo == 'otro'", true),
        ("modo in ['a', 'resumen']", true),
        ("'precio' in enviados", true),
        ("enviados.exists(t, t.startsWith('resumen'))", false),
        ("size(faltan) == 0", true),
        ("confianza >= 0.85", true),
        ("confianza > 1", false),
        ("hora >= 8 && hora < 18", true),
        ("datos.edad > 30", true),
        ("datos.ciudad == null", false),
        ("datos.nada == null", true),
        ("datos.nada == 'x'", false),
        ("datos.nada != 'x'", true),
        ("datos.barrio == 'x'", false),
        ("datos.barrio == null", true),
        ("null == 'x'", false),
        ("has(datos.barrio)", false),
        ("has(datos.ciudad)", true),
        ("'barrio' in datos", false),
        ("pedido.status == 'confirmed'", false),
        ("lineas.all(l, l.precio > 1 && l.descuento == null)", true),
        ("precios[pack] == 109900", true),
        ("precios[pack] == 109900.0", true),
    ] {
        assert_eq!(parse(text).holds(&facts()), Ok(expected), "{text}");
    }
}

#[test]
fn what_cannot_be_computed_is_told_without_the_values() {
    for (text, expected) in [
        ("hora", "`hora` is a number, not true or false"),
        ("datos.ciudad", "`datos.ciudad` is text, not true or false"),
        ("nadie == 1", "`nadie` is not known"),
        ("1 / 0 == 1", "a division by zero"),
        ("grande * grande == 1", "the number becomes too large"),
        ("enviados[7] == 'x'", "the list is shorter than that"),
        ("precios['9x'] == 1", "there is no key `9x`"),
        ("hora * tasa > 1.0", "`*` does not take int and float"),
        ("minimos && 'x'", "`_&&_` does not take bool, string"),
    ] {
        assert_eq!(parse(text).holds(&facts()), Err(expected.to_owned()), "{text}");
    }
    for text in [
        "datos.ciudad > 3",
        "datos > datos",
        "[datos.ciudad] < [1]",
        "datos.ciudad[0]",
        "datos.ciudad + 1",
        "-datos.ciudad",
        "int(datos.ciudad)",
        "{datos: 1}",
        "size(datos.ciudad, 1)",
        "precios[datos]",
    ] {
        let error = parse(text).value(&facts()).unwrap_err();
        assert!(!error.contains("Cali"), "{text}: {error}");
    }
    assert!(parse("1.0 / 0.0").value(&facts()).is_err());
}

#[test]
fn a_text_that_is_no_expression_is_refused_where_it_goes_wrong() {
    for (text, offset, message) in [
        ("", 0, "no expression: the end is not expected here"),
        ("modo ==", 7, "no expression: the end is not expected here"),
        ("(modo == 'á' && minimos", 24, "no expression: missing ')' at the end"),
        ("'á' == modo modo", 13, "no expression: extraneous input 'modo'"),
        ("a\n&& ((b)", 9, "no expression: missing ')' at the end"),
        ("siz(faltan) == 1", 0, "there is no function `siz`, did you mean `size`?"),
        ("modo.matches('x')", 5, "there is no function `matches`"),
        ("timestamp('2025')", 0, "there is no function `timestamp`"),
        ("max(3, 7)", 0, "there is no function `max`, did you mean `map`?"),
        ("minimos == Some{a: 1}", 11, "there is no function `Some`"),
    ] {
        let error = Expression::parse(text).unwrap_err();
        assert_eq!((error.offset, error.message.as_str()), (offset, message), "{text}");
    }
}

#[test]
fn what_is_too_long_or_too_deep_is_refused() {
    let long = format!("'{}' == modo", "x".repeat(2_000));
    let sum = vec!["1"; 900].join("+");
    let parentheses = format!("{}1{}", "(".repeat(900), ")".repeat(900));
    let lists = format!("{}{}", "[".repeat(900), "]".repeat(900));
    let path = format!("datos{}", ".a".repeat(900));
    let not = format!("{}minimos", "!".repeat(1_900));
    let minus = format!("{}1", "-".repeat(1_900));
    let loops = "[1].map(a, [1].map(b, [1].map(c, c)))";
    let whether = format!("{}1", "minimos ? 1 : ".repeat(100));
    for text in [&long, &sum, &parentheses, &lists, &path, loops, &whether] {
        assert!(Expression::parse(text).is_err(), "{text}");
    }
    for text in [not, minus] {
        if let Ok(expression) = Expression::parse(&text) {
            let _ = expression.value(&facts());
        }
    }
    let many = vec!["minimos"; 200].join("&&");
    assert_eq!(Expression::parse(&many).map(|many| many.holds(&facts())), Ok(Ok(true)));
}

#[test]
fn the_facts_an_expression_uses_are_known() {
    for (text, expected) in [
        ("modo == 'a' && datos.b == modo", vec!["modo", "datos"]),
        ("enviados.exists(t, t == modo)", vec!["enviados", "modo"]),
        ("[1].map(modo, modo)", vec![]),
        ("{'a': pack}", vec!["pack"]),
        ("has(pedido.orden)", vec!["pedido"]),
        ("1 + 1", vec![]),
    ] {
        assert_eq!(parse(text).variables(), expected, "{text}");
    }
    assert_eq!(parse(" minimos ").text(), " minimos ");
    assert_eq!(parse("minimos").clone(), parse("minimos"));
}

#[test]
fn expressions_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug>(_: &T) {}
    shared(&parse("minimos"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zá ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_without_a_panic(text in "\\PC{0,60}") {
        if let Ok(expression) = Expression::parse(&text) {
            let _ = expression.value(&facts());
        }
    }

    #[test]
    fn anything_that_looks_like_an_expression_is_computed_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "modo", "datos", ".ciudad", "enviados", "[0]", "[-1]", "['a']", "(", ")", "==", "!=", "<",
            "&&", "||", "!", "-", "+", "*", "/", "%", "?", ":", "1", "0", "2.5", "9223372036854775807",
            "'x'", "null", "true", "in", "size(", "string(", "int(", "double(", ".map(x,", ".all(x,",
            ".exists(x,", "has(", "x", ",", "{", "}", "[", "]", "'a':", ".contains('á')", "u", "b'á'",
            "0x", "1e999", "\"", "'", "\\", "\n", "//", "`", "@", "Some{", ".?", "á",
        ]), 0..24),
        value in any_json(),
    ) {
        let text = words.join(" ");
        let mut facts = facts();
        facts.insert("datos".to_owned(), value.clone());
        facts.insert("enviados".to_owned(), value);
        match Expression::parse(&text) {
            Ok(expression) => {
                let _ = expression.value(&facts);
                let _ = expression.holds(&facts);
            }
            Err(error) => prop_assert!(error.offset <= text.len() && text.is_char_boundary(error.offset)),
        }
    }

    #[test]
    fn a_value_comes_through_as_it_is(value in any_json()) {
        let facts = Facts::from_iter([("v".to_owned(), value.clone())]);
        prop_assert_eq!(parse("v").value(&facts), Ok(value));
    }
}
