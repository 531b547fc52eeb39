//! Flows as they are loaded and drawn, and findings that need more than one change.

use pack::files::{Kind, Said, ToolClass};
use pack::{Agent, FlowSpec, Source};
use serde_json::json;

use crate::{changed, findings, pedido};

fn load(source: &Source) -> pack::Pack {
    pack::read(source).unwrap_or_else(|findings| panic!("{findings}")).pack
}

fn spec(pack: &pack::Pack) -> &FlowSpec {
    match &pack.agents[0].agent {
        Agent::Flow(spec) => spec,
        Agent::Form(_) => panic!("a flow"),
    }
}

#[test]
fn a_flow_is_loaded_with_its_form_and_its_tools() {
    let pack = load(&pedido());
    assert_eq!(pack.manifest.agents[0].kind, Kind::Flow);
    let FlowSpec { flow, form, .. } = spec(&pack);
    assert_eq!(flow.modes.len(), 5);
    assert_eq!(flow.bands.clarify_times, 2);
    assert_eq!(flow.choices[0].options[1].values["precio"], 35_000);
    assert_eq!(flow.modes[2].intents["elige"][0].otherwise[0].say.as_deref(), Some("cual_bolsa"));
    let form = form.as_ref().expect("the flow collects");
    assert_eq!(form.fields.iter().filter(|field| field.ask.is_none()).count(), 2);
    assert_eq!(pack.tools.http[0].class, ToolClass::Safe);
    assert_eq!(pack.tools.mcp[0].tools, ["existencias"]);
    assert_eq!(pack.manifest.models.detector.as_ref().unwrap().max_tokens, 1_000);
    assert_eq!(pack.manifest.history.reanalyse_lines, 50);
}

#[test]
fn a_pack_without_tools_has_none() {
    let none = changed(
        &pedido(),
        &[
            ("tools.yaml", "*", ""),
            ("flow.yaml", "tools: [envios.cotizar]", "tools: [avisar]"),
            ("flow.yaml", "call: envios.cotizar", "call: avisar"),
        ],
    );
    assert_eq!(load(&none).tools, pack::files::Tools::default());
}

#[test]
fn tests_of_a_flow_are_read_with_their_scripted_models() {
    let all = pack::load_cases(&pedido(), &[]).unwrap_or_else(|findings| panic!("{findings}"));
    let case = &all[0].cases.0[0];
    assert_eq!(case.model.as_ref().unwrap().0.len(), 3);
    assert_eq!(case.steps[0].say.as_ref().map(Said::texts).unwrap(), ["quiero café", "en Cali"]);
    assert_eq!(case.steps[0].expect.choices.as_ref().unwrap()["bolsa"], json!(null));
}

#[test]
fn full_templates_have_what_stands_for_them() {
    let pack = load(&pedido());
    let texts = &pack.templates;
    let values = json!({
        "envio": 8_000, "nombre": "Ana", "elegido": { "label": "una bolsa", "precio": 20_000 },
    });
    let values = values.as_object().unwrap();
    assert_eq!(
        texts.render("precios", 0, values).unwrap(),
        "La bolsa sale 20.000 y el envío 8.000."
    );
    assert_eq!((texts.wordings("precios"), texts.backups("precios")), (1, 2));
    assert_eq!(texts.render_backup("precios", 0, values).unwrap(), "El envío son 8.000.");
    assert_eq!(texts.render_backup("precios", 1, values).unwrap(), "Como te dije, 8.000 de envío.");
    assert!(texts.render_backup("precios", 2, values).is_err());
    assert!(texts.render_backup("hola", 0, values).is_err());
    assert_eq!(texts.short("precios", values), Some(Ok("envío 8.000".to_owned())));
    assert_eq!(texts.short("hola", values), None);
    assert!(texts.repeats("opciones_cafe") && !texts.repeats("precios") && !texts.repeats("nada"));
    let approved = texts.approved("resumen", values).unwrap().unwrap();
    assert_eq!((approved.name.as_str(), approved.language.as_str()), ("resumen_pedido", "es_CO"));
    assert_eq!(approved.values, ["Ana", "20.000"]);
    assert_eq!(texts.approved("precios", values), None);
    assert_eq!((texts.backups("nada"), texts.short("nada", values)), (0, None));
}

#[test]
fn what_a_text_lacks_is_empty_down_to_its_keys() {
    let pack = load(&pedido());
    let rendered = pack.render("resumen", 0, &Default::default()).unwrap();
    assert_eq!(rendered, ": , a . Tarifa . ¿Confirmas?");
}

