//! Repetitions: the tokens of a message that repeat what was shown, and those that change it.

use super::shown::{Mention, Summary, is_long, mention, stem};
use super::token::Token;
use super::words::shown::{
    AFTER_A_NUMBER, JOINING, LABELS, LEADING, LEADING_TO_A_NUMBER, NEVER, SUMMING,
};

/// Words between a number and the thing it counts.
const COUNTING: &[&str] = &[
    "de",
    "del",
    "el",
    "la",
    "los",
    "las",
    "x",
    "of",
    "the",
    "con",
    "with",
    "depto",
    "dpto",
    "departamento",
    "apto",
    "apartamento",
];

/// Words between the owner of a number and the number.
const OWNING: &[&str] = &[
    "de", "el", "la", "los", "las", "x", "por", "es", "son", "is", "are", "for", "numero", "nro",
    "num", "number", "the", "a", "en", "at",
];

/// The part a token of the message plays in a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cover {
    /// Repeats a word or number that was shown; goods carry their kind.
    Tells(Option<usize>),
    /// Leads to a token that repeats.
    Leads,
}

/// The tokens of a message that may belong to a repetition.
pub(super) struct Repeated {
    covers: Vec<Option<Cover>>,
    joins: Vec<bool>,
    numbers: Vec<bool>,
    kinds: usize,
}

/// A run of tokens that repeats what was shown.
pub(super) struct Run {
    pub(super) end: usize,
    /// Whether the run names goods.
    pub(super) goods: bool,
    /// Whether the run names all the goods.
    pub(super) all: bool,
    /// Whether the run says a number.
    pub(super) numbered: bool,
}

impl Repeated {
    pub(super) fn new(tokens: &[Token], shown: &Summary) -> Self {
        let reader = Reader { tokens, shown };
        Repeated {
            covers: (0..tokens.len()).map(|at| reader.cover(at)).collect(),
            joins: tokens.iter().map(|token| JOINING.contains(&&*token.text)).collect(),
            numbers: tokens
                .iter()
                .map(|token| matches!(mention(token), Mention::Number(_)))
                .collect(),
            kinds: shown.kinds(),
        }
    }

    /// The runs that begin at an index, each ending in a token that repeats.
    pub(super) fn runs(&self, start: usize) -> Vec<Run> {
        let mut runs = Vec::new();
        if self.joins.get(start).is_none_or(|joins| *joins) {
            return runs;
        }
        let (mut kinds, mut numbered) = (vec![false; self.kinds], false);
        for (at, cover) in self.covers.iter().enumerate().skip(start) {
            match cover {
                Some(Cover::Leads) => {}
                Some(Cover::Tells(kind)) => {
                    if let Some(kind) = kind {
                        kinds[*kind] = true;
                    }
                    let goods = kinds.contains(&true);
                    numbered |= self.numbers[at];
                    runs.push(Run { end: at + 1, goods, all: !kinds.contains(&false), numbered });
                }
                None => break,
            }
        }
        runs
    }
}

struct Reader<'m> {
    tokens: &'m [Token],
    shown: &'m Summary,
}

