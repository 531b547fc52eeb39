//! Ellipsis: the asks of a message that depend on each other, once the shop's goods for each are
//! known.

use rust_decimal::Decimal;

use super::ask::{Ask, Heard};
use super::size::Size;
use super::terms::{Term, terms};

/// The shop's goods for an ask, as far as they tell the meaning of other asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The names of the goods that may be meant.
    pub names: Vec<String>,
    /// Whether only one of the shop's goods can be meant.
    pub one: bool,
    /// Whether one of the goods is called by the words of the ask.
    pub called: bool,
    /// Whether the shop has something else to offer.
    pub alternatives: bool,
}

impl Shown {
    fn is_nothing(&self) -> bool {
        self.names.is_empty()
    }
}

/// The most words of a noun that is tried before another ask.
const MOST_NOUNS: usize = 3;

impl Ask {
    /// Whether the ask may leave out the noun of the ask before: `2 de naranja`, or a number with a
    /// quality and no name, as in `2 enteras`.
    pub fn leans_on(&self, before: &Self, shown: &Shown) -> bool {
        let called = shown.one || shown.called;
        let counted = self.quantity.is_some_and(|quantity| quantity.unit.is_none());
        let leaves_out = self.partitive || counted && !called;
        leaves_out && self.act == before.act && !self.what.is_empty() && !before.what.is_empty()
    }

    /// The ask with the noun of the ask before, by fewer and fewer of its words.
    pub fn with_noun_of(&self, before: &Self) -> impl Iterator<Item = Self> {
        let words: Vec<&str> = before.what.split_whitespace().collect();
        let longest = words.len().saturating_sub(1).clamp(1, MOST_NOUNS).min(words.len());
        (1..=longest).rev().map(move |noun| {
            let what = format!("{} {}", words[..noun].join(" "), self.what);
            Self { what, ..self.clone() }
        })
    }

    /// Whether the ask orders nothing: it only names something, without verb or number, the shop
    /// has nothing like it, and it stands beside another ask or is an address. A single bare word
    /// beside another ask orders nothing even if the catalogue has fuzzy matches for it.
    fn is_talk(&self, shown: &Shown, alone: bool) -> bool {
        let word = !alone && !self.what.contains(' ');
        let unknown = shown.is_nothing() && (word || !shown.alternatives);
        let beside = !alone || matches!(self.size, Some(Size::Bare(_)));
        !self.sure && !self.what.is_empty() && unknown && beside
    }
}

impl Heard {
    /// Whether the message names one thing and says nothing else.
    pub fn is_alone(&self) -> bool {
        self.asks.len() == 1 && self.questions.is_empty() && !self.talk
    }
}

/// Whether each ask of a message is an order, and neither talk nor the total of the asks after it.
pub fn orders(lines: &[(&Ask, &Shown)], alone: bool) -> Vec<bool> {
    let sold = lines.iter().any(|(_, shown)| !shown.is_nothing());
    let listed = |ask: &Ask| ask.listed && sold && !alone;
    let is_order = |at: usize| {
        let (ask, shown) = lines[at];
        let talk = ask.is_talk(shown, alone) && !listed(ask);
        !talk && !is_total(ask, shown, &lines[at + 1..])
    };
    (0..lines.len()).map(is_order).collect()
}

/// Whether the ask is the total of those after it, and so no order besides them: `4 leches, 2
/// enteras y 2 descremadas`.
fn is_total(total: &Ask, shown: &Shown, parts: &[(&Ask, &Shown)]) -> bool {
    let Some(wanted) = total.quantity.filter(|_| !shown.one && !shown.is_nothing()) else {
        return false;
    };
    let kind: Vec<Term> = terms(&total.what);
    let mut sum = Decimal::ZERO;
    let of_kind = |(ask, shown): &&(&Ask, &Shown)| {
        let named = |text: &String| {
            let of = terms(text);
            kind.iter().all(|term| of.contains(term))
        };
        ask.act == total.act && !shown.is_nothing() && shown.names.iter().all(named)
    };
    for (count, (ask, _)) in parts.iter().take_while(of_kind).enumerate() {
        let Some(part) = ask.quantity.filter(|part| part.unit == wanted.unit) else { return false };
        sum = sum.saturating_add(part.value);
        if count > 0 && sum == wanted.value {
            return true;
        }
    }
    false
}