/// The change, and all that is then found.
type Change = (&'static str, &'static [(&'static str, &'static str, &'static str)], &'static str);

const CHANGES: &[Change] = &[
    (
        "a mode from which nobody is reached",
        &[
            ("flow.yaml", "clarify: 0.4 }", "clarify: 0 }"),
            (
                "flow.yaml",
                "  keyword: { words: [queja] }",
                "  keyword: { enabled: false }\n  sentiment: { enabled: false }",
            ),
            (
                "flow.yaml",
                "    end: true\n",
                "    intents: { compra: [{ go: hecho }] }\n    to: [{ mode: hecho, when: nuevo }]\n",
            ),
            ("flow.yaml", "        otherwise: [{ hand_off: sin tarifa }]\n", ""),
        ],
        "flow.yaml:44:11: error: from `charla` neither an end nor a person is reached\n\
         flow.yaml:51:11: error: from `datos` neither an end nor a person is reached\n\
         flow.yaml:60:11: error: from `elegir` neither an end nor a person is reached\n\
         flow.yaml:73:11: error: from `cierre` neither an end nor a person is reached\n\
         flow.yaml:86:11: error: from `hecho` neither an end nor a person is reached",
    ),
    (
        "a hand-off is a way out",
        &[
            ("flow.yaml", "clarify: 0.4 }", "clarify: 0 }"),
            (
                "flow.yaml",
                "  keyword: { words: [queja] }",
                "  keyword: { enabled: false }\n  sentiment: { enabled: false }",
            ),
            (
                "flow.yaml",
                "    end: true\n",
                "    intents: { compra: [{ go: hecho }] }\n    to: [{ mode: hecho, when: nuevo }]\n",
            ),
        ],
        "flow.yaml:87:11: error: from `hecho` neither an end nor a person is reached",
    ),
    (
        "who is not understood reaches a person",
        &[
            (
                "flow.yaml",
                "  keyword: { words: [queja] }",
                "  keyword: { enabled: false }\n  sentiment: { enabled: false }",
            ),
            (
                "flow.yaml",
                "    end: true\n",
                "    intents: { compra: [{ go: hecho }] }\n    to: [{ mode: hecho, when: nuevo }]\n",
            ),
        ],
        "",
    ),
    (
        "who asks for a person reaches one",
        &[
            ("flow.yaml", "clarify: 0.4 }", "clarify: 0 }"),
            ("flow.yaml", "  keyword: { words: [queja] }", "  sentiment: { enabled: false }"),
            (
                "flow.yaml",
                "    end: true\n",
                "    intents: { compra: [{ go: hecho }] }\n    to: [{ mode: hecho, when: nuevo }]\n",
            ),
        ],
        "",
    ),
    (
        "after a way is taken the flow stands elsewhere",
        &[(
            "flow.yaml",
            "compra: [{ go: datos }]",
            "compra: [{ go: datos }, { when: modo == 'datos', say: hola }, { go: elegir }]",
        )],
        "",
    ),
    (
        "a mode's own intent is not the flow's",
        &[(
            "flow.yaml",
            "  precio: [{ say: precios }]",
            "  precio: [{ say: precios }]\n  compra: [{ when: modo == 'charla', say: hola }]",
        )],
        "flow.yaml:41:20: error: this can never hold",
    ),
    (
        "what a tool answers may be anything",
        &[("flow.yaml", "when: hora < 20", "when: tarifa.valor > 5 && tarifa.dia == 'lunes'")],
        "",
    ),
    (
        "what a customer writes may be of any length",
        &[("flow.yaml", "when: hora < 20", "when: size(datos.nombre) > 30")],
        "",
    ),
    (
        "a situation among very many is not called impossible",
        &[(
            "flow.yaml",
            "when: hora < 20",
            "when: hora == 13 && dia == 3 && intencion == 'si' && vistos == ['si'] && acepta && !rechaza && nuevo && !minimos && bolsa == 'grande' && enviados == ['hola']",
        )],
        "",
    ),
    (
        "timers of different lengths",
        &[("flow.yaml", "in: [cierre, elegir]", "in: [cierre, datos]")],
        "",
    ),
    (
        "a mode without a way on that closes is one of its own kind of end",
        &[("flow.yaml", "    end: true\n", "    intents: { precio: [{ close: true }] }\n")],
        "",
    ),
    (
        "with a model any way that is listed may be taken",
        &[
            ("flow.yaml", "      compra: [{ go: datos }]", "      compra: [{ say: hola }]"),
            ("pack.yaml", "detector: {", "orchestrator: { model: dos }\n  detector: {"),
            ("prompts/orchestrator.md", "*", "Elige."),
        ],
        "",
    ),
    (
        "a tool that acts is held by the way to its mode",
        &[("tools.yaml", "    when: minimos\n", "    class: execute\n")],
        "",
    ),
    (
        "a tool that acts and is held by nothing",
        &[
            ("tools.yaml", "    when: minimos\n", "    class: execute\n"),
            ("flow.yaml", "        when: acepta && resumen_vigente\n", ""),
        ],
        "flow.yaml:83:15: warning: `hecho` is an end, and this way to it has no `when`\n\
         flow.yaml:89:15: warning: `crm.order.create` acts, and nothing holds it: give it a `when`",
    ),
    (
        "timers of one length that exclude each other",
        &[
            (
                "flow.yaml",
                "in: [cierre, elegir]\n    after: 10m",
                "in: [datos]\n    when: minimos\n    after: 6m",
            ),
            ("flow.yaml", "when: hora < 20", "when: nuevo"),
        ],
        "",
    ),
    (
        "a template that is sent by a computed name is used",
        &[
            (
                "flow.yaml",
                "      - say: listo",
                "      - call: whatsapp.template.send\n        with: { plantilla: '\"gracias_\" + bolsa' }",
            ),
            (
                "templates.yaml",
                "fallo: Algo falló.",
                "fallo: Algo falló.\ngracias_chica: Gracias.\ngracias_grande: Muchas gracias.",
            ),
        ],
        "",
    ),
    (
        "what cannot be known is not called impossible",
        &[
            ("flow.yaml", "when: hora < 20", "when: tarifa.valor == 3 && size(datos.nombre) > 30"),
            (
                "flow.yaml",
                "when: acepta && resumen_vigente",
                "when: datos.barrio == 'Sur' && datos.kilos > 2",
            ),
        ],
        "",
    ),
    (
        "conditions of many facts are tried in part",
        &[(
            "flow.yaml",
            "when: hora < 20",
            "when: hora > 3 && dia < 6 && intencion != 'si' && acepta && rechaza && nuevo && minimos && bolsa != '' && 'hola' in enviados && 'precio' in vistos && !('listo' in enviados)",
        )],
        "",
    ),
    (
        "what is chosen is that of the first choice that was made",
        &[
            (
                "flow.yaml",
                "values:\n  envio: 8000",
                "  - name: molido\n    intent: elige\n    options: [{ value: fino, label: molido fino }]\nvalues:\n  envio: 8000",
            ),
            ("flow.yaml", "when: hora < 20", "when: bolsa == 'chica' && elegido.value == 'fino'"),
        ],
        "flow.yaml:107:15: error: this can never hold",
    ),
    (
        "what is done in the first mode is held by no way to it",
        &[(
            "flow.yaml",
            "    expects: [saludo, precio]\n",
            "    enter: [{ call: crm.contact.create }]\n",
        )],
        "flow.yaml:44:21: warning: `crm.contact.create` acts, and nothing holds it: give it a `when`",
    ),
    (
        "a form that an agent has too is one file",
        &[(
            "pack.yaml",
            "    file: flow.yaml",
            "    file: flow.yaml\n  - { name: datos, kind: form, file: datos.yaml }",
        )],
        "",
    ),
    (
        "a flow that nothing names is still looked at",
        &[
            ("pack.yaml", "    file: flow.yaml", "    file: flujo.yaml"),
            ("flow.yaml", "initial: charla", "initial: charl"),
        ],
        "flow.yaml:2:10: error: no mode is called `charl`, did you mean `charla`?\n\
         pack.yaml:11:11: error: there is no file `flujo.yaml`, did you mean `flow.yaml`?",
    ),
];

#[test]
fn flows_are_looked_at_as_a_whole() {
    for (what, changes, expected) in CHANGES {
        assert_eq!(findings(&changed(&pedido(), changes)), *expected, "{what}");
    }
}

#[test]
fn every_mistake_of_a_flow_is_told_at_once() {
    let source = changed(
        &pedido(),
        &[
            ("flow.yaml", "initial: charla", "initial: charlas"),
            ("flow.yaml", "proceed: 0.8", "proceed: mucho"),
            ("flow.yaml", "after: 6m", "after: seis"),
            ("flow.yaml", "- when: hora < 20", "- when: ora < 20"),
            ("tools.yaml", "bolsa: bolsa", "bolsa: bolso"),
            ("datos.yaml", "type: city", "type: ciudad"),
        ],
    );
    let expected = [
        "datos.yaml:4:27: error: `type` cannot be `ciudad`; it can be `text`, `name`, `email`, \
         `phone`, `url`, `number`, `city`, `address`, `document`",
        "flow.yaml:2:10: error: no mode is called `charlas`, did you mean `charla`?",
        "flow.yaml:3:19: error: `proceed`: expected a number, found text",
        "flow.yaml:98:12: error: `after`: `seis` is not a length of time; write 90s, 30m, 4h or 2d",
        "flow.yaml:104:15: error: unknown value `ora`, did you mean `hora`?",
        "tools.yaml:6:14: error: unknown value `bolso`, did you mean `bolsa`?",
    ];
    assert_eq!(findings(&source), expected.join("\n"));
}

#[test]
fn a_flow_is_drawn_with_its_conditions_and_its_silences() {
    let pack = load(&changed(
        &pedido(),
        &[(
            "flow.yaml",
            "  - name: cierre\n",
            "  - name: cierre\n    description: \"Espera: un sí\"\n",
        )],
    ));
    let expected = "\
stateDiagram-v2
    [*] --> charla
    charla --> datos
    datos --> elegir: minimos
    datos --> datos: ⏱ 6m !minimos
    elegir --> cierre: #quot;opciones_cafe#quot; in enviados && bolsa != #quot;#quot;
    elegir --> datos
    elegir --> elegir: ⏱ 10m
    cierre: cierre: Espera#58; un sí
    cierre --> hecho: acepta && resumen_vigente
    cierre --> elegir
    cierre --> cierre: ⏱ 10m
    hecho --> [*]
";
    assert_eq!(pack::flow_mermaid(&spec(&pack).flow), expected);
}
