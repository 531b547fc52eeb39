//! A call to a system as a pack declares it, made into a tool.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use pack::files::{HttpEntry, HttpMethod, HttpParam, ParamKind, ParamPlace};
use serde_json::{Map, Value, json};
use tools::http::{DeclarationError, Endpoint, HttpTool, System, Verb};
use tools::{Class, OutsideTool, Spec};

use super::{class, limit};

/// How long an answer is waited for where a pack does not say.
const TIMEOUT: Duration = Duration::from_secs(10);

const KEY_HEADER: &str = "Idempotency-Key";

pub(super) fn tool(entry: &HttpEntry, system: &Arc<System>) -> Result<HttpTool, DeclarationError> {
    HttpTool::new(spec(entry), Arc::clone(system), endpoint(entry))
}

pub(super) fn spec(entry: &HttpEntry) -> Spec {
    let properties: Map<String, Value> =
        entry.params.iter().map(|param| (param.name.clone(), schema(param))).collect();
    let required: Vec<&str> =
        entry.params.iter().filter(|param| param.required).map(|one| one.name.as_str()).collect();
    Spec {
        name: entry.name.clone(),
        description: entry.description.clone(),
        input: json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        }),
        class: class(entry.class),
        timeout: entry.timeout.map_or(TIMEOUT, length),
        limit: entry.limit.map(limit),
        needs_yes: entry.needs_yes,
        engine_given: &[],
    }
}

fn schema(param: &HttpParam) -> Value {
    let kind = match param.kind {
        ParamKind::String => "string",
        ParamKind::Integer => "integer",
        ParamKind::Number => "number",
        ParamKind::Boolean => "boolean",
    };
    let mut schema = json!({ "type": kind });
    if !param.description.is_empty() {
        schema["description"] = json!(param.description);
    }
    if !param.one_of.is_empty() {
        schema["enum"] = json!(param.one_of);
    }
    schema
}

fn endpoint(entry: &HttpEntry) -> Endpoint {
    let at = |place| entry.params.iter().filter(move |param| param.place == place);
    Endpoint {
        method: match entry.method {
            HttpMethod::Get => Verb::Get,
            HttpMethod::Post => Verb::Post,
            HttpMethod::Put => Verb::Put,
            HttpMethod::Patch => Verb::Patch,
            HttpMethod::Delete => Verb::Delete,
        },
        path: entry.path.clone(),
        query: at(ParamPlace::Query).map(|one| (one.name.clone(), one.name.clone())).collect(),
        body: at(ParamPlace::Body).map(|one| one.name.clone()).collect(),
        idempotency_header: entry.idempotent.then(|| KEY_HEADER.to_owned()),
        response: entry.result.clone(),
        // A call that only reads may be repeated.
        idempotent: entry.idempotent || class(entry.class) == Class::Safe,
    }
}

pub(super) fn length(duration: pack::files::Duration) -> Duration {
    Duration::from_millis(duration.ms().unsigned_abs())
}

/// A tool outside where nothing outside is reached.
pub(super) struct StandIn(pub(super) Spec);

#[async_trait]
impl OutsideTool for StandIn {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn idempotent(&self) -> bool {
        true
    }

    async fn call(&self, _: &Caller, _: &Value, _: &str) -> Result<Value, ToolError> {
        Err(ToolError::Refused(format!("`{}` is not reached from here", self.0.name)))
    }
}
