//! Parses a message: lines into sentences, sentences into asks and questions.

use std::ops::Range;

use super::amount;
use super::ask::{Act, Ask, Heard, Question, Unit};
use super::chatter;
use super::item::{self, Item, Style};
use super::lexicon::{is_left_out, is_topic};
use super::phrase::{is_greeting, phrase};
use super::question;
use super::verbs::{OrderVerb, order_verb};
use crate::Normalized;
use crate::extract::tokens::{Class, Tokens};

/// The most items of an order; a message with more is something else.
const MOST_ASKS: usize = 50;

/// The asks of a message.
pub fn asks(message: &str) -> Vec<Ask> {
    hear(message).asks
}

/// The goods that a message asks about, as they were written.
pub fn asked_about(message: &str) -> Option<String> {
    hear(message).questions.into_iter().find_map(|question| question.about)
}

/// Parses a message into everything it asks for and asks about.
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

pub(super) struct Reader<'m> {
    pub(super) text: &'m Normalized<'m>,
    pub(super) tokens: &'m Tokens<'m>,
    /// Where the line begins in the message.
    pub(super) offset: usize,
    pub(super) heard: &'m mut Heard,
    pub(super) style: Style,
    pub(super) act: Act,
    /// Whether a verb asked for the next item; without one, the words after the item may still take
    /// it back: `la fanta no`.
    pub(super) said: bool,
    /// Whether `mejor` or the like was said: the number that follows is the final one.
    pub(super) fixed: bool,
    /// The goods that the next item replaces.
    pub(super) instead_of: Option<Item>,
    /// Whether the next goods named replace those of the ask before.
    pub(super) instead_of_last: bool,
    /// The number of asks before this sentence.
    pub(super) first: usize,
    /// The number of asks at the last one that tells of an act, as `nos comen los mosquitos` does.
    pub(super) told: usize,
    /// The place of the last ask, if no verb asked for it.
    pub(super) named: Option<(usize, usize)>,
    /// The unit of the ask before, which the next may leave out.
    pub(super) unit: Option<Unit>,
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
            instead_of_last: false,
            first: 0,
            told: 0,
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
        (self.instead_of, self.named, self.instead_of_last) = (None, None, false);
        self.first = self.heard.asks.len();
        let arrived = asked && chatter::is_arrival(self.tokens, from);
        if !arrived && chatter::is_report(self.tokens, from, to)
            || chatter::is_proviso(self.tokens, from, to)
        {
            self.heard.talk = true;
            return;
        }
        if asked && chatter::is_supposed(self.tokens, from) {
            self.heard.questions.push(Question { about: None, span: self.span(from, to) });
            return;
        }
        let asking = |at: usize| question::starts(self.tokens, at);
        if asked && !(from..to).any(|at| order_verb(self.tokens.text(at)).is_some() || asking(at)) {
            if let Some(comma) = question::told_after(self.tokens, from, to) {
                self.sentence(from, comma, false);
                return self.question(comma + 1, to);
            }
            // `¿fernet?` and `¿delivery?` ask about their noun; `¿cómo va?` asks nothing.
            let topic = (from..to).any(|at| is_topic(self.tokens.text(at)));
            let greeting = (from..to).any(|at| is_greeting(self.tokens, at));
            let told = question::tells(self.tokens, from, to);
            if topic || told || !greeting && question::about(self.tokens, from, to).is_some() {
                self.question(from, to);
            }
            return;
        }
        let mut at = from;
        while at < to && self.heard.asks.len() < MOST_ASKS {
            at = self.next(at, to).max(at + 1);
        }
    }

    /// Parses the words at an index, and returns the index after them.
    fn next(&mut self, at: usize, to: usize) -> usize {
        let tokens = self.tokens;
        let word = tokens.text(at);
        let wondered = matches!(tokens.before(at), "saber" | "ver" | "consultar" | "consulta");
        if let Some(end) = phrase(tokens, at).filter(|_| !wondered) {
            return end;
        }
        // A wish that depends on something else is for a person to sort out.
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
        if let Some(end) = self.beside(at, to).or_else(|| self.enough(at)) {
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
            "sin" if chatter::is_lack(tokens, at) => return self.clause_end(at, to),
            "sin" if !is_left_out(tokens.text(at + 1)) => {
                self.act(Act::Remove);
                return at + 1;
            }
            "todas" | "todos" | "todo" => return self.spread(at, to),
            "a" if self.said => return self.destination(at, to),
            "para" | "pa" | "pal" => return self.purpose(at, to),
            "hacer" if self.makes_something(at) => return self.clause_end(at, to),
            "(" => return self.aside(at, to),
            // `2 aceites… perdón, uno solo`
            "perdon" => {
                self.fixed |= !self.heard.asks.is_empty();
                return at + 1;
            }
            "que" => return self.that(at, to),
            _ => {}
        }
        match order_verb(word) {
            Some(verb) => self.verb(verb, at, to),
            None if item::begins(tokens, at) => self.item(at, to),
            None => at + 1,
        }
    }

    pub(super) fn act(&mut self, act: Act) {
        (self.act, self.said) = (act, true);
    }

    fn verb(&mut self, verb: OrderVerb, at: usize, to: usize) -> usize {
        match verb.act {
            Act::Replace => self.replace(verb, at + 1, to),
            Act::Remove if verb.refers => self.remove_last(at, at + 1, to),
            Act::Add if self.fixed || self.instead_of.is_some() => at + 1,
            act => {
                self.act(act);
                at + 1
            }
        }
    }

    /// Takes back a bare name just before the index, because the question is about it: `la coca
    /// cuánto sale`. Returns the index where the name begins.
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
        if let Some(end) = self.each(&item) {
            return end;
        }
        // `pasame el alias`
        let topic = (item.start..end).any(|at| is_topic(self.tokens.text(at)));
        let deed = item.quantity.is_none() && chatter::is_deed(self.tokens, item.start);
        if topic && self.said && !deed && item.quantity.is_none() {
            self.question(at, end);
        } else if item.talk {
            self.heard.talk = true;
            // `el envío a Las Heras 2200`
            if self.tokens.text(end) == "a" && phrase(self.tokens, end).is_none() {
                return self.destination(end, to);
            }
        } else if deed {
            self.heard.talk = true;
            let said = std::mem::take(&mut self.said);
            self.push(item);
            (self.said, self.told) = (said, self.heard.asks.len());
        } else if !item.is_empty() {
            self.push(item);
        }
        end
    }

    pub(super) fn push(&mut self, item: Item) {
        // A long sentence without a verb or a number is about something else.
        let talk = !self.said && item.quantity.is_none() && item.words > MOST_BARE_WORDS;
        let span = self.span(item.start, item.end);
        // A single sign may be written out as several (`½`), and is then parsed once.
        let read = self.heard.asks.last().is_some_and(|last| span.start < last.span.end);
        // Zero of something is no order of it.
        let none = item.quantity.is_some_and(|quantity| quantity.value.is_zero());
        if talk || read || none || self.adds(&item) {
            return;
        }
        let old = self.instead_of.take();
        let instead_of = old.as_ref().map(|old| self.what(old));
        let quantity = self.quantity(&item, old.as_ref());
        self.unit = quantity.and_then(|quantity| quantity.unit);
        let what = self.name(&item);
        let act = match std::mem::take(&mut self.instead_of_last) && item.names() {
            true => self.heard.asks.pop().map_or(self.act, |last| last.act),
            false => self.act,
        };
        self.named = (!self.said).then_some((item.start, item.end));
        self.heard.asks.push(Ask {
            act,
            quantity,
            what,
            size: item.size,
            instead_of,
            sure: self.said || quantity.is_some(),
            listed: self.is_listed(&item),
            partitive: item.partitive && quantity.is_some_and(|quantity| quantity.unit.is_none()),
            span,
        });
        if self.act == Act::Replace {
            self.act = Act::Add;
        }
    }

    /// The goods of an item as they were written, or those just asked about: `¿te queda hielo?
    /// necesito dos bolsas`.
    fn name(&self, item: &Item) -> String {
        let what = self.what(item);
        let asked = self.heard.questions.last().and_then(|question| question.about.as_ref());
        match asked.filter(|_| item.containers > 0 && !item.names()) {
            Some(about) => format!("{what} {about}"),
            None => what,
        }
    }

    /// Whether an item stands by itself between the marks of a list, as goods and not as a name.
    fn is_listed(&self, item: &Item) -> bool {
        let tokens = self.tokens;
        let article = matches!(tokens.before(item.start), "el" | "la" | "los" | "las");
        let start = item.start - usize::from(article);
        let parts = |at: usize| tokens.is(at, Class::Symbol) || tokens.text(at) == "y";
        let from = start == 0 || parts(start - 1);
        let to = item.end >= tokens.len() || parts(item.end);
        let capital = self.written(item.start, item.end).starts_with(char::is_uppercase);
        let line = start == 0 && item.end >= tokens.len();
        from && to && (line || !capital) && item.names() && item.words <= MOST_LISTED_WORDS
    }

    pub(super) fn question(&mut self, from: usize, to: usize) {
        let about = question::about(self.tokens, from, to);
        let about = about.map(|(from, to)| self.written(from, to).to_owned());
        let span = self.span(from, to);
        self.heard.questions.push(Question { about, span });
    }

    /// The goods of an item as they were written; empty if the item is only a size.
    pub(super) fn what(&self, item: &Item) -> String {
        match item.what {
            Some((from, to)) if item.words > 0 => self.written(from, to).to_owned(),
            _ => String::new(),
        }
    }

    pub(super) fn written(&self, from: usize, to: usize) -> &'m str {
        &self.text.original()[self.text.original_span(self.tokens.span(from, to))]
    }

    pub(super) fn span(&self, from: usize, to: usize) -> Range<usize> {
        let span = self.text.original_span(self.tokens.span(from, to));
        span.start + self.offset..span.end + self.offset
    }
}

