//! A tool of an MCP server.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, Tool,
};
use rmcp::service::ServiceError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Link, live};
use crate::{Class, OutsideTool, Spec};

const TIMEOUT: Duration = Duration::from_secs(30);
/// How long a call waits for a connection that was lost.
const RECONNECT: Duration = Duration::from_secs(5);
/// The most of a refusal that is told.
const TOLD_CHARS: usize = 500;

pub(super) struct McpTool {
    spec: Spec,
    /// As the server calls it.
    name: String,
    link: watch::Receiver<Link>,
}

impl McpTool {
    /// A server's word on its tool beside what the tool takes (`readOnlyHint`, `idempotentHint`) is
    /// a hint, which a server may give wrongly or to be trusted: unless the operator answers for
    /// the tool, it may act, and a call of which no outcome is known is not repeated.
    pub(super) fn new(id: &str, listed: Tool, link: watch::Receiver<Link>) -> Self {
        let spec = Spec {
            name: format!("{id}.{}", listed.name),
            description: listed.description.unwrap_or_default().into_owned(),
            input: Value::Object((*listed.input_schema).clone()),
            class: Class::Execute,
            timeout: TIMEOUT,
            limit: None,
            needs_yes: false,
            engine_given: &[],
        };
        Self { spec, name: listed.name.into_owned(), link }
    }
}

#[async_trait]
impl OutsideTool for McpTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn idempotent(&self) -> bool {
        false
    }

    async fn call(&self, _caller: &Caller, input: &Value, _key: &str) -> Result<Value, ToolError> {
        let mut link = self.link.clone();
        let peer = match timeout(RECONNECT, link.wait_for(live)).await {
            Ok(Ok(link)) => link.clone(),
            _ => None,
        };
        let peer = peer.ok_or_else(|| ToolError::Refused("the server is away".to_owned()))?;
        let mut call = CallToolRequestParams::new(self.name.clone());
        call.arguments = input.as_object().cloned();
        match peer.call_tool_once(call).await {
            Ok(CallToolResponse::Complete(result)) => read(result),
            Ok(_) => Err(ToolError::Unknown("the server wants to ask something first".to_owned())),
            Err(error) => Err(failed(&error)),
        }
    }
}

fn read(result: CallToolResult) -> Result<Value, ToolError> {
    let is_text = |block: &&ContentBlock| matches!(block, ContentBlock::Text(_));
    let left_out = result.content.iter().filter(|block| !is_text(block)).count();
    let texts: Vec<_> = result.content.iter().filter_map(ContentBlock::as_text).collect();
    let text = texts.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n");
    if result.is_error == Some(true) {
        return Err(ToolError::Refused(text.chars().take(TOLD_CHARS).collect()));
    }
    if let Some(structured) = result.structured_content {
        return Ok(structured);
    }
    Ok(match (serde_json::from_str::<Value>(&text), left_out) {
        (Ok(value @ (Value::Object(_) | Value::Array(_))), 0) => value,
        (_, 0) => json!({ "text": text }),
        (_, left_out) => json!({ "text": text, "left_out": left_out }),
    })
}

/// Refused where the server says that it did not begin, or was never reached.
fn failed(error: &ServiceError) -> ToolError {
    let told: String = error.to_string().chars().take(TOLD_CHARS).collect();
    match error {
        ServiceError::McpError(error) if did_not_begin(error.code) => ToolError::Refused(told),
        ServiceError::TransportSend(sending) if no_connection(&*sending.error) => {
            ToolError::Refused("the server is away".to_owned())
        }
        _ => ToolError::Unknown(told),
    }
}

fn did_not_begin(code: ErrorCode) -> bool {
    let codes = [
        ErrorCode::PARSE_ERROR,
        ErrorCode::INVALID_REQUEST,
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INVALID_PARAMS,
    ];
    codes.contains(&code)
}

fn no_connection(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    matches!(error, Some(StreamableHttpError::Client(error)) if error.is_connect())
}
