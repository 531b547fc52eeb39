//! The names that the expressions of a flow may use, and the values each may have.

use document::{Node, Value};
use serde_json::{Map, Value as Json, json};

use crate::facts::{self, FACTS, Kind};
use crate::look::{File, Files, saves};

/// Intents that the engine knows without a pack: data that was given, and what no intent is.
pub(crate) const OWN_INTENTS: [&str; 2] = ["datos_cliente", "otro"];
/// The value of `intencion` when the message was not understood.
pub(crate) const NOT_UNDERSTOOD: &str = "unknown";

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
    pub(crate) modes: Vec<&'a str>,
    pub(super) fields: Vec<Field<'a>>,
    pub(super) minimum: Vec<&'a str>,
    /// Fields that are needed only at times.
    pub(super) sometimes: Vec<&'a str>,
    /// `None` where the templates are not known.
    pub(crate) templates: Option<Vec<&'a str>>,
    pub(crate) intents: Option<Vec<&'a str>>,
    pub(super) choices: Vec<Choice<'a>>,
    pub(super) values: Vec<(&'a str, Json)>,
    pub(super) saves: Vec<&'a str>,
    /// The tools that summaries propose.
    pub(crate) proposed: Vec<&'a str>,
    /// The profile of the business.
    pub(crate) commerce: Option<Json>,
    /// Whether the fields are all there are.
    pub(super) fields_are_known: bool,
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
        let own = self.values.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let facts = FACTS.iter().map(|fact| (fact.name.to_owned(), fact.sample(self)));
        facts.chain(own).collect()
    }

    /// An option with the values of all options.
    pub(crate) fn any_option(&self) -> Json {
        let options = self.choices.iter().flat_map(|choice| choice.options.clone());
        Json::Object(options.flatten().collect())
    }

    /// Every name an expression may use.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = facts::in_conditions().collect();
        names.extend(self.choices.iter().map(|choice| choice.name));
        names.extend(self.values.iter().map(|(name, _)| *name));
        names.extend(&self.saves);
        names
    }

    /// The keys of a group, and what they are called; none where they may be any.
    pub(crate) fn keys(&self, group: &str) -> Option<(String, Vec<&str>)> {
        let fact = facts::fact(group)?;
        match fact.kind {
            Kind::Data if self.fields_are_known => {
                Some(("field".to_owned(), self.fields.iter().map(|field| field.name).collect()))
            }
            Kind::Chosen => {
                let options = self.choices.iter().flat_map(|choice| &choice.options);
                let keys = options.flat_map(|option| option.keys().map(String::as_str));
                Some(("value of an option".to_owned(), keys.collect()))
            }
            Kind::Group(keys, _) => {
                let keys = keys.iter().map(|(key, _)| *key).collect();
                Some((format!("key of `{}`", fact.name), keys))
            }
            _ => None,
        }
    }

    /// The texts that a fact, or the items of one, can be, and what they are called; none where it
    /// can be any.
    pub(super) fn texts(&self, name: &str) -> Option<(String, Vec<&str>)> {
        if let Some(choice) = self.choices.iter().find(|choice| choice.name == name) {
            let values = choice.options.iter().filter_map(|option| option.get("value")?.as_str());
            return Some(("option".to_owned(), values.collect()));
        }
        let known = |what: &str, texts| Some((what.to_owned(), texts));
        match facts::fact(name)?.kind {
            Kind::Mode => known("mode", self.modes.clone()),
            Kind::Missing => {
                let fields = self.minimum.iter().chain(&self.sometimes).copied();
                known("field of `minimum`", fields.collect())
            }
            Kind::Word(words) => known(&format!("`{name}`"), words.to_vec()),
            Kind::Proposed => known("tool that a summary proposes", self.proposed.clone()),
            Kind::Data => self.keys(name),
            Kind::Templates => known("template", self.templates.clone()?),
            Kind::Intent | Kind::Intents => {
                let mut intents = self.intents.clone()?;
                intents.push(NOT_UNDERSTOOD);
                known("intent", intents)
            }
            _ => None,
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
