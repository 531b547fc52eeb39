//! Which of several products a customer means: by number, by name, by size.

use std::collections::BTreeSet;

use nlu::Normalized;
use nlu::goods::{Relative, Size, Term, hear, sizes, terms};
use rust_decimal::Decimal;

use super::Goods;

/// How people count what they were offered.
const ORDINALS: [&[&str]; 10] = [
    &["1", "uno", "una", "primero", "primera", "primer"],
    &["2", "dos", "segundo", "segunda"],
    &["3", "tres", "tercero", "tercera", "tercer"],
    &["4", "cuatro", "cuarto", "cuarta"],
    &["5", "cinco", "quinto", "quinta"],
    &["6", "seis", "sexto", "sexta"],
    &["7", "siete", "septimo", "septima"],
    &["8", "ocho", "octavo", "octava"],
    &["9", "nueve", "noveno", "novena"],
    &["10", "diez", "decimo", "decima"],
];

/// A message of more words than this does more than choose.
const SHORT: usize = 6;

/// Words that lead to a number and say nothing by themselves.
const AROUND: [&str; 20] = [
    "la", "el", "de", "opcion", "numero", "nro", "dale", "si", "por", "favor", "porfa", "quiero",
    "dame", "poneme", "anotame", "mandame", "mejor", "entonces", "bueno", "ok",
];

/// Words that point at the one thing that was shown.
const POINTING: [&str; 8] = ["esa", "ese", "eso", "esas", "esos", "misma", "mismo", "mismas"];

/// The option that a message chooses, if it chooses one.
pub(super) fn pick(text: &str, options: &[Goods]) -> Option<usize> {
    let normal = Normalized::new(text);
    let words: Vec<&str> = normal.words().iter().map(|word| word.text.as_str()).collect();
    if words.is_empty() {
        return None;
    }
    if let Some(same) = options.iter().position(|option| is_called(option, &normal)) {
        return Some(same);
    }
    if words.len() <= SHORT
        && let Some(place) = by_number(&words, options.len()).or_else(|| by_price(&words, options))
    {
        return Some(place);
    }
    let said = hear(text).asks.into_iter().next();
    let said = said.map_or_else(
        || text.to_owned(),
        |ask| {
            // «la de litro y medio»: what is left of an order without a name is its size.
            if ask.what.is_empty() { text.to_owned() } else { ask.what }
        },
    );
    let place = by_terms(&said, options).or_else(|| by_extreme(&said, options))?;
    names_nothing_else(&said, &options[place]).then_some(place)
}

/// The one of those just shown that a message takes: by its place, price or size, or by pointing at
/// the only one. A bare number says how many, and is no place.
pub(super) fn pick_shown(text: &str, shown: &[Goods]) -> Option<usize> {
    let normal = Normalized::new(text);
    let words: Vec<&str> = normal.words().iter().map(|word| word.text.as_str()).collect();
    let telling = || words.iter().filter(|word| !AROUND.contains(word));
    if words.is_empty() || words.len() > SHORT || shown.is_empty() {
        return None;
    }
    if shown.len() == 1 && telling().count() > 0 && telling().all(|word| POINTING.contains(word)) {
        return Some(0);
    }
    let cardinal =
        |word: &&str| ORDINALS.iter().any(|names| names[..names.len().min(2)].contains(word));
    let counted =
        words.iter().any(cardinal) && !["la", "el", "opcion", "numero"].contains(&words[0]);
    let place = by_number(&words, shown.len()).filter(|_| !counted);
    let place = place.or_else(|| by_price(&words, shown)).or_else(|| by_extreme(text, shown))?;
    let sized = |word: &&&str| !sizes(word).is_empty();
    let only = telling().filter(|word| !sized(word)).count() <= 2;
    only.then_some(place)
}

/// «el más barato», «la más cara»: the one at that end, if one alone is.
fn by_price(words: &[&str], options: &[Goods]) -> Option<usize> {
    let around = |word: &&&str| !AROUND.contains(word) && !["mas", "todas", "todos"].contains(word);
    let telling: Vec<&&str> = words.iter().filter(around).collect();
    let [word] = telling.as_slice() else { return None };
    let prices: Option<Vec<Decimal>> =
        options.iter().map(|goods| goods.price.parse().ok()).collect();
    let prices = prices?;
    let end = match **word {
        "barato" | "barata" | "economico" | "economica" => prices.iter().min()?,
        "caro" | "cara" => prices.iter().max()?,
        _ => return None,
    };
    let mut at_end = prices.iter().enumerate().filter(|(_, price)| *price == end);
    match (at_end.next(), at_end.next()) {
        (Some((place, _)), None) => Some(place),
        _ => None,
    }
}

/// «la grande», «la chica»: the largest and the smallest there are.
fn by_extreme(text: &str, options: &[Goods]) -> Option<usize> {
    let relative = sizes(text).into_iter().find_map(|size| match size {
        Size::Relative(relative) => Some(relative),
        _ => None,
    })?;
    let amount = |goods: &Goods| sizes(&goods.title).into_iter().find_map(|size| size.amount());
    let amounts: Option<Vec<u32>> = options.iter().map(amount).collect();
    let mut order: Vec<(u32, usize)> = amounts?.into_iter().zip(0..).collect();
    order.sort_unstable();
    match relative {
        Relative::Small => order.first(),
        Relative::Medium => order.get(order.len() / 2).filter(|_| order.len() > 2),
        Relative::Large => order.last(),
    }
    .map(|(_, place)| *place)
}

