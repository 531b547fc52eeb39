//! The input of callers: ids in paths, parameters, bodies; each mistake answered in words.

use std::str::FromStr;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use domain::{storable, visible};
use serde::de::DeserializeOwned;

use super::BODY_LIMIT;
use super::auth::{MISSING, Whose};
use crate::App;
use crate::problem::Problem;

/// The id that the path names. A text that cannot be an id names nothing.
pub(crate) struct Named<T>(pub(crate) T);

impl<T: FromStr> FromRequestParts<App> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let nothing = || Problem::NotFound("there is nothing of that name".to_owned());
        let path = Path::<String>::from_request_parts(parts, app).await;
        let Path(text) = path.map_err(|_| nothing())?;
        text.parse().map(Self).map_err(|_| nothing())
    }
}

/// The parameters after the question mark.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let query = Query::<T>::from_request_parts(parts, app).await;
        query.map(|Query(params)| Self(params)).map_err(|error| Problem::Invalid(error.body_text()))
    }
}

/// A body in JSON, of a caller who has shown a key.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let Whose(workspace) = parts.extensions.get().copied().ok_or(Problem::NoKey(MISSING))?;
        let read = app.0.pools.known.read(workspace, body, BODY_LIMIT).await;
        let (bytes, _held) = read.map_err(|problem| match problem {
            Problem::TooLarge(_) => Problem::TooLarge("the body is too large".to_owned()),
            problem => problem,
        })?;
        let request = Request::from_parts(parts, bytes.into());
        let body = Json::<T>::from_request(request, app).await;
        body.map(|Json(value)| Self(value)).map_err(|error| match error {
            JsonRejection::JsonDataError(error) => Problem::Invalid(error.body_text()),
            JsonRejection::MissingJsonContentType(error) => Problem::WrongType(error.body_text()),
            error => Problem::BadRequest(error.body_text()),
        })
    }
}

/// A text that must say something, and not too much.
pub(super) fn text(what: &str, text: &str, most: usize) -> Result<String, Problem> {
    // Looked at as it came: a character that cannot be stored is stored as one that can be seen.
    if visible(text).trim().is_empty() {
        return Err(Problem::Invalid(format!("{what} is empty")));
    }
    let written = storable(text.trim());
    if written.chars().count() > most {
        return Err(Problem::Invalid(format!("{what} has more than {most} characters")));
    }
    Ok(written)
}
