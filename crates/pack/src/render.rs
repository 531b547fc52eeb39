//! The texts of `templates.yaml`, compiled once and rendered with values.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, escape_formatter};
use serde_json::{Map, Value as Json};

use crate::facts;
use crate::files::{Template, Templates};
use crate::number::Marks;
use crate::quote::{cited, quoted};

/// The computing steps that a text may take, so that a loop that runs away ends.
const FUEL: u64 = 20_000;

/// The texts of a pack by key.
#[derive(Clone, Debug)]
pub struct Texts {
    environment: Environment<'static>,
    entries: BTreeMap<String, Entry>,
}

/// The texts under one key, each by its name in the environment.
#[derive(Clone, Debug, Default)]
struct Entry {
    wordings: Vec<String>,
    backups: Vec<String>,
    short: Option<String>,
    repeats: bool,
    approved: Option<Approved>,
    /// The values that any of its texts looks at.
    uses: BTreeSet<String>,
}

/// A template approved by WhatsApp, and what fills its placeholders, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approved {
    pub name: String,
    pub language: String,
    pub values: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error("there is no template `{0}`")]
    Unknown(String),
    #[error("`{key}`: {message}")]
    Failed { key: String, message: String },
}

impl Texts {
    /// Compiles texts that the checks have passed; `values` are empty until they are given.
    pub(crate) fn compile(
        templates: &Templates,
        locale: &str,
        values: &[&str],
    ) -> Result<Self, RenderError> {
        let mut environment = environment(locale, values);
        let mut entries = BTreeMap::new();
        for (key, template) in &templates.0 {
            let entry = compile_entry(&mut environment, key, template)
                .map_err(|error| failed(key, &error))?;
            entries.insert(key.clone(), entry);
        }
        Ok(Self { environment, entries })
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// How many ways there are to say it; 0 if there is no such template.
    pub fn wordings(&self, key: &str) -> usize {
        self.entries.get(key).map_or(0, |entry| entry.wordings.len())
    }

    /// How many texts there are to send in its place once it was sent.
    pub fn backups(&self, key: &str) -> usize {
        self.entries.get(key).map_or(0, |entry| entry.backups.len())
    }

    /// Whether a flow may send it again as it is.
    pub fn repeats(&self, key: &str) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.repeats)
    }

    /// The values that any text of `key` looks at; others need not be made for it.
    pub fn uses(&self, key: &str) -> impl Iterator<Item = &str> {
        self.entries.get(key).into_iter().flat_map(|entry| &entry.uses).map(String::as_str)
    }

    /// The text of `key` with `values`, without line ends behind it. The wordings are taken in
    /// turn: `wording` may be any count. Fields without a value are empty, and numbers are written
    /// as the pack's locale writes them, as are yes and no; `{{ codigo | plain }}` writes a number
    /// without marks, `{{ nota | quoted }}` what others wrote as a quotation, and `cited` does so
    /// where it could be taken for ours.
    pub fn render(
        &self,
        key: &str,
        wording: usize,
        values: &Map<String, Json>,
    ) -> Result<String, RenderError> {
        let names = &self.entry(key)?.wordings;
        let name = names.get(wording % names.len().max(1)).ok_or_else(|| unknown(key))?;
        self.write(key, name, values)
    }

    /// The text that is sent in place of `key`, from 0.
    pub fn render_backup(
        &self,
        key: &str,
        index: usize,
        values: &Map<String, Json>,
    ) -> Result<String, RenderError> {
        let name = self.entry(key)?.backups.get(index).ok_or_else(|| unknown(key))?;
        self.write(key, name, values)
    }

    /// The gist of `key`, if it has one.
    pub fn short(
        &self,
        key: &str,
        values: &Map<String, Json>,
    ) -> Option<Result<String, RenderError>> {
        let name = self.entries.get(key)?.short.as_ref()?;
        Some(self.write(key, name, values))
    }

    /// The text that WhatsApp approved for `key`, with its placeholders filled, if there is such.
    pub fn approved(
        &self,
        key: &str,
        values: &Map<String, Json>,
    ) -> Option<Result<Approved, RenderError>> {
        let approved = self.entries.get(key)?.approved.as_ref()?;
        let filled = approved.values.iter().map(|name| self.write(key, name, values));
        Some(filled.collect::<Result<_, _>>().map(|values| Approved { values, ..approved.clone() }))
    }

    fn entry(&self, key: &str) -> Result<&Entry, RenderError> {
        self.entries.get(key).ok_or_else(|| unknown(key))
    }

    fn write(
        &self,
        key: &str,
        name: &str,
        values: &Map<String, Json>,
    ) -> Result<String, RenderError> {
        let rendered =
            self.environment.get_template(name).and_then(|template| template.render(Serde(values)));
        let mut text = rendered.map_err(|error| failed(key, &error))?;
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        Ok(text)
    }
}

fn compile_entry(
    environment: &mut Environment<'static>,
    key: &str,
    template: &Template,
) -> Result<Entry, minijinja::Error> {
    let mut uses = BTreeSet::new();
    let mut add = |part: &str, index: usize, text: &String| {
        let name = format!("{key}#{part}{index}");
        environment.add_template_owned(name.clone(), text.clone())?;
        uses.extend(environment.get_template(&name)?.undeclared_variables(false));
        Ok(name)
    };
    let mut all = |part: &str, texts: &[String]| {
        let named = texts.iter().enumerate().map(|(index, text)| add(part, index, text));
        named.collect::<Result<Vec<_>, minijinja::Error>>()
    };
    let mut entry = Entry { wordings: all("", template.wordings())?, ..Entry::default() };
    if let Template::Full(full) = template {
        entry.backups = all("backup", &full.backup)?;
        entry.short = all("short", full.short.as_slice())?.pop();
        entry.repeats = full.repeat;
        entry.approved = match &full.approved {
            Some(approved) => Some(Approved {
                name: approved.name.clone(),
                language: approved.language.clone(),
                values: all("value", &approved.values)?,
            }),
            None => None,
        };
    }
    entry.uses = uses;
    Ok(entry)
}

/// Where templates are compiled: no escaping, and `values` and their keys empty until given. That a
/// name exists at all is checked when a pack is read.
pub(crate) fn environment(locale: &str, values: &[&str]) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_fuel(Some(FUEL));
    let marks = Marks::of(locale);
    let yes = if locale.starts_with("en") { "yes" } else { "sí" };
    environment.set_formatter(move |out, state, value| match value.kind() {
        ValueKind::None | ValueKind::Undefined => Ok(()),
        ValueKind::Bool => {
            out.write_str(if value.is_true() { yes } else { "no" }).map_err(Into::into)
        }
        ValueKind::Number => out.write_str(&marks.apply(&value.to_string())).map_err(Into::into),
        _ => escape_formatter(out, state, value),
    });
    environment.add_filter("plain", |value: Value| value.to_string());
    environment.add_filter("quoted", |value: String| quoted(&value));
    environment.add_filter("cited", |value: String| cited(&value));
    for name in values.iter().copied().chain(facts::in_texts()) {
        environment.add_global(name.to_owned(), Value::from(()));
    }
    environment
}

fn unknown(key: &str) -> RenderError {
    RenderError::Unknown(key.to_owned())
}

fn failed(key: &str, error: &minijinja::Error) -> RenderError {
    RenderError::Failed { key: key.to_owned(), message: explain(error) }
}

/// The reason of an error, without the place, which is told otherwise.
pub(crate) fn explain(error: &minijinja::Error) -> String {
    let kind = error.kind().to_string();
    format!("the text cannot be written: {}", error.detail().unwrap_or(&kind))
}
