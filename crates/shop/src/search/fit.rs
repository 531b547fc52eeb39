//! How many units of an item a quantity comes to, and which sizes are the ones said.

use domain::Item;
use nlu::goods::{Ask, Relative, Size, sizes};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// How many units of an item make up what an ask wants; None if no number was said, or if it is
/// no whole number of them.
pub fn units(ask: &Ask, item: &Item) -> Option<u32> {
    let quantity = ask.quantity?;
    match quantity.unit {
        Some(unit) => measured(unit.size(quantity.value)?, item),
        None => whole(quantity.value),
    }
}

/// A size that an item has, from its label or else its name.
pub(super) fn size_of(item: &Item) -> Option<Size> {
    let absolute = |text: &str| sizes(text).into_iter().find(|size| size.amount().is_some());
    absolute(&item.label).or_else(|| absolute(&item.name))
}

/// So much, in units of the item: one of just that size, or several of what is sold by the kilo,
/// the litre or the hundred grams. Two litres of a drink are not four half-litre bottles.
pub(super) fn measured(wanted: Size, item: &Item) -> Option<u32> {
    let size = size_of(item)?;
    if size == wanted {
        return Some(1);
    }
    let (wanted, unit) = match (wanted, size) {
        (Size::Grams(wanted), Size::Grams(unit @ (100 | 1000))) => (wanted, unit),
        // Half a kilo of what is sliced to order is two quarters, and `kilo y medio` of what is
        // weighed three halves.
        (Size::Grams(wanted), Size::Grams(unit @ (250 | 500))) if item.brand.is_none() => {
            (wanted, unit)
        }
        (Size::Millilitres(wanted), Size::Millilitres(unit @ 1000)) => (wanted, unit),
        _ => return None,
    };
    wanted.is_multiple_of(unit).then_some(wanted / unit)
}

/// Whether an item is weighed out: three tomatoes are not three kilos of them.
pub(super) fn is_loose(item: &Item) -> bool {
    item.brand.is_none() && matches!(size_of(item), Some(Size::Grams(100 | 1000)))
}

/// So many pieces, in units of an item that is itself several.
pub(super) fn boxed(pieces: u32, item: &Item) -> Option<u32> {
    match size_of(item)? {
        Size::Units(of) if pieces.is_multiple_of(of) && of > 0 => Some(pieces / of),
        _ => None,
    }
}

pub(super) fn whole(value: Decimal) -> Option<u32> {
    value.is_integer().then(|| value.to_u32()).flatten().filter(|count| *count > 0)
}

/// Whether an item has the size that was said, next to its siblings.
pub(super) fn has_size(said: Size, item: &Item, siblings: &[&Item]) -> bool {
    match said {
        Size::Relative(relative) => has_relative(relative, item, siblings),
        said => {
            let texts = [&item.label, &item.name];
            texts.into_iter().flat_map(|text| sizes(text)).any(|size| size.is_said_by(said))
        }
    }
}

fn has_relative(relative: Relative, item: &Item, siblings: &[&Item]) -> bool {
    if sizes(&item.label).contains(&Size::Relative(relative)) {
        return true;
    }
    let amount = |item: &Item| size_of(item).and_then(Size::amount);
    let mut amounts: Vec<u32> = siblings.iter().filter_map(|item| amount(item)).collect();
    amounts.sort_unstable();
    amounts.dedup();
    let meant = match relative {
        Relative::Small => amounts.first(),
        Relative::Large => amounts.last(),
        Relative::Medium if amounts.len() > 2 => amounts.get(amounts.len() / 2),
        Relative::Medium => None,
    };
    // A product of a single size is as small and as large as it gets.
    siblings.len() == 1 || meant.is_some() && meant.copied() == amount(item)
}
