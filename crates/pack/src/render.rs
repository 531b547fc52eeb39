//! The texts of `templates.yaml`, compiled once and rendered with values.

use std::collections::BTreeMap;

use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, escape_formatter};
use serde_json::{Map, Value as Json};

use crate::files::Templates;
use crate::number::Marks;

/// Values besides the fields that a template may use; which message has which of them is told
/// where the message is declared. Where one is not given, it is empty.
pub(crate) const VARIABLES: [&str; 7] =
    ["explicacion", "anotado", "campo", "valor", "resumen", "pendientes", "nombre_contacto"];

/// What a text may compute; a loop that runs away ends here.
const FUEL: u64 = 20_000;

/// The texts of a pack by key.
#[derive(Clone, Debug)]
pub struct Texts {
    environment: Environment<'static>,
    /// For each key, its wordings' names in the environment.
    names: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error("there is no template `{0}`")]
    Unknown(String),
    #[error("`{key}`: {message}")]
    Failed { key: String, message: String },
}

impl Texts {
    /// Compiles texts that the checks have passed.
    pub(crate) fn compile(
        templates: &Templates,
        locale: &str,
        fields: &[&str],
    ) -> Result<Self, RenderError> {
        let mut environment = environment(locale, fields);
        let mut names = BTreeMap::new();
        for (key, template) in &templates.0 {
            let mut wordings = Vec::new();
            for (index, text) in template.wordings().iter().enumerate() {
                let name = format!("{key}#{index}");
                environment
                    .add_template_owned(name.clone(), text.clone())
                    .map_err(|error| failed(key, &error))?;
                wordings.push(name);
            }
            names.insert(key.clone(), wordings);
        }
        Ok(Self { environment, names })
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// How many ways there are to say it; 0 if there is no such template.
    pub fn wordings(&self, key: &str) -> usize {
        self.names.get(key).map_or(0, Vec::len)
    }

    /// The text of `key` with `values`, without line ends behind it. The wordings are taken in
    /// turn: `wording` may be any count. Fields without a value are empty, and numbers are written
    /// as the pack's locale writes them, as are yes and no; `{{ codigo | plain }}` writes a number
    /// without marks.
    pub fn render(
        &self,
        key: &str,
        wording: usize,
        values: &Map<String, Json>,
    ) -> Result<String, RenderError> {
        let unknown = || RenderError::Unknown(key.to_owned());
        let names = self.names.get(key).ok_or_else(unknown)?;
        let name = names.get(wording % names.len().max(1)).ok_or_else(unknown)?;
        let rendered =
            self.environment.get_template(name).and_then(|template| template.render(Serde(values)));
        let mut text = rendered.map_err(|error| failed(key, &error))?;
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        Ok(text)
    }
}

/// Where templates are compiled: no escaping, no unknown names, `fields` empty until collected.
pub(crate) fn environment(locale: &str, fields: &[&str]) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    let marks = Marks::of(locale);
    let yes = if locale.starts_with("en") { "yes" } else { "sí" };
    environment.set_formatter(move |out, state, value| match value.kind() {
        ValueKind::None => Ok(()),
        ValueKind::Bool => {
            out.write_str(if value.is_true() { yes } else { "no" }).map_err(Into::into)
        }
        ValueKind::Number => out.write_str(&marks.apply(&value.to_string())).map_err(Into::into),
        _ => escape_formatter(out, state, value),
    });
    environment.add_filter("plain", |value: Value| value.to_string());
    for name in fields.iter().copied().chain(VARIABLES) {
        environment.add_global(name.to_owned(), Value::from(()));
    }
    environment
}

fn failed(key: &str, error: &minijinja::Error) -> RenderError {
    RenderError::Failed { key: key.to_owned(), message: explain(error) }
}

/// What is wrong, without the place, which is told otherwise.
pub(crate) fn explain(error: &minijinja::Error) -> String {
    let kind = error.kind().to_string();
    format!("the text cannot be written: {}", error.detail().unwrap_or(&kind))
}