/// The most words of a list entry without a number.
const MOST_LISTED_WORDS: usize = 3;

/// The most words in the name of goods.
const MOST_BARE_WORDS: usize = 5;

/// The index after words that announce the final number.
fn set_phrase(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    const PHRASES: &[&str] =
        &["mejor", "que sean", "que sea", "quise decir", "en realidad", "en total", "eran", "era"];
    tokens.follow_any(at, PHRASES)
}

/// The length of `1)`, which numbers the lines of a list.
fn list_mark(tokens: &Tokens<'_>) -> usize {
    if tokens.is(0, Class::Digits) && tokens.text(1) == ")" { 2 } else { 0 }
}

/// The index of the sign that ends the sentence beginning at `from`.
fn sentence_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let ends = |at: &usize| match tokens.text(*at) {
        "?" | "!" | ";" | "¿" | "¡" => true,
        "." => !is_inner_dot(tokens, *at),
        _ => false,
    };
    (from..tokens.len()).find(ends).unwrap_or(tokens.len())
}

/// Whether a dot is a decimal mark, or the full stop of a unit.
fn is_inner_dot(tokens: &Tokens<'_>, at: usize) -> bool {
    let decimal = tokens.glued(at) && tokens.glued(at + 1) && tokens.is(at + 1, Class::Digits);
    decimal || matches!(tokens.before(at), "lt" | "lts" | "kg" | "gr" | "grs" | "cc" | "ml" | "u")
}

/// A line that begins with goods and ends with a number has its numbers behind the goods.
fn style(tokens: &Tokens<'_>) -> Style {
    let count = |at: usize| {
        tokens.text(at).parse::<u32>().is_ok_and(|count| count < 100) && !tokens.glued(at)
    };
    let last = tokens.len().checked_sub(1).is_some_and(count);
    let word = tokens.text(0);
    let goods = tokens.is(0, Class::Word)
        && order_verb(word).is_none()
        && amount::read(tokens, 0).is_none();
    if goods && last { Style::NumberLast } else { Style::NumberFirst }
}
