//! `add_to_cart`, `update_cart_item`, `remove_from_cart`, `clear_cart`, `set_cart_notes`.

use async_trait::async_trait;
use domain::{Cart, Item, Proposal, Terms};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

use super::{Reviewed, shortage};
use crate::NeedsYes;
use crate::shop::asked::Asked;
use crate::shop::{MOST_LINES, MOST_UNITS, cart};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::shop) struct Add {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
    #[schemars(range(min = 1, max = 999))]
    quantity: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::shop) struct Update {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
    /// How many units there are to be; 0 takes the variant out.
    #[schemars(range(min = 0, max = 999))]
    quantity: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::shop) struct Remove {
    /// The code of the variant.
    #[schemars(length(min = 1, max = 64))]
    sku: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::shop) struct Clear {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::shop) struct SetNotes {
    /// The remark; an empty one takes back what was said before.
    #[schemars(length(max = 500))]
    notes: String,
}

#[async_trait]
impl Deed for Asked<Add> {
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
}

#[async_trait]
impl Deed for Asked<Update> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Update { sku, quantity } = &self.input;
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        if reviewed.quantity(sku) == 0 {
            return not_there(sku);
        }
        if *quantity == 0 {
            reviewed.remove(sku);
        } else {
            let item = sold(records, sku).await?;
            enough(&item, *quantity, 0)?;
            reviewed.set(item, *quantity);
        }
        reviewed.put(records, self.caller.session).await
    }
}

#[async_trait]
impl Deed for Asked<Remove> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let Remove { sku } = &self.input;
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        // What is not sold any more left the cart by itself.
        let gone = reviewed.dropped.iter().any(|line| line.sku == *sku);
        if !reviewed.remove(sku) && !gone {
            return not_there(sku);
        }
        reviewed.put(records, self.caller.session).await
    }
}

#[async_trait]
impl Deed for Asked<Clear> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        reviewed.cart = Cart::default();
        reviewed.put(records, self.caller.session).await
    }
}

/// A cart that a summary has shown as it is now is not emptied without a yes, whether that summary
/// still stands or not: the customer believes it to be there.
#[async_trait]
impl NeedsYes for Asked<Clear> {
    async fn terms(&self, records: &mut dyn Records) -> Result<Option<Terms>, DeedError> {
        let Reviewed { cart, .. } = Reviewed::read(records, self.caller.session).await?;
        let shown = records.proposal(self.caller.session).await?;
        let summed_up = |shown: &Proposal| {
            let items = shown.terms.items.iter().map(|item| (item.code.as_str(), item.quantity));
            items.eq(cart.lines.iter().map(|line| (line.sku.as_str(), line.quantity)))
        };
        if cart.lines.is_empty() || !shown.is_some_and(|shown| summed_up(&shown)) {
            return Ok(None);
        }
        cart::terms(&cart, &json!(["clear_cart"])).map(Some)
    }
}

#[async_trait]
impl Deed for Asked<SetNotes> {
    async fn run(&self, records: &mut dyn Records) -> Result<Value, DeedError> {
        let mut reviewed = Reviewed::read(records, self.caller.session).await?;
        reviewed.cart.notes = self.input.notes.trim().to_owned();
        reviewed.put(records, self.caller.session).await
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