/// Whether all that a text calls goods is in what this one is called.
fn names_nothing_else(text: &str, option: &Goods) -> bool {
    let own = exact(&option.title);
    let words = terms(text).into_iter().filter_map(|term| match term {
        Term::Word(word) => Some(word),
        _ => None,
    });
    words.filter(|word| !AROUND.contains(&word.as_str())).all(|word| own.contains(&word))
}

/// Whether a text is the title of an option, as a button sends it, or its code.
fn is_called(option: &Goods, text: &Normalized<'_>) -> bool {
    Normalized::new(&option.title).plain() == text.plain() || option.sku == text.original().trim()
}

/// «la 2», «la segunda», «el último».
fn by_number(words: &[&str], many: usize) -> Option<usize> {
    let telling: Vec<&&str> = words.iter().filter(|word| !AROUND.contains(word)).collect();
    let [word] = telling.as_slice() else { return None };
    if ["ultimo", "ultima"].contains(word) {
        return many.checked_sub(1);
    }
    ORDINALS.iter().take(many).position(|names| names.contains(*word))
}

/// The lines of a cart that a text means: the one it tells from the others, or else all that have
/// all of it in their names, such as every size of a product.
pub(super) fn meant(text: &str, options: &[Goods]) -> Vec<usize> {
    if let Some(place) = by_extreme_among(text, options).or_else(|| by_terms(text, options)) {
        return vec![place];
    }
    let said = exact(text);
    let whole = |goods: &&Goods| !said.is_empty() && said.is_subset(&exact(&goods.title));
    let alike = options.iter().enumerate().filter(|(_, goods)| whole(goods));
    alike.map(|(place, _)| place).collect()
}

/// «la coca grande»: the largest of those that are called so.
fn by_extreme_among(text: &str, options: &[Goods]) -> Option<usize> {
    let words = terms(text).into_iter().filter(|term| matches!(term, Term::Word(_)));
    let words: BTreeSet<String> = words.map(|term| term.key()).collect();
    let called = |goods: &Goods| words.is_subset(&exact(&goods.title));
    let alike: Vec<usize> = (0..options.len()).filter(|at| called(&options[*at])).collect();
    let goods: Vec<Goods> = alike.iter().map(|at| options[*at].clone()).collect();
    by_extreme(text, &goods).map(|place| alike[place])
}

/// The one option that has more of what was written than any other.
fn by_terms(text: &str, options: &[Goods]) -> Option<usize> {
    let said: BTreeSet<String> = exact(text);
    let scores: Vec<usize> =
        options.iter().map(|option| exact(&option.title).intersection(&said).count()).collect();
    let best = scores.iter().copied().max().filter(|best| *best > 0)?;
    let all_alike = scores.iter().all(|score| *score == best);
    let mut winners = scores.iter().enumerate().filter(|(_, score)| **score == best);
    match (winners.next(), winners.next()) {
        (Some((place, _)), None) if !all_alike || options.len() == 1 => Some(place),
        _ => None,
    }
}

fn exact(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|term| term.key()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goods((title, price): (&str, &str)) -> Goods {
        Goods {
            sku: title.to_lowercase(),
            title: title.to_owned(),
            product: String::new(),
            price: price.to_owned(),
        }
    }

    const SIZES: [(&str, &str); 3] =
        [("Coca-Cola 500 ml", "900"), ("Coca-Cola 1,5 L", "1500.50"), ("Coca-Cola 2,25 L", "2100")];

    #[test]
    fn what_was_shown_is_taken_by_place_price_size_or_pointing_and_not_by_a_bare_number() {
        let sizes = SIZES.map(goods);
        for (text, taken) in [
            ("la segunda", Some(1)),
            ("el primero", Some(0)),
            ("la 2", Some(1)),
            ("dame la grande", Some(2)),
            ("la última porfa", Some(2)),
            ("2", None),
            ("dos", None),
            ("esa", None),
            ("la roja", None),
            ("quiero hacer un pedido", None),
        ] {
            assert_eq!(pick_shown(text, &sizes), taken, "{text}");
        }
        assert_eq!(pick_shown("esa", &sizes[..1]), Some(0));
        assert_eq!(pick_shown("dame esa", &sizes[..1]), Some(0));
        assert_eq!(pick_shown("la primera", &[]), None);
    }

    #[test]
    fn an_option_is_chosen_by_number_name_or_size_and_only_if_one_is_meant() {
        let sizes = SIZES.map(goods);
        for (text, chosen) in [
            ("2", Some(1)),
            ("la 2", Some(1)),
            ("la segunda porfa", Some(1)),
            ("la última", Some(2)),
            ("la de litro y medio", Some(1)),
            ("la de 2.25", Some(2)),
            ("la grande", Some(2)),
            ("la chica", Some(0)),
            ("el más barato", Some(0)),
            ("dame la más cara", Some(2)),
            ("la segunda opción", Some(1)),
            ("mejor una pepsi de litro y medio", None),
            ("Coca-Cola 500 ml", Some(0)),
            ("coca", None),
            ("4", None),
            ("ninguna", None),
            ("¿hasta qué hora abren?", None),
        ] {
            assert_eq!(pick(text, &sizes), chosen, "{text}");
        }
        let brands = [("Yerba Playadito 1 kg", "900"), ("Yerba Taragüí 1 kg", "900")].map(goods);
        assert_eq!(pick("la más barata", &brands), None);
        assert_eq!(pick("playadito", &brands), Some(0));
        assert_eq!(pick("la taragui", &brands), Some(1));
        assert_eq!(pick("la de kilo", &brands), None);
    }
}
