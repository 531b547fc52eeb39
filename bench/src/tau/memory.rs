//! The tasks replayed on records in memory: no store, no engine, no model.

use anyhow::{Context, Result, bail};
use domain::{Caller, ContactId, ConversationId, SessionId, WorkspaceId};
use serde_json::Value;
use store::{DeedError, MemoryRecords};
use tools::{Prepared, Registry};
use uuid::Uuid;

use super::report::{Report, Tally};
use super::task::Task;
use super::world::World;
use super::{documents, retail};
use crate::stopwatch::Stopwatch;

pub(super) async fn replay(world: &World, tasks: &[Task]) -> Result<Report> {
    let registry = retail::registry()?;
    let mut tally = Tally::default();
    let watch = Stopwatch::start();
    for task in tasks {
        let mut records = MemoryRecords::default();
        documents::put(&mut records, &task.part(world)).await?;
        let mut ended = Vec::new();
        for call in &task.calls {
            ended.push(act(&registry, &mut records, &call.name, &call.arguments).await?);
        }
        let left = documents::left(&mut records).await?;
        tally.compare(world, &registry, task, &ended, &left);
    }
    Ok(Report { run: "memory".to_owned(), seconds: watch.seconds(), tally, ordeal: None })
}

/// Calls a tool as the engine does: checked, and with no trace of a call that is refused.
async fn act(
    registry: &Registry,
    records: &mut MemoryRecords,
    name: &str,
    input: &Value,
) -> Result<Result<Value, String>> {
    let deed = match registry.prepare(&caller(), name, input) {
        Ok(Prepared::Local { deed, .. }) => deed,
        Ok(_) => bail!("`{name}` is not a local tool"),
        Err(refusal) => return Ok(Err(refusal.to_string())),
    };
    let before = records.clone();
    match deed.run(records).await {
        Ok(output) => Ok(Ok(output)),
        Err(DeedError::Refused(reason)) => {
            *records = before;
            Ok(Err(reason))
        }
        Err(DeedError::Store(error)) => Err(error).context("a record that cannot be read"),
    }
}

fn caller() -> Caller {
    Caller {
        workspace: WorkspaceId::from_slug("tau"),
        conversation: ConversationId(Uuid::nil()),
        contact: ContactId(Uuid::nil()),
        session: SessionId(Uuid::nil()),
        authority: domain::Authority::Person,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::Path;

    fn sample() -> World {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tau_retail");
        World::read(&folder).expect("the sample")
    }

    async fn ask(world: &World, tool: &str, input: Value) -> Result<Value, String> {
        let mut records = MemoryRecords::default();
        documents::put(&mut records, &world.records).await.expect("records");
        let registry = retail::registry().expect("the tools");
        act(&registry, &mut records, &retail::name(tool), &input).await.expect("an end")
    }

    #[tokio::test]
    async fn tools_that_no_recording_has_show_what_the_records_say() {
        let world = sample();
        let (user_id, user) = world.records["users"].first_key_value().expect("a user");
        let (id, product) = world.records["products"].first_key_value().expect("a product");
        let variants = product["variants"].as_object().expect("variants");
        let (item_id, variant) = variants.iter().next().expect("a variant");
        let cases = [
            ("get_user_details", json!({ "user_id": user_id }), user),
            ("get_product_details", json!({ "product_id": id }), product),
            ("get_item_details", json!({ "item_id": item_id }), variant),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(ask(&world, tool, input).await.as_ref(), Ok(expected), "{tool}");
            let missing = json!({ "user_id": "0", "product_id": "0", "item_id": "0" });
            assert!(ask(&world, tool, missing).await.is_err(), "{tool} of nothing");
        }
        let all = ask(&world, "list_all_product_types", json!({})).await.expect("a list");
        let all: Value = serde_json::from_str(all.as_str().expect("a text")).expect("JSON");
        assert_eq!(all[product["name"].as_str().expect("a name")], json!(id));
        assert_eq!(all.as_object().map(|all| all.len()), Some(world.records["products"].len()));
        let transfer = ask(&world, "transfer_to_human_agents", json!({ "summary": "x" })).await;
        assert_eq!(transfer, Ok(json!("Transfer successful")));
    }

    #[tokio::test]
    async fn an_order_has_an_item_as_often_as_it_was_bought() {
        let world = sample();
        let delivered = |order: &&Value| order["status"] == "delivered";
        let order = world.records["orders"].values().find(delivered).expect("an order");
        let item = &order["items"][0]["item_id"];
        let method = &order["payment_history"][0]["payment_method_id"];
        let give_back = |items: Value| json!({ "order_id": order["order_id"], "item_ids": items, "payment_method_id": method });
        let once = ask(&world, "return_delivered_order_items", give_back(json!([item]))).await;
        assert_eq!(once.expect("returned")["status"], "return requested");
        let twice = ask(&world, "return_delivered_order_items", give_back(json!([item, item])));
        assert!(twice.await.is_err(), "it was bought once");
    }

    #[tokio::test]
    async fn an_input_that_does_not_fit_is_refused_before_anything_is_done() {
        let world = sample();
        let (id, order) = world.records["orders"].first_key_value().expect("an order");
        assert!(order.is_object());
        for input in [json!({ "order_id": id }), json!({ "order_id": 1, "reason": "x" }), json!([])]
        {
            let refused = ask(&world, "cancel_pending_order", input).await.expect_err("refused");
            assert!(!refused.is_empty());
        }
        assert!(ask(&world, "cancel", json!({})).await.is_err(), "no such tool");
    }
}
