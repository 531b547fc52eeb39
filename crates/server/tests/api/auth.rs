//! The keys that are let in, and the headers of every answer.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use domain::{IdSource, Workspace};
use serde_json::json;
use store::KeyRole;

use crate::kit::{Answer, Shop, ours};

crate::on_both_stores!(
    a_request_without_a_key_is_told_how_to_send_one,
    a_key_that_is_wrong_revoked_or_expired_opens_nothing,
    a_key_says_whose_it_is,
    a_keys_use_is_noted_once_a_minute,
    wrong_keys_are_slowed_down_and_lock_nobody_else_out,
    whoever_guesses_at_a_key_does_not_lock_its_holder_out,
    keys_that_nobody_has_are_slowed_down_however_many_are_made_up,
    every_answer_forbids_keeping_and_guessing,
);

async fn a_request_without_a_key_is_told_how_to_send_one(shop: Shop) {
    let answer = shop.call(Method::GET, "/me", None, None).await;
    assert_eq!(answer.status, 401);
    assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"recado\"");
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let expected = json!({
        "type": "urn:recado:unauthorized", "title": "Unauthorized", "status": 401,
        "detail": "send a key: `Authorization: Bearer rk_…`; `recado key create` makes one",
        "retry": "changed",
    });
    assert_eq!(answer.body, expected);
}

/// With this in the header, from this address.
async fn with(shop: &Shop, authorization: &str, from: &str) -> Answer {
    let from: SocketAddr = from.parse().unwrap();
    let request = Request::get("/api/v1/me")
        .header("authorization", authorization)
        .extension(ConnectInfo(from));
    shop.send(request.body(Body::empty()).unwrap()).await
}

async fn a_key_that_is_wrong_revoked_or_expired_opens_nothing(shop: Shop) {
    let good = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let (token, mut stored) =
        server::mint(ours(), "breve", KeyRole::Viewer, None, &*shop.ids, shop.now());
    stored.key.expires_at = Some(shop.now().plus_ms(1_000));
    shop.store.add_key(ours(), &stored, "prueba", shop.now()).await.unwrap();
    for key in [good.as_str(), token.reveal()] {
        assert_eq!(with(&shop, &format!("Bearer {key}"), "10.0.0.1:9").await.status, 200);
        assert_eq!(with(&shop, &format!("bearer  {key} "), "10.0.0.1:9").await.status, 200);
    }
    shop.clock.advance_ms(1_000);
    let id = server::Token::parse(&good).unwrap().key;
    shop.store.revoke_key(ours(), id, "prueba", shop.now()).await.unwrap();
    // Of a workspace that is not, of a key that is not, and with the last letter changed.
    let other = server::mint(ours(), "x", KeyRole::Admin, None, &*shop.ids, shop.now()).0;
    let mut near = token.reveal().to_owned();
    let last = if near.ends_with('A') { "B" } else { "A" };
    near.replace_range(near.len() - 1.., last);
    for wrong in [&good, token.reveal(), other.reveal(), &near, "rk_", "", "ñ"] {
        for scheme in ["Bearer ", "Basic ", ""] {
            let address = format!("10.0.{}.1:9", scheme.len());
            let answer = with(&shop, &format!("{scheme}{wrong}"), &address).await;
            let (status, detail) = answer.problem();
            assert_eq!((status, detail.contains("opens nothing")), (401, true), "{detail}");
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"recado\"");
            shop.clock.advance_ms(60_000);
        }
    }
}

async fn a_key_says_whose_it_is(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = server::Token::parse(&key).unwrap().key;
    let expected = json!({
        "workspace": ours(), "workspace_name": "tienda", "key": id, "name": "ana",
        "role": "operator", "expires_at": null,
    });
    assert_eq!(shop.get("/me", &key).await.good(), expected);
}

async fn a_keys_use_is_noted_once_a_minute(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = server::Token::parse(&key).unwrap().key;
    let mut noted = Vec::new();
    for _ in 0..3 {
        shop.get("/me", &key).await.good();
        let stored = shop.store.key(ours(), id).await.unwrap().unwrap();
        noted.push(stored.key.last_used_at.unwrap().since_ms(crate::kit::START));
        shop.clock.advance_ms(40_000);
    }
    assert_eq!(noted, [0, 0, 80_000]);
}

