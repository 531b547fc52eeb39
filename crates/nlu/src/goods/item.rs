//! An item of an order: quantity, goods and size.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::amount;
use super::ask::{Quantity, Unit};
use super::chatter;
use super::lexicon::{WordRole, is_container, is_left_out, is_plain, numbered_name, role};
use super::phrase::phrase;
use super::question;
use super::size::{self, Context, Size};
use super::verbs::order_verb;
use crate::extract::tokens::{Class, Tokens};

/// An item, parsed from the words between two indexes.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quantity: Option<Quantity>,
    /// Whether a number stands before `de` with its unit left out: `2 kilos de papa y uno de
    /// cebolla`.
    pub(super) partitive: bool,
    /// The tokens that name the goods, with their size.
    pub(super) what: Option<(usize, usize)>,
    pub(super) words: usize,
    /// How many of the words name only a container.
    pub(super) containers: usize,
    pub(super) size: Option<Size>,
    /// Whether the words speak of something that is not ordered.
    pub(super) talk: bool,
}

impl Item {
    /// Whether the item says nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.words == 0 && self.size.is_none() && self.quantity.is_none()
    }

    /// Whether goods are named, and not only their container.
    pub(super) fn names(&self) -> bool {
        self.words > self.containers
    }

    fn take(&mut self, from: usize, to: usize) {
        let start = self.what.map_or(from, |(start, _)| start);
        self.what = Some((start, to));
    }
}

/// The order of goods and numbers in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `2 coca 1 fanta`
    NumberFirst,
    /// `coca 2 fanta 1`
    NumberLast,
}

/// The most small words before an item; beyond them parsing starts at the first word.
const MOST_FILLERS: usize = 8;

/// Parses the item at an index, up to `to` at the most.
pub(super) fn read(tokens: &Tokens<'_>, at: usize, to: usize, style: Style) -> Item {
    let filler = |at: &usize| tokens.is(*at, Class::Word) && !begins(tokens, *at);
    let at = (at..to.min(at + MOST_FILLERS)).find(|at| !filler(at)).unwrap_or(at);
    let (quantity, start) = leading(tokens, at);
    let partitive = quantity.is_some()
        && matches!(tokens.text(start), "de" | "d")
        && !matches!(tokens.before(start), "docena" | "docenas" | "par");
    let mut item = Item { start: at, end: start.min(to), quantity, partitive, ..Item::default() };
    if let Some((size, end)) =
        boxes(tokens, start).filter(|(_, end)| quantity.is_some() && *end < to)
    {
        (item.size, item.end) = (Some(size), end);
    }
    while item.end < to {
        match step(tokens, &item, to, style) {
            Step::Stop => break,
            Step::Skip(end) => item.end = end,
            Step::Word(end) => {
                item.take(item.end, end);
                item.words += 1;
                item.containers += usize::from(is_container(tokens.text(end - 1)));
                item.end = end;
            }
            Step::Size(size, end) => {
                item.take(item.end, end);
                item.size = item.size.or(Some(size));
                item.end = end;
            }
            Step::Packed(size, end) => (item.size, item.end) = (item.size.or(Some(size)), end),
            Step::Quantity(quantity, end) => {
                item.quantity = Some(quantity);
                item.end = end;
                break;
            }
            Step::Talk(end) => {
                item.talk = true;
                item.end = end;
            }
        }
    }
    item.end = item.end.min(to);
    item
}

/// `cajas de 12` before goods: the number is the size of the box.
fn boxes(tokens: &Tokens<'_>, at: usize) -> Option<(Size, usize)> {
    let count = tokens.text(at + 2).parse().ok().filter(|count| (2..100).contains(count))?;
    let of = is_container(tokens.text(at)) && tokens.text(at + 1) == "de";
    let goods = tokens.is(at + 3, Class::Word)
        && size::measured(tokens, at + 2).is_none()
        && numbered_name(tokens, at + 2).is_none();
    (of && goods).then_some((Size::Units(count), at + 3))
}

