//! What a model may say in its own words: no number, address or link that the engine did not give.

use nlu::Normalized;

/// Longer than any answer in a chat.
const LONGEST: usize = 1_200;

/// What may be repeated.
pub(crate) struct Allowed {
    numbers: Vec<String>,
    /// Numbers that the shop itself has put a currency before.
    prices: Vec<String>,
    /// Words of amounts that the shop itself has used.
    amounts: Vec<String>,
}

impl Allowed {
    /// What the shop's own texts say, and the numbers of what the customer gave.
    pub(crate) fn of<'s>(
        shop: impl IntoIterator<Item = &'s str>,
        customer: impl IntoIterator<Item = &'s str>,
    ) -> Self {
        let (mut known, mut prices, mut amounts) = (Vec::new(), Vec::new(), Vec::new());
        for text in shop {
            known.extend(numbers(text));
            prices.extend(priced(text));
            amounts.extend(amount_words(text));
        }
        known.extend(customer.into_iter().flat_map(numbers));
        Self { numbers: known, prices, amounts }
    }

    /// The numbers alone: no amount and no promise may be said in other words.
    #[must_use]
    pub(crate) fn without_promises(self) -> Self {
        Self { amounts: Vec::new(), ..self }
    }

    /// Why a text may not be sent, if it may not.
    pub(crate) fn refuses(&self, text: &str) -> Option<String> {
        let text = text.trim();
        if text.is_empty() {
            return Some("it is empty".to_owned());
        }
        if text.chars().count() > LONGEST {
            return Some(format!("it is longer than {LONGEST} characters"));
        }
        if let Some(odd) = text.chars().find(|c| c.is_numeric() && !c.is_ascii()) {
            return Some(format!("`{odd}` is a number in another writing"));
        }
        if let Some(number) = numbers(text).into_iter().find(|one| !self.numbers.contains(one)) {
            return Some(format!("the number {number} is not one the shop gave"));
        }
        if let Some(price) = priced(text).into_iter().find(|one| !self.prices.contains(one)) {
            return Some(format!("{price} is no price of the shop's"));
        }
        if let Some(word) = amount_words(text).into_iter().find(|one| !self.amounts.contains(one)) {
            return Some(format!("amounts are said by templates, and `{word}` is one"));
        }
        link(text).map(|link| format!("`{link}` is a link or an address"))
    }
}

/// Runs of digits, without the marks inside them.
fn numbers(text: &str) -> Vec<String> {
    runs(text).into_iter().map(|(_, number)| number).collect()
}

/// The numbers that stand behind a sign of money.
fn priced(text: &str) -> Vec<String> {
    let is_price = |(before, _): &(Option<char>, String)| before.is_some_and(is_money);
    runs(text).into_iter().filter(is_price).map(|(_, number)| number).collect()
}

fn is_money(c: char) -> bool {
    matches!(c, '$' | '€' | '£' | '¥' | '₿')
}

/// Runs of digits as they would be read, each with what stands before it.
fn runs(text: &str) -> Vec<(Option<char>, String)> {
    // Characters that cannot be seen part no number.
    let normal = Normalized::new(text);
    let (mut found, mut run, mut marks) = (Vec::new(), String::new(), 0);
    let (mut before, mut last) = (None, None);
    for c in normal.folded().chars().chain([' ']) {
        if c.is_ascii_digit() {
            if run.is_empty() {
                before = last;
            }
            run.push(c);
            marks = 0;
        } else if !run.is_empty() && marks == 0 && matches!(c, '.' | ',' | '\'') {
            // A mark between digits belongs to the number: 77.900
            marks = 1;
        } else if !run.is_empty() {
            found.push((before, std::mem::take(&mut run)));
            marks = 0;
        }
        if c != ' ' {
            last = Some(c);
        }
    }
    found
}

