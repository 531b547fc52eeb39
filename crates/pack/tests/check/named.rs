//! Steps, conditions and groups by name, and phrases: used where they are named, and told where not.

use pack::Agent;

use crate::{changed, findings, pedido};

/// The small flow with a step, conditions and groups in place of what it says outright.
const NAMED: [(&str, &str, &str); 5] = [
    (
        "flow.yaml",
        "initial: charla\n",
        "initial: charla\n\
         steps:\n  cerrar:\n    - set: { bolsa: '\"grande\"' }\n    - go: cierre\n\
         conditions:\n  ya eligió: bolsa != \"\"\n  los vio: '\"opciones_cafe\" in enviados'\n  \
         puede cerrar: [los vio, ya eligió]\n\
         tool_groups: { envíos: [envios.cotizar] }\n\
         template_groups: { informar: [precios] }\n",
    ),
    ("flow.yaml", "[{ set: { bolsa: '\"grande\"' } }, { go: cierre }]", "[{ do: cerrar }]"),
    ("flow.yaml", "when: '\"opciones_cafe\" in enviados && bolsa != \"\"'", "when: puede cerrar"),
    ("flow.yaml", "tools: [envios.cotizar]", "tools: [envíos]"),
    ("flow.yaml", "templates: [precios]", "templates: [informar]"),
];

fn flow(changes: &[(&str, &str, &str)]) -> pack::files::Flow {
    let loaded = pack::read(&changed(&pedido(), changes)).unwrap_or_else(|found| panic!("{found}"));
    match &loaded.pack.agents[0].agent {
        Agent::Flow(spec) => spec.flow.clone(),
        Agent::Form(_) => panic!("it is a flow"),
    }
}

#[test]
fn what_is_named_once_is_the_same_as_what_is_written_out() {
    assert_eq!(findings(&changed(&pedido(), &NAMED)), "");
    let (named, plain) = (flow(&NAMED), flow(&[]));
    let mode = |flow: &pack::files::Flow, name: &str| {
        flow.modes.iter().find(|mode| mode.name == name).unwrap().clone()
    };
    assert_eq!(mode(&named, "elegir").intents, mode(&plain, "elegir").intents);
    assert_eq!(mode(&named, "cierre").tools, mode(&plain, "cierre").tools);
    assert_eq!(mode(&named, "charla").templates, mode(&plain, "charla").templates);
    let way = mode(&named, "elegir").to[0].when.clone().unwrap();
    assert_eq!(way, "(\"opciones_cafe\" in enviados) && (bolsa != \"\")");
}

#[test]
fn a_name_that_is_not_there_is_told_with_what_was_meant() {
    let rows = [
        (
            "[{ do: cerrar }]",
            "[{ do: cerar }]",
            "no step is called `cerar`, did you mean `cerrar`?",
        ),
        (
            "[{ do: cerrar }]",
            "[{ do: cerrar, when: nuevo }]",
            "`do` stands alone: write `when` in the step",
        ),
        (
            "when: puede cerrar",
            "when: puede cerar",
            "no condition is called `puede cerar`, did you mean",
        ),
        (
            "when: puede cerrar",
            "when: [se puede, los vio]",
            "no condition is called `se puede`; write it under",
        ),
        (
            "[los vio, ya eligió]",
            "[los vio, puede cerrar]",
            "the condition `puede cerrar` asks for itself",
        ),
        (
            "    - go: cierre\nconditions",
            "    - do: cerrar\nconditions",
            "the step `cerrar` does itself again",
        ),
        ("templates: [informar]", "templates: [informer]", "no template is called `informer`"),
        ("tools: [envíos]", "tools: [envios.cotizar]", "warning: nothing uses `envíos`"),
        ("  ya eligió: bolsa", "  nuevo: bolsa", "the engine uses `nuevo` for a value of its own"),
    ];
    for (old, new, expected) in rows {
        let found = findings(&changed(&changed(&pedido(), &NAMED), &[("flow.yaml", old, new)]));
        assert!(found.contains(expected), "{new}: {found}");
    }
}

#[test]
fn anchors_of_yaml_are_refused_with_what_to_write_instead() {
    let anchor = ("flow.yaml", "compra: [{ go: datos }]", "compra: &datos [{ go: datos }]");
    let expected = "flow.yaml:47:15: error: an anchor or alias of YAML: give it a name under `steps` or \
                    `conditions`, and write `do: NAME` or `when: NAME` where it is used";
    assert_eq!(findings(&changed(&pedido(), &[anchor])), expected);
}

#[test]
fn tools_ask_for_the_conditions_of_the_flow() {
    let held = ("tools.yaml", "    when: minimos", "    when: [ya eligió, minimos]");
    let source = changed(&changed(&pedido(), &NAMED), &[held]);
    assert_eq!(findings(&source), "");
    let loaded = pack::read(&source).unwrap_or_else(|found| panic!("{found}"));
    let whens = loaded.pack.tools.tools.iter().filter_map(|tool| tool.when.as_deref());
    assert_eq!(whens.collect::<Vec<_>>(), ["(bolsa != \"\") && (minimos)"]);
}

#[test]
fn phrases_come_to_patterns_and_an_option_is_chosen_by_its_number() {
    let counted = [
        ("intents.yaml", "intents:\n", "words: { quiero: [quiero, dame] }\nintents:\n"),
        (
            "flow.yaml",
            "    asked_in: [elegir]\n",
            "    asked_in: [elegir]\n    phrases: [\"{quiero} (las) #\"]\n    asked: [\"#\", \"la #º\"]\n",
        ),
        ("flow.yaml", "        words: [la chica]\n", "        number: 1\n"),
        ("flow.yaml", "        asked: [dos]\n", "        number: 2\n"),
    ];
    assert_eq!(findings(&changed(&pedido(), &counted)), "");
    let options = flow(&counted).choices[0].options.clone();
    assert!(options[1].asked.contains(&"dos".to_owned()), "{:?}", options[1].asked);
    assert!(options[1].asked.contains(&"la segunda".to_owned()), "{:?}", options[1].asked);
    assert_eq!(options[1].patterns.len(), 2);
    let without = ("flow.yaml", "asked: [\"#\", ", "asked: [todas, ");
    let found = findings(&changed(&changed(&pedido(), &counted), &[without]));
    assert!(found.contains("`#` has to stand for the number"), "{found}");
}

#[test]
fn a_regular_expression_that_nobody_reads_is_refused_with_what_to_write_instead() {
    let long = format!("[\"{}\"]", "abcdefghij".repeat(13));
    let changes = [("flow.yaml", "[\"bolsas? grande\"]", long.as_str())];
    let expected = "flow.yaml:21:20: error: a regular expression of 130 letters, where 120 are the most \
                    that people read: write what customers say as `phrases`, with lists of words under \
                    `words` in intents.yaml";
    assert_eq!(findings(&changed(&pedido(), &changes)), expected);
}

#[test]
fn a_value_is_null_where_it_is_not_given_without_saying_so() {
    let or_null = ("flow.yaml", "datos.ciudad }", "'has(datos.ciudad) ? datos.ciudad : null' }");
    let expected = "flow.yaml:76:25: error: `datos.ciudad` is null where it is not given: write only \
                    `datos.ciudad`";
    assert_eq!(findings(&changed(&pedido(), &[or_null])), expected);
}
