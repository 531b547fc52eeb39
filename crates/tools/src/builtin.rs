//! Tools on our own database.

use domain::ContactId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::Effect;

use crate::LocalTool;

/// `turno.tomar`: the next number of a queue.
pub struct TakeNumber;

#[derive(Deserialize)]
struct Queue {
    fila: String,
}

impl LocalTool for TakeNumber {
    fn name(&self) -> &'static str {
        "turno.tomar"
    }

    fn effect(&self, input: &Value) -> Result<Effect, String> {
        let Queue { fila } = read(input)?;
        Ok(Effect::TakeNumber { counter: format!("turno/{fila}") })
    }
}

/// `crm.contact.update`: what a contact is called.
pub struct UpdateContact;

#[derive(Deserialize)]
struct ContactName {
    contact: ContactId,
    name: String,
}

impl LocalTool for UpdateContact {
    fn name(&self) -> &'static str {
        "crm.contact.update"
    }

    fn effect(&self, input: &Value) -> Result<Effect, String> {
        let ContactName { contact, name } = read(input)?;
        match name.trim() {
            "" => Err("a name cannot be empty".to_owned()),
            name if name.chars().count() > 200 => Err("a name that long is none".to_owned()),
            name => Ok(Effect::NameContact { contact, name: name.to_owned() }),
        }
    }
}

fn read<T: DeserializeOwned>(input: &Value) -> Result<T, String> {
    T::deserialize(input).map_err(|error| format!("the input does not fit: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn input_that_does_not_fit_is_refused_before_anything_is_done() {
        assert!(TakeNumber.effect(&json!({})).unwrap_err().contains("fila"));
        assert!(UpdateContact.effect(&json!({ "contact": "x", "name": "Ana" })).is_err());
        let blank = json!({ "contact": ContactId(uuid::Uuid::nil()), "name": "  " });
        assert_eq!(UpdateContact.effect(&blank).unwrap_err(), "a name cannot be empty");
    }
}
