//! The time limit of every answer but those that stay open.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::problem::Problem;

const LIMIT: Duration = Duration::from_secs(30);

/// The answer, or that there is none in time. Whether the request was done is not known then, because a commit
/// that is under way is not taken back.
pub(crate) async fn answered(request: Request, next: Next) -> Response {
    let answer = timeout(LIMIT, next.run(request)).await;
    answer.unwrap_or_else(|_| Problem::GivenUp.into_response())
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_takes_too_long_says_that_nobody_knows_whether_it_was_done() {
        let never = get(async || std::future::pending::<()>().await);
        let router = Router::new().route("/", never).layer(from_fn(answered));
        let answer = router.oneshot(Request::new(Body::empty())).await.unwrap();
        let head = (answer.status().as_u16(), answer.headers()["retry-after"].clone());
        assert_eq!(head, (503, "1".parse().unwrap()));
        let body = to_bytes(answer.into_body(), 10_000).await.unwrap();
        let text = String::from_utf8_lossy(&body);
        assert!(text.contains("nobody knows whether it was done"), "{text}");
    }
}
