//! The content of a summary: its words, its numbers, and which belong together.

use std::collections::{HashMap, HashSet};

use super::token::{Token, tokens};
use super::words::shown::{LABELS, LEADING, NEVER, NUMBERS, SAME};

/// A summary, without its question.
#[derive(Debug, Default)]
pub(super) struct Summary {
    words: HashSet<String>,
    numbers: HashSet<String>,
    /// A number and a word, or two numbers, that stand right after one another.
    beside: HashSet<(String, String)>,
    /// A sum and the words it belongs to.
    sums: HashSet<(String, String)>,
    /// The kind and the count of the goods that a word names.
    goods: HashMap<String, (usize, String)>,
    kinds: usize,
    totals: HashSet<String>,
    money: HashSet<String>,
    pub(super) paid_on_receipt: bool,
}

/// A token as it is compared with a summary.
pub(super) enum Mention {
    Number(String),
    Word(String),
}

pub(super) fn mention(token: &Token) -> Mention {
    if token.is_number() {
        return Mention::Number(token.text.clone());
    }
    match NUMBERS.iter().find(|(word, _)| *word == token.text) {
        Some((_, number)) => Mention::Number((*number).to_owned()),
        None => Mention::Word(stem(&token.text)),
    }
}

/// Whether a number is so long that it can only be the number shown.
pub(super) fn is_long(number: &str) -> bool {
    number.len() >= 3 && !number.contains('.')
}

/// A word without plural, diminutive and gender.
pub(super) fn stem(word: &str) -> String {
    const DIMINUTIVES: &[&str] = &["citos", "citas", "cito", "cita", "itos", "itas", "ito", "ita"];
    let word = SAME.iter().find(|(other, _)| *other == word).map_or(word, |(_, same)| same);
    let cut = |endings: &[&str], least: usize| {
        endings
            .iter()
            .filter_map(|ending| word.strip_suffix(ending))
            .find(|rest| rest.len() >= least)
    };
    let base = cut(DIMINUTIVES, 3).or_else(|| cut(&["s"], 3)).unwrap_or(word);
    let base = if base.len() > 3 { base.trim_end_matches(['a', 'e', 'o']) } else { base };
    match base.strip_suffix("qu") {
        Some(rest) if word.contains("quit") => format!("{rest}c"),
        _ => base.to_owned(),
    }
}

impl Summary {
    pub(super) fn new(text: &str) -> Self {
        let mut shown = Summary::default();
        let tokens = told(text);
        shown.paid_on_receipt = tokens.iter().any(|token| {
            matches!(&*token.text, "recibir" | "contraentrega" | "recibes" | "recibis" | "receipt")
                || token.text == "contra"
                || token.text == "cash"
        });
        for line in tokens.chunk_by(|_, next| !next.before.line) {
            shown.line(line);
        }
        shown
    }

    fn line(&mut self, line: &[Token]) {
        let parts: Vec<&[Token]> = line.chunk_by(|_, next| !parts_before(next)).collect();
        let mut label: Vec<String> = Vec::new();
        let mut last: Option<String> = None;
        // Whether the label names goods that are counted already.
        let mut named = false;
        self.total(line);
        for part in parts {
            let (words, numbers) = self.part(part, &mut last);
            let count = count(part);
            let counted = count.is_some();
            if let Some(count) = count {
                let before = if named { &[][..] } else { &label };
                self.count(count, words.iter().chain(before));
            }
            // A size belongs to the goods as a sum does, and a small number to its neighbour alone.
            for number in numbers.iter().filter(|number| is_long(number) || number.contains('.')) {
                let owners = if words.is_empty() { &label } else { &words };
                self.sums.extend(owners.iter().map(|word| (number.clone(), word.clone())));
            }
            // The sum after a count is that of the goods, whichever part names them.
            if counted && !named {
                label.extend(words);
            } else if !words.is_empty() {
                (label, named) = (words, counted);
            }
        }
    }

    /// Notes the total of a line's sums, because people add them up.
    fn total(&mut self, line: &[Token]) {
        let sums = line.iter().filter(|token| token.before.sign == Some('$'));
        self.money.extend(sums.clone().map(|token| token.text.clone()));
        let sums: Vec<u64> = sums.filter_map(|token| token.text.parse().ok()).collect();
        if sums.len() > 1 {
            let total = sums.iter().fold(0, |total: u64, sum| total.saturating_add(*sum));
            self.totals.insert(total.to_string());
        }
    }

