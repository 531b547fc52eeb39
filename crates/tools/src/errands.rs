//! The shop's errands as tools: the type of an errand's input is the tool, and its deed is that input
//! with the customer it was asked for.

use std::marker::PhantomData;
use std::sync::Arc;

use domain::{Caller, ToolError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use shop::{NeedsYes, Request, cart, customer, goods, order};
use store::Deed;

use crate::local::read;
use crate::{Class, LocalTool, Spec, Tool};

pub(crate) fn all() -> Vec<Tool> {
    vec![
        reads::<customer::Info>(
            "get_customer_info",
            "What is known of the customer who is writing, and what an order still needs.",
        ),
        acts::<customer::Update>(
            "update_customer_info",
            "Writes down what the customer says of themselves; what is left out stays as it is.",
        ),
        reads::<customer::Debt>("get_customer_debt", "What the customer bought, paid and owes."),
        reads::<customer::History>("get_order_history", "The customer's orders, newest first."),
        reads::<goods::Search>(
            "search_products",
            "Looks for products in the customer's own words, sizes included.",
        ),
        reads::<goods::Details>(
            "get_product_details",
            "A product with its variants, prices and stock.",
        ),
        reads::<goods::Categories>("get_categories", "The categories of the shop."),
        reads::<goods::Catalog>("get_catalog", "What is sold, by category, most bought first."),
        acts::<cart::Add>("add_to_cart", "Puts units of a variant into the customer's cart."),
        acts::<cart::Update>(
            "update_cart_item",
            "Sets how many units of a variant are in the cart; 0 takes it out.",
        ),
        acts::<cart::Remove>("remove_from_cart", "Takes a variant out of the cart."),
        acts_after_yes::<cart::Clear>(
            "clear_cart",
            "Empties the cart. One that was summed up only after the customer's yes to that.",
            &[],
        ),
        reads::<cart::Get>("get_cart", "What is in the cart, at today's prices."),
        acts::<cart::SetNotes>("set_cart_notes", "Writes down a remark about the order."),
        acts::<cart::RepeatLastOrder>(
            "repeat_last_order",
            "Puts what the customer ordered last into the cart, as far as it is there.",
        ),
        acts_after_yes::<order::Confirm>(
            "confirm_order",
            "Makes an order of the cart. Only after the customer's explicit yes to its summary.",
            &["delivery", "shipping_address", "total"],
        ),
        acts_after_yes::<order::Cancel>(
            "cancel_order",
            "Cancels an order of the customer's. Only after their yes to that.",
            &[],
        ),
        acts_after_yes::<order::Modify>(
            "modify_order",
            "Sets how many units of variants an order has; what is not named stays. Only after the \
             customer's yes to what it comes to.",
            &[],
        ),
        reads::<order::Details>("get_order_details", "An order of the customer's."),
        reads::<shop::Profile>(
            "get_commerce_profile",
            "The shop's hours, place, policies and delivery.",
        ),
        reads::<shop::PaymentMethods>("get_payment_methods", "How the shop can be paid."),
    ]
}

struct ShopTool<I> {
    spec: Spec,
    input: PhantomData<fn() -> I>,
}

impl<I> LocalTool for ShopTool<I>
where
    I: DeserializeOwned + 'static,
    Request<I>: Deed,
{
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        Ok(Arc::new(Request::<I> { caller: *caller, input: read(input)? }))
    }
}

/// A tool that changes something.
fn acts<I>(name: &str, description: &str) -> Tool
where
    I: DeserializeOwned + JsonSchema + 'static,
    Request<I>: Deed,
{
    tool::<I>(Spec::of::<I>(name, description))
}

/// A tool that only reads.
fn reads<I>(name: &str, description: &str) -> Tool
where
    I: DeserializeOwned + JsonSchema + 'static,
    Request<I>: Deed,
{
    tool::<I>(Spec { class: Class::Safe, ..Spec::of::<I>(name, description) })
}

/// A tool that changes something only after the customer's yes to what it comes to; `engine_given`
/// are the parts of its input that are never a model's.
fn acts_after_yes<I>(name: &str, description: &str, engine_given: &'static [&'static str]) -> Tool
where
    I: DeserializeOwned + JsonSchema + 'static,
    Request<I>: Deed + NeedsYes,
{
    let spec = Spec { needs_yes: true, engine_given, ..Spec::of::<I>(name, description) };
    Tool::Local(Arc::new(AfterYes::<I>(ShopTool { spec, input: PhantomData })))
}

struct AfterYes<I>(ShopTool<I>);

impl<I> LocalTool for AfterYes<I>
where
    I: DeserializeOwned + 'static,
    Request<I>: Deed + NeedsYes,
{
    fn spec(&self) -> &Spec {
        &self.0.spec
    }

    fn deed(&self, caller: &Caller, input: &Value) -> Result<Arc<dyn Deed>, ToolError> {
        self.0.deed(caller, input)
    }

    fn needs(
        &self,
        caller: &Caller,
        input: &Value,
    ) -> Result<Option<Arc<dyn NeedsYes>>, ToolError> {
        Ok(Some(Arc::new(Request::<I> { caller: *caller, input: read(input)? })))
    }
}

fn tool<I>(spec: Spec) -> Tool
where
    I: DeserializeOwned + 'static,
    Request<I>: Deed,
{
    Tool::Local(Arc::new(ShopTool::<I> { spec, input: PhantomData }))
}
