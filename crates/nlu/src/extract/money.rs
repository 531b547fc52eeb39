//! Amounts of money: signs, codes and names of currencies before or after a number, slang, cents.

use rust_decimal::Decimal;

use super::candidate::{Candidate, rank};
use super::country::Country;
use super::number::{self, Number, Slang};
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::Value;

type Currency = Option<&'static str>;

pub(super) fn find(tokens: &Tokens<'_>, country: Country, found: &mut Vec<Candidate>) {
    let reader = Reader { tokens, country };
    let mut from = 0;
    while let Some(at) = tokens.seek(from, Marks::NUMBER | Marks::MONEY) {
        if let Some((amounts, end)) = reader.between(at) {
            found.extend(amounts);
            from = end;
        } else if let Some((amount, currency, end)) = reader.amount(at) {
            let value = Value::Money { amount, currency };
            let fruit = number::is_fruit(tokens.before(end));
            let rank = if fruit { rank::SLANG } else { rank::MONEY };
            found.push(Candidate::new(tokens.span(at, end), value, rank));
            from = end;
        } else {
            from = reader.number(at).map_or(at + 1, |number| number.end);
        }
    }
}

/// Whether a currency's sign, or a range of amounts, can begin at an index.
pub(super) fn can_begin(tokens: &Tokens<'_>, at: usize) -> bool {
    match tokens.text(at) {
        "$" | "dolar" | "entre" | "between" | "de" | "from" => true,
        "s" => tokens.text(at + 1) == "/",
        word => tokens.text(at + 1) == "$" || symbol(word).or_else(|| iso(word)).is_some(),
    }
}

/// The amount that the whole text is, in the country's money or without a currency.
pub(super) fn only(tokens: &Tokens<'_>, country: Country) -> Option<Decimal> {
    let (amount, currency, end) = Reader { tokens, country }.amount(0)?;
    let own = currency.is_none() || currency == country.currency();
    (own && number::is_all(tokens, end)).then_some(amount)
}

struct Reader<'r, 't> {
    tokens: &'r Tokens<'t>,
    country: Country,
}

impl Reader<'_, '_> {
    fn number(&self, at: usize) -> Option<Number> {
        number::read(self.tokens, at, self.country.writes_decimal_comma())
    }

    fn slang(&self, at: usize) -> Option<Slang> {
        number::slang(self.tokens, at, self.country.writes_decimal_comma())
    }

    fn amount(&self, at: usize) -> Option<(Decimal, Currency, usize)> {
        self.signed(at).or_else(|| self.named(at))
    }

    /// A sign or code, then the amount: `$ 5.000`, `USD 200`, `U$D 10 mil millones`.
    fn signed(&self, at: usize) -> Option<(Decimal, Currency, usize)> {
        let (mut currency, after) = self.sign(at)?;
        let (amount, mut end) = match self.slang(after) {
            Some(slang) => (slang.value, slang.end),
            None => self.number(after).map(|number| (number.value, number.end))?,
        };
        if let Some((named, end_named)) = self.name(end) {
            (currency, end) = (named, end_named);
        }
        Some((amount, currency, end))
    }

    /// An amount, then the name or sign: `50 mil pesos`, `5 lucas`, `15 dólares 50`.
    fn named(&self, at: usize) -> Option<(Decimal, Currency, usize)> {
        let code = at > 0 && self.tokens.glued(at) && self.tokens.is(at - 1, Class::Word);
        if let Some(slang) = self.slang(at).filter(|_| !code) {
            let own = || (self.country.currency(), slang.end);
            let (currency, end) = self.name(slang.end).unwrap_or_else(own);
            return Some((slang.value, currency, end));
        }
        let number = self.number(at).filter(|_| !code)?;
        if let Some(end) = cents(self.tokens, number.end) {
            let (currency, end) = self.name(end).unwrap_or((self.country.currency(), end));
            return Some((number.value.checked_div(Decimal::ONE_HUNDRED)?, currency, end));
        }
        let (currency, end) = self.name(number.end).or_else(|| self.sign_after(number.end))?;
        // `75 USD millones`
        if let Some((scale, end)) = number::scale_word(self.tokens, end) {
            return Some((number.value.checked_mul(scale)?, currency, end));
        }
        match self.cents_after(end) {
            Some((part, end)) => Some((number.value.checked_add(part)?, currency, end)),
            None => Some((number.value, currency, end)),
        }
    }

