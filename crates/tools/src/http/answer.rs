//! The result that a system's answer gives to the turn that asked.

use domain::ToolError;
use serde_json::{Value, json};

use crate::egress::Answer;

/// The most of a refusal that is told.
const TOLD_CHARS: usize = 500;

pub(super) fn read(answer: &Answer, keep: Option<&str>) -> Result<Value, ToolError> {
    let status = answer.status;
    if status.is_success() {
        return Ok(kept(answer, keep));
    }
    if status.is_client_error() {
        let body = String::from_utf8_lossy(&answer.body);
        let told: String = body.trim().chars().take(TOLD_CHARS).collect();
        return Err(ToolError::Refused(format!("the system answered {status}: {told}")));
    }
    Err(ToolError::Unknown(format!("the system answered {status}")))
}

/// The call has acted by now, so whatever came back is an answer.
fn kept(answer: &Answer, keep: Option<&str>) -> Value {
    let text = || String::from_utf8_lossy(&answer.body);
    if answer.cut {
        return json!({ "note": "the answer was too long; this is the beginning", "text": text() });
    }
    match serde_json::from_slice::<Value>(&answer.body) {
        Ok(value) => match keep {
            Some(pointer) => value.pointer(pointer).cloned().unwrap_or_default(),
            None => value,
        },
        Err(_) => json!({ "text": text() }),
    }
}
