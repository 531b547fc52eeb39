//! Every route of the document, with every role, on what is another workspace's.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Value, json};
use store::KeyRole;

use crate::kit::{Shop, order, stock_up, theirs};

crate::on_both_stores!(
    a_key_finds_nothing_of_another_workspace_on_any_route,
    a_role_too_low_is_refused_on_every_route,
    lists_hold_nothing_of_another_workspace,
);

/// A route as the document has it.
struct Route {
    method: Method,
    path: String,
    operation: String,
    role: KeyRole,
}

fn routes() -> Vec<Route> {
    let document: Value = serde_json::from_str(&server::document()).unwrap();
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.strip_prefix("/api/v1").expect("under the base");
        for (method, route) in methods.as_object().unwrap() {
            let method = method.to_uppercase().parse().unwrap();
            let security = route["security"].as_array().expect("a role");
            let role = security.last().unwrap()["key"][0].as_str().unwrap();
            routes.push(Route {
                method,
                path: path.to_owned(),
                operation: route["operationId"].as_str().unwrap().to_owned(),
                role: KeyRole::parse(role).unwrap(),
            });
        }
    }
    assert!(routes.len() > 25, "{}", routes.len());
    routes
}

/// A good body for each operation that takes one.
fn body(operation: &str) -> Option<Value> {
    let client_id = "0190b0a0-0000-7000-8000-000000000001";
    Some(match operation {
        "reply" => json!({ "text": "hola", "client_id": client_id }),
        "return_conversation" | "assign_handoff" => json!({}),
        "resolve_handoff" => json!({ "resolution": "listo" }),
        "resolve_reconcile" => json!({ "resolution": "dropped" }),
        "set_order_status" => json!({ "status": "shipped" }),
        "receive_stock" | "write_off_stock" => json!({ "units": 1 }),
        "count_stock" => json!({ "available": 9 }),
        "create_key" => json!({ "name": "nueva", "role": "viewer" }),
        _ => return None,
    })
}

/// An example of everything, in the other workspace: the value for each path parameter, by route.
async fn belongings(shop: &Shop) -> BTreeMap<&'static str, String> {
    let admin = shop.key("otra", "eva", KeyRole::Admin).await;
    let talking = shop.hears("otra-web", "ana", "hola").await;
    shop.hears("otra-web", "beto", "quiero hablar con una persona").await;
    shop.phone.refuse(Some("not on WhatsApp"));
    shop.hears("otra-wa", "5491100", "hola").await;
    shop.phone.refuse(None);
    shop.breaks("otra-web", "clara").await;
    stock_up(shop, theirs(), "ajena-1").await;
    let number = order(shop, theirs(), talking, "ajena-1").await;
    shop.hears("otra-web", "ana", "sigo acá").await;
    let first = async |path: &str| {
        let page = shop.get(path, &admin).await.good();
        page["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{path} is empty")).to_owned()
    };
    let contact = shop.store.get(theirs(), talking).await.unwrap().contact.id;
    BTreeMap::from([
        ("/conversations/", talking.to_string()),
        ("/handoffs/", first("/handoffs").await),
        ("/quarantine/", first("/quarantine").await),
        ("/reconcile/", first("/reconcile").await),
        ("/timers/", first("/timers").await),
        ("/orders/", number.to_string()),
        ("/stock/", "ajena-1".to_owned()),
        ("/customers/", contact.to_string()),
        ("/keys/", first("/keys").await),
    ])
}

/// The route on what is theirs; none if it names nothing.
fn aimed(route: &Route, belongings: &BTreeMap<&str, String>) -> Option<String> {
    let (before, rest) = route.path.split_once('{')?;
    let (_, after) = rest.split_once('}').unwrap();
    let theirs = belongings.get(before).unwrap_or_else(|| panic!("nothing for {}", route.path));
    Some(format!("{before}{theirs}{after}"))
}

/// All that the other workspace can see of itself.
async fn sight(shop: &Shop, key: &str) -> Vec<Value> {
    let mut seen = Vec::new();
    for route in routes() {
        let reads = route.method == Method::GET && !route.path.contains('{');
        if reads && !route.operation.starts_with("follow") && route.path != "/keys" {
            seen.push(shop.get(&route.path, key).await.good());
        }
    }
    seen
}

