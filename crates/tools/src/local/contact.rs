//! `crm.contact.create` and `crm.contact.update`: what is known of a contact.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, Contact, ContactId, Pii, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};

use super::{read, written};
use crate::{LocalTool, Spec};

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
    name: Option<Pii>,
    phone: Option<Pii>,
    data: Map<String, Value>,
}

impl Known {
    fn read(input: &Value) -> Result<Self, ToolError> {
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
            let nothing = "the input does not fit: nothing is said of the contact";
            return Err(ToolError::BadInput(nothing.to_owned()));
        }
        Ok(known)
    }

    fn put(&mut self, name: &str, text: String) {
        match name {
            "nombre" => self.name = Some(text.into()),
            "telefono" => self.phone = Some(text.into()),
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

    fn deed(&self, _caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(WriteDown(Known::read(input)?)))
    }
}

/// Somebody new, with whom nobody has spoken yet.
struct WriteDown(Known);

#[async_trait]
impl Deed for WriteDown {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let id = ContactId(records.new_id());
        let Known { name, phone, data } = &self.0;
        let contact = Contact { id, name: name.clone(), phone: phone.clone(), data: data.clone() };
        records.put_contact(&contact).await?;
        Ok(json!({ "contact": id }))
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

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(Amend { contact: caller.contact, known: Known::read(input)? }))
    }
}

/// The given values of a contact are changed; the others, and other keys of its data, stay.
struct Amend {
    contact: ContactId,
    known: Known,
}

#[async_trait]
impl Deed for Amend {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let id = self.contact;
        let Some(mut contact) = records.contact(id).await? else {
            return DeedError::refused(format!("there is no contact {id}"));
        };
        let Known { name, phone, data } = &self.known;
        contact.name = name.clone().or(contact.name);
        contact.phone = phone.clone().or(contact.phone);
        contact.data.extend(data.clone());
        records.put_contact(&contact).await?;
        Ok(json!({ "contact": id }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Shop, caller};
    use super::*;

    fn contact(id: ContactId, name: &str, phone: &str, data: Value) -> Contact {
        let data = data.as_object().unwrap().clone();
        Contact { id, name: Some(name.into()), phone: Some(phone.into()), data }
    }

    #[tokio::test]
    async fn a_name_and_a_phone_have_their_columns_and_the_rest_is_data() {
        let input = json!({
            "nombre": " Ana ", "apellido": "Gómez", "telefono": "+57 300 123-4567",
            "correo": "ana@example.com", "ciudad": "Cali", "departamento": "Valle",
            "direccion": "Calle 5 # 3-21", "barrio": "San Antonio"
        });
        let rest = json!({
            "apellido": "Gómez", "correo": "ana@example.com", "ciudad": "Cali",
            "departamento": "Valle", "direccion": "Calle 5 # 3-21", "barrio": "San Antonio"
        });
        for tool in ["crm.contact.update", "crm.contact.create"] {
            let mut shop = Shop::new().await;
            let answer = shop.call(tool, input.clone()).await.unwrap();
            let id: ContactId = serde_json::from_value(answer["contact"].clone()).unwrap();
            assert_eq!(id == caller().contact, tool == "crm.contact.update");
            let written = shop.records.contact(id).await.unwrap();
            assert_eq!(written, Some(contact(id, "Ana", "+57 300 123-4567", rest.clone())));
        }
    }

    #[tokio::test]
    async fn what_is_left_out_or_null_stays_as_it_is() {
        let mut shop = Shop::new().await;
        let id = caller().contact;
        let known = contact(id, "Ana", "57300", json!({ "ciudad": "Cali", "notas": { "a": 1 } }));
        shop.records.put_contact(&known).await.unwrap();
        let input = json!({ "ciudad": "Bogotá", "barrio": "Centro", "nombre": null });
        shop.call("crm.contact.update", input).await.unwrap();
        let data = json!({ "ciudad": "Bogotá", "barrio": "Centro", "notas": { "a": 1 } });
        let written = shop.records.contact(id).await.unwrap();
        assert_eq!(written, Some(contact(id, "Ana", "57300", data)));
    }

    #[tokio::test]
    async fn a_contact_that_is_not_there_is_not_made_up() {
        let mut shop = Shop::empty();
        let refused = shop.call("crm.contact.update", json!({ "nombre": "Ana" })).await;
        assert_eq!(refused, Err(format!("there is no contact {}", caller().contact)));
        assert_eq!(shop.records, Shop::empty().records);
    }

    #[tokio::test]
    async fn nobody_else_can_be_named_and_what_is_no_datum_is_refused() {
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
                let refused = Shop::new().await.call(tool, input.clone()).await.unwrap_err();
                let expected = format!("the input does not fit: {told}");
                assert!(refused.starts_with(&expected), "{input}: {refused}");
            }
        }
    }
}
