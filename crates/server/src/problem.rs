//! What a caller is told when a request is not done: what happened, and whether to repeat it.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use runner::IntakeError;
use serde_json::json;
use store::StoreError;

#[derive(Debug)]
pub(crate) enum Problem {
    NotFound(String),
    BadRequest(String),
    Unauthorized,
    /// Nothing was taken; the same request may be made again.
    NotNow(String),
    Internal(String),
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::NotFound(text) => (StatusCode::NOT_FOUND, text),
            Self::BadRequest(text) => (StatusCode::BAD_REQUEST, text),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "credentials refused".to_owned()),
            Self::NotNow(text) => {
                tracing::warn!(reason = text, "answered 503");
                (StatusCode::SERVICE_UNAVAILABLE, "not taken, send it again".to_owned())
            }
            Self::Internal(text) => {
                tracing::error!(reason = text, "answered 500");
                (StatusCode::INTERNAL_SERVER_ERROR, "something went wrong here".to_owned())
            }
        };
        let mut response = (status, Json(json!({ "error": text }))).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let one_second = header::HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, one_second);
        }
        response
    }
}

impl From<IntakeError> for Problem {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::NoSuchChannel(_) => Self::NotFound(error.to_string()),
            // Whatever the reason, an arrival that is not durable is never acknowledged.
            IntakeError::NotNow(_) => Self::NotNow(error.to_string()),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(_) => Self::NotFound(error.to_string()),
            error if error.is_transient() => Self::NotNow(error.to_string()),
            error => Self::Internal(error.to_string()),
        }
    }
}
