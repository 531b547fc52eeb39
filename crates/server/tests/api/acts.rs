//! Taking over, writing and giving back; each is audited and each is done once.

use domain::IdSource;
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Shop, named, ours};

crate::on_both_stores!(
    a_conversation_is_taken_answered_and_given_back,
    a_reply_sent_twice_arrives_once,
    a_handoff_is_assigned_and_resolved,
);

async fn a_conversation_is_taken_answered_and_given_back(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = shop.hears("tienda-wa", "5491100", "hola").await;
    let path = format!("/conversations/{id}");
    let taken = shop.post(&format!("{path}/take"), &key, json!({})).await.good();
    assert_eq!((&taken["owner"], &taken["assignee"]), (&json!("human"), &json!("ana")));
    assert_eq!(taken["id"], id.to_string());
    let again = shop.post(&format!("{path}/take"), &key, json!({})).await.good();
    assert_eq!(again, taken, "taking it twice changes nothing");

    let client = shop.ids.next();
    let reply = json!({ "text": "  Soy Ana.\u{200b} ", "client_id": client });
    let queued = shop.post(&format!("{path}/reply"), &key, reply).await;
    assert_eq!((queued.status.as_u16(), queued.body), (202, json!({ "message": client })));
    shop.engine.run_until_idle().await.unwrap();
    assert_eq!(shop.phone.sent()[1..], ["Soy Ana.\u{200b}"], "as it was written");

    let back = json!({ "note": "ya pagó", "mode": "conversation", "message": "Seguimos." });
    let given = shop.post(&format!("{path}/return"), &key, back.clone()).await.good();
    assert_eq!((&given["owner"], &given["assignee"]), (&json!("bot"), &Value::Null));
    let twice = shop.post(&format!("{path}/return"), &key, back).await;
    assert_eq!(twice.problem(), (409, "the bot already owns this conversation"));
    shop.engine.run_until_idle().await.unwrap();
    assert_eq!(shop.phone.sent().len(), 3, "the bot is back");
    assert_eq!(audited(&shop).await, ["ana take", "ana say", "ana return"]);
}

async fn a_reply_sent_twice_arrives_once(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = shop.hears("tienda-wa", "5491100", "hola").await;
    let path = format!("/conversations/{id}/reply");
    shop.post(&format!("/conversations/{id}/take"), &key, json!({})).await.good();
    let client = shop.ids.next();
    for _ in 0..3 {
        let reply = json!({ "text": "voy", "client_id": client });
        assert_eq!(shop.post(&path, &key, reply).await.status, 202);
        shop.engine.run_until_idle().await.unwrap();
    }
    assert_eq!(shop.phone.sent()[1..], ["voy"]);
    let other = json!({ "text": "otra cosa", "client_id": client });
    assert_eq!(shop.post(&path, &key, other).await.problem().0, 409);
    assert_eq!(shop.phone.sent().len(), 2);
}

async fn a_handoff_is_assigned_and_resolved(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    let id = shop.hears("tienda-web", "beto", "quiero hablar con una persona").await;
    let page = shop.get("/handoffs?status=pending", &key).await.good();
    let at = "2026-05-28T20:26:40.000Z";
    let expected = json!({
        "items": [{
            "id": "#1", "conversation": "#2", "session": "#3", "contact": "#4",
            "trigger": "customer_request", "reason": "the customer asked for a person",
            "context": {
                "current_mode": "conversation", "cart_summary": null, "pending_issue": null,
                "last_messages": [
                    { "role": "user", "text": "quiero hablar con una persona" },
                    { "role": "assistant", "text": "1. Te paso con una persona. Ya te atiende." },
                ],
                "customer_info": { "name": "Cliente beto", "phone": "+57 300",
                                   "total_orders": 0, "total_spent": {} },
            },
            "status": "pending", "assigned_to": null, "assigned_at": null, "resolved_at": null,
            "resolution": null, "created_at": at,
        }],
        "next": null,
    });
    // Objects come in the order of their fields from one database, in another from the other.
    let order = |page: &Value| {
        let item = &page["items"][0];
        let ids = json!([item["id"], item["conversation"], item["session"], item["contact"]]);
        let mut page = named(&json!({ "ids": ids, "page": page }));
        page["page"].take()
    };
    assert_eq!(order(&page), expected);
    let path = format!("/handoffs/{}", page["items"][0]["id"].as_str().unwrap());
    assert_eq!(shop.get(&path, &key).await.good(), page["items"][0]);
    shop.clock.advance_ms(1_000);
    let own = shop.post(&format!("{path}/assign"), &key, json!({})).await.good();
    assert_eq!((&own["status"], &own["assigned_to"]), (&json!("assigned"), &json!("ana")));
    let passed = shop.post(&format!("{path}/assign"), &key, json!({ "to": "eva" })).await.good();
    assert_eq!(passed["assigned_to"], "eva");
    let found = async |query: &str| {
        let page = shop.get(&format!("/handoffs?{query}"), &key).await.good();
        page["items"].as_array().unwrap().len()
    };
    assert_eq!((found("assignee=eva").await, found("assignee=ana").await), (1, 0));
    let resolved = json!({ "resolution": "le respondí" });
    let resolved = shop.post(&format!("{path}/resolve"), &key, resolved).await.good();
    assert_eq!(
        (&resolved["status"], &resolved["resolution"]),
        (&json!("resolved"), &json!("le respondí"))
    );
    assert_eq!(resolved["resolved_at"], "2026-05-28T20:26:41.000Z");
    assert_eq!(found("status=resolved").await, 1);
    let again = shop.post(&format!("{path}/resolve"), &key, json!({ "resolution": "x" })).await;
    assert_eq!(again.problem().0, 409);
    let conversation = shop.get(&format!("/conversations/{id}"), &key).await.good();
    assert_eq!((&conversation["owner"], &conversation["handoff"]), (&json!("human"), &Value::Null));
    let audit = audited(&shop).await;
    assert_eq!(audit[1..], ["ana handoff.assign", "ana handoff.assign", "ana handoff.resolve"]);
}

/// The actors and their acts in our workspace.
async fn audited(shop: &Shop) -> Vec<String> {
    let rows = shop.audit(ours()).await;
    rows.into_iter().filter(|row| !row.contains("key.create")).collect()
}