    /// Whether a number can stand by itself: a sum, or a number so long that it is like no other.
    pub(super) fn stands_alone(&self, number: &str) -> bool {
        self.has_number(number)
            && (self.money.contains(number) || number.len() >= 4 && is_long(number))
    }

    /// Whether the summary shows sums without their total.
    pub(super) fn adds_up(&self) -> bool {
        !self.totals.is_empty()
    }

    /// Whether a number is the total of the sums shown.
    pub(super) fn is_total(&self, number: &str) -> bool {
        self.totals.contains(number)
    }

    /// Notes the words and numbers of a part and which stand beside one another.
    fn part(&mut self, part: &[Token], last: &mut Option<String>) -> (Vec<String>, Vec<String>) {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        let mut before: Option<String> = last.take();
        let mut carried = before.is_some();
        for token in part {
            let text = match mention(token) {
                Mention::Number(number) => {
                    self.numbers.insert(number.clone());
                    numbers.push(number.clone());
                    number
                }
                Mention::Word(_) if is_passed_over(&token.text) => continue,
                Mention::Word(word) => {
                    self.words.insert(word.clone());
                    words.push(word.clone());
                    word
                }
            };
            let is_number = text.starts_with(|c: char| c.is_ascii_digit());
            if let Some(before) = before.replace(text.clone())
                && (is_number || !carried)
            {
                self.beside.insert((before, text));
            }
            carried = false;
        }
        // A number that ends a part may stand beside the first word of the next part.
        *last = before.filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
        (words, numbers)
    }

    fn count<'w>(&mut self, count: String, words: impl Iterator<Item = &'w String>) {
        let kind = self.kinds;
        let mut named = false;
        for word in words.filter(|word| word.len() > 1) {
            if !self.goods.contains_key(word) {
                self.goods.insert(word.clone(), (kind, count.clone()));
                named = true;
            }
        }
        self.kinds += usize::from(named);
    }

    /// Whether a word was shown.
    pub(super) fn has_word(&self, stem: &str) -> bool {
        self.words.contains(stem)
    }

    pub(super) fn has_number(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    /// The kind and the count of the goods that a word names.
    pub(super) fn goods(&self, stem: &str) -> Option<(usize, &str)> {
        self.goods.get(stem).map(|(kind, count)| (*kind, count.as_str()))
    }

    /// How many kinds of goods were shown.
    pub(super) fn kinds(&self) -> usize {
        self.kinds
    }

    /// Whether the first stood right before the second.
    pub(super) fn in_order(&self, first: &str, second: &str) -> bool {
        self.beside.contains(&(first.to_owned(), second.to_owned()))
    }

    /// Whether a number belongs to a word.
    pub(super) fn belong(&self, number: &str, word: &str) -> bool {
        self.in_order(number, word)
            || self.in_order(word, number)
            || self.sums.contains(&(number.to_owned(), word.to_owned()))
    }
}

/// The tokens of a summary without its questions, which nobody repeats.
fn told(text: &str) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::new();
    for token in tokens(text) {
        let asked = token.asked;
        kept.push(token);
        if asked {
            let opened = kept.iter().rposition(|token| token.before.asks);
            let start = opened.or_else(|| kept.iter().rposition(|token| token.before.broken));
            kept.truncate(start.unwrap_or(0));
        }
    }
    kept
}

fn parts_before(token: &Token) -> bool {
    token.before.broken || matches!(&*token.text, "y" | "e" | "and" | "mas" | "plus")
}

fn is_passed_over(word: &str) -> bool {
    NEVER.contains(&word) || LEADING.contains(&word) && !LABELS.contains(&word)
}

/// The count of the goods that a part names: the number it begins with, or the number after an x.
fn count(part: &[Token]) -> Option<String> {
    let skip = part.iter().take_while(|token| matches!(&*token.text, "y" | "e" | "and")).count();
    let part = &part[skip..];
    let (first, second) = (part.first()?, part.get(1)?);
    let plain =
        |token: &Token| token.before.sign.is_none() && token.is_number() && !is_long(&token.text);
    // The number of a flat is written as a count is ("2° B", "2B").
    if plain(first)
        && second.before.sign != Some('°')
        && (!second.before.glued || second.text == "x")
    {
        return Some(first.text.clone());
    }
    let times = part.windows(2).find(|pair| pair[0].text == "x" && plain(&pair[1]))?;
    Some(times[1].text.clone())
}
