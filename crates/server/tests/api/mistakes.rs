//! Requests that cannot be done are answered in words, and change nothing.

use axum::body::Body;
use axum::http::{Method, Request};
use domain::IdSource;
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Answer, Shop};

crate::on_both_stores!(
    what_cannot_be_done_is_answered_with_what_to_change,
    outside_the_api_too_every_refusal_says_what_to_do,
);

async fn what_cannot_be_done_is_answered_with_what_to_change(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Admin).await;
    let id = shop.hears("tienda-web", "ana", "hola").await;
    let (nobody, client) = (shop.ids.next(), shop.ids.next());
    let reply = format!("/conversations/{id}/reply");
    let long = "x".repeat(4_001);
    let long_name = "x".repeat(61);
    let cases: Vec<(Method, &str, Option<Value>, u16, &str)> = vec![
        (Method::GET, "/nada", None, 404, "no such address"),
        (Method::GET, "/../v2", None, 404, "no such address"),
        (Method::DELETE, "/me", None, 405, "other methods"),
        (Method::GET, "/conversations/nada", None, 404, "nothing of that name"),
        (Method::GET, "/orders/nada", None, 404, "nothing of that name"),
        (Method::GET, "/orders/42", None, 404, "ORD-00042"),
        (Method::GET, "/conversations?limit=0", None, 422, "from 1 to 200"),
        (Method::GET, "/conversations?limit=201", None, 422, "from 1 to 200"),
        (Method::GET, "/conversations?limit=-1", None, 422, "limit"),
        (Method::GET, "/conversations?after=nada", None, 422, "`next`"),
        (Method::GET, "/conversations?owner=nadie", None, 422, "owner"),
        (Method::GET, "/conversations?sort=asc", None, 422, "unknown field `sort`"),
        (Method::GET, "/timers?conversation=nada", None, 422, "conversation"),
        (Method::GET, "/stock?low_than=2147483648", None, 400, "at most 2147483647"),
        (Method::GET, "/stock?low_than=4294967296", None, 422, "low_than"),
        (Method::GET, "/events?kinds=nada", None, 422, "kind of event `nada`"),
        (Method::GET, "/events?after=nada", None, 422, "`nada` is no event's id"),
        (Method::POST, &reply, Some(json!({})), 422, "missing field `text`"),
        (Method::POST, &reply, Some(json!("hola")), 422, "expected struct Reply"),
        (Method::POST, &reply, Some(json!({ "text": "hola", "client_id": "x" })), 422, "client_id"),
        (
            Method::POST,
            &reply,
            Some(json!({ "text": " \u{200b} ", "client_id": client })),
            422,
            "the message is empty",
        ),
        (
            Method::POST,
            &reply,
            Some(json!({ "text": long, "client_id": client })),
            422,
            "more than 4000 characters",
        ),
        (
            Method::POST,
            &reply,
            Some(json!({ "text": "hola", "client_id": client, "texto": 1 })),
            422,
            "unknown field `texto`",
        ),
        (
            Method::POST,
            &reply,
            Some(json!({ "text": "hola", "client_id": client })),
            409,
            "take it over",
        ),
        (Method::POST, "/keys", Some(json!({ "name": "x", "role": "dios" })), 422, "dios"),
        (Method::POST, "/keys", Some(json!({ "name": " x", "role": "viewer" })), 422, "spaces"),
        (
            Method::POST,
            "/keys",
            Some(json!({ "name": long_name, "role": "viewer" })),
            422,
            "60 characters",
        ),
        (
            Method::POST,
            "/keys",
            Some(json!({ "name": "x", "role": "viewer", "expires_in_days": 0 })),
            422,
            "expires_in_days",
        ),
        (Method::POST, "/keys", Some(json!({ "name": "ana", "role": "viewer" })), 409, "in use"),
        (Method::POST, "/quarantine/nada/retry", None, 404, "nothing of that name"),
    ];
    for (method, path, body, status, words) in cases {
        let what = format!("{method} {path}");
        let answer = shop.call(method, path, Some(&key), body).await;
        let (found, detail) = answer.problem();
        assert!(found == status && detail.contains(words), "{what}: {found} {detail}");
    }
    let unknown = shop.get(&format!("/conversations/{nobody}"), &key).await;
    assert_eq!(unknown.problem(), (404, "there is no such conversation"));
    assert_eq!(shop.get("/keys", &key).await.good()["items"].as_array().unwrap().len(), 1);

    let raw = async |kind: &str, body: Vec<u8>| -> Answer {
        let request = Request::post(format!("/api/v1{reply}"))
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", kind);
        shop.send(request.body(Body::from(body)).unwrap()).await
    };
    assert_eq!(raw("application/json", b"{".to_vec()).await.problem().0, 400);
    assert_eq!(raw("application/json", vec![0xff, 0xfe]).await.problem().0, 400);
    assert_eq!(raw("text/plain", b"{}".to_vec()).await.problem().0, 415);
    let huge = vec![b' '; 1024 * 1024 + 1];
    assert_eq!(raw("application/json", huge).await.problem().0, 413);
    let deep = "[".repeat(100_000).into_bytes();
    assert_eq!(raw("application/json", deep).await.problem().0, 422);

    let elsewhere = Request::get("/api/v2/me").body(Body::empty()).unwrap();
    assert_eq!(shop.send(elsewhere).await.problem().0, 404);
}

async fn outside_the_api_too_every_refusal_says_what_to_do(shop: Shop) {
    let cases = [
        (Method::GET, "/nada", 404, "nothing at this address"),
        (Method::GET, "/chat", 404, "nothing at this address"),
        (Method::GET, "/chat/%ff/history", 404, "nothing of that name"),
        (Method::GET, "/chat/nada", 404, "no webchat `nada`"),
        (Method::POST, "/healthz", 405, "takes other methods"),
        (Method::DELETE, "/chat/tienda-web/events", 405, "takes other methods"),
        (Method::PUT, "/webhooks/infobip/tienda", 405, "takes other methods"),
        (Method::GET, "/chat/tienda-web/events?after=x", 422, "after"),
        (Method::GET, "/webhooks/whatsapp/meta?hub.mode=a&hub.mode=b", 422, "hub.mode"),
        (Method::GET, "/webhooks/whatsapp/meta", 401, "send those of its configuration"),
        (Method::POST, "/webhooks/infobip/nada", 401, "send those of its configuration"),
        (Method::GET, "/api/v1/ws", 400, "upgrade"),
    ];
    for (method, path, status, words) in cases {
        let request = Request::builder().method(&method).uri(path);
        let answer = shop.send(request.body(Body::empty()).unwrap()).await;
        let (found, detail) = answer.problem();
        assert!(found == status && detail.contains(words), "{method} {path}: {found} {detail}");
        assert!(status != 405 || !answer.header("allow").is_empty(), "{answer:?}");
    }
}