async fn a_key_finds_nothing_of_another_workspace_on_any_route(shop: Shop) {
    let belongings = belongings(&shop).await;
    let their_key = shop.key("otra", "mira", KeyRole::Viewer).await;
    let before = sight(&shop, &their_key).await;
    let mut aimed_at = 0;
    for role in KeyRole::ALL {
        let key = shop.key("tienda", role.as_str(), role).await;
        for route in routes() {
            let Some(path) = aimed(&route, &belongings) else { continue };
            aimed_at += 1;
            let asked = shop.call(route.method.clone(), &path, Some(&key), body(&route.operation));
            let answer = asked.await;
            let wanted = if role >= route.role { 404 } else { 403 };
            assert_eq!(answer.problem().0, wanted, "{role:?} {} {path}", route.method);
            let whole = answer.body.to_string();
            assert!(!whole.contains("Cliente") && !whole.contains("eva"), "{whole}");
            // The owner finds it, so that it was there to be found.
            if route.method == Method::GET {
                assert_eq!(shop.get(&path, &their_key).await.status, 200, "{path}");
            }
        }
    }
    assert!(aimed_at >= 3 * 16, "{aimed_at}");
    assert_eq!(sight(&shop, &their_key).await, before, "nothing of theirs has changed");
}

async fn a_role_too_low_is_refused_on_every_route(shop: Shop) {
    let nobody = json!({ "nobody": true });
    for role in [None, Some(KeyRole::Viewer), Some(KeyRole::Operator), Some(KeyRole::Admin)] {
        let key = match role {
            Some(role) => Some(shop.key("tienda", role.as_str(), role).await),
            None => None,
        };
        for route in routes() {
            let path = route.path.replace("{id}", "nobody").replace("{number}", "nobody");
            let path = path.replace("{sku}", "nobody").replace("{contact}", "nobody");
            let wrong = body(&route.operation).map(|_| nobody.clone());
            let answer = shop.call(route.method.clone(), &path, key.as_deref(), wrong).await;
            let what = format!("{role:?} {} {path}: {answer:?}", route.method);
            match role {
                // A WebSocket may bring its key in its first message.
                _ if route.operation == "follow_events_ws" => {
                    assert_eq!(answer.status, 400, "{what}");
                }
                None => assert_eq!(answer.problem().0, 401, "{what}"),
                Some(role) if role < route.role => assert_eq!(answer.problem().0, 403, "{what}"),
                Some(_) => assert!(![401, 403].contains(&answer.status.as_u16()), "{what}"),
            }
        }
    }
}

async fn lists_hold_nothing_of_another_workspace(shop: Shop) {
    let belongings = belongings(&shop).await;
    let key = shop.key("tienda", "ana", KeyRole::Admin).await;
    for route in routes() {
        let is_list = route.method == Method::GET && !route.path.contains('{');
        if !is_list || ["/me", "/ws", "/events"].contains(&route.path.as_str()) {
            continue;
        }
        let page = shop.get(&route.path, &key).await.good();
        let items = page["items"].as_array().unwrap();
        let expected = usize::from(route.path == "/keys");
        assert_eq!(items.len(), expected, "{}: {page}", route.path);
        for theirs in belongings.values().filter(|one| one.len() > 3) {
            assert!(!page.to_string().contains(theirs), "{page}");
        }
    }
    // Naming what is theirs in a filter finds nothing either.
    let (conversation, contact) = (&belongings["/conversations/"], &belongings["/customers/"]);
    for path in [
        format!("/timers?conversation={conversation}"),
        format!("/orders?conversation={conversation}"),
        format!("/orders?contact={contact}"),
        format!("/quarantine?conversation={conversation}"),
        "/conversations?channel=otra-web".to_owned(),
        "/conversations?q=Cliente".to_owned(),
        "/stock?q=ajena".to_owned(),
    ] {
        let page = shop.get(&path, &key).await.good();
        assert_eq!(page, json!({ "items": [], "next": null }), "{path}");
    }
}
