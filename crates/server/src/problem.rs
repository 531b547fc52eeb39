//! The answer to a request that is not done: the reason, and whether to repeat the request.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use metrics::counter;
use runner::IntakeError;
use serde::Serialize;
use store::{DeedError, StoreError};
use utoipa::ToSchema;

use crate::{refusals, repeated};

/// The same whether there is no such channel or it has other credentials.
const REFUSED: &str = "nothing was taken: these are not the credentials of a channel here; send those \
    of its configuration";
const AWAY: &str = "the database is not available, and nothing is known to have been done: make the same \
    request again in a second, under the same id if it has one";
const GIVEN_UP: &str = "there was no answer in time, and nobody knows whether it was done: make the same \
    request again if it only reads or has an id of its own, which is done once; else look first";
const INTERNAL: &str = "something is wrong on this node, and its log says what: making the request again \
    will not help before that is put right";

/// A problem, as RFC 9457 puts it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Details {
    /// Names the sort of problem for programs, such as `urn:recado:not_found`.
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    detail: String,
    retry: Retry,
}

/// Whether to make the request again.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Retry {
    /// Not as it is.
    Changed,
    /// As it is, after a while: nothing was done, or the detail says that nobody knows.
    Later,
    /// Repeating will not help.
    Never,
}

#[derive(Debug)]
pub(crate) enum Problem {
    NotFound(String),
    BadRequest(String),
    /// Well formed, and yet not to be done so.
    Invalid(String),
    /// The caller is not the one that may deliver here.
    Unauthorized,
    /// There is no key, or it opens nothing.
    NoKey(&'static str),
    /// The key does not allow it.
    Forbidden(String),
    WrongMethod,
    TooLarge(String),
    /// The body came so slowly that it was not waited for.
    TooSlow(String),
    WrongType(String),
    /// The request contradicts the present state; nothing was changed.
    Conflict(String),
    /// The thing asked for is not kept any more.
    Gone(String),
    /// Too many wrong keys: how many seconds to wait.
    TooMany(u64),
    /// Too much at once of what strangers may do.
    Wait {
        seconds: u64,
        text: String,
    },
    /// The visitor of a web chat has no token of ours.
    NoVisitor(String),
    /// There is no room for it at the moment, for this reason; nothing was done.
    NotNow(String),
    /// The database is not there. The reason is for the log alone, because it may name hosts and files.
    Away(String),
    /// Nobody knows whether it was done.
    GivenUp,
    Internal(String),
}

impl Problem {
    fn status(&self) -> (StatusCode, &'static str, Retry) {
        match self {
            Self::NotFound(_) => (StatusCode::NOT_FOUND, "not_found", Retry::Never),
            Self::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad_request", Retry::Changed),
            Self::Invalid(_) => (StatusCode::UNPROCESSABLE_ENTITY, "invalid", Retry::Changed),
            Self::Unauthorized | Self::NoKey(_) | Self::NoVisitor(_) => {
                (StatusCode::UNAUTHORIZED, "unauthorized", Retry::Changed)
            }
            Self::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden", Retry::Never),
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, "wrong_method", Retry::Never),
            Self::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", Retry::Changed),
            Self::TooSlow(_) => (StatusCode::REQUEST_TIMEOUT, "too_slow", Retry::Later),
            Self::WrongType(_) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong_type", Retry::Changed)
            }
            Self::Conflict(_) => (StatusCode::CONFLICT, "conflict", Retry::Changed),
            Self::Gone(_) => (StatusCode::GONE, "gone", Retry::Changed),
            Self::TooMany(_) | Self::Wait { .. } => {
                (StatusCode::TOO_MANY_REQUESTS, "too_many", Retry::Later)
            }
            Self::NotNow(_) | Self::Away(_) | Self::GivenUp => {
                (StatusCode::SERVICE_UNAVAILABLE, "not_now", Retry::Later)
            }
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal", Retry::Never),
        }
    }

    /// The text for the caller. Details that only we should know go to the log instead.
    fn detail(self) -> String {
        match self {
            Self::NotFound(text)
            | Self::BadRequest(text)
            | Self::Invalid(text)
            | Self::Forbidden(text)
            | Self::TooLarge(text)
            | Self::TooSlow(text)
            | Self::WrongType(text)
            | Self::Conflict(text)
            | Self::Gone(text)
            | Self::NoVisitor(text)
            | Self::Wait { text, .. } => text,
            Self::Unauthorized => REFUSED.to_owned(),
            Self::NoKey(why) => why.to_owned(),
            Self::WrongMethod => {
                "nothing was done: this address takes other methods, those in `Allow`".to_owned()
            }
            Self::TooMany(_) => "too many wrong keys: wait, then use a good one".to_owned(),
            Self::NotNow(reason) => {
                refusals::count(format!("503, {reason}"));
                format!("{reason}: nothing was done, make the same request again in a second")
            }
            Self::Away(reason) => {
                refusals::count(format!("503, {reason}"));
                AWAY.to_owned()
            }
            Self::GivenUp => {
                refusals::count("503, no answer in time".to_owned());
                GIVEN_UP.to_owned()
            }
            Self::Internal(reason) => {
                repeated::FAILED.error(&reason);
                INTERNAL.to_owned()
            }
        }
    }

    /// Seconds to wait, where that is known.
    fn wait_s(&self) -> Option<u64> {
        match self {
            Self::NotNow(_) | Self::Away(_) | Self::GivenUp => Some(1),
            Self::TooMany(seconds) | Self::Wait { seconds, .. } => Some((*seconds).max(1)),
            _ => None,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, name, retry) = self.status();
        let wait = self.wait_s();
        let wants_key = matches!(self, Self::NoKey(_));
        let details = Details {
            kind: format!("urn:recado:{name}"),
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: self.detail(),
            retry,
        };
        let body = serde_json::to_string(&details).unwrap_or_default();
        let json = HeaderValue::from_static("application/problem+json");
        let mut response = (status, [(header::CONTENT_TYPE, json)], body).into_response();
        if let Some(seconds) = wait {
            counter!("recado_turned_away_total", "why" => name).increment(1);
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if wants_key {
            let bearer = HeaderValue::from_static("Bearer realm=\"recado\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

impl From<IntakeError> for Problem {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::NoSuchChannel(_) => Self::NotFound(error.to_string()),
            // An arrival that is not durable is never acknowledged, whatever the reason.
            IntakeError::NotNow(error) => not_now(error),
        }
    }
}

impl From<DeedError> for Problem {
    fn from(error: DeedError) -> Self {
        match error {
            DeedError::Refused(text) => Self::Conflict(text),
            DeedError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(_) => Self::NotFound(error.to_string()),
            StoreError::Refused(text) => Self::Conflict(text),
            error if error.is_transient() => not_now(error),
            error => Self::Internal(error.to_string()),
        }
    }
}

fn not_now(error: StoreError) -> Problem {
    match error {
        StoreError::Busy => Problem::NotNow("too much waits for the database".to_owned()),
        StoreError::OnItsWay => Problem::NotNow("a message of the bot is being sent".to_owned()),
        error => Problem::Away(error.to_string()),
    }
}
