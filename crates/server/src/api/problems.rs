//! How the document describes what every route may answer instead.

use std::collections::BTreeMap;

use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::problem::Details;

/// Every route may answer with these.
pub(super) struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let kinds = [
            ("401", "No key, or one that opens nothing"),
            ("403", "The key does not allow it"),
            ("404", "There is no such thing in the key's workspace"),
            ("422", "Well formed, and yet not to be done so: the detail says why"),
            ("429", "Too many wrong keys, or too many that follow events"),
            ("503", "Nothing was done; make the request again"),
        ];
        kinds.into_iter().map(|(status, what)| (status.to_owned(), refusal(what))).collect()
    }
}

/// For routes that take a body.
pub(super) struct Bodies;

impl IntoResponses for Bodies {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let kinds = [
            ("400", "The body is not JSON"),
            ("413", "The body is too large"),
            ("415", "The body does not say that it is JSON"),
        ];
        kinds.into_iter().map(|(status, what)| (status.to_owned(), refusal(what))).collect()
    }
}

/// For routes with a number that may be out of its range.
pub(super) struct OutOfRange;

impl IntoResponses for OutOfRange {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        BTreeMap::from([("400".to_owned(), refusal("A number is out of its range"))])
    }
}

/// For routes that act: it does not go with how things stand.
pub(super) struct Conflicts;

impl IntoResponses for Conflicts {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let what = "The request contradicts the present state; nothing was changed";
        BTreeMap::from([("409".to_owned(), refusal(what))])
    }
}

pub(super) fn refusal(what: &str) -> RefOr<Response> {
    let schema = Ref::from_schema_name(Details::name());
    let content = Content::new(Some(schema));
    ResponseBuilder::new()
        .description(what)
        .content("application/problem+json", content)
        .build()
        .into()
}
