//! Takes a message apart: lines into sentences, sentences into asks and questions.

use std::ops::Range;

use super::amount;
use super::ask::{Act, Ask, Heard, Quantity, Question, Unit};
use super::cue::{Cue, cue};
use super::item::{self, Item, Style};
use super::lexicon::{is_left_out, is_topic, phrase};
use super::question;
use super::size::{self, Place};
use crate::Normalized;
use crate::extract::tokens::{Class, Tokens};

/// No order has more items; what does is something else.
const MOST_ASKS: usize = 50;

/// What a message asks of a cart.
pub fn asks(message: &str) -> Vec<Ask> {
    hear(message).asks
}

/// The goods that a message asks about, as they were written.
pub fn asked_about(message: &str) -> Option<String> {
    hear(message).questions.into_iter().find_map(|question| question.about)
}

/// All that a message asks for and asks about.
pub fn hear(message: &str) -> Heard {
    let mut heard = Heard::default();
    let mut offset = 0;
    for line in message.split_inclusive('\n') {
        let text = Normalized::new(line);
        let tokens = Tokens::written_out(&text);
        Reader::new(&text, &tokens, offset, &mut heard).line();
        offset += line.len();
    }
    heard
}

struct Reader<'m> {
    text: &'m Normalized<'m>,
    tokens: &'m Tokens<'m>,
    /// Where the line begins in the message.
    offset: usize,
    heard: &'m mut Heard,
    style: Style,
    act: Act,
    /// Whether a verb said so; without one, what follows may still take it back: `la fanta no`.
    said: bool,
    /// `mejor` was said: what is put in is all there should be.
    fixed: bool,
    /// What the next item takes the place of.
    instead_of: Option<Item>,
    /// Where the last ask stands, if no verb asked for it.
    named: Option<(usize, usize)>,
    /// The unit of the ask before, which the next may leave out.
    unit: Option<Unit>,
}

impl<'m> Reader<'m> {
    fn new(
        text: &'m Normalized<'m>,
        tokens: &'m Tokens<'m>,
        offset: usize,
        heard: &'m mut Heard,
    ) -> Self {
        let style = style(tokens);
        Self {
            text,
            tokens,
            offset,
            heard,
            style,
            act: Act::Add,
            said: false,
            fixed: false,
            instead_of: None,
            named: None,
            unit: None,
        }
    }

    fn line(&mut self) {
        let mut at = list_mark(self.tokens);
        while at < self.tokens.len() {
            let opened = self.tokens.text(at) == "¿";
            let from = at + usize::from(opened);
            let to = sentence_end(self.tokens, from);
            self.sentence(from, to, opened || self.tokens.text(to) == "?");
            at = if self.tokens.text(to) == "¿" { to } else { to + 1 };
        }
    }

    fn sentence(&mut self, from: usize, to: usize, asked: bool) {
        (self.act, self.said, self.fixed) = (Act::Add, false, false);
        (self.instead_of, self.named) = (None, None);
        let asking = |at: usize| question::starts(self.tokens, at);
        if asked && !(from..to).any(|at| cue(self.tokens.text(at)).is_some() || asking(at)) {
            // `¿fernet?` and `¿delivery?` ask about it; `¿cómo va?` asks nothing.
            let topic = (from..to).any(|at| is_topic(self.tokens.text(at)));
            if topic || question::about(self.tokens, from, to).is_some() {
                self.question(from, to);
            }
            return;
        }
        let mut at = from;
        while at < to && self.heard.asks.len() < MOST_ASKS {
            at = self.next(at, to).max(at + 1);
        }
    }

    /// Takes what stands at an index; the index after it.
    fn next(&mut self, at: usize, to: usize) -> usize {
        let tokens = self.tokens;
        let word = tokens.text(at);
        let wondered = matches!(tokens.before(at), "saber" | "ver" | "consultar" | "consulta");
        if let Some(end) = phrase(tokens, at).filter(|_| !wondered) {
            return end;
        }
        // What is wanted only if something else is not so is for a person to sort out.
        if tokens.follow(at, "si no").is_some() {
            return to;
        }
        if question::starts(tokens, at) {
            let end = question::end(tokens, at, to);
            let from = self.take_back(at).unwrap_or(at);
            self.question(from, end);
            return end;
        }
        if let Some(end) = tokens.follow_any(at, &["en vez de", "en lugar de"]) {
            return self.instead(end, to);
        }
        if let Some(end) = tokens.follow_any(at, &["nada de"]) {
            self.act(Act::Remove);
            return end;
        }
        if let Some(end) = set_phrase(tokens, at) {
            if self.instead_of.is_none() {
                self.act(Act::Set);
                self.fixed = true;
            }
            return end;
        }
        match word {
            "no" => return self.negation(at, to),
            "sin" if !is_left_out(tokens.text(at + 1)) => {
                self.act(Act::Remove);
                return at + 1;
            }
            "todas" | "todos" => return self.spread(at, to),
            "a" if self.said => return self.destination(at, to),
            "que" => return self.clause_end(at, to),
            _ => {}
        }
        match cue(word) {
            Some(cue) => self.verb(cue, at, to),
            None if item::begins(tokens, at) => self.item(at, to),
            None => at + 1,
        }
    }

