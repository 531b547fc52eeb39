//! Changes of mind: goods taken out, put in the place of others, or not wanted after all.

use super::amount;
use super::ask::Act;
use super::item::{self, Item};
use super::parse::Reader;
use super::verbs::{OrderVerb, order_verb};
use crate::extract::tokens::Class;

impl Reader<'_> {
    /// `cambiá la pepsi por coca`, `cambiala por coca`, `cambiá la coca a 3`.
    pub(super) fn replace(&mut self, verb: OrderVerb, at: usize, to: usize) -> usize {
        let old = if verb.refers {
            Item { start: at, end: at, ..Item::default() }
        } else {
            item::read(self.tokens, at, to, self.style)
        };
        let by = old.end;
        match self.tokens.text(by) {
            "por" | "x" if by < to => {
                self.act(Act::Replace);
                self.instead_of = Some(old);
                by + 1
            }
            "a" if amount::read(self.tokens, by + 1).is_some() => {
                let count = item::read(self.tokens, by + 1, to, self.style);
                let end = count.end;
                self.act(Act::Set);
                self.push(Item { quantity: count.quantity, end, ..old });
                end
            }
            _ => by,
        }
    }

    /// `en vez de pepsi poné coca`, `poné coca en vez de pepsi`.
    pub(super) fn instead(&mut self, at: usize, to: usize) -> usize {
        let old = item::read(self.tokens, at, to, self.style);
        let end = old.end;
        let what = self.what(&old);
        // `6 en vez de 4`
        let count = old.words == 0 && old.size.is_none() && old.quantity.is_some();
        match self.heard.asks.last_mut() {
            Some(last) if count && last.quantity.is_some() => last.act = Act::Set,
            Some(last) if self.act == Act::Add && self.said => {
                (last.act, last.instead_of) = (Act::Replace, Some(what));
            }
            _ => {
                self.act(Act::Replace);
                self.instead_of = Some(old);
            }
        }
        end
    }

    /// `no quiero la fanta`, `la fanta no`, `la fanta no la quiero`.
    pub(super) fn negation(&mut self, at: usize, to: usize) -> usize {
        let tokens = self.tokens;
        // `una fanta, no, mejor una sprite`
        let comma = usize::from(tokens.text(at + 1) == ",");
        if matches!(tokens.text(at + 1 + comma), "mejor" | "perdon") {
            self.instead_of_last = self.heard.asks.len() > self.first;
            return at + 1 + comma;
        }
        let clitic = |at: &usize| {
            matches!(tokens.text(*at), "me" | "te" | "le" | "lo" | "la" | "los" | "las" | "nos")
        };
        let verb = (at + 1..to).find(|at| !clitic(at)).unwrap_or(to);
        let word = tokens.text(verb);
        let refused = order_verb(word).is_some_and(|verb| matches!(verb.act, Act::Add | Act::Set))
            || matches!(word, "va" | "van" | "vayan");
        // `el vívere no lo mandes`
        let refers = matches!(tokens.before(verb), "lo" | "la" | "los" | "las");
        if refused && refers && self.named.is_some_and(|(_, end)| end == at) {
            return self.remove_last(at, verb + 1, verb + 1);
        }
        if refused && verb < to {
            return self.remove_last(at, verb + 1, to);
        }
        let ends = verb >= to && verb == at + 1 || tokens.is(at + 1, Class::Symbol);
        if ends && self.named.is_some_and(|(_, end)| end == at) {
            return self.remove_last(at, at + 1, to);
        }
        // `no me la contés`, `no te olvides de la coca`
        if matches!(tokens.text(at + 1), "me" | "te" | "se" | "nos") && tokens.is(verb, Class::Word)
        {
            self.heard.talk = true;
            return verb + 1;
        }
        let article = matches!(tokens.text(at + 1), "la" | "el" | "los" | "las");
        if article {
            self.act(Act::Remove);
        }
        at + 1
    }

    /// Removes the goods named from an index on or, if there are none, those named just before.
    pub(super) fn remove_last(&mut self, before: usize, at: usize, to: usize) -> usize {
        let named = item::read(self.tokens, at, to, self.style);
        let since_first = self.heard.asks.len() > self.first;
        if named.is_empty() {
            match self.heard.asks.last_mut() {
                Some(last) if self.named.is_some_and(|(_, end)| end == before) => {
                    last.act = Act::Remove;
                }
                // `el pan no, tachalo` removes the bread once.
                Some(last) if last.act == Act::Remove && since_first => {}
                _ => {
                    self.act(Act::Remove);
                    self.push(Item { start: before, end: at, ..Item::default() });
                }
            }
        }
        self.act(Act::Remove);
        self.named = None;
        at
    }
}
