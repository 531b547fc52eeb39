//! Clauses that accompany a yes, by kind: hesitating, objecting to nothing, having looked,
//! praising, and going through the goods.
//!
//! Each kind is a small recogniser over classes of words. A clause ends where the writer ends it,
//! and a word outside the classes of its kind leaves the clause unrecognised.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use super::pattern::{Classes, Sequence, alternatives, ends, sequence};
use super::shown::{Summary, stem};
use super::state::Role;
use super::token::Token;
use super::words::aside::*;

static KINDS: LazyLock<Kinds> = LazyLock::new(Kinds::new);

struct Kinds {
    classes: Classes,
    openings: Vec<Sequence>,
}

impl Kinds {
    fn new() -> Self {
        Kinds {
            classes: Classes::from([("kindness", alternatives(KINDNESS))]),
            openings: KIND_OPENINGS.iter().map(|opening| sequence(opening)).collect(),
        }
    }
}

fn is(word: &str, list: &Words) -> bool {
    list.contains(word)
}

/// The clauses that begin at an index, each with where it ends.
pub(super) fn asides(tokens: &[Token], at: usize, shown: &Summary) -> Vec<(Role, usize)> {
    let clauses = Clauses { tokens, at };
    let mut found = Vec::new();
    found.extend(clauses.hesitating().map(|end| (Role::Hesitation, end)));
    found.extend(clauses.objecting_to_nothing().map(|end| (Role::Aside, end)));
    found.extend(clauses.having_looked().map(|end| (Role::Looked, end)));
    found.extend(clauses.praising());
    found.extend(clauses.having_done().map(|end| (Role::OwnData, end)));
    found.extend(clauses.each_of_the_goods(shown).map(|end| (Role::Assent, end)));
    found
}

struct Clauses<'m> {
    tokens: &'m [Token],
    at: usize,
}

