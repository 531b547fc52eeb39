//! `turno.tomar`: the next number of a queue.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::{read, written};
use crate::{LocalTool, Spec};

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

    fn deed(&self, _caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        let Queue { fila } = read(input)?;
        Ok(Arc::new(Take { counter: format!("turno/{}", written("fila", &fila)?) }))
    }
}

struct Take {
    counter: String,
}

#[async_trait]
impl Deed for Take {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        Ok(json!({ "number": records.take_number(&self.counter).await? }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Shop;
    use serde_json::json;

    #[tokio::test]
    async fn a_number_is_taken_from_the_queue_that_is_named() {
        let mut shop = Shop::new().await;
        for (fila, number) in [("caja", 1), (" caja ", 2), ("mesa", 1), ("caja", 3)] {
            let taken = shop.call("turno.tomar", json!({ "fila": fila })).await;
            assert_eq!(taken, Ok(json!({ "number": number })), "{fila}");
        }
        for (input, told) in [
            (json!({}), "`fila` is missing"),
            (json!({ "fila": "caja", "contador": "x" }), "there is no `contador`"),
            (json!({ "fila": "  " }), "`fila` is blank"),
        ] {
            let refused = shop.call("turno.tomar", input).await.unwrap_err();
            assert_eq!(refused, format!("the input does not fit: {told}"));
        }
    }
}
