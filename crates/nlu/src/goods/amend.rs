//! Amendments to goods already named: their number, size or container.

use rust_decimal::Decimal;

use super::ask::{Act, Ask, Quantity, Unit};
use super::item::{self, Item};
use super::lexicon::is_container;
use super::parse::Reader;
use super::size::{self, Context};

/// The most bytes of a name; further words added to it are not names of goods.
const LONGEST_NAME: usize = 200;
/// The most tokens of an aside in brackets.
const LONGEST_ASIDE: usize = 12;
/// The most tokens after `con` in `con dos cocas alcanza`.
const MOST_ENOUGH: usize = 7;

impl Reader<'_> {
    /// The quantity of an item, with the number or the unit that it leaves out.
    pub(super) fn quantity(&self, item: &Item, old: Option<&Item>) -> Option<Quantity> {
        let some = |quantity: &Quantity| !quantity.value.is_zero();
        let quantity = item.quantity.or_else(|| old.and_then(|old| old.quantity.filter(some)))?;
        // In `un cuarto de salame, otro de tybo` the second is as large as the first; one of the
        // unit would be less or more than was said.
        let another = matches!(self.tokens.text(item.start), "otra" | "otro");
        let one = quantity == Quantity::pieces(1) && item.partitive;
        let before = self.heard.asks.last().and_then(|last| last.quantity);
        let before = before.filter(|before| before.unit.is_some() && another && one);
        if let Some(before) =
            before.filter(|before| before.unit == Some(Unit::Gram) || before.value < Decimal::ONE)
        {
            return Some(before);
        }
        Some(match quantity.unit {
            None if item.partitive && item.words > 0 => Quantity { unit: self.unit, ..quantity },
            _ => quantity,
        })
    }

    /// Adds an item without goods to the goods named before it, if those still lack the quantity or
    /// size or are corrected by it: `lentejas 2 paq`, `un ala líquido, el bidón`. Returns whether
    /// it did.
    pub(super) fn adds(&mut self, item: &Item) -> bool {
        let told = self.told > 0 && self.told == self.heard.asks.len();
        if told
            || item.names()
            || self.instead_of.is_some()
            || self.tokens.before(item.start) == "y"
        {
            return false;
        }
        let words = item.what.filter(|_| item.quantity.is_none() || item.size.is_some());
        let words = words.map(|(from, to)| self.written(from, to));
        let end = self.span(item.start, item.end).end;
        // A correction may stand in a sentence of its own.
        let since = if self.fixed { 0 } else { self.first };
        let fixed = self.fixed;
        let Some(last) = self.heard.asks.get_mut(since..).and_then(<[_]>::last_mut) else {
            return false;
        };
        let counted = item.quantity.is_some() && last.quantity.is_some() && !fixed;
        let sized = item.size.is_some() && last.size.is_some();
        // `sacá la coca, la grande` tells which coca; a number would belong to something else.
        let open = is_named(last) && (last.act != Act::Remove || item.quantity.is_none());
        if !open || counted || sized {
            return false;
        }
        if fixed && !last.sure {
            last.act = Act::Set;
        }
        if let Some(words) = words {
            last.what = format!("{} {words}", last.what);
        }
        last.quantity = item.quantity.or(last.quantity);
        last.size = item.size.or(last.size);
        last.sure |= item.quantity.is_some();
        last.span.end = end;
        self.named = None;
        true
    }

    /// `una caja de cada uno`: the quantity of all goods named without a number.
    pub(super) fn each(&mut self, item: &Item) -> Option<usize> {
        let some = item.quantity.is_some_and(|quantity| !quantity.value.is_zero());
        let counts = !item.names() && some;
        let cada = (item.start..=item.end).find(|at| self.tokens.text(*at) == "cada")?;
        if !counts || self.heard.asks.len() == self.first {
            return None;
        }
        for ask in self.heard.asks[self.first..].iter_mut().filter(|ask| ask.quantity.is_none()) {
            (ask.quantity, ask.sure) = (item.quantity, true);
        }
        Some(cada + 2)
    }

    /// `todas de 500`, `todo en lata`: the size of all goods asked for without one, or the
    /// container of all of them.
    pub(super) fn spread(&mut self, at: usize, to: usize) -> usize {
        let of = at + 1 + usize::from(matches!(self.tokens.text(at + 1), "de" | "en"));
        if is_container(self.tokens.text(of)) && of < to {
            let written = self.written(of, of + 1);
            for ask in self.heard.asks[self.first..].iter_mut().filter(|ask| is_named(ask)) {
                ask.what = format!("{} {written}", ask.what);
            }
            return of + 1;
        }
        let Some((size, end)) = size::read(self.tokens, of, Context::AfterOf) else {
            return at + 1;
        };
        let written = self.written(of, end.min(to));
        for ask in self.heard.asks.iter_mut().filter(|ask| ask.size.is_none()) {
            ask.size = Some(size);
            ask.what = format!("{} {written}", ask.what).trim().to_owned();
        }
        end
    }

    /// `aceite (natura, el de 900)`: the variant, in brackets behind the goods.
    pub(super) fn aside(&mut self, at: usize, to: usize) -> usize {
        let close = (at + 1..to.min(at + LONGEST_ASIDE)).find(|at| self.tokens.text(*at) == ")");
        let Some(close) = close else { return at + 1 };
        let first = item::read(self.tokens, at + 1, close, self.style);
        // `yerba (playadito o rosamonte)` leaves the variant open.
        if (at..close).any(|at| self.tokens.text(at) == "o") {
            return close + 1;
        }
        let tells = first.start == at + 1 && first.quantity.is_none() && !first.is_empty();
        let start = self.span(at, close).start;
        let words = self.written(at + 1, close);
        let (tokens, end) = (self.tokens, self.span(at, close + 1).end);
        let last = self.heard.asks.get_mut(self.first..).and_then(<[_]>::last_mut);
        match last.filter(|last| tells && start <= last.span.end + 1 && is_named(last)) {
            Some(last) => {
                last.what = format!("{} {words}", last.what);
                let size = |at: usize| size::read(tokens, at, Context::AfterOf);
                last.size = last.size.or_else(|| (at..close).find_map(size).map(|(size, _)| size));
                last.span.end = end;
                close + 1
            }
            None => at + 1,
        }
    }

    /// `con 1 alcanza`, `con dos cocas alcanza`
    pub(super) fn enough(&mut self, at: usize) -> Option<usize> {
        if self.tokens.text(at) != "con" {
            return None;
        }
        let enough = |at: &usize| {
            matches!(self.tokens.text(*at), "alcanza" | "alcanzan" | "basta" | "bastan" | "sobra")
        };
        let end = (at + 2..at + MOST_ENOUGH).find(enough)?;
        let item = item::read(self.tokens, at + 1, end, self.style);
        if item.quantity.is_none() || item.end != end {
            return None;
        }
        self.act(Act::Set);
        self.fixed = true;
        self.push(item);
        Some(end + 1)
    }
}

/// Whether an ask names goods that more words may be added to.
fn is_named(ask: &Ask) -> bool {
    !ask.what.is_empty() && ask.what.len() <= LONGEST_NAME
}
