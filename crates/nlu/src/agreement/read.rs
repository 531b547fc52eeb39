//! Accounts for a whole message, phrase by phrase.

use std::collections::BTreeSet;
use std::ops::Range;

use super::aside::asides;
use super::asked::AskedAct;
use super::emoji::Emoji;
use super::phrases::PHRASES;
use super::repeat::Repeated;
use super::shown::Summary;
use super::size::sizes;
use super::spelling::meant;
use super::state::{Last, Role, State, Strength};
use super::token::{Token, tokens};
use super::words::{AFTER_K, ALONE, PAST_IF_STRESSED, PLAIN};
use super::{Agreement, Objection};
use crate::extract::is_first_name;

/// The most tokens of a yes: nobody agrees in more words.
const MOST_TOKENS: usize = 80;

/// The most bytes of a yes; the limit bounds the cost of cutting a message into tokens.
const MOST_BYTES: usize = 2_000;

/// The most bytes of a summary; a longer text counts as none.
const MOST_SHOWN: usize = 16_000;

pub(super) fn read(message: &str, shown: &str) -> Agreement {
    if message.len() > MOST_BYTES {
        return no(Objection::TooLong, None);
    }
    // Nobody reads a longer summary, so nothing of it can be repeated.
    let shown = if shown.len() > MOST_SHOWN { "" } else { shown };
    let asked = AskedAct::new(shown);
    let tokens = as_meant(message, tokens(message), asked.as_ref());
    match tokens.len() {
        1 if ALONE.contains(&&*tokens[0].text) && !tokens[0].asked => return Agreement::Yes,
        0 => return no(Objection::Empty, None),
        count if count > MOST_TOKENS => return no(Objection::TooLong, None),
        _ => {}
    }
    let shown = Summary::new(shown);
    let repeated = Repeated::new(&tokens, &shown);
    Reader { tokens: &tokens, shown: &shown, asked, repeated }.read()
}

fn no(because: Objection, at: Option<Range<usize>>) -> Agreement {
    Agreement::No { because, at }
}

/// The tokens with other spellings replaced by the words of the phrases.
fn as_meant(message: &str, mut tokens: Vec<Token>, asked: Option<&AskedAct>) -> Vec<Token> {
    if is_k(message, &tokens) {
        tokens[0].text = "k".to_owned();
    }
    let mut list = Vec::with_capacity(tokens.len());
    for token in sizes(tokens) {
        if let Some(word) = asked.and_then(|asked| asked.stands_for(&token.text)) {
            let same_verb = word.starts_with("confirm");
            list.push(Token { text: word.to_owned(), same_verb, ..token });
            continue;
        }
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

/// Whether a message opens with a k that means okay, and not a shortened "que".
fn is_k(message: &str, tokens: &[Token]) -> bool {
    let k = tokens.first().is_some_and(|first| {
        first.text == "que" && matches!(message.get(first.span.clone()), Some("k" | "K"))
    });
    k && tokens.get(1).is_none_or(|next| next.before.broken || AFTER_K.contains(&&*next.text))
}

struct Reader<'m> {
    tokens: &'m [Token],
    shown: &'m Summary,
    asked: Option<AskedAct>,
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

    /// Every reading of the next words, each with where it ends.
    fn steps(&self, at: usize, here: &BTreeSet<State>) -> Vec<(usize, State)> {
        let token = &self.tokens[at];
        let broken = token.before.broken;
        let mut steps = Vec::new();
        for (role, end) in self.phrases(at) {
            let stressed = self.tokens[end - 1].stressed;
            let plain = role == Role::Assent && PLAIN.contains(&&*token.text);
            let after = here.iter().filter_map(|state| state.after(role, broken, stressed));
            steps.extend(after.map(|state| (end, if plain { state.plainly() } else { state })));
        }
        for run in self.repeated.runs(at) {
            if self.is_asked(at, run.end) {
                continue;
            }
            for state in here {
                // After a verb, or without their count, some of the goods may be all that the
                // customer wants.
                let named = state.last == Last::Naming;
                let partly =
                    run.goods && !run.all && (!broken && state.open || !run.numbered || named);
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
        if self.asked.is_none() {
            found.extend(asides(self.tokens, at, self.shown));
        }
        found.retain(|(role, end)| {
            let goes_ahead = matches!(role, Role::Act | Role::Declared | Role::DeclaredIf);
            self.asked.as_ref().is_none_or(|asked| {
                role.strength() < Strength::Act
                    || asked.has_done(&self.tokens[at..*end], goes_ahead)
            })
        });
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

    /// Whether a first name addresses somebody: nothing but a break, an emoji or thanks follows it,
    /// because a verb after the name would tell what that person does.
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
