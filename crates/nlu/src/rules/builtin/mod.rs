//! The sets that come with the product, Spanish and English, usable with no model at all.

mod correction;
mod emergency;
mod escalation;
mod farewell;
mod frustration;
mod greeting;
mod help;
mod negative;
mod no;
mod off_topic;
mod positive;
mod profanity;
mod question;
mod refusal;
mod skip;
mod thanks;
mod urgency;
mod yes;

pub(crate) use self::profanity::is_everyday;

use super::pattern::Pattern;

/// A set that comes with the product, known by its name in [`Hits`](super::Hits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Asks for a person.
    Escalation,
    /// Takes back or changes something said before.
    Correction,
    Greeting,
    Farewell,
    Thanks,
    Yes,
    No,
    /// Talk that no form asks for: the weather, jokes, the bot itself, prices.
    OffTopic,
    Question,
    /// Complains at the service or at the bot.
    Frustration,
    /// Does not understand or does not know.
    Help,
    /// Wants to leave the question for later or go past it.
    Skip,
    /// Will not or cannot give the answer.
    Refusal,
    Urgency,
    /// Danger to people or property.
    Emergency,
    Positive,
    Negative,
    Profanity,
}

impl Builtin {
    pub const ALL: [Builtin; 18] = [
        Builtin::Escalation,
        Builtin::Correction,
        Builtin::Greeting,
        Builtin::Farewell,
        Builtin::Thanks,
        Builtin::Yes,
        Builtin::No,
        Builtin::OffTopic,
        Builtin::Question,
        Builtin::Frustration,
        Builtin::Help,
        Builtin::Skip,
        Builtin::Refusal,
        Builtin::Urgency,
        Builtin::Emergency,
        Builtin::Positive,
        Builtin::Negative,
        Builtin::Profanity,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Builtin::Escalation => "escalation",
            Builtin::Correction => "correction",
            Builtin::Greeting => "greeting",
            Builtin::Farewell => "farewell",
            Builtin::Thanks => "thanks",
            Builtin::Yes => "yes",
            Builtin::No => "no",
            Builtin::OffTopic => "off_topic",
            Builtin::Question => "question",
            Builtin::Frustration => "frustration",
            Builtin::Help => "help",
            Builtin::Skip => "skip",
            Builtin::Refusal => "refusal",
            Builtin::Urgency => "urgency",
            Builtin::Emergency => "emergency",
            Builtin::Positive => "positive",
            Builtin::Negative => "negative",
            Builtin::Profanity => "profanity",
        }
    }

    pub(super) const fn table(self) -> &'static Table {
        match self {
            Builtin::Escalation => &escalation::TABLE,
            Builtin::Correction => &correction::TABLE,
            Builtin::Greeting => &greeting::TABLE,
            Builtin::Farewell => &farewell::TABLE,
            Builtin::Thanks => &thanks::TABLE,
            Builtin::Yes => &yes::TABLE,
            Builtin::No => &no::TABLE,
            Builtin::OffTopic => &off_topic::TABLE,
            Builtin::Question => &question::TABLE,
            Builtin::Frustration => &frustration::TABLE,
            Builtin::Help => &help::TABLE,
            Builtin::Skip => &skip::TABLE,
            Builtin::Refusal => &refusal::TABLE,
            Builtin::Urgency => &urgency::TABLE,
            Builtin::Emergency => &emergency::TABLE,
            Builtin::Positive => &positive::TABLE,
            Builtin::Negative => &negative::TABLE,
            Builtin::Profanity => &profanity::TABLE,
        }
    }
}

/// A set as data. Patterns may name parts in braces, which stand for their alternatives.
#[derive(Debug)]
pub(super) struct Table {
    /// Matched on whole words, `*` for any ending.
    pub(super) phrases: &'static [&'static str],
    pub(super) parts: &'static [(&'static str, &'static str)],
    /// Regexes over plain words.
    pub(super) patterns: &'static [&'static str],
    /// Regexes over folded text, where punctuation decides.
    pub(super) written: &'static [&'static str],
    /// Regexes over plain words inside whose matches the set does not fire.
    pub(super) except: &'static [&'static str],
}

impl Table {
    const EMPTY: Table =
        Table { phrases: &[], parts: &[], patterns: &[], written: &[], except: &[] };

    pub(super) fn compiled(
        &self,
        set: usize,
        regexes: &'static [&'static str],
    ) -> impl Iterator<Item = Pattern> {
        regexes.iter().map(move |regex| Pattern::trusted(set, &self.whole(regex)).shown_as(regex))
    }

    /// A pattern with its named parts written out.
    fn whole(&self, regex: &str) -> String {
        self.parts.iter().fold(regex.to_owned(), |regex, (name, part)| {
            regex.replace(&format!("{{{name}}}"), &format!("(?:{part})"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_that_ships_compiles_and_needs_some_text() {
        for builtin in Builtin::ALL {
            let table = builtin.table();
            for regex in [table.written, table.patterns, table.except].concat() {
                let whole = table.whole(regex);
                assert!(Pattern::new(0, &whole).is_ok(), "{}: {whole}", builtin.name());
            }
        }
    }
}
