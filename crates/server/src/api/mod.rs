//! The operators' API: routes under `/api/v1`, each with its role, and the document of them all.

mod acts;
mod attention;
mod auth;
mod conversations;
mod customers;
mod deeds;
mod events;
mod follow;
mod handoffs;
mod input;
mod keys;
mod me;
mod orders;
mod page;
mod problems;
mod products;
mod socket;
mod stock;
mod throttle;
mod timers;
mod transcript;
mod words;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use bytes::Bytes;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use input::{Named, Params};
pub(crate) use throttle::Throttle;

use crate::App;
use crate::problem::{Details, Problem};

const BASE: &str = "/api/v1";

/// Larger than anything an operator sends.
const BODY_LIMIT: usize = 1024 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Recado",
        description = "The acts of operators: conversations, what needs a person, timers, \
                       keys, and what happens as it happens. A key sees its own workspace and no \
                       other. Errors are problem details (RFC 9457); `retry` says whether to make \
                       the request again.",
        version = "1",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(Details))
)]
struct Document;

/// Every route with its entry in the document.
fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(me::get))
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::get))
        .routes(routes!(transcript::get))
        .routes(routes!(acts::take))
        .routes(routes!(acts::reply))
        .routes(routes!(acts::give_back))
        .routes(routes!(handoffs::list))
        .routes(routes!(handoffs::get))
        .routes(routes!(handoffs::assign))
        .routes(routes!(handoffs::resolve))
        .routes(routes!(attention::quarantined))
        .routes(routes!(attention::retry))
        .routes(routes!(attention::unresolved))
        .routes(routes!(attention::resolve))
        .routes(routes!(timers::list))
        .routes(routes!(timers::cancel))
        .routes(routes!(orders::list))
        .routes(routes!(orders::get))
        .routes(routes!(orders::set_status))
        .routes(routes!(stock::list))
        .routes(routes!(stock::receive))
        .routes(routes!(stock::count))
        .routes(routes!(stock::write_off))
        .routes(routes!(products::list))
        .routes(routes!(customers::get))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::revoke))
}

/// Routes whose answers stay open, which no time limit may end.
fn open_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(events::stream)).routes(routes!(socket::open))
}

/// The OpenAPI document, as it is served.
pub fn document() -> String {
    let (_, mut document) = OpenApiRouter::with_openapi(Document::openapi())
        .nest(BASE, routes().merge(open_routes()))
        .split_for_parts();
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rk_…").build();
    let components = document.components.get_or_insert_default();
    components.security_schemes.insert("key".to_owned(), SecurityScheme::Http(scheme).into());
    document.to_pretty_json().unwrap_or_default() + "\n"
}

/// Routes with a time limit, and those without.
pub(crate) fn router() -> (Router<App>, Router<App>) {
    let (timed, _) = routes().split_for_parts();
    let (open, _) = open_routes().split_for_parts();
    // Shared by all answers: whoever asks without reading costs no copy.
    let document = Bytes::from(document());
    let serve = move || {
        let json = [(header::CONTENT_TYPE, "application/json")];
        let answer = (json, document.clone()).into_response();
        std::future::ready(answer)
    };
    let timed = timed.route("/openapi.json", get(serve));
    (within(timed), within(open))
}

/// Under the base, with bodies that are not too large.
fn within(routes: Router<App>) -> Router<App> {
    let routes = routes
        .method_not_allowed_fallback(async || Problem::WrongMethod)
        .layer(DefaultBodyLimit::max(BODY_LIMIT));
    sealed(Router::new().nest(BASE, routes))
}

/// Answers addresses under `/api` that are no route.
pub(crate) fn nothing() -> Router<App> {
    let nothing = async || Problem::NotFound("there is no such address in the API".to_owned());
    sealed(Router::new().route("/api/{*rest}", any(nothing)))
}

/// With what every answer has: it is kept nowhere, taken for nothing else and shown in no frame.
fn sealed(routes: Router<App>) -> Router<App> {
    let fixed = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
    };
    routes
        .layer(fixed(header::CACHE_CONTROL, "no-store"))
        .layer(fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed(header::REFERRER_POLICY, "no-referrer"))
        .layer(fixed(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"))
}