/// `paquete de salchichas de 6`: the number is the size of the packet, while for a bottle it would
/// be litres.
fn packed(tokens: &Tokens<'_>, item: &Item, at: usize) -> Option<(Size, usize)> {
    let count = tokens.text(at + 1).parse().ok().filter(|count| (2..100).contains(count))?;
    let of = matches!(tokens.text(at), "de" | "d" | "x");
    let (from, _) = item.what.filter(|_| of && item.names())?;
    let packet = matches!(tokens.text(from), "caja" | "cajas" | "paq" | "paquete" | "paquetes");
    let end = at + 2 + usize::from(size::is_piece(tokens.text(at + 2)));
    let ends = !tokens.is(end, Class::Word) || role(tokens.text(end)) == Some(WordRole::Joint);
    (packet && ends && !chatter::is_mark(tokens, end)).then_some((Size::Units(count), end))
}

enum Step {
    Stop,
    Skip(usize),
    Word(usize),
    Size(Size, usize),
    /// The size of a packet, whose number is not part of the goods' name.
    Packed(Size, usize),
    /// A quantity said after the goods.
    Quantity(Quantity, usize),
    Talk(usize),
}

fn step(tokens: &Tokens<'_>, item: &Item, to: usize, style: Style) -> Step {
    let at = item.end;
    if let Some((_, end)) = numbered_name(tokens, at) {
        return Step::Word(end);
    }
    if tokens.is(at, Class::Symbol) {
        return symbol(tokens, item, at);
    }
    if phrase(tokens, at).is_some() || ends_an_item(tokens, at) {
        return Step::Stop;
    }
    // Numbers of an address, a time or a payment count nothing.
    if item.talk {
        return Step::Skip(at + 1);
    }
    if let Some((count, end)) = times(tokens, at) {
        return match item.quantity {
            None => Step::Quantity(Quantity::pieces(count), end),
            Some(_) => Step::Skip(end),
        };
    }
    if let Some((size, end)) = packed(tokens, item, at) {
        return Step::Packed(size, end);
    }
    if let Some((size, end)) = size_at(tokens, item, at) {
        return Step::Size(size, end);
    }
    let amount = amount::dozens(tokens, at).or_else(|| amount::read(tokens, at));
    // `coca cero`, `harina 000`
    if let Some(amount) = amount.filter(|amount| !amount.value.is_zero()) {
        return number(tokens, item, amount.value, amount.end.min(to), to, style);
    }
    word(tokens, item, at)
}

fn symbol(tokens: &Tokens<'_>, item: &Item, at: usize) -> Step {
    let counted = tokens.text(at + 1).parse::<u32>().ok().filter(|_| tokens.text(at + 2) == ")");
    match (tokens.text(at), counted) {
        ("(", Some(count @ 1..1000)) if item.quantity.is_none() && item.words > 0 => {
            Step::Quantity(Quantity::pieces(count), at + 3)
        }
        _ if item.talk && chatter::is_mark(tokens, at) => Step::Skip(at + 1),
        // The sign joins a name of two parts, or is the full stop of a unit.
        ("-" | "'" | "." | "&", _) if item.words > 0 && tokens.glued(at) => Step::Skip(at + 1),
        _ => Step::Stop,
    }
}

/// Words after which something else begins.
fn ends_an_item(tokens: &Tokens<'_>, at: usize) -> bool {
    let next = tokens.text(at + 1);
    match tokens.text(at) {
        "y" | "e" | "no" | "que" | "si" | "a" | "tambien" | "ademas" | "pero" | "mejor" => true,
        "por" => size::read(tokens, at + 1, Context::Order).is_none(),
        "sin" => !is_left_out(next),
        "en" => matches!(next, "vez" | "lugar" | "total" | "realidad"),
        "mas" => amount::read(tokens, at + 1).is_some(),
        "todas" | "todos" => matches!(next, "de" | "las" | "los"),
        "pal" => true,
        "para" | "pa" => {
            tokens.is(at + 1, Class::Digits)
                || matches!(role(next), Some(WordRole::Filler | WordRole::Talk | WordRole::Pronoun))
                || order_verb(next).is_some()
        }
        word => order_verb(word).is_some() || question::starts(tokens, at),
    }
}