    fn act(&mut self, act: Act) {
        (self.act, self.said) = (act, true);
    }

    fn verb(&mut self, cue: Cue, at: usize, to: usize) -> usize {
        match cue.act {
            Act::Replace => self.replace(cue, at + 1, to),
            Act::Remove if cue.refers => self.remove_last(at, at + 1, to),
            Act::Add if self.fixed || self.instead_of.is_some() => at + 1,
            act => {
                self.act(act);
                at + 1
            }
        }
    }

    /// `cambiá la pepsi por coca`, `cambiala por coca`, `cambiá la coca a 3`.
    fn replace(&mut self, cue: Cue, at: usize, to: usize) -> usize {
        let old = if cue.refers {
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
    fn instead(&mut self, at: usize, to: usize) -> usize {
        let old = item::read(self.tokens, at, to, self.style);
        let end = old.end;
        let what = self.what(&old);
        match self.heard.asks.last_mut() {
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
    fn negation(&mut self, at: usize, to: usize) -> usize {
        let tokens = self.tokens;
        let clitic = |at: &usize| {
            matches!(tokens.text(*at), "me" | "te" | "le" | "lo" | "la" | "los" | "las" | "nos")
        };
        let verb = (at + 1..to).find(|at| !clitic(at)).unwrap_or(to);
        let word = tokens.text(verb);
        let refused = cue(word).is_some_and(|cue| matches!(cue.act, Act::Add | Act::Set))
            || matches!(word, "va" | "van" | "vayan");
        if refused && verb < to {
            return self.remove_last(at, verb + 1, to);
        }
        let ends = verb >= to && verb == at + 1 || tokens.is(at + 1, Class::Symbol);
        if ends && self.named.is_some_and(|(_, end)| end == at) {
            return self.remove_last(at, at + 1, to);
        }
        let article = matches!(tokens.text(at + 1), "la" | "el" | "los" | "las");
        if article {
            self.act(Act::Remove);
        }
        at + 1
    }

    /// Removes what is named from an index on or, if nothing is, what was named just before.
    fn remove_last(&mut self, before: usize, at: usize, to: usize) -> usize {
        let named = item::read(self.tokens, at, to, self.style);
        if named.is_empty() {
            match self.heard.asks.last_mut() {
                Some(last) if self.named.is_some_and(|(_, end)| end == before) => {
                    last.act = Act::Remove;
                }
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

    /// `todas de 500`: the size of all that was asked for without one.
    fn spread(&mut self, at: usize, to: usize) -> usize {
        let of = at + 1 + usize::from(self.tokens.text(at + 1) == "de");
        let Some((size, end)) = size::read(self.tokens, of, Place::AfterOf) else { return at + 1 };
        let written = self.written(of, end.min(to));
        for ask in self.heard.asks.iter_mut().filter(|ask| ask.size.is_none()) {
            ask.size = Some(size);
            ask.what = format!("{} {written}", ask.what).trim().to_owned();
        }
        end
    }

    /// `mandame 2 cocas a San Martín 450`: where to is no part of the order.
    fn destination(&self, at: usize, to: usize) -> usize {
        let tokens = self.tokens;
        let place = item::read(tokens, at + 1, to, self.style);
        if place.quantity.is_some() || place.words == 0 {
            return at + 1;
        }
        self.clause_end(at, to)
    }

    /// The index where what is said beside the order gives way to more of it.
    fn clause_end(&self, at: usize, to: usize) -> usize {
        let ends = |at: &usize| {
            let word = self.tokens.text(*at);
            self.tokens.is(*at, Class::Symbol) || word == "y" || cue(word).is_some()
        };
        (at + 1..to).find(ends).unwrap_or(to)
    }

    /// `la coca cuánto sale`: what was only named just before is what the question is about. The
    /// index where it begins.
    fn take_back(&mut self, at: usize) -> Option<usize> {
        let (from, end) = self.named.take()?;
        let bare = self.heard.asks.last().is_some_and(|ask| !ask.sure) && end == at;
        bare.then(|| {
            self.heard.asks.pop();
            from
        })
    }

    fn item(&mut self, at: usize, to: usize) -> usize {
        let item = item::read(self.tokens, at, to, self.style);
        let end = item.end;
        // `pasame el alias`
        let topic = (item.start..end).any(|at| is_topic(self.tokens.text(at)));
        if topic && self.said && item.quantity.is_none() {
            self.question(at, end);
        } else if !item.is_empty() && !item.talk {
            self.push(item);
        }
        end
    }

    fn push(&mut self, item: Item) {
        // A sentence without a verb or a number is about something else.
        let talk = !self.said && item.quantity.is_none() && item.words > MOST_BARE_WORDS;
        let span = self.span(item.start, item.end);
        // One sign may be written out as several (`½`), and is then read once.
        let read = self.heard.asks.last().is_some_and(|last| span.start < last.span.end);
        // None of something is no order of it.
        let some = |quantity: &Quantity| !quantity.value.is_zero();
        let none = item.quantity.as_ref().is_some_and(|quantity| !some(quantity));
        if talk || read || none {
            return;
        }
        let old = self.instead_of.take();
        let instead_of = old.as_ref().map(|old| self.what(old));
        let quantity =
            item.quantity.or_else(|| old.as_ref().and_then(|old| old.quantity.filter(some)));
        let quantity = quantity.map(|quantity| match quantity.unit {
            None if item.partitive && item.words > 0 => Quantity { unit: self.unit, ..quantity },
            _ => quantity,
        });
        self.unit = quantity.and_then(|quantity| quantity.unit);
        let what = self.what(&item);
        let act = self.act;
        self.named = (!self.said).then_some((item.start, item.end));
        let sure = self.said || quantity.is_some();
        self.heard.asks.push(Ask { act, quantity, what, size: item.size, instead_of, sure, span });
        if self.act == Act::Replace {
            self.act = Act::Add;
        }
    }

    fn question(&mut self, from: usize, to: usize) {
        let about = question::about(self.tokens, from, to);
        let about = about.map(|(from, to)| self.written(from, to).to_owned());
        let span = self.span(from, to);
        self.heard.questions.push(Question { about, span });
    }

    /// The goods of an item as they were written; nothing where only a size was.
    fn what(&self, item: &Item) -> String {
        match item.what {
            Some((from, to)) if item.words > 0 => self.written(from, to).to_owned(),
            _ => String::new(),
        }
    }

    fn written(&self, from: usize, to: usize) -> &'m str {
        &self.text.original()[self.text.original_span(self.tokens.span(from, to))]
    }

    fn span(&self, from: usize, to: usize) -> Range<usize> {
        let span = self.text.original_span(self.tokens.span(from, to));
        span.start + self.offset..span.end + self.offset
    }
}

/// Names of goods have fewer words.
const MOST_BARE_WORDS: usize = 5;

/// The index after words that say how many there should be in all.
fn set_phrase(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    const PHRASES: &[&str] =
        &["mejor", "que sean", "que sea", "quise decir", "en realidad", "en total", "eran", "era"];
    tokens.follow_any(at, PHRASES)
}

/// `1)`, which numbers the lines of a list.
fn list_mark(tokens: &Tokens<'_>) -> usize {
    if tokens.is(0, Class::Digits) && tokens.text(1) == ")" { 2 } else { 0 }
}

/// The index of what ends the sentence that begins at `from`.
fn sentence_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let ends = |at: &usize| match tokens.text(*at) {
        "?" | "!" | ";" | "¿" | "¡" => true,
        "." => !is_inner_dot(tokens, *at),
        _ => false,
    };
    (from..tokens.len()).find(ends).unwrap_or(tokens.len())
}

/// A decimal mark, or the full stop of a unit.
fn is_inner_dot(tokens: &Tokens<'_>, at: usize) -> bool {
    let decimal = tokens.glued(at) && tokens.glued(at + 1) && tokens.is(at + 1, Class::Digits);
    decimal || matches!(tokens.before(at), "lt" | "lts" | "kg" | "gr" | "grs" | "cc" | "ml" | "u")
}

/// A line that begins with goods and ends with a number has its numbers behind.
fn style(tokens: &Tokens<'_>) -> Style {
    let count = |at: usize| {
        tokens.text(at).parse::<u32>().is_ok_and(|count| count < 100) && !tokens.glued(at)
    };
    let last = tokens.len().checked_sub(1).is_some_and(count);
    let word = tokens.text(0);
    let goods =
        tokens.is(0, Class::Word) && cue(word).is_none() && amount::read(tokens, 0).is_none();
    if goods && last { Style::NumberLast } else { Style::NumberFirst }
}
