//! What the expressions of a flow may name, and the values each may have.

use document::{Node, Value};
use serde_json::{Map, Value as Json, json};

use crate::look::{File, Files, saves};

/// Intents that the engine knows without a pack: data that was given, and what no intent is.
pub(crate) const OWN_INTENTS: [&str; 2] = ["datos_cliente", "otro"];
/// What `intencion` is when nobody understood.
pub(crate) const NOT_UNDERSTOOD: &str = "unknown";

/// Facts of the engine, whatever a flow declares.
pub const FACTS: [&str; 27] = [
    "modo",
    "datos",
    "faltan",
    "minimos",
    "enviados",
    "vistos",
    "intencion",
    "confianza",
    "acepta",
    "rechaza",
    "resumen_vigente",
    "acordado",
    "propuesta",
    "nuevo",
    "hora",
    "dia",
    "cliente",
    "anterior",
    "elegido",
    "carrito",
    "hilo",
    "errores",
    "abierto",
    "horario",
    "horario_hoy",
    "abre",
    "comercio",
];

/// What `carrito` has.
const CART: [&str; 9] = [
    "vacio",
    "unidades",
    "lineas",
    "resumen",
    "total",
    "total_texto",
    "notas",
    "sin_stock",
    "eligiendo",
];
/// The parts of `propuesta`.
const PROPOSAL: [&str; 4] = ["herramienta", "entrada", "resumen", "total_texto"];
/// What `hilo` can be.
const THREADS: [&str; 4] = ["order", "info", "mixed", ""];

/// A field that a flow collects.
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) is_number: bool,
    pub(super) is_optional: bool,
}

/// A choice with its options as `elegido` has them.
pub(super) struct Choice<'a> {
    pub(super) name: &'a str,
    pub(super) options: Vec<Map<String, Json>>,
}

/// The names that one flow, or several, give to expressions.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    pub(super) modes: Vec<&'a str>,
    pub(super) fields: Vec<Field<'a>>,
    pub(super) minimum: Vec<&'a str>,
    /// Fields that are needed only at times.
    pub(super) sometimes: Vec<&'a str>,
    /// None where that is not known.
    pub(super) templates: Option<Vec<&'a str>>,
    pub(super) intents: Option<Vec<&'a str>>,
    pub(super) choices: Vec<Choice<'a>>,
    pub(super) values: Vec<(&'a str, Json)>,
    pub(super) saves: Vec<&'a str>,
    /// The tools that summaries propose.
    pub(super) proposed: Vec<&'a str>,
    /// The profile of the business.
    pub(super) commerce: Option<Json>,
    /// Whether the fields are all there are.
    pub(super) fields_are_known: bool,
}

/// What conditions are told of a cart with so many units in it.
pub(super) fn cart(units: u32) -> Json {
    let line = json!({ "sku": "x", "title": "x", "quantity": units });
    let lines = if units == 0 { json!([]) } else { json!([line]) };
    let short = if units == 2 {
        json!([{ "title": "x", "quantity": 2, "available": 1 }])
    } else {
        json!([])
    };
    json!({
        "vacio": units == 0, "unidades": units, "lineas": lines, "resumen": "x",
        "total": f64::from(units), "total_texto": "x", "notas": "", "sin_stock": short,
        "eligiendo": units == 2,
    })
}

/// The `propuesta` that conditions are told of a summary that proposes this tool.
pub(super) fn proposal(tool: &str) -> Json {
    json!({ "herramienta": tool, "entrada": {}, "resumen": "x", "total_texto": "x" })
}

impl<'a> Scope<'a> {
    pub(crate) fn of(flows: impl IntoIterator<Item = &'a File<'a>>, files: &'a Files<'a>) -> Self {
        let mut scope = Self {
            templates: files.template_keys(),
            intents: files.intent_names().map(|mut names| {
                names.extend(OWN_INTENTS);
                names
            }),
            fields_are_known: files.fields_are_known(),
            ..Self::default()
        };
        for flow in flows {
            scope.add(&flow.tree, files);
        }
        scope
    }

    fn add(&mut self, flow: &'a Node, files: &'a Files<'a>) {
        self.modes.extend(named(flow.list("modes")));
        if let Some(collect) = flow.get("collect") {
            self.minimum.extend(crate::look::texts(collect, "minimum").map(|(name, _)| name));
            let sometimes = collect.get("minimum_when").map_or(&[][..], Node::entries);
            self.sometimes.extend(sometimes.iter().map(|entry| entry.key.as_str()));
            let file = collect.text("file").map(|(name, _)| name);
            let form = files.forms().find(|form| Some(form.name) == file);
            let fields = form.map_or(&[][..], |form| form.tree.list("fields"));
            self.fields.extend(fields.iter().filter_map(field));
            let known = |name: &&str| self.fields.iter().any(|field| field.name == *name);
            self.fields_are_known &= form.is_some() && self.minimum.iter().all(known);
        } else {
            let mut modes = flow.list("modes").iter();
            self.fields_are_known &= !modes.any(|mode| mode.flag("collects") == Some(true));
        }
        self.choices.extend(flow.list("choices").iter().filter_map(choice));
        let values = flow.get("values").map_or(&[][..], Node::entries);
        self.values.extend(values.iter().map(|entry| (entry.key.as_str(), entry.node.to_json())));
        self.saves.extend(saves(flow));
        let summaries = flow.list("summaries").iter();
        self.proposed.extend(summaries.filter_map(|one| Some(one.text("proposes")?.0)));
        let commerce = flow.text("commerce").and_then(|(name, _)| files.commerce(name));
        self.commerce = self.commerce.take().or(commerce.map(|file| file.tree.to_json()));
    }

