//! An answer of the API, read whole, with ids that a test can write down.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Null if there is none.
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let is_stream = parts.headers.get("content-type").is_some_and(|kind| {
            kind.to_str().is_ok_and(|kind| kind.starts_with("text/event-stream"))
        });
        // A stream has no end; its beginning is all that is asked of it here.
        let bytes = match is_stream {
            true => Default::default(),
            false => axum::body::to_bytes(body, 10_000_000).await.unwrap(),
        };
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { status: parts.status, headers: parts.headers, body }
    }

    /// The body of an answer that must be a success.
    pub(crate) fn good(self) -> Value {
        assert!(self.status.is_success(), "{self:?}");
        self.body
    }

    /// Status and detail of an answer that must be a problem.
    pub(crate) fn problem(&self) -> (u16, &str) {
        let status = self.status.as_u16();
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        assert_eq!(self.body["status"], status, "{self:?}");
        for field in ["type", "title", "detail", "retry"] {
            assert!(self.body[field].as_str().is_some_and(|text| !text.is_empty()), "{self:?}");
        }
        (status, self.body["detail"].as_str().unwrap_or_default())
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// The same with every id named by the order in which it first comes, fields by their names: `#1`,
/// `#2`.
pub(crate) fn named(body: &Value) -> Value {
    let mut known = Vec::new();
    rename(body, &mut known)
}

fn rename(value: &Value, known: &mut Vec<String>) -> Value {
    match value {
        Value::String(text) if is_id(text) => {
            let place = known.iter().position(|one| one == text).unwrap_or_else(|| {
                known.push(text.clone());
                known.len() - 1
            });
            Value::String(format!("#{}", place + 1))
        }
        Value::Array(items) => items.iter().map(|item| rename(item, known)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), rename(value, known))).collect()
        }
        other => other.clone(),
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
