//! Whether a node is ready, as anybody may ask.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use tower::ServiceExt;

use crate::kit::{Kind, Shop};

async fn ready(shop: &Shop) -> (u16, String) {
    let request = Request::get("/readyz").body(Body::empty()).unwrap();
    let answer = shop.router.clone().oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    let body = to_bytes(answer.into_body(), 10_000).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_node_without_its_database_is_not_ready_and_tells_strangers_nothing_about_it() {
    let shop = Shop::open(Kind::Postgres).await;
    assert_eq!(ready(&shop).await, (200, "ready\n".to_owned()));
    // A look at the database is good for a second.
    shop.wait_ms(1_000).await;
    shop.database.shut().await;
    let text = "not ready: the database does not answer, and the node's log says why\n";
    assert_eq!(ready(&shop).await, (503, text.to_owned()));
}