    /// `entre 100 y 200 mil pesos`: scale and currency of the second amount also apply to the
    /// first.
    fn between(&self, at: usize) -> Option<(Vec<Candidate>, usize)> {
        let joint = match self.tokens.text(at) {
            "entre" | "between" => ["y", "and"],
            "de" | "from" => ["a", "to"],
            _ => return None,
        };
        let start = at + 1;
        let signed_first = self.sign(start);
        let low = self.number(signed_first.map_or(start, |(_, after)| after))?;
        let low_end = self.name(low.end).map_or(low.end, |(_, end)| end);
        if !joint.contains(&self.tokens.text(low_end)) {
            return None;
        }
        let second = low_end + 1;
        let (high, currency, end) = self.amount(second).or_else(|| {
            let high = self.number(second).filter(|high| !high.bare_digits)?;
            let currency = signed_first.and_then(|(currency, _)| currency);
            Some((high.value, currency, high.end))
        })?;
        let scale = self.scale_of(second);
        let unscaled = low.bare_digits && low.value < Decimal::ONE_THOUSAND;
        let low_amount = if unscaled { low.value.checked_mul(scale)? } else { low.value };
        if low_amount > high {
            return None;
        }
        let low = Value::Money { amount: low_amount, currency };
        let high = Value::Money { amount: high, currency };
        Some((
            vec![
                Candidate::new(self.tokens.span(start, low_end), low, rank::MONEY),
                Candidate::new(self.tokens.span(second, end), high, rank::MONEY),
            ],
            end,
        ))
    }

    /// The factor that the words after an amount's digits multiply them by.
    fn scale_of(&self, at: usize) -> Decimal {
        let at = self.sign(at).map_or(at, |(_, after)| after);
        let comma = self.country.writes_decimal_comma();
        let Some(digits) = number::literal(self.tokens, at, comma) else { return Decimal::ONE };
        let scale = number::scale_word(self.tokens, digits.end).map(|(scale, _)| scale);
        scale.or_else(|| number::factor(self.tokens, digits.end)).unwrap_or(Decimal::ONE)
    }

    /// A sign or code that stands before an amount, and the index after it.
    fn sign(&self, at: usize) -> Option<(Currency, usize)> {
        let word = self.tokens.text(at);
        let dollar_next = self.tokens.text(at + 1) == "$" && self.tokens.glued(at + 1);
        if dollar_next {
            let currency = match word {
                "u" | "us" => "USD",
                "c" | "ca" => "CAD",
                "r" => "BRL",
                "a" | "au" => "AUD",
                "ar" => "ARS",
                "mx" => "MXN",
                "nz" => "NZD",
                "hk" => "HKD",
                "rd" => "DOP",
                code => iso(code)?,
            };
            let tail = usize::from(
                word == "u"
                    && matches!(self.tokens.text(at + 2), "s" | "d")
                    && self.tokens.glued(at + 2),
            );
            return Some((Some(currency), at + 2 + tail));
        }
        if word == "s" && self.tokens.text(at + 1) == "/" && self.tokens.glued(at + 1) {
            return Some((Some("PEN"), at + 2));
        }
        let currency = match word {
            "$" => self.dollar_sign(),
            "dolar" => Some("USD"),
            word => Some(symbol(word).or_else(|| iso(word))?),
        };
        Some((currency, at + 1))
    }

    fn sign_after(&self, at: usize) -> Option<(Currency, usize)> {
        match self.tokens.text(at) {
            "$" => Some((self.dollar_sign(), at + 1)),
            word => symbol(word).map(|currency| (Some(currency), at + 1)),
        }
    }

    fn dollar_sign(&self) -> Currency {
        if self.country.pays_in_dollar_sign() { self.country.currency() } else { Some("USD") }
    }

