//! The shop: what customers look for, put into carts and order, and what operators do about it.

mod asked;
mod cart;
pub mod catalogue;
mod commerce;
mod customer;
mod goods;
mod handoff;
mod number;
mod order;
pub mod search;
mod shelf;
mod status;
mod view;

pub use commerce::{SetProfile, ShowProfile};
pub use number::{order_code, order_number};
pub(crate) use order::terms as order_terms;
pub use shelf::{CountStock, ReceiveStock, StockOf, WriteOffStock};
pub(crate) use status::advance;
pub use status::{RecordPayment, SetOrderStatus};

use std::sync::Arc;

use crate::Tool;
use asked::{acts, acts_after_yes, reads};

/// The most units of one line of a cart or an order.
pub const MOST_UNITS: u32 = 999;
/// The most lines of a cart or an order.
pub const MOST_LINES: usize = 50;

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
        reads::<commerce::Profile>(
            "get_commerce_profile",
            "The shop's hours, place, policies and delivery.",
        ),
        reads::<commerce::PaymentMethods>("get_payment_methods", "How the shop can be paid."),
        Tool::Reply(Arc::new(handoff::request())),
    ]
}
