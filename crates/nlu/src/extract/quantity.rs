//! Quantities: `2 cocas`, `media docena de empanadas`, `un kilo de yerba`.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::candidate::{Candidate, rank};
use super::number;
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::Value;
use crate::Normalized;

/// The words of the business's own products; if empty, every counted noun is a product.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    stems: HashSet<String>,
}

/// Words that follow a number without being counted by it.
const STOPS: &str = " de del la el los las y o a e en con sin por para que no si es son al mil millon millones ciento \
    hora horas minuto minutos segundo segundos dia dias semana semanas mes meses ano anos veces vez am pm hs hrs h \
    peso pesos dolar dolares euro euros lucas luca mangos palos usd ars cop mxn de este esta esa ese mi tu su \
    hour hours minute minutes day days week weeks month months year years times of the and or to in for is are \
    lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio agosto \
    septiembre octubre noviembre diciembre porciento percent noche noches tarde manana menos mas ";

impl Products {
    pub(super) fn new(words: &[String]) -> Self {
        let stems = words.iter().flat_map(|product| {
            Normalized::new(product).folded().split_whitespace().map(stem).collect::<Vec<_>>()
        });
        Self { stems: stems.collect() }
    }

    pub(super) fn find(
        &self,
        text: &Normalized<'_>,
        tokens: &Tokens<'_>,
        decimal_comma: bool,
        found: &mut Vec<Candidate>,
    ) {
        let mut from = 0;
        while let Some(at) = tokens.seek(from, Marks::NUMBER) {
            let Some((amount, next)) = amount(tokens, at, decimal_comma) else {
                from = at + 1;
                continue;
            };
            from = match self.counted(tokens, at, next) {
                Some(counted) => {
                    let amount = if counted.half { amount + Decimal::new(5, 1) } else { amount };
                    let of = text.original_span(tokens.span(counted.of.0, counted.of.1));
                    let of = text.original()[of].to_owned();
                    let value = Value::Quantity { amount, unit: counted.unit, of };
                    found.push(Candidate::new(tokens.span(at, counted.end), value, rank::QUANTITY));
                    counted.end
                }
                // `kilo y medio` counts itself: nothing is read before it, and the walk must go on.
                None => next.max(at + 1),
            };
        }
    }

    fn counted(&self, tokens: &Tokens<'_>, at: usize, next: usize) -> Option<Counted> {
        if at > 0 && tokens.glued(at) && !matches!(tokens.before(at), "(" | "," | ":" | "¿" | "¡")
        {
            return None;
        }
        let unit = unit(tokens.text(next));
        let mut start = next + usize::from(unit.is_some());
        let half = unit.is_some()
            && tokens.text(start) == "y"
            && matches!(tokens.text(start + 1), "medio" | "media");
        start += 2 * usize::from(half);
        if matches!(tokens.text(start), "de" | "x" | "of") {
            start += 1;
        }
        if !is_noun(tokens, start) {
            return unit.filter(|_| self.stems.is_empty()).map(|unit| {
                let end = next + 1 + 2 * usize::from(half);
                Counted { unit: Some(unit), of: (end, end), end, half }
            });
        }
        let known = self.stems.contains(&stem(tokens.text(start)));
        let article =
            next == at + 1 && matches!(tokens.text(at), "un" | "una" | "uno" | "a" | "one");
        let slang = number::factor(tokens, start).is_some();
        let taken = known || unit.is_some() || (self.stems.is_empty() && !article && !slang);
        if !taken {
            return None;
        }
        let mut end = start + 1;
        while end < start + 4
            && is_noun(tokens, end)
            && self.stems.contains(&stem(tokens.text(end)))
        {
            end += 1;
        }
        if tokens.text(end) == "de" && is_noun(tokens, end + 1) {
            end += 2;
        }
        Some(Counted { unit, of: (start, end), end, half })
    }
}

struct Counted {
    unit: Option<&'static str>,
    of: (usize, usize),
    end: usize,
    half: bool,
}

/// A number, or a half that makes sense only before a measure.
fn amount(tokens: &Tokens<'_>, at: usize, decimal_comma: bool) -> Option<(Decimal, usize)> {
    let measured = |at| unit(tokens.text(at)).is_some();
    match tokens.text(at) {
        "medio" | "media" | "half" if measured(at + 1) => Some((Decimal::new(5, 1), at + 1)),
        "cuarto" if measured(at + 1) => Some((Decimal::new(25, 2), at + 1)),
        "cuarto" if tokens.text(at + 1) == "de" && measured(at + 2) => {
            Some((Decimal::new(25, 2), at + 2))
        }
        "un" if tokens.text(at + 1) == "cuarto"
            && tokens.text(at + 2) == "de"
            && measured(at + 3) =>
        {
            Some((Decimal::new(25, 2), at + 3))
        }
        "kilo" | "litro" if tokens.follow(at + 1, "y medio").is_some() => Some((Decimal::ONE, at)),
        _ => number::read(tokens, at, decimal_comma).map(|number| (number.value, number.end)),
    }
}

fn is_noun(tokens: &Tokens<'_>, at: usize) -> bool {
    let word = tokens.text(at);
    tokens.is(at, Class::Word)
        && word.len() > 2
        && word.len() <= 24
        && !STOPS.contains(&format!(" {word} "))
}

/// The stem that singular and plural share: `coca`, `cocas`; `pan`, `panes`.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let cut =
        word.strip_suffix("es").filter(|cut| cut.len() > 2).or_else(|| word.strip_suffix('s'));
    cut.unwrap_or(word.strip_suffix('e').unwrap_or(&word)).to_owned()
}

fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "kg" | "kgs" | "kilo" | "kilos" | "kilogramo" | "kilogramos" => "kg",
        "g" | "gr" | "grs" | "gramo" | "gramos" => "g",
        "l" | "lt" | "lts" | "litro" | "litros" | "liter" | "liters" => "l",
        "ml" | "cc" | "mililitros" => "ml",
        "libra" | "libras" | "lb" | "lbs" => "lb",
        "m" | "metro" | "metros" => "m",
        "cm" | "centimetros" => "cm",
        "caja" | "cajas" | "box" | "boxes" => "box",
        "paquete" | "paquetes" | "pack" | "packs" => "pack",
        "botella" | "botellas" | "bottle" | "bottles" => "bottle",
        "lata" | "latas" | "can" | "cans" => "can",
        "bolsa" | "bolsas" | "bag" | "bags" => "bag",
        "unidad" | "unidades" | "unit" | "units" => "unit",
        "porcion" | "porciones" => "portion",
        "par" | "pares" | "pair" | "pairs" => "pair",
        _ => return None,
    })
}
