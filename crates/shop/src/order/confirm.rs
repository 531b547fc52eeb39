//! `confirm_order`: the cart becomes an order, its units are set apart and the cart is empty, all
//! at once.

use async_trait::async_trait;
use domain::{
    Cart, CartLine, Contact, Money, Order, OrderId, OrderLine, OrderStatus, Terms, money_text,
};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{Deed, DeedError, Records};

use super::hold::{Held, units};
use crate::cart::{self, Reviewed};
use crate::{NeedsYes, Request, customer, view};

/// The counter that numbers a workspace's orders.
const COUNTER: &str = "order";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// Picked up if left out, unless an address is given.
    delivery: Option<Delivery>,
    /// Where to deliver; what is known of the customer if left out.
    #[schemars(length(min = 1, max = 500))]
    shipping_address: Option<String>,
    /// The total the customer said yes to. The order is refused if it comes to another.
    #[schemars(regex(pattern = r"^[0-9]{1,15}(\.[0-9]{1,4})?$"))]
    total: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Delivery {
    Delivery,
    Pickup,
}

#[async_trait]
impl Deed for Request<Confirm> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let reviewed = Reviewed::read(records, self.caller.session).await?;
        self.stands(&reviewed)?;
        let contact = records.contact(self.caller.contact).await?;
        let data = self.data(contact.as_ref(), &reviewed.cart)?;
        let total = cart::total(&reviewed.cart)?;
        self.agreed(total)?;
        let id = OrderId(records.new_id());
        let lines: Vec<_> = reviewed.cart.lines.iter().map(line).collect();
        let skus = lines.iter().map(|line| line.product.as_str());
        let mut held = Held::lock(records, id, skus).await?;
        held.become_units(units(&lines))?;
        let order = Order {
            id,
            number: next_number(records).await?,
            contact: self.caller.contact,
            conversation: self.caller.conversation,
            status: OrderStatus::Confirmed,
            lines,
            currency: total.currency,
            total: total.amount,
            data,
            created_at: records.now(),
            updated_at: records.now(),
        };
        records.put_order(&order).await?;
        held.put(records).await?;
        records.put_cart(self.caller.session, &Cart::default()).await?;
        view::order(&order)
    }
}

/// The customer agrees to the goods at their prices, and to who gets them where.
#[async_trait]
impl NeedsYes for Request<Confirm> {
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        let Reviewed { cart, .. } = Reviewed::read(records, self.caller.session).await?;
        let contact = records.contact(self.caller.contact).await?;
        let data = self.data(contact.as_ref(), &cart)?;
        let whom = contact.as_ref().map(customer::whom);
        cart::terms(&cart, &json!(["confirm_order", whom, data])).map(Some)
    }
}

impl Request<Confirm> {
    /// Whom and where the order goes to; refused if the customer has not said it all.
    fn data(
        &self,
        contact: Option<&Contact>,
        cart: &Cart,
    ) -> Result<Map<String, Value>, DeedError> {
        let Confirm { delivery, shipping_address, .. } = &self.input;
        let given = shipping_address.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let delivered = match delivery {
            Some(delivery) => *delivery == Delivery::Delivery,
            None => given.is_some(),
        };
        let known = contact.and_then(|contact| customer::datum(contact, "shipping_address"));
        let address = given.or(known);
        let mut missing = customer::missing(contact);
        if delivered && address.is_none() {
            missing.push("shipping_address");
        }
        if !missing.is_empty() {
            return DeedError::refused(format!("missing_details: {}", missing.join(", ")));
        }
        let mut data = Map::new();
        data.insert("delivery".to_owned(), json!(if delivered { "delivery" } else { "pickup" }));
        if let Some(address) = address.filter(|_| delivered) {
            data.insert("shipping_address".to_owned(), json!(address));
        }
        if !cart.notes.is_empty() {
            data.insert("notes".to_owned(), json!(cart.notes));
        }
        Ok(data)
    }

    /// A yes to a cart of which part is gone since is a yes to another one, unless the total says
    /// that the customer saw it without that part.
    fn stands(&self, reviewed: &Reviewed) -> Result<(), DeedError> {
        match reviewed.dropped.first() {
            Some(line) if self.input.total.is_none() => DeedError::refused(format!(
                "`{}` is not sold any more: take it out of the cart, and show it again",
                line.sku
            )),
            _ => Ok(()),
        }
    }

    /// No price may rise between the summary and the yes.
    fn agreed(&self, total: Money) -> Result<(), DeedError> {
        let Some(agreed) = &self.input.total else { return Ok(()) };
        match agreed.parse::<Decimal>() {
            Ok(agreed) if agreed == total.amount => Ok(()),
            _ => DeedError::refused(format!(
                "price_changed: the cart comes to {} now; show it to the customer again",
                money_text(total)
            )),
        }
    }
}

fn line(line: &CartLine) -> OrderLine {
    OrderLine {
        product: line.sku.clone(),
        title: domain::title(&line.name, &line.label),
        quantity: line.quantity,
        unit_price: line.unit_price.amount,
    }
}

async fn next_number(records: &mut dyn Records) -> Result<u32, DeedError> {
    let number = records.take_number(COUNTER).await?;
    match u32::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => DeedError::refused("there are no numbers left for orders"),
    }
}
