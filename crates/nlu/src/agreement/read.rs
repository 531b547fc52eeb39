//! Accounts for a whole message, phrase by phrase.

use std::collections::BTreeSet;
use std::ops::Range;

use super::emoji::Emoji;
use super::phrases::PHRASES;
use super::repeat::Repeated;
use super::shown::Shown;
use super::spelling::meant;
use super::state::{Role, State};
use super::token::{Token, tokens};
use super::words::{ALONE, PAST_IF_STRESSED};
use super::{Agreement, Objection};
use crate::extract::is_first_name;

/// Nobody agrees in more words.
const MOST_TOKENS: usize = 80;

/// Nor in more bytes, which bounds what cutting a message costs.
const MOST_BYTES: usize = 2_000;

/// A summary of more bytes is none.
const MOST_SHOWN: usize = 16_000;

pub(super) fn read(message: &str, shown: &str) -> Agreement {
    if message.len() > MOST_BYTES {
        return no(Objection::TooLong, None);
    }
    let tokens = as_meant(tokens(message));
    match tokens.len() {
        1 if ALONE.contains(&&*tokens[0].text) && !tokens[0].asked => return Agreement::Yes,
        0 => return no(Objection::Empty, None),
        count if count > MOST_TOKENS => return no(Objection::TooLong, None),
        _ => {}
    }
    // Nobody reads a longer summary, so nothing of it can be repeated.
    let shown = if shown.len() > MOST_SHOWN { "" } else { shown };
    let shown = Shown::new(shown);
    let repeated = Repeated::new(&tokens, &shown);
    Reader { tokens: &tokens, shown: &shown, repeated }.read()
}

fn no(because: Objection, at: Option<Range<usize>>) -> Agreement {
    Agreement::No { because, at }
}

/// The tokens with the words of the phrases in place of other spellings of them.
fn as_meant(tokens: Vec<Token>) -> Vec<Token> {
    let mut list = Vec::with_capacity(tokens.len());
    for token in tokens {
        if token.emoji.is_some() || token.is_number() {
            list.push(token);
            continue;
        }
        let mut before = token.before;
        for word in meant(&token.text, &PHRASES) {
            list.push(Token { text: word, before, ..token.clone() });
            before = super::token::Gap::default();
        }
    }
    list
}

struct Reader<'m> {
    tokens: &'m [Token],
    shown: &'m Shown,
    repeated: Repeated,
}

impl Reader<'_> {
    fn read(&self) -> Agreement {
        let mut states = vec![BTreeSet::new(); self.tokens.len() + 1];
        states[0].insert(State::START);
        let mut reached = 0;
        for at in 0..self.tokens.len() {
            let here = std::mem::take(&mut states[at]);
            if here.is_empty() {
                continue;
            }
            reached = at;
            for (end, next) in self.steps(at, &here) {
                states[end].insert(next);
            }
        }
        let last = &states[self.tokens.len()];
        if last.iter().any(|state| state.agrees()) {
            return Agreement::Yes;
        }
        if let Some(asked) = self.tokens.iter().find(|token| token.asked || token.before.asks) {
            return no(Objection::Question, Some(asked.span.clone()));
        }
        match last.is_empty() {
            true => no(Objection::Unaccounted, Some(self.tokens[reached].span.clone())),
            false => no(Objection::NoYes, None),
        }
    }

    /// Everything that may be read next, each with where it ends.
    fn steps(&self, at: usize, here: &BTreeSet<State>) -> Vec<(usize, State)> {
        let token = &self.tokens[at];
        let broken = token.before.broken;
        let mut steps = Vec::new();
        for (role, end) in self.phrases(at) {
            let stressed = self.tokens[end - 1].stressed;
            steps.extend(
                here.iter().filter_map(|state| Some((end, state.after(role, broken, stressed)?))),
            );
        }
        for run in self.repeated.runs(at) {
            if self.is_asked(at, run.end) {
                continue;
            }
            for state in here {
                // Some of the goods, right after a verb or without their count, may be all that is wanted.
                let partly = run.goods && !run.all && !broken && (state.open || !run.numbered);
                let after = state.after_shown(broken, run.goods).filter(|_| !partly);
                steps.extend(after.map(|state| (run.end, state)));
            }
        }
        if self.is_a_name(at) {
            steps.extend(here.iter().filter_map(|state| Some((at + 1, state.after_name(broken)?))));
        }
        steps
    }

    fn phrases(&self, at: usize) -> Vec<(Role, usize)> {
        match self.tokens[at].emoji {
            _ if self.tokens[at].before.sign.is_some() => return Vec::new(),
            Some(_) if self.is_asked(at, at + 1) => return Vec::new(),
            Some(Emoji::Agreeing) => return vec![(Role::Assent, at + 1)],
            Some(Emoji::Warm) => return vec![(Role::Beside, at + 1)],
            Some(Emoji::Other) => return Vec::new(),
            None => {}
        }
        let word = |index: usize| {
            let token = self.tokens.get(index)?;
            let inside = index == at
                || !token.before.broken && token.before.sign.is_none() && token.emoji.is_none();
            (inside && !is_past(token)).then_some(token.text.as_str())
        };
        let mut found = PHRASES.at(at, &word);
        found.retain(|(role, end)| {
            let paid = *role != Role::Payment || self.shown.paid_on_receipt;
            paid && (*role == Role::HowAreYou || !self.is_asked(at, *end))
        });
        found
    }

    /// Whether a question mark belongs to the tokens.
    fn is_asked(&self, start: usize, end: usize) -> bool {
        self.tokens[start..end].iter().any(|token| token.asked || token.before.asks)
    }

    /// Whether a first name stands where only somebody can be called by it: a verb after it would
    /// tell what that person does.
    fn is_a_name(&self, at: usize) -> bool {
        const THANKING: &[&str] =
            &["gracias", "muchas", "mil", "porfa", "please", "thanks", "thank"];
        let alone = self.tokens.get(at + 1).is_none_or(|next| {
            next.before.broken || next.emoji.is_some() || THANKING.contains(&&*next.text)
        });
        let token = &self.tokens[at];
        alone && !token.asked && token.before.sign.is_none() && is_first_name(&token.text)
    }
}

fn is_past(token: &Token) -> bool {
    token.stressed && PAST_IF_STRESSED.contains(&&*token.text)
}
