//! A checked call to the outside: its time limit, its size limit, and what may be repeated.

use std::sync::Arc;

use domain::{Caller, ToolError};
use serde_json::{Value, json};

use store::Deed;

use crate::{Class, OutsideTool, Spec};

/// The most of an answer that is kept, written as JSON.
const KEPT_BYTES: usize = 64 * 1024;

pub struct OutsideCall {
    pub(crate) tool: Arc<dyn OutsideTool>,
    pub(crate) spec: Arc<Spec>,
    pub(crate) idempotent: bool,
    pub(crate) caller: Caller,
    /// To be committed before the call, as a step of its own: the customer's yes is used up by it,
    /// or the call is not made.
    pub consent: Option<Arc<dyn Deed>>,
}

impl OutsideCall {
    /// Whether calling again under the same key does no harm.
    pub fn repeatable(&self) -> bool {
        self.idempotent || self.reads()
    }

    fn reads(&self) -> bool {
        self.spec.class == Class::Safe
    }

    /// Calls once. A call that runs past its time may have acted.
    pub async fn attempt(&self, input: &Value, key: &str) -> Result<Value, ToolError> {
        let timeout = self.spec.timeout;
        let call = self.tool.call(&self.caller, input, key);
        match tokio::time::timeout(timeout, call).await {
            Ok(outcome) => outcome.map(cut),
            Err(_) => Err(ToolError::Unknown(format!("no answer within {timeout:?}"))),
        }
    }

    /// The meaning of the last attempt: a tool that only reads cannot have acted, however the call
    /// ended.
    pub fn conclude(&self, outcome: Result<Value, ToolError>) -> Result<Value, ToolError> {
        match outcome {
            Err(ToolError::Unknown(reason)) if self.reads() => Err(ToolError::Refused(reason)),
            outcome => outcome,
        }
    }
}

fn cut(output: Value) -> Value {
    let text = output.to_string();
    if text.len() <= KEPT_BYTES {
        return output;
    }
    let kept = &text[..text.floor_char_boundary(KEPT_BYTES)];
    let note = format!("the answer had {} bytes; this is the beginning", text.len());
    json!({ "note": note, "text": kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_cut_between_letters_and_says_so() {
        let short = json!("é".repeat(1000));
        assert_eq!(cut(short.clone()), short);
        let long = cut(json!(format!("x{}", "é".repeat(KEPT_BYTES))));
        let text = long["text"].as_str().unwrap();
        assert!(text.len() <= KEPT_BYTES && text.len() > KEPT_BYTES - 4);
        assert_eq!(long["note"], "the answer had 131075 bytes; this is the beginning");
    }
}