impl Reader<'_> {
    fn cover(&self, at: usize) -> Option<Cover> {
        let token = &self.tokens[at];
        if token.emoji.is_some() {
            return None;
        }
        let text = token.text.as_str();
        if let Mention::Number(number) = mention(token) {
            return self.repeats(at, &number).then_some(Cover::Tells(None));
        }
        let word = stem(text);
        if text == "a" && self.next(at).is_some_and(|next| self.shown.goods(&stem(next)).is_some())
        {
            return self.repeats(at, "1").then_some(Cover::Leads);
        }
        if !is_empty_word(text) && self.shown.has_word(&word) {
            return Some(Cover::Tells(self.shown.goods(&word).map(|(kind, _)| kind)));
        }
        self.leads(at).then_some(())?;
        let names_it = LABELS.contains(&text) && at > 0 && self.follows_a_number(at);
        Some(if names_it { Cover::Tells(None) } else { Cover::Leads })
    }

    /// The next word, if no punctuation stands between.
    fn next(&self, at: usize) -> Option<&str> {
        let next = self.tokens.get(at + 1).filter(|next| !next.before.broken)?;
        next.emoji.is_none().then_some(next.text.as_str())
    }

    fn leads(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let text = token.text.as_str();
        if token.stressed && text == "para" {
            return false;
        }
        if matches!(text, "deliver" | "delivered") {
            return self.next(at) == Some("to");
        }
        let number_after = self.tokens.get(at + 1).is_some_and(Token::is_number);
        if LABELS.contains(&text) {
            return true;
        }
        if AFTER_A_NUMBER.contains(&text) {
            return at > 0 && self.tokens[at - 1].is_number();
        }
        if SUMMING.contains(&text) {
            return self.sums(at);
        }
        if LEADING_TO_A_NUMBER.contains(&text) && !number_after {
            return false;
        }
        LEADING.contains(&text) && self.next(at).is_some()
    }

    /// Whether "más" joins two sums, or a sum and the delivery.
    fn sums(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| &self.tokens[before]);
        let sum = before.is_some_and(|before| {
            is_long(&before.text) && before.is_number() || AFTER_A_NUMBER.contains(&&*before.text)
        });
        let rest = self.tokens.get(at + 1..).unwrap_or_default();
        let after = rest.iter().find(|token| !matches!(&*token.text, "el" | "los" | "the" | "de"));
        sum && after.is_some_and(|after| {
            let delivery = matches!(&*after.text, "envio" | "entrega" | "delivery" | "shipping");
            delivery || after.is_number() && is_long(&after.text)
        })
    }

    fn follows_a_number(&self, at: usize) -> bool {
        let from = at.saturating_sub(4);
        self.tokens[from..at].iter().any(Token::is_number) && !self.tokens[at].before.broken
    }

    /// Whether a number repeats the number that was shown for the thing beside it.
    fn repeats(&self, at: usize, number: &str) -> bool {
        if self.tokens[at].before.sign == Some('+') && !is_long(number) {
            return false;
        }
        if self.shown.is_total(number) {
            return true;
        }
        if self.shown.adds_up() && self.is_with_delivery(at) {
            return false;
        }
        if let Some((word, within)) = self.counted(at) {
            if let Some((_, count)) = self.shown.goods(&word) {
                return count == number || self.shown.in_order(number, &word);
            }
            if self.shown.belong(number, &word) {
                return true;
            }
            if within && self.has_free_delivery(at) {
                return self.shown.stands_alone(number);
            }
            if within || word == "total" {
                return false;
            }
        }
        let long = is_long(number) && self.shown.has_number(number);
        match self.owner(at) {
            // Documents and telephones are like no other number. Punctuation parts a long number
            // from the words before it, but not a short one.
            _ if long && number.len() >= 6 => true,
            _ if self.tokens[at].before.broken && self.shown.stands_alone(number) => true,
            Some(Mention::Number(before)) => {
                self.shown.in_order(&before, number) || is_long(&before) && long
            }
            Some(Mention::Word(word)) => match self.shown.goods(&word) {
                Some((_, count)) if is_long(number) => {
                    self.shown.belong(number, &word) || count == number
                }
                Some((_, count)) => {
                    count == number || number.contains('.') && self.shown.belong(number, &word)
                }
                None => self.shown.belong(number, &word),
            },
            None => self.shown.stands_alone(number),
        }
    }

    /// Whether the delivery is said to be in a sum ("9.400 con el envío").
    fn is_with_delivery(&self, at: usize) -> bool {
        let rest = self.tokens.get(at + 1..).unwrap_or_default();
        let mut rest = rest.iter().take(6).take_while(|token| !token.before.broken);
        rest.any(|token| matches!(&*token.text, "con" | "with"))
            && rest
                .any(|token| matches!(&*token.text, "envio" | "entrega" | "delivery" | "shipping"))
    }

    /// Whether the delivery, as it was shown, costs nothing ("109.900 con envío gratis").
    fn has_free_delivery(&self, at: usize) -> bool {
        let words: Vec<String> =
            self.tokens[at + 1..].iter().take(5).map(|token| stem(&token.text)).collect();
        words.windows(2).any(|pair| {
            let free = pair[1] == stem("gratis") || pair[1] == stem("free");
            free && self.shown.in_order(&pair[0], &pair[1])
        })
    }

    /// The word that a number counts, and whether the words say that the number includes it ("con
    /// envío").
    fn counted(&self, at: usize) -> Option<(String, bool)> {
        let mut within = false;
        for token in self.tokens.get(at + 1..)?.iter().take(4) {
            if token.before.broken || token.emoji.is_some() || token.is_number() {
                return None;
            }
            if COUNTING.contains(&&*token.text) {
                within |= matches!(&*token.text, "con" | "with");
                continue;
            }
            let word = stem(&token.text);
            return self.shown.has_word(&word).then_some((word, within));
        }
        None
    }

    /// The word or number that a number stands after.
    fn owner(&self, at: usize) -> Option<Mention> {
        let before = &self.tokens[at.saturating_sub(4)..at];
        let mut after = &self.tokens[at];
        for token in before.iter().rev() {
            if token.emoji.is_some() || after.before.line {
                return None;
            }
            if OWNING.contains(&&*token.text) && !token.is_number() {
                after = token;
                continue;
            }
            return match mention(token) {
                Mention::Number(number) => Some(Mention::Number(number)),
                Mention::Word(word) => self.shown.has_word(&word).then_some(Mention::Word(word)),
            };
        }
        None
    }
}

/// Words that repeat nothing by themselves.
fn is_empty_word(word: &str) -> bool {
    NEVER.contains(&word) || LABELS.contains(&word) || LEADING.contains(&word)
}
