//! `crm.contact.create` and `crm.contact.update`: what is known of a contact.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::Effect;

use super::{read, written};
use crate::{Caller, LocalTool, Spec};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Card {
    #[schemars(length(min = 1, max = 200))]
    nombre: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    apellido: Option<String>,
    #[schemars(regex(pattern = r"^\s*\+?[0-9][0-9 ().-]{5,24}$"))]
    telefono: Option<String>,
    #[schemars(length(max = 254), regex(pattern = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"))]
    correo: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    ciudad: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    departamento: Option<String>,
    #[schemars(length(min = 1, max = 500))]
    direccion: Option<String>,
    #[schemars(length(min = 1, max = 200))]
    barrio: Option<String>,
}

/// A card as it is stored: a contact's own columns, and its data.
#[derive(Default)]
struct Known {
    name: Option<String>,
    phone: Option<String>,
    data: Map<String, Value>,
}

impl Known {
    fn read(input: &Value) -> Result<Self, String> {
        let card: Card = read(input)?;
        let mut known = Self::default();
        for (name, text) in [
            ("nombre", card.nombre),
            ("apellido", card.apellido),
            ("telefono", card.telefono),
            ("correo", card.correo),
            ("ciudad", card.ciudad),
            ("departamento", card.departamento),
            ("direccion", card.direccion),
            ("barrio", card.barrio),
        ] {
            let Some(text) = text else { continue };
            known.put(name, written(name, &text)?);
        }
        if known.name.is_none() && known.phone.is_none() && known.data.is_empty() {
            return Err("the input does not fit: nothing is said of the contact".to_owned());
        }
        Ok(known)
    }

    fn put(&mut self, name: &str, text: String) {
        match name {
            "nombre" => self.name = Some(text),
            "telefono" => self.phone = Some(text),
            name => {
                self.data.insert(name.to_owned(), Value::String(text));
            }
        }
    }
}

pub(crate) struct Create(Spec);

impl Default for Create {
    fn default() -> Self {
        Self(Spec::of::<Card>(
            "crm.contact.create",
            "Writes down a contact other than the customer who is writing.",
        ))
    }
}

impl LocalTool for Create {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn effect(&self, _caller: &Caller, input: &Value) -> Result<Effect, String> {
        let Known { name, phone, data } = Known::read(input)?;
        Ok(Effect::CreateContact { name, phone, data })
    }
}

pub(crate) struct Update(Spec);

impl Default for Update {
    fn default() -> Self {
        Self(Spec::of::<Card>(
            "crm.contact.update",
            "Writes down what the customer who is writing says of themselves; what is left out \
             stays as it is.",
        ))
    }
}

impl LocalTool for Update {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn effect(&self, caller: &Caller, input: &Value) -> Result<Effect, String> {
        let Known { name, phone, data } = Known::read(input)?;
        Ok(Effect::UpdateContact { contact: caller.contact, name, phone, data })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{caller, effect};
    use super::*;
    use serde_json::json;

    fn data(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_name_and_a_phone_have_their_columns_and_the_rest_is_data() {
        let input = json!({
            "nombre": " Ana ", "apellido": "Gómez", "telefono": "+57 300 123-4567",
            "correo": "ana@example.com", "ciudad": "Cali", "departamento": "Valle",
            "direccion": "Calle 5 # 3-21", "barrio": "San Antonio"
        });
        let rest = data(json!({
            "apellido": "Gómez", "correo": "ana@example.com", "ciudad": "Cali",
            "departamento": "Valle", "direccion": "Calle 5 # 3-21", "barrio": "San Antonio"
        }));
        let (name, phone) = (Some("Ana".to_owned()), Some("+57 300 123-4567".to_owned()));
        let updated = Effect::UpdateContact {
            contact: caller().contact,
            name: name.clone(),
            phone: phone.clone(),
            data: rest.clone(),
        };
        assert_eq!(effect("crm.contact.update", input.clone()), Ok(updated));
        let created = Effect::CreateContact { name, phone, data: rest };
        assert_eq!(effect("crm.contact.create", input), Ok(created));
    }

    #[test]
    fn what_is_left_out_or_null_stays_as_it_is() {
        let input = json!({ "ciudad": "Cali", "nombre": null });
        let updated = Effect::UpdateContact {
            contact: caller().contact,
            name: None,
            phone: None,
            data: data(json!({ "ciudad": "Cali" })),
        };
        assert_eq!(effect("crm.contact.update", input), Ok(updated));
    }

    #[test]
    fn nobody_else_can_be_named_and_what_is_no_datum_is_refused() {
        for (input, told) in [
            (json!({ "contact": caller().contact, "nombre": "Ana" }), "there is no `contact`"),
            (json!({ "name": "Ana" }), "there is no `name`"),
            (json!({}), "nothing is said of the contact"),
            (json!({ "nombre": "  " }), "`nombre` is blank"),
            (json!({ "nombre": "" }), "`nombre` must have 1 characters or more"),
            (json!({ "nombre": "x".repeat(201) }), "`nombre` must have 200 characters or fewer"),
            (json!({ "nombre": ["Ana"] }), "`nombre` must be null or string"),
            (json!({ "telefono": "mañana" }), "`telefono` must match"),
            (json!({ "correo": "ana" }), "`correo` must match"),
        ] {
            for tool in ["crm.contact.update", "crm.contact.create"] {
                let refused = effect(tool, input.clone()).unwrap_err();
                let expected = format!("the input does not fit: {told}");
                assert!(refused.starts_with(&expected), "{input}: {refused}");
            }
        }
    }
}
