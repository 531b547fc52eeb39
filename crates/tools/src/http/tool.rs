//! A tool that is one request to a system.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::path::{Path, scalar};
use super::{DeclarationError, Endpoint, System, answer};
use crate::egress::Outgoing;
use crate::{OutsideTool, Spec};

#[derive(Debug)]
pub struct HttpTool {
    spec: Spec,
    system: Arc<System>,
    endpoint: Endpoint,
    path: Path,
    key_header: Option<HeaderName>,
}

impl HttpTool {
    /// Checks the declaration: every input has a place, and every place has its input.
    pub fn new(
        spec: Spec,
        system: Arc<System>,
        endpoint: Endpoint,
    ) -> Result<Self, DeclarationError> {
        let tool = spec.name.clone();
        let path = Path::parse(&endpoint.path).map_err(|reason| {
            let (tool, path) = (tool.clone(), endpoint.path.clone());
            DeclarationError::Path { tool, path, reason }
        })?;
        check_inputs(&spec, &path, &endpoint)?;
        if let Some(pointer) = endpoint.response.as_ref().filter(|text| !text.starts_with('/')) {
            return Err(DeclarationError::Pointer { tool, pointer: pointer.clone() });
        }
        let named = |name: &String| {
            HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| DeclarationError::Header(name.clone()))
        };
        let key_header = endpoint.idempotency_header.as_ref().map(named).transpose()?;
        Ok(Self { spec, system, endpoint, path, key_header })
    }

    fn request(&self, input: &Value, key: &str) -> Result<Outgoing, String> {
        let mut url = self.path.fill(&self.system.base, input)?;
        self.ask(&mut url, input)?;
        let mut headers = HeaderMap::new();
        if let Some(name) = &self.key_header {
            let key = HeaderValue::from_str(key).map_err(|_| "the key fits no header")?;
            headers.insert(name.clone(), key);
        }
        Ok(Outgoing {
            method: self.endpoint.method.into(),
            url,
            headers,
            credentials: self.system.credentials.clone(),
            body: self.body(input),
        })
    }

    fn ask(&self, url: &mut Url, input: &Value) -> Result<(), String> {
        for (name, called) in &self.endpoint.query {
            let values = match &input[name] {
                Value::Null => continue,
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            for value in values {
                let text = scalar(value).ok_or(format!("`{name}` must be a text or a number"))?;
                url.query_pairs_mut().append_pair(called, &text);
            }
        }
        Ok(())
    }

    fn body(&self, input: &Value) -> Option<Value> {
        let names = self.endpoint.body.iter();
        let given = names.filter_map(|name| Some((name.clone(), input.get(name)?.clone())));
        (!self.endpoint.body.is_empty()).then(|| Value::Object(given.collect::<Map<_, _>>()))
    }
}

fn check_inputs(spec: &Spec, path: &Path, endpoint: &Endpoint) -> Result<(), DeclarationError> {
    let used: BTreeSet<&str> = path
        .inputs()
        .chain(endpoint.query.keys().map(String::as_str))
        .chain(endpoint.body.iter().map(String::as_str))
        .collect();
    let declared: BTreeSet<&str> = spec.input["properties"]
        .as_object()
        .into_iter()
        .flat_map(|properties| properties.keys().map(String::as_str))
        .collect();
    let tool = spec.name.clone();
    if let Some(input) = used.difference(&declared).next() {
        return Err(DeclarationError::NoSuchInput { tool, input: (*input).to_owned() });
    }
    match declared.difference(&used).next() {
        Some(input) => Err(DeclarationError::Unused { tool, input: (*input).to_owned() }),
        None => Ok(()),
    }
}

#[async_trait]
impl OutsideTool for HttpTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn idempotent(&self) -> bool {
        self.endpoint.idempotent
    }

    async fn call(&self, _caller: &Caller, input: &Value, key: &str) -> Result<Value, ToolError> {
        let request = self.request(input, key).map_err(ToolError::Refused)?;
        let answer = self.system.egress.send(request).await?;
        answer::read(&answer, self.endpoint.response.as_deref())
    }
}
