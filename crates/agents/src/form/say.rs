//! Puts the pack's texts into the reply, with values that come from the engine alone.

use nlu::Invalid;
use pack::files::Field;
use serde_json::{Map, Value};

use super::explain::{demand, explain};
use super::state::GraphState;

pub(crate) trait Say {
    /// Adds a template to the reply.
    fn say(&mut self, template: &str);

    /// Adds a template that speaks of one field and its value.
    fn say_of(&mut self, template: &str, field: usize);

    /// Adds a template with further values.
    fn say_with(&mut self, template: &str, values: Map<String, Value>);
}

impl Say for GraphState<'_> {
    fn say(&mut self, template: &str) {
        self.say_with(template, Map::new());
    }

    fn say_of(&mut self, template: &str, field: usize) {
        let field = &self.spec.fields[field];
        let value = self.conversation.data.get(&field.name);
        let value = value.map(|value| self.spec.told_value(&field.name, value)).unwrap_or_default();
        let values =
            [("campo".to_owned(), field.label.as_str().into()), ("valor".to_owned(), value)];
        self.say_with(template, Map::from_iter(values));
    }

    fn say_with(&mut self, template: &str, values: Map<String, Value>) {
        let before = self.sent.iter().filter(|sent| *sent == template).count();
        let mut all = self.known(template);
        all.extend(values);
        match self.spec.pack.render(template, before, &all) {
            Ok(text) if text.trim().is_empty() => {
                self.metadata.notes.push(format!("{template} says nothing"));
            }
            Ok(text) => {
                self.response.push(text);
                self.sent.push(template.to_owned());
                self.metadata.templates.push(template.to_owned());
            }
            // The pack was checked when it was loaded; what is left is a value no check foresaw.
            Err(error) => self.metadata.rules.push(format!("template {template}: {error}")),
        }
    }
}

impl GraphState<'_> {
    /// A field as help texts speak of it: what it is called and what it must be.
    pub(crate) fn about(&mut self, field: usize) -> Map<String, Value> {
        let explanation = self.explanation(field, None);
        let label = self.spec.fields[field].label.as_str();
        Map::from_iter([
            ("campo".to_owned(), label.into()),
            ("explicacion".to_owned(), explanation.into()),
        ])
    }

    /// The demand of a field: in the pack's words if it has some, else why a value was refused.
    pub(crate) fn explanation(&self, field: usize, refused: Option<&Invalid>) -> String {
        let one = &self.spec.fields[field];
        let own = one
            .invalid
            .as_ref()
            .and_then(|template| self.spec.pack.render(template, 0, &self.known(template)).ok());
        own.unwrap_or_else(|| match refused {
            Some(invalid) => explain(invalid, &self.spec.pack.explanations),
            None => demand(one.kind, &self.spec.pack.explanations),
        })
    }

    /// Values a template looks at, of all that every template may use.
    fn known(&self, template: &str) -> Map<String, Value> {
        let known = |name: &str| {
            let value = match name {
                "resumen" => self.summary().into(),
                "pendientes" => self.pending().into(),
                "nombre_contacto" => self.contact_name.map(pack::cited).into(),
                _ => self.spec.told_value(name, self.conversation.data.get(name)?),
            };
            Some((name.to_owned(), value))
        };
        self.spec.pack.templates.uses(template).filter_map(known).collect()
    }

    /// The fields with a value, as a sentence lists them.
    pub(crate) fn summary(&self) -> String {
        let fields: Vec<_> = (0..self.spec.fields.len()).collect();
        self.listed(&fields)
    }

    /// Some fields with their values, as a sentence lists them.
    pub(crate) fn listed(&self, fields: &[usize]) -> String {
        let shown = |field: &usize| {
            let Field { name, label, .. } = &self.spec.fields[*field];
            let value = self.conversation.data.get(name).filter(|value| !value.is_null())?;
            let value = self.spec.told_value(name, value);
            Some(format!("{label} ({})", self.spec.show(&value)))
        };
        join(&fields.iter().filter_map(shown).collect::<Vec<_>>(), &self.spec.and)
    }

    fn pending(&self) -> String {
        let missing = self.spec.fields.iter().filter(|field| self.is_missing(field));
        let labels: Vec<_> = missing.map(|field| field.label.clone()).collect();
        join(&labels, &self.spec.and)
    }
}

/// «a, b y c»
pub(crate) fn join(parts: &[String], and: &str) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} {and} {last}", all.join(", ")),
    }
}
