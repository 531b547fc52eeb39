//! Sizes in any of the ways they are written: `1,5 L`, `litro y medio`, `500cc`, `dos y cuarto`,
//! `chica`.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::amount::{self, Amount};
use super::ask::{Unit, thousand};
use crate::extract::tokens::{Class, Tokens};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    Millilitres(u32),
    Grams(u32),
    Units(u32),
    /// A number alone, which stands for millilitres or grams.
    Bare(u32),
    Relative(Relative),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relative {
    Small,
    Medium,
    Large,
}

impl Size {
    /// The term for the size, the same however it was written.
    pub fn key(self) -> String {
        match self {
            Self::Millilitres(amount) => format!("{amount}ml"),
            Self::Grams(amount) => format!("{amount}g"),
            Self::Units(amount) => format!("{amount}u"),
            Self::Bare(amount) => amount.to_string(),
            Self::Relative(Relative::Small) => "talle:chico".to_owned(),
            Self::Relative(Relative::Medium) => "talle:mediano".to_owned(),
            Self::Relative(Relative::Large) => "talle:grande".to_owned(),
        }
    }

    /// The number in millilitres, grams or units; `None` for a relative size.
    pub fn amount(self) -> Option<u32> {
        match self {
            Self::Millilitres(amount)
            | Self::Grams(amount)
            | Self::Units(amount)
            | Self::Bare(amount) => Some(amount),
            Self::Relative(_) => None,
        }
    }

    /// Whether a size that was said can mean this one.
    pub fn is_said_by(self, said: Self) -> bool {
        match (said, self) {
            (Self::Bare(said), Self::Millilitres(amount) | Self::Grams(amount)) => said == amount,
            _ => said == self,
        }
    }
}

/// The context in which a size is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// In the name of goods, where `x 6` is a size.
    Name,
    /// Among the words of an order, where `x 6` is a quantity.
    Order,
    /// After `de`, where a small number counts litres: `coca de 2`.
    AfterOf,
}

/// The size written at an index, and the index after it.
pub(super) fn read(tokens: &Tokens<'_>, at: usize, context: Context) -> Option<(Size, usize)> {
    if let Some(relative) = relative(tokens.text(at)) {
        return Some((Size::Relative(relative), at + 1));
    }
    if let Some((value, unit, end)) = measured(tokens, at) {
        return unit.size(value).map(|size| (size, end));
    }
    if context == Context::Name
        && let Some((units, end)) = units(tokens, at)
    {
        return Some((Size::Units(units), end));
    }
    bare(tokens, at, context)
}

/// A measure with its unit: `litro y medio`, `1/2 kg`, `cuarto de kilo`.
pub(super) fn measured(tokens: &Tokens<'_>, at: usize) -> Option<(Decimal, Unit, usize)> {
    let amount = amount::read(tokens, at);
    let (value, next) = match &amount {
        Some(amount) if amount.fraction && tokens.text(amount.end) == "de" => {
            let unit = amount.end + 1;
            let end = if unit_at(tokens, unit, true).is_some() { unit } else { amount.end };
            (amount.value, end)
        }
        Some(amount) => (amount.value, amount.end),
        None => (Decimal::ONE, at),
    };
    let unit = unit_at(tokens, next, amount.is_some())?;
    let value = match (unit, amount) {
        (Unit::Gram | Unit::Millilitre, Some(Amount { thousands: Some(value), .. })) => value,
        _ => value,
    };
    match amount::and_a_part(tokens, next + 1) {
        Some((part, end)) => Some((value.checked_add(part)?, unit, end)),
        None => Some((value, unit, next + 1)),
    }
}

/// The unit at an index. A letter is a unit after a number only; `litro` and `kilo` also stand for
/// one of them.
fn unit_at(tokens: &Tokens<'_>, at: usize, counted: bool) -> Option<Unit> {
    Some(match tokens.text(at) {
        "kilo" | "kilito" | "kg" | "kgs" => Unit::Kilogram,
        "litro" | "litrito" | "lt" | "lts" => Unit::Litre,
        _ if !counted => return None,
        "k" | "kilos" | "kilogramo" | "kilogramos" => Unit::Kilogram,
        "l" | "ltr" | "ltrs" | "litros" => Unit::Litre,
        "g" | "gr" | "grs" | "gramo" | "gramos" => Unit::Gram,
        "ml" | "mls" | "cc" | "mililitros" => Unit::Millilitre,
        _ => return None,
    })
}

/// `x 6`, `6 u`, `docena`.
fn units(tokens: &Tokens<'_>, at: usize) -> Option<(u32, usize)> {
    if let Some(dozen) = amount::dozens(tokens, at) {
        return Some((dozen.value.to_u32()?, dozen.end));
    }
    let times = matches!(tokens.text(at), "x" | "por");
    let number = at + usize::from(times);
    let count = tokens.text(number).parse().ok().filter(|count| (1..100).contains(count))?;
    let end = number + 1;
    let named = is_piece(tokens.text(end));
    (times || named).then_some((count, end + usize::from(named)))
}

pub(super) fn is_piece(word: &str) -> bool {
    matches!(word, "u" | "un" | "uni" | "unid" | "unidad" | "unidades" | "saquitos" | "rollos")
}

pub(super) fn is_money(word: &str) -> bool {
    matches!(word, "peso" | "pesos" | "mango" | "mangos" | "luca" | "lucas")
}