impl<'m> Clauses<'m> {
    /// The word at an index, if there is one and a clause that begins earlier may run on into it.
    fn word(&self, index: usize) -> Option<&'m str> {
        let token = self.tokens.get(index)?;
        let inside = index == self.at || !token.before.broken;
        (inside && is_plain(token)).then_some(token.text.as_str())
    }

    /// Whether punctuation, an emoji or the end of the message stands before an index.
    fn is_parted(&self, index: usize) -> bool {
        self.tokens.get(index).is_none_or(|token| token.before.broken || token.emoji.is_some())
    }

    fn may_end(&self, index: usize) -> bool {
        self.is_parted(index) || is(&self.tokens[index].text, &NEXT)
    }

    /// The end of the run of allowed words from an index on.
    fn run(&self, start: usize, allowed: impl Fn(&str) -> bool) -> usize {
        let mut end = start;
        while self.word(end).is_some_and(&allowed) {
            end += 1;
        }
        end
    }

    /// The last end at which the writer may have ended a clause.
    fn end_of(&self, least: usize, most: usize) -> Option<usize> {
        (least..=most).rev().find(|end| self.may_end(*end))
    }

    fn hesitating(&self) -> Option<usize> {
        let word = self.word(self.at)?;
        if word == "y" {
            let next = self.tokens.get(self.at + 1)?;
            // "Y si" without a break after it asks; "y dale" with nothing after it is impatient.
            let asks = next.text == "si" && !next.stressed && !self.is_parted(self.at + 2)
                || next.text == "dale"
                    && self.tokens.get(self.at + 2).is_none_or(|after| !after.before.broken);
            let takes_up = self.at == 0 && is(&next.text, &AFTER_LEADING_Y) && !asks;
            return takes_up.then_some(self.at + 1);
        }
        if is_a_sound(word) || is(word, &HESITATING) {
            return Some(self.at + 1);
        }
        LOOKING
            .iter()
            .filter(|words| {
                (0..words.len()).all(|index| self.word(self.at + index) == Some(words[index]))
            })
            .map(|words| self.at + words.len())
            .find(|end| self.is_parted(*end))
    }

    fn objecting_to_nothing(&self) -> Option<usize> {
        let no = self.run(self.at, |word| is(word, &BEFORE_NO) && !is(word, &NEGATION));
        let denies = self.word(no).filter(|word| is(word, &NEGATION))?;
        let most = self.run(no, |word| {
            [&NEGATION, &OBJECTING, &ALTERING, &NOTHING, &SMALL].iter().any(|list| is(word, list))
                || LEADING_ON.iter().any(|(leading, _)| *leading == word)
        });
        let end = self.end_of(no + 1, most)?;
        let words: Vec<&str> = (no..end).filter_map(|index| self.word(index)).collect();
        let has = |list: &Words| words.iter().any(|word| is(word, list));
        let led_on = words.iter().enumerate().all(|(index, word)| {
            let leads = LEADING_ON.iter().find(|(leading, _)| leading == word);
            leads.is_none_or(|(_, to)| {
                words.get(index + 1).is_some_and(|next| to.split(' ').any(|to| to == *next))
            })
        });
        let unable = matches!(denies, "cant" | "cannot" | "couldnt" | "couldn");
        let altering = has(&ALTERING);
        let objects = match altering {
            true => has(&NOTHING) && !unable,
            false => has(&OBJECTING),
        };
        // A thing not needed, or somebody else's concern, is a complete objection to nothing.
        let turned_away = words
            .windows(2)
            .any(|pair| matches!(pair, ["mi" | "my" | "your", _]) && is(pair[1], &OBJECTING))
            || words.contains(&"hace")
                && words.iter().filter(|word| is(word, &ALTERING)).count() < 2;
        let states_a_fault = has(&DOUBTING) && has(&FAULTY);
        let denied_once =
            words.iter().filter(|word| matches!(**word, "no" | "not" | "dont")).count() < 2;
        (objects && led_on && !turned_away && !states_a_fault && denied_once).then_some(end)
    }

    fn having_looked(&self) -> Option<usize> {
        let verb =
            self.run(self.at, |word| is(word, &BEFORE_CHECKED) && !is(word, &CHECKED_ENGLISH));
        let looked =
            self.word(verb).filter(|word| is(word, &CHECKED) || is(word, &CHECKED_ENGLISH))?;
        let mut most =
            self.run(verb + 1, |word| is(word, &LOOKED_AT) || is(word, &CHECKED_ENGLISH));
        // A list of the things looked at goes on after commas and an "and".
        while let Some(next) = self.listed(most) {
            most = next;
        }
        let end = self.end_of(verb + 1, most)?;
        let taken = (self.at..verb).any(|index| {
            matches!(self.word(index), Some("had" | "took" | "taken" | "gave" | "given"))
        });
        if matches!(looked, "look" | "glance" | "gander") && !taken {
            return None;
        }
        // A gerund tells of a finished look only after "estuve", because a person still looking has
        // not agreed. "Been" tells of one only with "through" or "over", because being somewhere is
        // no looking.
        let done = match looked {
            "been" => matches!(self.word(verb + 1), Some("through" | "over")),
            looked if looked.ends_with("ndo") => (self.at..verb)
                .any(|index| matches!(self.word(index), Some("estuve" | "estuvimos"))),
            _ => true,
        };
        if !done || !self.counts_looks(verb + 1, end) {
            return None;
        }
        let told = verb > self.at || self.tokens[verb].stressed || !is(looked, &ORDERS_TOO);
        (told || self.is_judged(end) || self.is_mine(verb + 1)).then_some(end)
    }

    /// Whether words that count tell how often or how closely somebody looked.
    fn counts_looks(&self, start: usize, end: usize) -> bool {
        let text = |index: usize| self.tokens.get(index).map_or("", |token| token.text.as_str());
        let among =
            |list: &str, word: &str| list.split(' ').any(|one| !one.is_empty() && one == word);
        (start..end).all(|index| {
            let counting = COUNTING_LOOKS.iter().find(|(word, ..)| *word == text(index));
            counting.is_none_or(|(_, before, after)| {
                among(before, text(index - 1)) || among(after, text(index + 1))
            })
        })
    }

    /// "Ya está" alone, because any word after it would tell what is done already.
    fn having_done(&self) -> Option<usize> {
        let done = self.word(self.at) == Some("ya") && self.word(self.at + 1) == Some("esta");
        (done && self.is_parted(self.at + 2)).then_some(self.at + 2)
    }

    /// The end of the next thing in a list that a comma or an "and" carries on.
    fn listed(&self, from: usize) -> Option<usize> {
        let plain = |index: usize| self.tokens.get(index).filter(|token| is_plain(token));
        let joined = plain(from).is_some_and(|token| matches!(&*token.text, "y" | "and"));
        let first = from + usize::from(joined);
        let token = plain(first)?;
        if !(joined || token.before.broken) || !is(&token.text, &LOOKED_AT) {
            return None;
        }
        let mut end = first + 1;
        while plain(end).is_some_and(|token| !token.before.broken && is(&token.text, &LOOKED_AT)) {
            end += 1;
        }
        // A thing with a judgement behind it begins a clause of its own ("todo bien").
        let whole = matches!(
            &*token.text,
            "todo" | "toda" | "todos" | "it" | "all" | "everything" | "that"
        );
        let named = end - first > 1 || !matches!(&*token.text, "bien" | "good");
        (!whole && named && self.may_end(end)).then_some(end)
    }

    /// Whether the writer, who says that they confirm, looked at everything.
    fn is_mine(&self, object: usize) -> bool {
        let whole = self
            .word(object)
            .is_some_and(|word| matches!(word, "todo" | "todito" | "toda" | "bien"));
        whole && self.tokens.iter().any(|token| is(&token.text, &OF_MINE))
    }

    /// Whether a judgement follows.
    fn is_judged(&self, end: usize) -> bool {
        let skip = self.tokens.get(end).is_some_and(|token| matches!(&*token.text, "y" | "and"));
        let next = self.tokens.get(end + usize::from(skip)).map(|token| token.text.as_str());
        next.is_some_and(|next| {
            matches!(
                next,
                "esta"
                    | "estan"
                    | "todo"
                    | "es"
                    | "son"
                    | "quedo"
                    | "its"
                    | "it"
                    | "all"
                    | "everything"
                    | "thats"
                    | "looks"
            )
        })
    }

    fn praising(&self) -> Option<(Role, usize)> {
        let word = |index: usize| self.word(index);
        let opened: BTreeSet<usize> = KINDS
            .openings
            .iter()
            .flat_map(|opening| ends(opening, &KINDS.classes, BTreeSet::from([self.at]), &word))
            .collect();
        let opening = *opened.last()?;
        let most = self
            .run(opening, |word| is(word, &KIND) || is(word, &KINDNESSES) || is_superlative(word));
        let thanks = self.word(self.at).is_some_and(|word| is(word, &THANKING));
        let role = if thanks { Role::Aside } else { Role::Praise };
        let end = self.end_of(opening, most)?;
        (!is(&self.tokens[end - 1].text, &UNFINISHED)).then_some((role, end))
    }

    /// A yes to each of the goods in turn, with no kind of them left out.
    fn each_of_the_goods(&self, shown: &Summary) -> Option<usize> {
        let mut kinds = HashSet::new();
        let mut at = self.at;
        loop {
            let text = |index: usize| {
                self.tokens
                    .get(index)
                    .filter(|token| is_plain(token))
                    .map(|token| token.text.as_str())
            };
            if matches!(text(at), Some("y" | "and")) && at > self.at {
                at += 1;
            }
            if !matches!(text(at), Some("ok" | "okay" | "yes" | "yep" | "si" | "dale")) {
                return None;
            }
            at += 1;
            while matches!(
                text(at),
                Some(
                    "to" | "the" | "a" | "al" | "el" | "la" | "los" | "las" | "con" | "for" | "my"
                )
            ) {
                at += 1;
            }
            let before = at;
            while let Some((kind, _)) = text(at)
                .filter(|_| at == before || !self.tokens[at].before.broken)
                .and_then(|word| shown.goods(&stem(word)))
            {
                kinds.insert(kind);
                at += 1;
            }
            if at == before || !(self.is_parted(at) || matches!(text(at), Some("y" | "and"))) {
                return None;
            }
            if kinds.len() == shown.kinds() && shown.kinds() > 1 {
                return Some(at);
            }
        }
    }
}

