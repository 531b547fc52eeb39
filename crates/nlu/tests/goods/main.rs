//! Orders as people type them: tables of messages and their asks.

mod amend;
mod beside;
mod orders;
mod terms;

use nlu::goods::{Act, Ask, Unit, asks};

/// An ask as `act quantity unit "what" size <instead of`, leaving out the parts that were not said.
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

#[test]
fn what_an_ask_says_in_words_is_heard_as_the_same() {
    for text in [
        "coca",
        "2 cocas de litro y medio",
        "medio kilo de pan",
        "200 g de tybo",
        "2 litros de leche",
        "una docena de huevos",
        "2 cajas de 12 hamburguesas paty",
        "un paquete de salchichas de 6",
        "yerba playadito 1 kg x 2",
    ] {
        let ask = asks(text).remove(0);
        let again = asks(&ask.in_words());
        let same = |other: &Ask| (other.quantity, other.size) == (ask.quantity, ask.size);
        assert!(again.len() == 1 && same(&again[0]), "{text}: {:?} and {again:?}", ask.in_words());
    }
}
