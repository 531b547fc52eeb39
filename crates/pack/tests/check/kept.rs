//! Packs that were kept by an earlier release, made again by this one.

use pack::{Agent, Source};

use crate::{changed, pedido};

/// More than a person reads, as releases before took it.
fn long_pattern() -> String {
    format!(r"\b(?:{}) grande\b", "quiero|dame|llevo|me quedo con|bolsas? ".repeat(16))
}

/// Texts that earlier releases took and this one refuses of a person who writes: each with its name, its
/// file and the text of today in the place of which it stands.
fn of_before() -> Vec<(&'static str, &'static str, &'static str, String)> {
    vec![
        ("an anchor", "flow.yaml", "precio: [{ say: precios }]", {
            "precio: &precios [{ say: precios }]\n  compra: *precios".to_owned()
        }),
        ("an anchor of words", "flow.yaml", "escalation:\n  keyword: { words: [queja] }", {
            "escalation:\n  keyword: { words: &quejas [queja] }".to_owned()
        }),
        ("a long pattern of a choice", "flow.yaml", r#"patterns: ["bolsas? grande"]"#, {
            format!("patterns: ['{}']", long_pattern())
        }),
        ("a value that is null without its field", "flow.yaml", "{ ciudad: datos.ciudad }", {
            "{ ciudad: 'has(datos.ciudad) ? datos.ciudad : null' }".to_owned()
        }),
        ("a longer phrase", "flow.yaml", "label: una bolsa chica", {
            format!(
                "label: una bolsa chica\n        phrases: [{}]",
                "la chica de siempre ".repeat(8)
            )
        }),
        ("a name that the engine has since", "flow.yaml", "envio: 8000", {
            "envio: 8000\n  hora: 8".to_owned()
        }),
    ]
}

fn of_old(file: &str, old: &str, new: &str) -> Source {
    changed(&pedido(), &[(file, old, new)])
}

#[test]
fn rules_that_help_whoever_writes_are_not_held_against_a_version_that_was_kept() {
    for (what, file, old, new) in of_before() {
        let source = of_old(file, old, &new);
        assert!(pack::read(&source).is_err(), "{what} is refused of a person who writes");
        let made = pack::revive(&source);
        let made = made.unwrap_or_else(|findings| panic!("{what}: {findings}"));
        assert_eq!(made.version, source.version(), "{what}");
    }
    let all = of_before();
    let all = all.iter().map(|(_, file, old, new)| (*file, *old, new.as_str()));
    let made = pack::revive(&changed(&pedido(), &all.collect::<Vec<_>>())).unwrap();
    let Agent::Flow(spec) = &made.agents[0].agent else { panic!("a flow") };
    assert_eq!(spec.flow.intents["compra"], spec.flow.intents["precio"], "the alias is its anchor");
    assert_eq!(spec.flow.choices[0].options[1].patterns, [long_pattern()]);
}

#[test]
fn a_version_that_is_not_understood_whole_is_not_made_again() {
    for (file, old, new, why) in [
        ("flow.yaml", "initial: charla", "initial: charla\ncolor: azul", "color"),
        ("flow.yaml", "[{ say: precios }]", "[{ do: precios }]", "no step is called `precios`"),
        ("flow.yaml", "when: nuevo", "when: es nuevo", "no condition is called `es nuevo`"),
        ("flow.yaml", "when: nuevo", "when: clima == 3", "knows no value `clima`"),
        ("flow.yaml", "when: nuevo", "when: carrito.color == 3", "knows no value `color`"),
        ("tools.yaml", "when: minimos", "when: minimo > 3", "knows no value `minimo`"),
        ("flow.yaml", "end: true", "end: 1", "cannot be understood"),
        ("templates.yaml", "*", "", "a file that it needs is not there"),
        ("flow.yaml", "initial: charla", "initial: [", "flow.yaml"),
    ] {
        let error = pack::revive(&of_old(file, old, new)).unwrap_err().to_string();
        assert!(error.contains(why), "{new}: {error}");
    }
}

#[test]
fn a_pack_that_passes_today_is_made_again_as_it_was_read() {
    let read = pack::read(&pedido()).unwrap().pack;
    let made = pack::revive(&pedido()).unwrap();
    assert_eq!(made.agents, read.agents);
    assert_eq!((made.tools, made.intents), (read.tools, read.intents));
}