    /// The name of a currency after an amount, with or without `de`.
    fn name(&self, at: usize) -> Option<(Currency, usize)> {
        let at = at + usize::from(matches!(self.tokens.text(at), "de" | "of"));
        let of = self.tokens.before(at) == "de";
        let word = self.tokens.text(at);
        let next = self.tokens.text(at + 1);
        let currency = match word {
            "peso" | "pesos" => {
                let (currency, extra) = match next {
                    "argentinos" | "argentino" => (Some("ARS"), 1),
                    "colombianos" | "colombiano" => (Some("COP"), 1),
                    "mexicanos" | "mexicano" => (Some("MXN"), 1),
                    "chilenos" | "chileno" => (Some("CLP"), 1),
                    "uruguayos" | "uruguayo" => (Some("UYU"), 1),
                    _ => {
                        (self.country.currency().filter(|_| self.country.pays_in_dollar_sign()), 0)
                    }
                };
                return Some((currency, at + 1 + extra));
            }
            "dolar" | "dolares" | "dollar" | "dollars" => match next {
                "canadiense" | "canadienses" => return Some((Some("CAD"), at + 2)),
                "australiano" | "australianos" => return Some((Some("AUD"), at + 2)),
                "estadounidense" | "estadounidenses" => return Some((Some("USD"), at + 2)),
                _ => "USD",
            },
            // A pound alone is more often half a kilo.
            "libra" | "libras" if next.starts_with("esterlina") => {
                return Some((Some("GBP"), at + 2));
            }
            "euro" | "euros" => "EUR",
            "yen" | "yenes" => "JPY",
            "yuan" | "yuanes" => "CNY",
            "real" | "reales" => "BRL",
            "sol" | "soles" => "PEN",
            "bolivar" | "bolivares" => "VES",
            "boliviano" | "bolivianos" => "BOB",
            "guarani" | "guaranies" => "PYG",
            "quetzal" | "quetzales" => "GTQ",
            "lempira" | "lempiras" => "HNL",
            "colon" | "colones" => "CRC",
            "cordobas" => "NIO",
            "franco" | "francos" => "CHF",
            "rupia" | "rupias" => "INR",
            "rublo" | "rublos" => "RUB",
            "pound" | "pounds" => "GBP",
            code if !of => iso(code)?,
            _ => return None,
        };
        Some((Some(currency), at + 1))
    }

    /// `15 dólares 50`, `25 euros con 50`, `trece euros y cuarenta y cinco céntimos`.
    fn cents_after(&self, at: usize) -> Option<(Decimal, usize)> {
        let joint = matches!(self.tokens.text(at), "con" | "y" | "and");
        let start = at + usize::from(joint);
        let part = self.number(start)?;
        if part.value.scale() != 0 || part.value >= Decimal::ONE_HUNDRED {
            return None;
        }
        let value = part.value.checked_div(Decimal::ONE_HUNDRED)?;
        if let Some(end) = cents(self.tokens, part.end) {
            return Some((value, end));
        }
        let two_digits = self.tokens.is(start, Class::Digits) && self.tokens.text(start).len() == 2;
        let bare = two_digits && part.bare_digits && self.tokens.text(at) != "y";
        let counted = self.tokens.is(part.end, Class::Word)
            && self.tokens.text(at) != "con"
            && self.name(part.end).is_some();
        (bare && !counted).then_some((value, part.end))
    }
}

fn cents(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    matches!(tokens.text(at), "centavo" | "centavos" | "centimo" | "centimos" | "cents")
        .then_some(at + 1)
}

fn symbol(word: &str) -> Option<&'static str> {
    Some(match word {
        "€" => "EUR",
        "£" => "GBP",
        "¥" => "JPY",
        "₡" => "CRC",
        "₲" => "PYG",
        "₹" => "INR",
        _ => return None,
    })
}

fn iso(code: &str) -> Option<&'static str> {
    Some(match code {
        "ars" => "ARS",
        "aud" => "AUD",
        "bob" => "BOB",
        "brl" => "BRL",
        "cad" => "CAD",
        "chf" => "CHF",
        "clp" => "CLP",
        "cny" => "CNY",
        "cop" => "COP",
        "crc" => "CRC",
        "cup" => "CUP",
        "dop" => "DOP",
        "eur" => "EUR",
        "gbp" => "GBP",
        "gtq" => "GTQ",
        "hnl" => "HNL",
        "jpy" => "JPY",
        "mxn" => "MXN",
        "nio" => "NIO",
        "nzd" => "NZD",
        "pen" => "PEN",
        "pyg" => "PYG",
        "usd" => "USD",
        "uyu" => "UYU",
        "ves" => "VES",
        "inr" => "INR",
        "rub" => "RUB",
        _ => return None,
    })
}
