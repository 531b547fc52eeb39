//! Lists for a person: events set aside, ambiguous sends, timers.

use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Shop, named, ours};

crate::on_both_stores!(
    an_event_set_aside_is_listed_and_put_back,
    a_send_that_failed_is_listed_and_resolved,
    a_timer_is_listed_and_cancelled,
);

async fn an_event_set_aside_is_listed_and_put_back(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = shop.breaks("tienda-web", "ana").await;
    let page = shop.get("/quarantine", &key).await.good();
    let item = &page["items"][0];
    assert_eq!((page["items"].as_array().unwrap().len(), &page["next"]), (1, &Value::Null));
    assert_eq!((&item["conversation"], &item["kind"]), (&json!(id), &json!("message")));
    assert_eq!(item["received_at"], "2026-05-28T20:26:40.000Z");
    assert!(item["reason"].as_str().unwrap().contains("asked the demo agent to fail"));
    assert_eq!(item["payload"]["text"], "rompete");
    let path = format!("/quarantine/{}/retry", item["id"].as_str().unwrap());
    assert_eq!(shop.post(&path, &key, json!({})).await.status, 204);
    assert_eq!(shop.post(&path, &key, json!({})).await.problem().0, 404, "it is back in its lane");
    let empty = json!({ "items": [], "next": null });
    assert_eq!(shop.get("/quarantine", &key).await.good(), empty);
    let audit = shop.audit(ours()).await;
    assert!(audit.contains(&"ana quarantine.retry".to_owned()), "{audit:?}");
}

async fn a_send_that_failed_is_listed_and_resolved(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    shop.phone.refuse(Some("131026 not on WhatsApp"));
    let mut ids = Vec::new();
    for from in ["1", "2", "3"] {
        ids.push(shop.hears("tienda-wa", from, "dame un turno").await);
        shop.wait_ms(1_000).await;
    }
    shop.phone.refuse(None);
    let page = shop.get("/reconcile?limit=2", &key).await.good();
    let item = |n: usize, at: &str| {
        json!({
            "id": format!("#{}", 2 * n - 1), "kind": "undelivered",
            "conversation": format!("#{}", 2 * n), "what": format!("1. Tu turno es el {n}."),
            "error": "131026 not on WhatsApp", "since": at,
        })
    };
    let items = [item(1, "2026-05-28T20:26:40.000Z"), item(2, "2026-05-28T20:26:41.000Z")];
    // Fields come by name: the conversation before the id.
    let mut found = page["items"].clone();
    for (n, found) in found.as_array_mut().unwrap().iter_mut().enumerate() {
        assert_eq!(found["conversation"], ids[n].to_string());
        found["conversation"] = json!(format!("#{}", 2 * n + 2));
        found["id"] = json!(format!("#{}", 2 * n + 1));
    }
    assert_eq!(found, json!(items));
    let next = page["next"].as_str().unwrap();
    let rest = shop.get(&format!("/reconcile?limit=2&after={next}"), &key).await.good();
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));

    let resolve = async |item: &Value, resolution: &str| {
        let path = format!("/reconcile/{}/resolve", item["id"].as_str().unwrap());
        shop.post(&path, &key, json!({ "resolution": resolution })).await
    };
    assert_eq!(resolve(&page["items"][0], "nada").await.problem().0, 422);
    assert_eq!(resolve(&page["items"][0], "resend").await.status, 204);
    assert_eq!(resolve(&page["items"][1], "dropped").await.status, 204);
    assert_eq!(resolve(&page["items"][1], "dropped").await.problem().0, 404, "it is resolved");
    shop.engine.run_until_idle().await.unwrap();
    assert_eq!(shop.phone.sent(), ["1. Tu turno es el 1."]);
    let only = format!("/reconcile?conversation={}", ids[2]);
    assert_eq!(shop.get(&only, &key).await.good()["items"][0]["id"], rest["items"][0]["id"]);
    assert_eq!(shop.get("/reconcile", &key).await.good()["items"].as_array().unwrap().len(), 1);
}

async fn a_timer_is_listed_and_cancelled(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = shop.hears("tienda-web", "ana", "recordame en 10 segundos tomar agua").await;
    shop.hears("tienda-web", "beto", "hola").await;
    let page = shop.get("/timers?limit=2", &key).await.good();
    let first = json!({
        "id": "#1", "conversation": "#2", "key": page["items"][0]["key"],
        "armed_at": "2026-05-28T20:26:40.000Z", "due_at": "2026-05-28T20:26:50.000Z",
        "condition": "always", "payload": page["items"][0]["payload"],
    });
    let found = &page["items"][0];
    assert_eq!(found["conversation"], id.to_string());
    let pair = named(&json!([found["id"], found]));
    assert_eq!(pair[1], first);
    assert!(found["payload"].to_string().contains("tomar agua"));
    let next = page["next"].as_str().expect("three are armed");
    let rest = shop.get(&format!("/timers?after={next}"), &key).await.good();
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    let own = shop.get(&format!("/timers?conversation={id}"), &key).await.good();
    assert_eq!(own["items"].as_array().unwrap().len(), 2, "the reminder and the silence");

    let path = format!("/timers/{}/cancel", found["id"].as_str().unwrap());
    assert_eq!(shop.post(&path, &key, json!({})).await.status, 204);
    assert_eq!(shop.post(&path, &key, json!({})).await.problem().0, 404);
    shop.wait_ms(10_000).await;
    let lines = shop.get(&format!("/conversations/{id}/transcript"), &key).await.good();
    assert!(!lines.to_string().contains("Te recuerdo"), "{lines}");
    assert!(shop.audit(ours()).await.contains(&"ana timer.cancel".to_owned()));
}
