//! Keys over the API: made once, listed without their secret, ended for good.

use axum::http::Method;
use domain::IdSource;
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Shop, named, ours};

crate::on_both_stores!(a_key_is_made_used_and_revoked, a_key_that_expires_opens_nothing_then,);

async fn a_key_is_made_used_and_revoked(shop: Shop) {
    let admin = shop.key("tienda", "jefa", KeyRole::Admin).await;
    shop.clock.advance_ms(1_000);
    let wish = json!({ "name": "ana", "role": "operator" });
    let made = shop.post("/keys", &admin, wish).await;
    assert_eq!(made.status, 201);
    let mut body = made.body;
    let secret = body["secret"].take().as_str().unwrap().to_owned();
    let id = body["id"].as_str().unwrap().to_owned();
    let expected = json!({
        "id": "#1", "name": "ana", "role": "operator", "secret": null,
        "created_at": "2026-05-28T20:26:41.000Z", "expires_at": null, "revoked_at": null,
        "last_used_at": null,
    });
    assert_eq!(named(&body), expected);
    assert_eq!(shop.get("/me", &secret).await.good()["name"], "ana");
    let list = shop.get("/keys", &admin).await.good();
    assert!(!list.to_string().contains(&secret[70..]), "a secret is shown once");
    let names: Vec<_> = list["items"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(names, ["ana", "jefa"]);

    let revoke = async |id: &str| {
        shop.call(Method::DELETE, &format!("/keys/{id}"), Some(&admin), None).await
    };
    assert_eq!(revoke(&id).await.status, 204);
    assert_eq!(revoke(&id).await.status, 204, "it is ended already");
    assert_eq!(shop.get("/me", &secret).await.problem().0, 401);
    assert_eq!(revoke(&shop.ids.next().to_string()).await.problem().0, 404);
    let first = &shop.get("/keys", &admin).await.good()["items"][0];
    assert_eq!(first["revoked_at"], "2026-05-28T20:26:41.000Z");
    let audit = shop.audit(ours()).await;
    assert_eq!(audit[1..], ["jefa key.create", "jefa key.revoke"]);
}

async fn a_key_that_expires_opens_nothing_then(shop: Shop) {
    let admin = shop.key("tienda", "jefa", KeyRole::Admin).await;
    let wish = json!({ "name": "ana", "role": "viewer", "expires_in_days": 1 });
    let made = shop.post("/keys", &admin, wish).await.good();
    assert_eq!(made["expires_at"], "2026-05-29T20:26:40.000Z");
    let secret = made["secret"].as_str().unwrap();
    shop.clock.advance_ms(24 * 3_600_000 - 1);
    assert_eq!(shop.get("/me", secret).await.good()["expires_at"], made["expires_at"]);
    shop.clock.advance_ms(1);
    assert_eq!(shop.get("/me", secret).await.problem().0, 401);
    assert_ne!(shop.get("/me", &admin).await.good(), Value::Null);
}
