//! Actions that do nothing, too much, or what nothing holds.

use super::Row;

pub(super) const ROWS: &[Row] = &[
    (
        "an action that does nothing",
        "flow.yaml",
        "      - stamp: min_data_at",
        "      - when: nuevo",
        "flow.yaml:89:9: error: this action does nothing: write one of `say`, `go`, `call`, `shop`, `set`, `stamp`, `hand_off`, `close`, `do`",
    ),
    (
        "an action that does two things",
        "flow.yaml",
        "      - stamp: min_data_at",
        "      - stamp: min_data_at\n        say: listo",
        "flow.yaml:89:9: error: an action is one thing, not `say`, `stamp`: make an action of each",
    ),
    (
        "a misspelt verb",
        "flow.yaml",
        "      - stamp: min_data_at",
        "      - stmp: min_data_at",
        "flow.yaml:89:9: error: unknown key `stmp`, did you mean `stamp`?",
    ),
    (
        "an input without a call",
        "flow.yaml",
        "      - say: listo",
        "      - say: listo\n        with: { a: '1' }",
        "flow.yaml:94:9: error: `with` belongs to a `call`",
    ),
    (
        "an answer without a call",
        "flow.yaml",
        "      - say: listo",
        "      - say: listo\n        save: algo",
        "flow.yaml:94:9: error: `save` belongs to a `call`",
    ),
    (
        "an unknown template",
        "flow.yaml",
        "[{ say: cual_bolsa }]",
        "[{ say: cual_bolza }]",
        "flow.yaml:66:30: error: no template is called `cual_bolza`, did you mean `cual_bolsa`?",
    ),
    (
        "an unknown mode to go to",
        "flow.yaml",
        "compra: [{ go: datos }]",
        "compra: [{ go: dato }]",
        "flow.yaml:47:22: error: no mode is called `dato`, did you mean `datos`?",
    ),
    (
        "an unknown tool",
        "flow.yaml",
        "call: crm.order.create",
        "call: crm.order.crate",
        "flow.yaml:90:15: error: no tool is called `crm.order.crate`, did you mean `crm.order.create`?",
    ),
    (
        "an unknown choice",
        "flow.yaml",
        "set: { bolsa: '\"grande\"' }",
        "set: { bolso: '\"grande\"' }",
        "flow.yaml:67:25: error: no choice is called `bolso`, did you mean `bolsa`?",
    ),
    (
        "an unknown option",
        "flow.yaml",
        "set: { bolsa: '\"grande\"' }",
        "set: { bolsa: '\"grandes\"' }",
        "flow.yaml:67:32: error: no option is called `grandes`, did you mean `grande`?",
    ),
    (
        "a choice that is a number",
        "flow.yaml",
        "set: { bolsa: '\"grande\"' }",
        "set: { bolsa: envio }",
        "flow.yaml:67:32: error: this is to name the option, as text",
    ),
    (
        "a stamp that is no name",
        "flow.yaml",
        "stamp: min_data_at",
        "stamp: Mínimo de datos",
        "flow.yaml:89:16: error: `stamp`: expected a name of small letters, digits and `_`, found \
         `Mínimo de datos`",
    ),
    (
        "a template sent by an unknown name",
        "flow.yaml",
        "      - say: listo",
        "      - call: whatsapp.template.send\n        with: { plantilla: '\"list\"' }",
        "flow.yaml:94:28: error: no template is called `list`, did you mean `listo`?",
    ),
    (
        "a call that nothing holds",
        "flow.yaml",
        "      compra: [{ go: datos }]",
        "      compra: [{ go: datos }, { call: crm.contact.update }]",
        "flow.yaml:47:39: warning: `crm.contact.update` acts, and nothing holds it: give it a `when`",
    ),
];