/// `x2`, `x 3`: a quantity, unless the number is a size.
fn times(tokens: &Tokens<'_>, at: usize) -> Option<(u32, usize)> {
    let count = tokens.text(at + 1).parse().ok().filter(|count| (1..100).contains(count))?;
    let sized = size::read(tokens, at + 1, Context::Order).is_some();
    let end = at + 2 + usize::from(is_container(tokens.text(at + 2)));
    (tokens.text(at) == "x" && !sized).then_some((count, end))
}

/// A size among the words of an item, with the `de` or `x` before it.
fn size_at(tokens: &Tokens<'_>, item: &Item, at: usize) -> Option<(Size, usize)> {
    let (start, place) = match tokens.text(at) {
        "de" | "del" | "d" => (after_articles(tokens, at + 1), Context::AfterOf),
        "x" | "por" => (at + 1, Context::Order),
        // `rosamonte medio`
        "medio" | "media" if item.words > 0 => (at, Context::AfterOf),
        _ => (at, Context::Order),
    };
    // In `papa un kilo de cebolla` the measure belongs to the next goods.
    let of_next = |end: usize| {
        item.words > 0
            && start == at
            && tokens.text(end) == "de"
            && size::measured(tokens, start).is_some()
            && tokens.is(end + 1, Class::Word)
    };
    size::read(tokens, start, place).filter(|(_, end)| !of_next(*end))
}

fn after_articles(tokens: &Tokens<'_>, at: usize) -> usize {
    at + usize::from(matches!(tokens.text(at), "a" | "la" | "las" | "el" | "los"))
}

/// A number among the words of an item: its quantity, or the beginning of the next item.
fn number(
    tokens: &Tokens<'_>,
    item: &Item,
    value: Decimal,
    end: usize,
    to: usize,
    style: Style,
) -> Step {
    if item.quantity.is_some() || item.words == 0 || !is_count(value) {
        return Step::Stop;
    }
    let piece = is_container(tokens.text(end)) || size::is_piece(tokens.text(end));
    let after = end + usize::from(piece && end < to);
    let last = after >= to
        || tokens.is(after, Class::Symbol)
        || matches!(tokens.text(after), "y" | "por" | "mas")
        || phrase(tokens, after).is_some();
    if last || style == Style::NumberLast {
        Step::Quantity(Quantity::pieces(value), after)
    } else {
        Step::Stop
    }
}

fn is_count(value: Decimal) -> bool {
    value.is_integer() && value.to_u32().is_some_and(|count| (1..1000).contains(&count))
}

fn word(tokens: &Tokens<'_>, item: &Item, at: usize) -> Step {
    let word = tokens.text(at);
    if word == "sin" {
        return Step::Word(at + 2);
    }
    if is_tea(tokens, at) {
        return Step::Word(at + 1);
    }
    match role(word) {
        // `común` behind a noun is part of the name, because some goods have other kinds too:
        // `harina común`.
        Some(WordRole::Filler) if item.words > 0 && is_plain(word) => Step::Word(at + 1),
        Some(WordRole::Filler) => Step::Skip(at + 1),
        // `una coca otra fanta`
        Some(WordRole::Pronoun) if item.words > 0 => Step::Stop,
        Some(WordRole::Pronoun) => Step::Skip(at + 1),
        // `2 cocas pago con tarjeta`
        Some(WordRole::Talk) if item.words > 0 => Step::Stop,
        // `una paso de los toros`
        Some(WordRole::Talk) if item.quantity.is_some() && is_first_person(word) => {
            Step::Word(at + 1)
        }
        Some(WordRole::Talk) => Step::Talk(at + 1),
        Some(WordRole::Joint) => Step::Stop,
        None => Step::Word(at + 1),
    }
}