/// Whether a token is a word outside a question and with no sign before it.
fn is_plain(token: &Token) -> bool {
    let asked = token.asked || token.before.asks;
    token.emoji.is_none() && !token.is_number() && token.before.sign.is_none() && !asked
}

/// Whether a word is a sound that somebody makes while thinking, however drawn out.
fn is_a_sound(word: &str) -> bool {
    let mut short = String::new();
    for c in word.chars() {
        if !short.ends_with(c) {
            short.push(c);
        }
    }
    matches!(
        &*short,
        "eh" | "m"
            | "hm"
            | "um"
            | "uhm"
            | "uh"
            | "ehm"
            | "em"
            | "er"
            | "erm"
            | "ah"
            | "oh"
            | "ay"
            | "uf"
            | "mh"
            | "mhm"
            | "ahm"
            | "hum"
    )
}

/// Whether a word praises in the highest degree, by its ending.
fn is_superlative(word: &str) -> bool {
    const OTHERWISE: &[&str] =
        &["car", "mal", "lent", "poqu", "tard", "pront", "tempran", "fe", "dificil", "much"];
    ["isimo", "isima", "isimos", "isimas"]
        .iter()
        .any(|ending| word.strip_suffix(ending).is_some_and(|stem| !OTHERWISE.contains(&stem)))
}
