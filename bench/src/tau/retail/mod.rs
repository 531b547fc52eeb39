//! The benchmark's sixteen tools as local tools of ours, on documents of the records.

mod calculate;
mod items;
mod lookups;
mod money;
mod orders;
mod shop;

use std::marker::PhantomData;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use domain::{Caller, ToolError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};
use tools::{Class, LocalTool, Registry, Spec};

/// A tool of the benchmark as it is called here. The flow knows it as that of a server.
pub(super) fn name(own: &str) -> String {
    format!("tau.{own}")
}

/// The documents that count how often each tool changed something.
pub(super) const WRITES: &str = "writes";

/// A tool whose input is its deed.
struct Retail<T> {
    spec: Spec,
    input: PhantomData<fn() -> T>,
}

impl<T: Deed + DeserializeOwned + 'static> LocalTool for Retail<T> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn deed(&self, _caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        let misfit = |error| ToolError::BadInput(format!("the input does not fit: {error}"));
        let deed = T::deserialize(input).map_err(misfit)?;
        Ok(match self.spec.class {
            Class::Safe => Arc::new(deed),
            _ => Arc::new(Counted { tool: self.spec.name.clone(), deed }),
        })
    }
}

/// A deed that counts itself among the records, because some deeds could be done twice without a
/// trace. The count comes before the act, so that a deed which is refused has something to be
/// undone.
struct Counted<T> {
    tool: String,
    deed: T,
}

#[async_trait]
impl<T: Deed> Deed for Counted<T> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let before = records.document(WRITES, &self.tool).await?;
        let count = before.and_then(|count| count.as_u64()).unwrap_or_default() + 1;
        records.put_document(WRITES, &self.tool, Some(&json!(count))).await?;
        self.deed.run(records).await
    }
}

/// Whether a tool changes something.
pub(super) fn acts(registry: &Registry, name: &str) -> bool {
    registry.get(name).is_some_and(|offered| offered.spec().class != Class::Safe)
}

fn tool<T: JsonSchema>(own: &str, class: Class, about: &str) -> Retail<T> {
    let mut spec = Spec::of::<T>(&name(own), about);
    spec.class = class;
    Retail { spec, input: PhantomData }
}

pub(super) fn registry() -> Result<Registry> {
    let mut all = Registry::default();
    look_up(&mut all)?;
    act(&mut all)?;
    Ok(all)
}

fn look_up(all: &mut Registry) -> Result<()> {
    use calculate::Calculate;
    use lookups::*;
    let safe = Class::Safe;
    all.add_local(tool::<Calculate>("calculate", safe, "Works out a sum."))?;
    all.add_local(tool::<FindUserIdByEmail>(
        "find_user_id_by_email",
        safe,
        "Finds a user by e-mail.",
    ))?;
    all.add_local(tool::<FindUserIdByNameZip>(
        "find_user_id_by_name_zip",
        safe,
        "Finds a user by first name, last name and zip code, if the e-mail is not known.",
    ))?;
    all.add_local(tool::<GetOrderDetails>("get_order_details", safe, "Shows an order."))?;
    all.add_local(tool::<GetUserDetails>(
        "get_user_details",
        safe,
        "Shows a user, with orders and payment methods.",
    ))?;
    all.add_local(tool::<GetProductDetails>(
        "get_product_details",
        safe,
        "Shows a product with all its items.",
    ))?;
    all.add_local(tool::<GetItemDetails>("get_item_details", safe, "Shows one item."))?;
    all.add_local(tool::<ListAllProductTypes>(
        "list_all_product_types",
        safe,
        "Names every product, with its id.",
    ))?;
    all.add_local(tool::<TransferToHumanAgents>(
        "transfer_to_human_agents",
        safe,
        "Passes the user on to a person, with a summary, if nothing else helps.",
    ))?;
    Ok(())
}

fn act(all: &mut Registry) -> Result<()> {
    use items::*;
    use orders::*;
    let acts = Class::Execute;
    all.add_local(tool::<CancelPendingOrder>(
        "cancel_pending_order",
        acts,
        "Cancels a pending order and pays it back.",
    ))?;
    all.add_local(tool::<ModifyPendingOrderAddress>(
        "modify_pending_order_address",
        acts,
        "Sends a pending order elsewhere.",
    ))?;
    all.add_local(tool::<ModifyPendingOrderPayment>(
        "modify_pending_order_payment",
        acts,
        "Has a pending order paid in another way.",
    ))?;
    all.add_local(tool::<ModifyPendingOrderItems>(
        "modify_pending_order_items",
        acts,
        "Changes items of a pending order for others of the same product, once.",
    ))?;
    all.add_local(tool::<ModifyUserAddress>(
        "modify_user_address",
        acts,
        "Changes a user's own address.",
    ))?;
    all.add_local(tool::<ReturnDeliveredOrderItems>(
        "return_delivered_order_items",
        acts,
        "Has items of a delivered order sent back for their money, once.",
    ))?;
    all.add_local(tool::<ExchangeDeliveredOrderItems>(
        "exchange_delivered_order_items",
        acts,
        "Has items of a delivered order exchanged for others of the same product, once.",
    ))?;
    Ok(())
}
