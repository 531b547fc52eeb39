//! `turno.tomar`: the next number of a queue.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::Effect;

use super::{read, written};
use crate::{Caller, LocalTool, Spec};

pub(crate) struct TakeNumber(Spec);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Queue {
    /// The name of the queue.
    #[schemars(length(min = 1, max = 100))]
    fila: String,
}

impl Default for TakeNumber {
    fn default() -> Self {
        Self(Spec::of::<Queue>("turno.tomar", "Takes the next number of a queue."))
    }
}

impl LocalTool for TakeNumber {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn effect(&self, _caller: &Caller, input: &Value) -> Result<Effect, String> {
        let Queue { fila } = read(input)?;
        Ok(Effect::TakeNumber { counter: format!("turno/{}", written("fila", &fila)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::effect;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_is_taken_from_the_queue_that_is_named() {
        let taken = effect("turno.tomar", json!({ "fila": " caja " })).unwrap();
        assert_eq!(taken, Effect::TakeNumber { counter: "turno/caja".to_owned() });
        for (input, told) in [
            (json!({}), "`fila` is missing"),
            (json!({ "fila": "caja", "contador": "x" }), "there is no `contador`"),
            (json!({ "fila": "  " }), "`fila` is blank"),
        ] {
            let refused = effect("turno.tomar", input).unwrap_err();
            assert_eq!(refused, format!("the input does not fit: {told}"));
        }
    }
}
