//! What the asks of one message say of each other, once it is known what the shop has for each.

use rust_decimal::Decimal;

use super::ask::{Ask, Heard};
use super::size::Size;
use super::terms::{Term, terms};

/// What a shop has for an ask, as far as that tells what others mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// What may be meant.
    pub names: Vec<String>,
    /// It can only be one thing.
    pub one: bool,
    /// One of them is called by what was said.
    pub called: bool,
    /// There is something else to offer.
    pub alternatives: bool,
}

impl Shown {
    fn is_nothing(&self) -> bool {
        self.names.is_empty()
    }
}

/// Nouns are tried with so many of their words at the most.
const MOST_NOUNS: usize = 3;

impl Ask {
    /// Whether it may leave out the noun of the one before: it says `2 de naranja`, or what goods
    /// are and not what they are called, as `2 enteras` does.
    pub fn leans_on(&self, before: &Self, shown: &Shown) -> bool {
        let called = shown.one || shown.called;
        let counted = self.quantity.is_some_and(|quantity| quantity.unit.is_none());
        let leaves_out = self.partitive || counted && !called;
        leaves_out && self.act == before.act && !self.what.is_empty() && !before.what.is_empty()
    }

    /// It with the noun of the one before, by fewer and fewer of its words.
    pub fn with_noun_of(&self, before: &Self) -> impl Iterator<Item = Self> {
        let words: Vec<&str> = before.what.split_whitespace().collect();
        let longest = words.len().saturating_sub(1).clamp(1, MOST_NOUNS).min(words.len());
        (1..=longest).rev().map(move |noun| {
            let what = format!("{} {}", words[..noun].join(" "), self.what);
            Self { what, ..self.clone() }
        })
    }

    /// Whether nothing was ordered by it: it is only named, by no verb and no number, the shop has
    /// nothing like it, and it stands beside something else or is an address. One word beside
    /// something else is no goods either if it is only like some.
    fn is_talk(&self, shown: &Shown, alone: bool) -> bool {
        let word = !alone && !self.what.contains(' ');
        let unknown = shown.is_nothing() && (word || !shown.alternatives);
        let beside = !alone || matches!(self.size, Some(Size::Bare(_)));
        !self.sure && !self.what.is_empty() && unknown && beside
    }
}

impl Heard {
    /// Whether one thing is named and nothing else is said.
    pub fn is_alone(&self) -> bool {
        self.asks.len() == 1 && self.questions.is_empty() && !self.talk
    }
}

/// Which of a message's asks are orders: neither talk nor the number of all beside its parts.
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

/// `4 leches, 2 enteras y 2 descremadas`: the number of all is no order besides its parts.
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