/// A number without a unit that can only be a size.
fn bare(tokens: &Tokens<'_>, at: usize, context: Context) -> Option<(Size, usize)> {
    if tokens.before(at) == "$" {
        return None;
    }
    let amount = amount::read(tokens, at)?;
    let end = amount.end;
    if is_money(tokens.text(end)) || tokens.text(end) == "%" {
        return None;
    }
    let litres = |value: Decimal| {
        let fits = value >= Decimal::new(2, 1) && value <= Decimal::from(20);
        thousand(value).filter(|_| fits).map(|size| (Size::Millilitres(size), end))
    };
    if let Some(hundredths) = said_in_hundredths(tokens, &amount) {
        return Some((Size::Millilitres(hundredths), end + 1));
    }
    if amount.decimal {
        return litres(amount.value);
    }
    let whole = amount.value.to_u32().filter(|_| amount.value.is_integer());
    match whole {
        Some(whole @ 100..10_000) if tokens.is(at, Class::Digits) => Some((Size::Bare(whole), end)),
        Some(1..=20) if context == Context::AfterOf && ends(tokens, end) => litres(amount.value),
        // `la de medio`: half a litre or half a kilo.
        None if context == Context::AfterOf && amount.fraction && ends(tokens, end) => {
            thousand(amount.value).map(|size| (Size::Bare(size), end))
        }
        _ => None,
    }
}

/// Whether nothing that a number could count follows it.
fn ends(tokens: &Tokens<'_>, at: usize) -> bool {
    !tokens.is(at, Class::Word) || tokens.text(at) == "y" || amount::read(tokens, at).is_some()
}

/// `dos veinticinco`: two litres and a quarter, in hundredths.
fn said_in_hundredths(tokens: &Tokens<'_>, litres: &Amount) -> Option<u32> {
    let whole = litres.value.to_u32().filter(|whole| (1..=3).contains(whole))?;
    match tokens.text(litres.end) {
        "veinticinco" | "25" => Some(whole * 1000 + 250),
        "cincuenta" => Some(whole * 1000 + 500),
        _ => None,
    }
}

pub(super) fn relative(word: &str) -> Option<Relative> {
    let stem = word.strip_suffix('s').unwrap_or(word);
    Some(match stem {
        "chica" | "chico" | "chiquita" | "chiquito" | "chiquitita" | "chiquitito" | "pequena"
        | "pequeno" | "personal" | "personale" | "mini" => Relative::Small,
        "mediana" | "mediano" | "medianita" => Relative::Medium,
        "grande" | "gde" | "grandota" | "grandote" | "familiar" | "familiare" | "grandecita" => {
            Relative::Large
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Normalized;

    fn size(text: &str, context: Context) -> Option<String> {
        let text = Normalized::new(text);
        let tokens = Tokens::written_out(&text);
        let (size, end) = read(&tokens, 0, context)?;
        assert_eq!(end, tokens.len(), "{:?}", text.original());
        Some(size.key())
    }

    #[test]
    fn every_way_to_write_a_size_has_one_key() {
        for (key, ways) in [
            (
                "1500ml",
                "1,5 L|1.5lt|litro y medio|1500 ml|un litro y medio|1.5|1,5|1500cc|1 litro y 1/2\
                 |1.500 ml|1 ½ litros|uno y medio",
            ),
            ("2250ml", "2.25|dos y cuarto|2,25 lts|dos litros y cuarto|dos veinticinco|2 y cuarto"),
            ("500ml", "medio litro|500cc|500 ml|1/2 litro|½ l|0,5 l"),
            ("500g", "medio kilo|1/2 kg|500 g|500gr|0.5 kg|500 gramos"),
            ("250g", "cuarto kilo|cuarto de kilo|un cuarto de kilo|250 grs|1/4 kg"),
            ("750g", "tres cuartos de kilo|3/4 kg"),
            ("1000g", "kilo|un kilo|1 kg|1kg"),
            ("1000ml", "litro|1 lt|un litro"),
            ("500", "500"),
            ("talle:chico", "chica|chiquita|personal|chicos"),
            ("talle:mediano", "mediana"),
            ("talle:grande", "grande|grandes|familiar"),
        ] {
            for way in ways.split('|') {
                assert_eq!(size(way, Context::Order).as_deref(), Some(key), "{way}");
            }
        }
    }

    #[test]
    fn small_numbers_are_sizes_only_where_they_can_be() {
        for (text, context, key) in [
            ("2", Context::Order, None),
            ("2", Context::AfterOf, Some("2000ml")),
            ("medio", Context::AfterOf, Some("500")),
            ("x 6", Context::Name, Some("6u")),
            ("6 u", Context::Name, Some("6u")),
            ("docena", Context::Name, Some("12u")),
            ("media docena", Context::Name, Some("6u")),
            ("x 6", Context::Order, None),
            ("g", Context::Name, None),
        ] {
            assert_eq!(size(text, context).as_deref(), key, "{text}");
        }
        let text = Normalized::new("6 latas");
        assert_eq!(read(&Tokens::written_out(&text), 0, Context::AfterOf), None);
        let text = Normalized::new("500 pesos");
        assert_eq!(read(&Tokens::written_out(&text), 0, Context::Order), None);
    }

    #[test]
    fn a_number_alone_says_millilitres_and_grams_alike() {
        assert!(Size::Millilitres(500).is_said_by(Size::Bare(500)));
        assert!(Size::Grams(500).is_said_by(Size::Bare(500)));
        assert!(!Size::Units(500).is_said_by(Size::Bare(500)));
        assert!(!Size::Grams(500).is_said_by(Size::Millilitres(500)));
        assert!(!Size::Bare(500).is_said_by(Size::Millilitres(500)));
    }
}
