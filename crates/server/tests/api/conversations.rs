//! The list of conversations, one of them, and its transcript, as whole answers.

use domain::{DeliveryReport, DeliveryStatus, OutboundId};
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Shop, named};

crate::on_both_stores!(
    a_list_shows_who_waits_for_what,
    a_list_is_filtered_and_paged,
    a_conversation_is_shown_with_its_session,
    a_transcript_says_what_was_said_and_why,
    a_transcript_keeps_what_was_written_and_shows_what_nobody_sees,
    a_transcript_is_paged_backwards_with_each_turns_detail_once,
);

async fn a_list_shows_who_waits_for_what(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Viewer).await;
    shop.hears("tienda-wa", "5491100", "quiero hablar con una persona").await;
    shop.wait_ms(1_000).await;
    shop.hears("tienda-web", "ana", "hola").await;
    let page = shop.get("/conversations", &key).await.good();
    let help = "1. ¡Hola, Cliente ana! Probá: «hola», «me llamo Ana», «dame un turno», «recordame \
                en 10 segundos tomar agua», «avisá que llegué» o «quiero hablar con una persona».";
    let expected = json!({
        "items": [
            {
                "id": "#2", "channel": "tienda-web",
                "contact": { "id": "#1", "name": "Cliente ana", "phone": "+57 300" },
                "owner": "bot", "assignee": null, "agent": "demo", "mode": "conversation",
                "status": "active", "waiting": false, "handoff": null,
                "last_line": { "role": "assistant", "text": help,
                               "at": "2026-05-28T20:26:41.000Z" },
                "active_at": "2026-05-28T20:26:41.000Z",
                "customer_wrote_at": "2026-05-28T20:26:41.000Z", "window_closes_at": null,
            },
            {
                "id": "#5", "channel": "tienda-wa",
                "contact": { "id": "#3", "name": "Cliente 5491100", "phone": "+57 300" },
                "owner": "human", "assignee": null, "agent": "demo", "mode": "conversation",
                "status": "handed_off", "waiting": false, "handoff": "#4",
                "last_line": { "role": "assistant",
                               "text": "1. Te paso con una persona. Ya te atiende.",
                               "at": "2026-05-28T20:26:40.000Z" },
                "active_at": "2026-05-28T20:26:40.000Z",
                "customer_wrote_at": "2026-05-28T20:26:40.000Z",
                "window_closes_at": "2026-05-29T20:26:40.000Z",
            },
        ],
        "next": null,
    });
    assert_eq!(named(&page), expected);
    // The customer's words to a person are not answered.
    shop.wait_ms(1_000).await;
    shop.hears("tienda-wa", "5491100", "¿hola?").await;
    let first = &shop.get("/conversations", &key).await.good()["items"][0];
    assert_eq!((&first["waiting"], &first["last_line"]["text"]), (&json!(true), &json!("¿hola?")));
}

