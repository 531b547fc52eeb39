//! Ways between modes, and timers, that lead nowhere.

use super::Row;

pub(super) const ROWS: &[Row] = &[
    (
        "a way that is not listed",
        "flow.yaml",
        "si: [{ go: hecho }]",
        "si: [{ go: charla }]",
        "flow.yaml:81:18: error: no way leads from `cierre` to `charla`: list it under its `to`\nflow.yaml:86:11: error: nothing leads from `charla` to `hecho`",
    ),
    (
        "a way that is not listed, from a timer",
        "flow.yaml",
        "        say: recuerda",
        "        go: hecho",
        "flow.yaml:105:13: error: no way leads from `elegir` to `hecho`: list it under its `to`",
    ),
    (
        "a way that is not listed, on entering",
        "flow.yaml",
        "      - say: opciones_cafe",
        "      - go: hecho",
        "flow.yaml:61:13: error: no way leads from `elegir` to `hecho`: list it under its `to`",
    ),
    (
        "a way that is listed nowhere for the flow's intents",
        "flow.yaml",
        "  precio: [{ say: precios }]",
        "  precio: [{ go: charla }]",
        "flow.yaml:40:18: error: no way leads to `charla` from where this is done",
    ),
    (
        "a mode that nothing leads to",
        "flow.yaml",
        "      compra: [{ go: datos }]",
        "      compra: [{ say: hola }]",
        "flow.yaml:50:11: error: nothing leads from `charla` to `datos`\nflow.yaml:59:11: error: nothing leads from `charla` to `elegir`\nflow.yaml:72:11: error: nothing leads from `charla` to `cierre`\nflow.yaml:86:11: error: nothing leads from `charla` to `hecho`",
    ),
    (
        "a mode that is not among the ways",
        "flow.yaml",
        "  - name: hecho\n",
        "  - name: espera\n    to: [{ mode: charla }]\n  - name: hecho\n",
        "flow.yaml:86:11: error: nothing leads from `charla` to `espera`",
    ),
    (
        "a mode without a way out",
        "flow.yaml",
        "    end: true\n",
        "",
        "flow.yaml:86:11: warning: from `hecho` no way leads on, and it is no `end`",
    ),
    (
        "an end without a condition",
        "flow.yaml",
        "        when: acepta && resumen_vigente\n",
        "",
        "flow.yaml:83:15: warning: `hecho` is an end, and this way to it has no `when`",
    ),
    (
        "a timer after the session",
        "flow.yaml",
        "after: 10m",
        "after: 24h",
        "flow.yaml:102:12: error: it runs after 1d, but a session ends after 24h of silence",
    ),
    (
        "a timer in a mode where it cannot run",
        "flow.yaml",
        "in: [cierre, elegir]",
        "in: [cierre, elegir]\n    when: modo == 'cierre'",
        "flow.yaml:101:18: error: in `elegir` it never runs: its condition cannot hold there",
    ),
    (
        "two timers at once",
        "flow.yaml",
        "in: [cierre, elegir]\n    after: 10m",
        "in: [cierre, datos]\n    after: 6m",
        "flow.yaml:102:12: warning: `datos.silencio` may run out at the same moment",
    ),
];
