//! What orders ask for, as people type them: tables of message and what must come of it.

mod beside;
mod later;
mod orders;
mod terms;

use nlu::goods::{Act, Ask, Unit, asks};

/// An ask as `act quantity unit "what" size <instead of`, leaving out what was not said.
fn written(ask: &Ask) -> String {
    let act = match ask.act {
        Act::Add => "add",
        Act::Remove => "remove",
        Act::Set => "set",
        Act::Replace => "replace",
    };
    let mut parts = vec![act.to_owned()];
    if let Some(quantity) = ask.quantity {
        let unit = match quantity.unit {
            Some(Unit::Kilogram) => "kg",
            Some(Unit::Gram) => "g",
            Some(Unit::Litre) => "l",
            Some(Unit::Millilitre) => "ml",
            None => "",
        };
        parts.push(format!("{}{unit}", quantity.value.normalize()));
    }
    parts.push(format!("'{}'", ask.what));
    parts.extend(ask.size.map(|size| size.key()));
    parts.extend(ask.instead_of.as_ref().map(|old| format!("<{old}")));
    parts.join(" ")
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let heard: Vec<String> = asks(text).iter().map(written).collect();
        assert_eq!(heard, *expected, "{text:?}");
    }
}