/// Verbs of the first person, which after a number can only be a name.
fn is_first_person(word: &str) -> bool {
    matches!(word, "paso" | "espero" | "llego" | "llamo" | "vivo")
}

/// Whether an item may begin here: with a number, or with a word that names something.
pub(super) fn begins(tokens: &Tokens<'_>, at: usize) -> bool {
    role(tokens.text(at)) != Some(WordRole::Filler)
        || is_tea(tokens, at)
        || leading(tokens, at).0.is_some()
        || size_at(tokens, &Item::default(), at).is_some()
}

/// Whether `te` is tea (`té`) and not the pronoun: no verb follows that `te` could belong to.
pub(super) fn is_tea(tokens: &Tokens<'_>, at: usize) -> bool {
    let next = tokens.text(at + 1);
    let alone = !tokens.is(at + 1, Class::Word)
        || matches!(
            next,
            "boldo" | "de" | "en" | "manzanilla" | "negro" | "tilo" | "verde" | "x" | "y"
        );
    tokens.text(at) == "te" && alone
}

/// The quantity before the goods, and the index after it.
fn leading(tokens: &Tokens<'_>, at: usize) -> (Option<Quantity>, usize) {
    if numbered_name(tokens, at).is_some() {
        return (None, at);
    }
    if matches!(tokens.text(at), "otra" | "otro" | "otras" | "otros") {
        let one = tokens.text(at).ends_with(['a', 'o']).then(|| Quantity::pieces(1));
        let (more, end) = number_of(tokens, at + 1);
        return (more.or(one), end);
    }
    let times = tokens.text(at) == "x" && tokens.is(at + 1, Class::Digits);
    number_of(tokens, at + usize::from(times))
}

fn number_of(tokens: &Tokens<'_>, at: usize) -> (Option<Quantity>, usize) {
    let some = |value: &Decimal| !value.is_zero();
    if let Some(dozens) = amount::dozens(tokens, at).filter(|dozens| some(&dozens.value)) {
        return (Some(Quantity::pieces(dozens.value)), dozens.end);
    }
    let measured = size::measured(tokens, at).filter(|(value, ..)| some(value));
    if let Some((value, unit, end)) = measured {
        return (Some(Quantity { value, unit: Some(unit) }), end);
    }
    counted(tokens, at).map_or((None, at), |(quantity, end)| (Some(quantity), end))
}

/// Numbers that are a bottle's or a packet's size rather than a quantity.
const SIZES: [u32; 14] =
    [237, 354, 473, 500, 600, 710, 750, 1000, 1250, 1500, 1750, 2000, 2250, 2500];

fn counted(tokens: &Tokens<'_>, at: usize) -> Option<(Quantity, usize)> {
    let amount = amount::read(tokens, at)?;
    let end = amount.end;
    let weighed = |unit| Some((Quantity { value: amount.value, unit: Some(unit) }, end));
    let of = tokens.text(end) == "de" && size::read(tokens, end + 1, Context::AfterOf).is_none();
    if amount.fraction || amount.decimal {
        // `cuarto de jamón` and `1,5 de papa` are kilos; a half without `de` is a half of a piece:
        // `medio pollo`.
        return match (of, amount.fraction) {
            (true, _) => weighed(Unit::Kilogram),
            (false, true) => Some((Quantity::pieces(amount.value), end)),
            (false, false) => None,
        };
    }
    let count = amount.value.to_u32()?;
    if count >= 50 && of {
        return weighed(Unit::Gram);
    }
    if SIZES.contains(&count) && tokens.is(at, Class::Digits) {
        return None;
    }
    let end = end + usize::from(is_piece_mark(tokens, end));
    Some((Quantity::pieces(count), end + usize::from(tokens.text(end) == "x")))
}

fn is_piece_mark(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.text(at), "u" | "uni" | "unid" | "unidad" | "unidades")
}