    /// The names under which tools' answers are kept.
    pub(crate) fn saves(&self) -> &[&'a str] {
        &self.saves
    }

    /// Values that texts may be tried with.
    pub(crate) fn sample(&self) -> Map<String, Json> {
        let mut sample: Map<String, Json> =
            self.values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let options = self.choices.iter().flat_map(|choice| &choice.options);
        let mut chosen = Map::new();
        for option in options {
            chosen.extend(option.clone());
        }
        sample.insert("elegido".to_owned(), chosen.into());
        sample.insert("cliente".to_owned(), json!({ "nombre": "x", "conocido": true }));
        sample.insert("hora".to_owned(), json!(1));
        sample.insert("carrito".to_owned(), cart(1));
        sample.insert("propuesta".to_owned(), proposal("x"));
        sample.insert("errores".to_owned(), json!(1));
        sample.insert("abierto".to_owned(), json!(true));
        sample.insert("quedan".to_owned(), json!(1));
        sample.insert("comercio".to_owned(), self.commerce.clone().unwrap_or_default());
        let product = json!({ "title": "x", "price_text": "x", "available": 1 });
        sample.insert("productos".to_owned(), json!([product]));
        sample
    }

    /// Every name an expression may use.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let mut names = FACTS.to_vec();
        names.extend(self.choices.iter().map(|choice| choice.name));
        names.extend(self.values.iter().map(|(name, _)| *name));
        names.extend(&self.saves);
        names
    }

    /// The keys of a group, and what they are called; none where they may be any.
    pub(crate) fn keys(&self, group: &str) -> Option<(&'static str, Vec<&str>)> {
        match group {
            "datos" if self.fields_are_known => {
                Some(("field", self.fields.iter().map(|field| field.name).collect()))
            }
            "cliente" => Some(("key of `cliente`", vec!["nombre", "conocido"])),
            "carrito" => Some(("key of `carrito`", CART.to_vec())),
            "propuesta" => Some(("key of `propuesta`", PROPOSAL.to_vec())),
            "anterior" => Some(("key of `anterior`", vec!["hubo", "modo", "resumen"])),
            "elegido" => {
                let options = self.choices.iter().flat_map(|choice| &choice.options);
                let keys = options.flat_map(|option| option.keys().map(String::as_str));
                Some(("value of an option", keys.collect()))
            }
            _ => None,
        }
    }

    /// The texts that a fact, or the items of one, can be, and what they are called; none where it
    /// can be any.
    pub(super) fn texts(&self, name: &str) -> Option<(&'static str, Vec<&str>)> {
        match name {
            "modo" => Some(("mode", self.modes.clone())),
            "faltan" => {
                let fields = self.minimum.iter().chain(&self.sometimes).copied();
                Some(("field of `minimum`", fields.collect()))
            }
            "hilo" => Some(("thread", THREADS.to_vec())),
            "acordado" => Some(("tool that a summary proposes", self.proposed.clone())),
            "datos" => self.keys("datos"),
            "enviados" => Some(("template", self.templates.clone()?)),
            "vistos" | "intencion" => {
                let mut intents = self.intents.clone()?;
                intents.push(NOT_UNDERSTOOD);
                Some(("intent", intents))
            }
            _ => {
                let choice = self.choices.iter().find(|choice| choice.name == name)?;
                let values =
                    choice.options.iter().filter_map(|option| option.get("value")?.as_str());
                Some(("option", values.collect()))
            }
        }
    }
}

fn named(nodes: &[Node]) -> impl Iterator<Item = &str> {
    nodes.iter().filter_map(|node| Some(node.text("name")?.0))
}

fn field(field: &Node) -> Option<Field<'_>> {
    let (name, _) = field.text("name")?;
    Some(Field {
        name,
        is_number: field.text("type").is_some_and(|(kind, _)| kind == "number"),
        is_optional: field.flag("optional") == Some(true) || field.text("ask").is_none(),
    })
}

fn choice(choice: &Node) -> Option<Choice<'_>> {
    let (name, _) = choice.text("name")?;
    let option = |option: &Node| {
        let mut values = match option.get("values") {
            Some(Node { value: Value::Group(entries), .. }) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
            }
            _ => Map::new(),
        };
        for key in ["value", "label"] {
            let text = option.text(key).map(|(text, _)| text).unwrap_or_default();
            values.insert(key.to_owned(), json!(text));
        }
        values
    };
    Some(Choice { name, options: choice.list("options").iter().map(option).collect() })
}