/// Words by which a price or a promise could be made up without a digit.
#[rustfmt::skip]
const AMOUNTS: &[&str] = &[
    "mil", "millon", "millones", "peso", "pesos", "luca", "lucas", "luka", "lukas", "palo", "palos",
    "cop", "usd", "dolar", "dolares", "diez", "veinte", "treinta", "cuarenta", "cincuenta", "sesenta",
    "setenta", "ochenta", "noventa", "cien", "ciento", "cientos", "doscientos", "trescientos",
    "quinientos", "mitad", "gratis", "gratuito", "costo", "cortesia", "obsequio", "descuento",
    "rebaja", "regalo", "regalado", "cupon", "bono", "cura", "garantizado", "confirmado",
    "confirmada", "confirme", "aprobado", "autorizado", "pagado", "pagada", "despachado",
    "confirmed", "approved", "paid", "shipped", "hundred", "thousand", "million", "twenty",
    "thirty", "forty", "fifty", "dollar", "dollars", "bucks", "half", "free", "discount", "coupon",
    "guaranteed", "cures",
];

fn amount_words(text: &str) -> Vec<String> {
    let normal = Normalized::new(text);
    let amounts = normal.words().iter().filter(|word| AMOUNTS.contains(&word.text.as_str()));
    amounts.map(|word| word.text.clone()).collect()
}

/// How addresses on the net end, where they are spelt out in words.
const ENDS: [&str; 12] =
    ["com", "co", "net", "org", "io", "ar", "mx", "me", "link", "app", "info", "xyz"];

fn link(text: &str) -> Option<String> {
    let normal = Normalized::new(text);
    let spelt = normal.words().windows(2).find(|pair| {
        ["punto", "dot", "arroba"].contains(&pair[0].text.as_str())
            && ENDS.contains(&pair[1].text.as_str())
    });
    if let Some([_, end]) = spelt {
        return Some(end.text.clone());
    }
    normal.folded().split_whitespace().find(|word| is_link(word)).map(str::to_owned)
}

fn is_link(word: &str) -> bool {
    let marked = ["://", "www.", "@", "]("].iter().any(|mark| word.contains(mark));
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    // Letters right behind a point are a host's, where a sentence has a space.
    let joined = bare.match_indices('.').any(|(at, _)| {
        let end = bare[at + 1..].chars().take_while(|c| c.is_alphabetic()).count();
        let start = bare[..at].chars().rev().take_while(|c| c.is_alphanumeric()).count();
        end >= 2 && (start >= 2 || at == 0)
    });
    marked || joined
}

/// How much of a growing text may be shown: whole sentences that would be allowed.
pub(crate) fn preview(allowed: &Allowed) -> impl Fn(&str) -> Option<String> + Sync + '_ {
    move |text: &str| {
        let end = text.rfind(['.', '!', '?', '\n']).map(|at| at + 1)?;
        // A mark inside a number ends no sentence: what follows must be seen.
        let rest = text[end..].chars().next()?;
        let whole = text[..end].trim();
        (rest.is_whitespace() && allowed.refuses(whole).is_none()).then(|| whole.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_were_given_may_be_said() {
        let allowed =
            Allowed::of(["Vale $77.900 y llega en 2 a 4 días"], ["vivo en la calle 45, gratis"]);
        for fine in ["Claro que sí", "Llega en 2 a 4 días", "Son $77.900.", "La calle 45, listo"]
        {
            assert_eq!(allowed.refuses(fine), None, "{fine}");
        }
        let refused = [
            "Te lo dejo en $50.000",
            "Vale 7.790",
            "Te lo dejo en cincuenta mil",
            "Hoy va gratis",
            "Entra a somnio-pagos.com",
            "Mira https://x.y",
            "Escribe a pagos@somnio.co",
            "Entra a bit.ly/somnio",
            "Entra a somnio .com",
            "Entra a somnio punto com",
            "La página es so\u{200b}mnio.vip",
            "Te queda en $45",
            "Te queda en $ 45",
            "Vale 7\u{200b}5",
            "Vale ٥٠٠٠",
            "Vale １００",
            "Te queda a ½",
            "Te lo dejo en veinte lucas",
            "A mitad de precio",
            "[aquí](algo)",
            "",
            "  ",
        ];
        for text in refused {
            assert!(allowed.refuses(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_preview_shows_whole_sentences_that_are_allowed() {
        let allowed = Allowed::of(["77.900"], []);
        let preview = preview(&allowed);
        assert_eq!(preview("Claro que"), None);
        assert_eq!(preview("Claro que sí. Te"), Some("Claro que sí.".to_owned()));
        assert_eq!(preview("Vale 77."), None, "a number may go on");
        assert_eq!(preview("Vale 50. Y"), None);
    }
}
