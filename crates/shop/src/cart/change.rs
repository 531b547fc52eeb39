//! `add_to_cart`, `update_cart_item`, `remove_from_cart`, `clear_cart`, `set_cart_notes`.

use async_trait::async_trait;
use domain::{Authority, Caller, Cart, Item, Standing, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::{Reviewed, shortage};
use crate::{MOST_LINES, MOST_UNITS, NeedsYes, Request, cart};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
    #[schemars(range(min = 1, max = 999))]
    quantity: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
    /// How many units there are to be; 0 takes the variant out.
    #[schemars(range(min = 0, max = 999))]
    quantity: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clear {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetNotes {
    /// The remark; an empty one takes back what was said before.
    #[schemars(length(max = 500))]
    notes: String,
}

#[async_trait]
impl Deed for Request<Add> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Add { sku, quantity } = &self.input;
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        let item = sold(records, sku).await?;
        let held = reviewed.quantity(sku);
        if held == 0 && reviewed.cart.lines.len() == MOST_LINES {
            return DeedError::refused(format!("a cart has at most {MOST_LINES} lines"));
        }
        if !reviewed.fits(&item) {
            let text = format!("`{sku}` is sold in {}, not as the cart is", item.price.currency);
            return DeedError::refused(text);
        }
        let wanted = held.saturating_add(*quantity);
        enough(&item, wanted, held)?;
        reviewed.set(item, wanted);
        reviewed.put(records, self.caller.session).await
    }

    fn keeps_to_session(&self) -> bool {
        true
    }
}

#[async_trait]
impl Deed for Request<Update> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Update { sku, quantity } = &self.input;
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        if reviewed.quantity(sku) == 0 {
            return not_there(sku);
        }
        if *quantity == 0 {
            take_out(&mut reviewed, sku, self.caller, records).await?;
        } else {
            let item = sold(records, sku).await?;
            enough(&item, *quantity, 0)?;
            reviewed.set(item, *quantity);
        }
        reviewed.put(records, self.caller.session).await
    }

    fn keeps_to_session(&self) -> bool {
        true
    }
}

#[async_trait]
impl Deed for Request<Remove> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Remove { sku } = &self.input;
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        // A variant that is not sold any more left the cart by itself.
        let gone = reviewed.dropped.iter().any(|line| line.sku == *sku);
        if !take_out(&mut reviewed, sku, self.caller, records).await? && !gone {
            return not_there(sku);
        }
        reviewed.put(records, self.caller.session).await
    }

    fn keeps_to_session(&self) -> bool {
        true
    }
}

#[async_trait]
impl Deed for Request<Clear> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        reviewed.cart = Cart::default();
        reviewed.put(records, self.caller.session).await
    }
}

/// A cart that was summed up is not emptied without a yes.
#[async_trait]
impl NeedsYes for Request<Clear> {
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        let Reviewed { cart, .. } = Reviewed::read(records, self.caller.session).await?;
        if !was_summed_up(&cart, self.caller, records).await? {
            return Ok(None);
        }
        cart::terms(&cart, &json!(["clear_cart"])).map(Some)
    }
}

/// Whether the newest summary was of the cart, whatever has become of the summary or of single lines
/// since: the customer believes that there is something in it. A summary whose yes was used spoke of
/// a cart that is gone.
async fn was_summed_up(
    cart: &Cart,
    caller: Caller,
    records: &mut dyn Records,
) -> Result<bool, DeedError> {
    let Some(shown) = records.proposal(caller.session).await? else { return Ok(false) };
    let of_cart = ["confirm_order", "clear_cart"].contains(&shown.tool.as_str());
    let used = matches!(shown.standing, Standing::Used(_));
    Ok(of_cart && !used && !cart.lines.is_empty())
}

/// Takes a line out, unless that would empty a cart that was summed up: only `clear_cart` does that,
/// after a yes. Whether the line was there.
async fn take_out(
    reviewed: &mut Reviewed,
    sku: &str,
    caller: Caller,
    records: &mut dyn Records,
) -> Result<bool, DeedError> {
    let is_last = reviewed.cart.lines.iter().all(|line| line.sku == sku);
    let by_person = caller.authority == Authority::Person;
    if is_last && !by_person && was_summed_up(&reviewed.cart, caller, records).await? {
        return DeedError::refused(
            "needs_yes: the last thing of a cart that was summed up is taken out by `clear_cart`, \
             after the customer's yes",
        );
    }
    Ok(reviewed.remove(sku))
}

#[async_trait]
impl Deed for Request<SetNotes> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        reviewed.cart.notes = self.input.notes.trim().to_owned();
        reviewed.put(records, self.caller.session).await
    }

    fn keeps_to_session(&self) -> bool {
        true
    }
}

fn not_there<T>(sku: &str) -> Result<T, DeedError> {
    DeedError::refused(format!("`{sku}` is not in the cart"))
}

async fn sold(records: &mut dyn Records, sku: &str) -> Result<Item, DeedError> {
    let items = records.items(&[sku.to_owned()]).await?;
    match items.into_iter().next() {
        Some(item) => Ok(item),
        None => DeedError::refused(format!("`{sku}` is not sold")),
    }
}

/// Whether a line may have so many units, some of which it holds already.
fn enough(item: &Item, wanted: u32, held: u32) -> Result<(), DeedError> {
    if wanted > MOST_UNITS {
        let text = format!("at most {MOST_UNITS} units of `{}` can be ordered at once", item.sku);
        return DeedError::refused(text);
    }
    if wanted <= item.available {
        return Ok(());
    }
    let short = shortage(&item.sku, item.available);
    match held {
        0 => DeedError::refused(short),
        held => DeedError::refused(format!("{short}, and {held} in the cart already")),
    }
}