async fn wrong_keys_are_slowed_down_and_lock_nobody_else_out(shop: Shop) {
    let good = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let good = format!("Bearer {good}");
    let old = server::mint(ours(), "x", KeyRole::Viewer, None, &*shop.ids, shop.now()).0;
    let old = format!("Bearer {}", old.reveal());
    for wrong in [old.as_str(), "Bearer nada"] {
        for _ in 0..10 {
            assert_eq!(with(&shop, wrong, "10.0.0.1:9").await.problem().0, 401);
        }
        let answer = with(&shop, wrong, "10.0.0.1:10").await;
        assert_eq!((answer.problem().0, answer.header("retry-after")), (429, "6"));
        assert_eq!(answer.body["retry"], "later");
        assert_eq!(with(&shop, wrong, "10.0.0.2:9").await.problem().0, 401);
    }
    // A caller at the same address with a good key goes on.
    assert_eq!(with(&shop, &good, "10.0.0.1:9").await.status, 200);
    shop.clock.advance_ms(6_000);
    assert_eq!(with(&shop, &old, "10.0.0.1:9").await.problem().0, 401);
    assert_eq!(with(&shop, &old, "10.0.0.1:9").await.problem().0, 429);
}

/// As behind one proxy: both come from one address.
async fn whoever_guesses_at_a_key_does_not_lock_its_holder_out(shop: Shop) {
    let good = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let guess = |n: u32| {
        let mut guess = good.clone();
        guess.replace_range(good.len() - 6.., &format!("{n:06}"));
        format!("Bearer {guess}")
    };
    for n in 0..10 {
        assert_eq!(with(&shop, &guess(n), "10.0.0.1:9").await.problem().0, 401);
    }
    for n in 10..30 {
        assert_eq!(with(&shop, &guess(n), "10.0.0.1:9").await.problem().0, 429);
        assert_eq!(with(&shop, &format!("Bearer {good}"), "10.0.0.1:9").await.status, 200);
    }
    // The key's end counts for the holder too.
    let id = server::Token::parse(&good).unwrap().key;
    shop.store.revoke_key(ours(), id, "prueba", shop.now()).await.unwrap();
    assert_eq!(with(&shop, &format!("Bearer {good}"), "10.0.0.1:9").await.problem().0, 401);
}

async fn keys_that_nobody_has_are_slowed_down_however_many_are_made_up(shop: Shop) {
    let good = format!("Bearer {}", shop.key("tienda", "ana", KeyRole::Viewer).await);
    assert_eq!(with(&shop, &good, "10.0.0.1:9").await.status, 200);
    let made_up = |workspace| {
        let (token, _) =
            server::mint(workspace, "x", KeyRole::Viewer, None, &*shop.ids, shop.now());
        format!("Bearer {}", token.reveal())
    };
    for _ in 0..60 {
        assert_eq!(with(&shop, &made_up(ours()), "10.0.0.1:9").await.problem().0, 401);
    }
    let answer = with(&shop, &made_up(ours()), "10.0.0.1:9").await;
    assert_eq!((answer.problem().0, answer.header("retry-after")), (429, "1"));
    assert_eq!(with(&shop, &good, "10.0.0.1:9").await.status, 200, "behind the same proxy");
    assert_eq!(with(&shop, &made_up(ours()), "10.0.0.2:9").await.problem().0, 401);
    // A key of a workspace that no channel belongs to, although it is in the database.
    shop.store.ensure(&Workspace::named("nadie"), &[], shop.now()).await.unwrap();
    let nobodys = shop.key("nadie", "eva", KeyRole::Admin).await;
    let answer = with(&shop, &format!("Bearer {nobodys}"), "10.0.0.3:9").await;
    assert!(answer.problem().1.contains("not served here"), "{answer:?}");
}

async fn every_answer_forbids_keeping_and_guessing(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Admin).await;
    let nobody = shop.ids.next();
    for (method, path, key, status) in [
        (Method::GET, "/me".to_owned(), Some(key.as_str()), 200),
        (Method::GET, "/me".to_owned(), None, 401),
        (Method::PUT, "/me".to_owned(), Some(key.as_str()), 405),
        (Method::GET, "/nada".to_owned(), Some(key.as_str()), 404),
        (Method::GET, format!("/handoffs/{nobody}"), Some(key.as_str()), 404),
        (Method::GET, "/openapi.json".to_owned(), None, 200),
        (Method::GET, "/events".to_owned(), Some(key.as_str()), 200),
    ] {
        let answer = shop.call(method, &path, key, None).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        let policy = "default-src 'none'; frame-ancestors 'none'";
        assert_eq!(answer.header("content-security-policy"), policy, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
    }
}