async fn a_list_is_filtered_and_paged(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Viewer).await;
    let mut ids = Vec::new();
    for (channel, from, text) in [
        ("tienda-web", "ana", "hola"),
        ("tienda-web", "beto", "quiero hablar con una persona"),
        ("tienda-wa", "549", "hola"),
    ] {
        ids.insert(0, shop.hears(channel, from, text).await.to_string());
        shop.wait_ms(1_000).await;
    }
    let found = async |query: &str| {
        let page = shop.get(&format!("/conversations?{query}"), &key).await.good();
        let items = page["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (query, expected) in [
        ("limit=200", vec![0, 1, 2]),
        ("owner=human", vec![1]),
        ("owner=bot&channel=tienda-web", vec![2]),
        ("status=handed_off", vec![1]),
        ("status=active&mode=conversation", vec![0, 2]),
        ("has_handoff=true", vec![1]),
        ("has_handoff=false&q=ANA", vec![2]),
        ("q=cliente", vec![0, 1, 2]),
        ("q=", vec![0, 1, 2]),
        ("assignee=eva", vec![]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|n: usize| ids[n].clone()).collect();
        assert_eq!(found(query).await, expected, "{query}");
    }
    let mut read = Vec::new();
    let mut query = "limit=2".to_owned();
    loop {
        let page = shop.get(&format!("/conversations?{query}"), &key).await.good();
        read.extend(page["items"].as_array().unwrap().iter().map(|item| item["id"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("limit=2&after={next}");
    }
    assert_eq!(read, ids);
}

async fn a_conversation_is_shown_with_its_session(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Viewer).await;
    let id = shop.hears("tienda-web", "ana", "me llamo Ana").await;
    let mut shown = shop.get(&format!("/conversations/{id}"), &key).await.good();
    assert_eq!(shown["id"], id.to_string());
    let session = shown["session"].take();
    assert_eq!((&shown["address"], &shown["channel"]), (&json!("a…"), &json!("tienda-web")));
    let expected = json!({
        "id": "#1", "agent": "demo", "agent_version": "", "mode": "conversation",
        "status": "active", "began_at": "2026-05-28T20:26:40.000Z",
        "state": { "data": { "mensajes": 1, "nombre": "Ana" } },
    });
    let mut session = named(&session);
    let data = session["state"]["data"].take();
    session["state"] = json!({ "data": data });
    assert_eq!(session, expected);
}

async fn lines(shop: &Shop, path: &str, key: &str) -> Vec<Value> {
    let page = shop.get(path, key).await.good();
    page["items"].as_array().unwrap().clone()
}

async fn a_transcript_says_what_was_said_and_why(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Operator).await;
    shop.phone.refuse(Some("131026 not on WhatsApp"));
    let id = shop.hears("tienda-wa", "5491100", "dame un turno").await;
    shop.phone.refuse(None);
    let taken = shop.post(&format!("/conversations/{id}/take"), &key, json!({})).await;
    taken.good();
    let path = format!("/conversations/{id}/transcript");
    let page = shop.get(&path, &key).await.good();
    let at = "2026-05-28T20:26:40.000Z";
    let expected = json!({
        "items": [
            {
                "session": "#1", "number": 3, "at": at, "role": "system",
                "text": "ana took the conversation over", "revealed": null, "turn": null, "delivery": null,
                "tools": [], "detail": null,
            },
            {
                "session": "#1", "number": 2, "at": at, "role": "assistant",
                "text": "1. Tu turno es el 1.", "revealed": null, "turn": "#3",
                "delivery": { "message": "#2", "author": "bot", "status": "failed",
                              "error": "131026 not on WhatsApp" },
                "tools": [{ "name": "turno.tomar", "input": { "fila": "mostrador" }, "ok": true,
                            "output": { "number": 1 } }],
                "detail": null,
            },
            {
                "session": "#1", "number": 1, "at": at, "role": "user", "text": "dame un turno",
                "revealed": null,
                "turn": "#3", "delivery": null, "tools": [],
                "detail": {
                    "trace": { "intents": [["turno", 1.0]], "tier": "rules" },
                    "steps": [{
                        "key": "turno.tomar#0:af63bd4c8601b7be", "tool": "turno.tomar",
                        "kind": "local", "status": "done", "input": { "fila": "mostrador" },
                        "output": { "number": 1 }, "at": at,
                    }],
                    "models": [], "cost_usd": "0.000000000",
                },
            },
        ],
        "next": null,
    });
    let mut page = named(&page);
    // How a call is written into its key is the journal's own matter.
    let key_of_step = &mut page["items"][2]["detail"]["steps"][0]["key"];
    assert!(key_of_step.as_str().unwrap().starts_with("turno.tomar#0:"));
    *key_of_step = json!("turno.tomar#0:af63bd4c8601b7be");
    assert_eq!(page, expected);

    // A report on the message is seen on its line.
    let message = "buenas";
    let client = domain::IdSource::next(&*shop.ids);
    let reply = json!({ "text": message, "client_id": client });
    shop.post(&format!("/conversations/{id}/reply"), &key, reply).await.good();
    shop.engine.run_until_idle().await.unwrap();
    assert_eq!(shop.phone.sent(), [message]);
    let report = DeliveryReport {
        reference: domain::Reference::Ours(OutboundId(client)),
        status: DeliveryStatus::Read,
        error: None,
        window_closed: false,
    };
    let channel = "tienda-wa".into();
    shop.engine.intake().ingest(&channel, vec![report]).await.unwrap();
    let first = lines(&shop, &path, &key).await.remove(0);
    let expected = json!({ "message": client, "author": "operator", "status": "read",
                           "error": null });
    assert_eq!((&first["delivery"], &first["text"]), (&expected, &json!(message)));
}

async fn a_transcript_keeps_what_was_written_and_shows_what_nobody_sees(shop: Shop) {
    let key = shop.key("tienda", "ana", KeyRole::Viewer).await;
    let written = "క్\u{200c}ల \u{202e}oirp\u{202c} con\u{ad}firmo";
    let id = shop.hears("tienda-web", "ana", written).await;
    let page = shop.get(&format!("/conversations/{id}/transcript"), &key).await.good();
    let lines = page["items"].as_array().unwrap();
    let heard = lines.iter().find(|line| line["role"] == "user").unwrap();
    assert_eq!(heard["text"], written);
    assert_eq!(heard["revealed"], "క్\u{200c}ల ⟨U+202E⟩oirp⟨U+202C⟩ con⟨U+00AD⟩firmo");
}

async fn a_transcript_is_paged_backwards_with_each_turns_detail_once(shop: Shop) {
    let key = shop.key("tienda", "mira", KeyRole::Viewer).await;
    let mut id = None;
    for text in ["uno", "dos", "tres"] {
        id = Some(shop.hears("tienda-web", "ana", text).await);
        shop.wait_ms(1_000).await;
    }
    let path = format!("/conversations/{}/transcript", id.unwrap());
    let whole = lines(&shop, &path, &key).await;
    assert_eq!(whole.len(), 6);
    let explained: Vec<_> = whole.iter().map(|line| line["detail"].is_object()).collect();
    assert_eq!(explained, [false, true, false, true, false, true], "the first line of each turn");
    for limit in [1, 2, 5] {
        let mut read = Vec::new();
        let mut query = format!("limit={limit}");
        loop {
            let page = shop.get(&format!("{path}?{query}"), &key).await.good();
            read.extend(page["items"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else { break };
            query = format!("limit={limit}&after={next}");
        }
        assert_eq!(read, whole, "{limit} at a time");
    }
}
