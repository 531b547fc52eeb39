//! The guard on a model's own words: the speech acts that its mode lists, each in a closed
//! vocabulary. A text that is not recognised as one of them is refused.

mod grammar;
mod paraphrase;
mod pieces;
mod shape;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::collections::BTreeSet;

use nlu::{Extractor, Normalized, ValueKind};
use pack::files::SpeechAct;

use grammar::{Given, Grammar, LANGUAGES, Piece, Section};
use pieces::{Sentence, sentences};

pub(crate) use paraphrase::strays;
pub(crate) use vocabulary::Vocabulary;

/// Readings of a text that are amounts, or lead somewhere.
const NUMBERS: [ValueKind; 7] = [
    ValueKind::Number,
    ValueKind::Ordinal,
    ValueKind::Percent,
    ValueKind::Money,
    ValueKind::Phone,
    ValueKind::Url,
    ValueKind::Email,
];

/// Stands between two pieces that are read as one.
const COMMA: &str = ",";

/// The acts and words that are allowed at this moment.
pub(crate) struct Allowed<'s> {
    acts: &'s [SpeechAct],
    vocabulary: &'s Vocabulary,
    extractor: &'s Extractor,
    topics: BTreeSet<String>,
    goods: BTreeSet<String>,
    fields: BTreeSet<String>,
    /// The customer's names, each as it may be called out.
    names: Vec<Vec<String>>,
    /// Whether the customer asks, so that to agree would be an answer.
    asked: bool,
}

/// The circumstances that a turn adds to what the pack says of a mode.
#[derive(Default)]
pub(crate) struct Moment<'t> {
    /// Whether the mode asks for data.
    pub(crate) collects: bool,
    /// The customer's words.
    pub(crate) message: &'t str,
    pub(crate) asks: bool,
    /// The names the customer goes by.
    pub(crate) names: Vec<&'t str>,
    /// The goods that the engine found or asked about.
    pub(crate) goods: Vec<&'t str>,
}

impl<'s> Allowed<'s> {
    pub(crate) fn new(
        acts: &'s [SpeechAct],
        vocabulary: &'s Vocabulary,
        extractor: &'s Extractor,
        moment: &Moment<'_>,
    ) -> Self {
        let mut goods = vocabulary.goods.clone();
        goods.extend(moment.goods.iter().flat_map(|text| vocabulary::names(text)));
        Self {
            acts,
            vocabulary,
            extractor,
            topics: vocabulary::names(moment.message).into_iter().collect(),
            goods,
            fields: if moment.collects { vocabulary.fields.clone() } else { BTreeSet::new() },
            names: moment.names.iter().flat_map(|name| called(name)).collect(),
            asked: moment.asks,
        }
    }

    /// Why a text may not be sent, if it may not.
    pub(crate) fn refuses(&self, text: &str) -> Option<String> {
        let text = text.trim();
        shape::refuses(text)
            .or_else(|| number(self.extractor, text))
            .or_else(|| {
                let leaked = self.vocabulary.leaked(text)?;
                Some(format!("«{leaked}» is read out of a prompt"))
            })
            .or_else(|| self.unlisted(text))
    }

    /// The part of a text that is none of the acts that the mode lists.
    fn unlisted(&self, text: &str) -> Option<String> {
        let mut said = Said::default();
        for sentence in sentences(text) {
            let read = LANGUAGES.iter().find_map(|grammar| self.read(grammar, &sentence, said));
            match read {
                Some(more) => said = more,
                None => {
                    let pieces: Vec<_> = sentence.pieces.iter().map(|one| one.join(" ")).collect();
                    return Some(format!(
                        "«{}» is none of what may be said here in your own words: {}",
                        pieces.join(", "),
                        self.acts.iter().map(|act| act.name()).collect::<Vec<_>>().join(", "),
                    ));
                }
            }
        }
        (!said.something).then(|| "it says nothing but to agree".to_owned())
    }

    /// The sentence's addition to what was said, if all of it is acts of the mode's: each piece by
    /// itself or, where a pattern has the comma between them, together with the next.
    fn read(&self, grammar: &Grammar, sentence: &Sentence, said: Said) -> Option<Said> {
        let pieces = &sentence.pieces;
        let mut read = vec![BTreeSet::new(); pieces.len() + 1];
        read[0].insert(said);
        for at in 0..pieces.len() {
            for end in at + 1..=(at + 2).min(pieces.len()) {
                let words = pieces[at..end].join(&[COMMA.to_owned()][..]);
                let said = read[at].iter();
                let more =
                    said.filter_map(|said| self.recognised(grammar, &words, sentence.asks, *said));
                let more: Vec<Said> = more.collect();
                read[end].extend(more);
            }
        }
        read[pieces.len()].last().copied()
    }

    /// The addition of these words to what was said, if they are one of the mode's acts.
    fn recognised(
        &self,
        grammar: &Grammar,
        words: &[String],
        asks: bool,
        said: Said,
    ) -> Option<Said> {
        let given = Given { goods: &self.goods, fields: &self.fields, topics: &self.topics };
        let words = self.uncalled(words);
        let piece = Piece { words, asks };
        let starts = self.openings(grammar, &piece, given);
        let is = |section: Section| {
            let mut starts = starts.iter().filter(|at| **at < words.len());
            starts.any(|at| grammar.ends(section, &piece, *at, given).contains(&words.len()))
        };
        let does = |act: SpeechAct| self.acts.contains(&act) && is(Section::Act(act));
        if does(SpeechAct::OfferPerson) {
            return Some(Said { something: true, offered: true });
        }
        let speaks =
            self.acts.iter().any(|act| does(*act)) || (said.offered && is(Section::AfterOffer));
        let said = Said { something: said.something || speaks, ..said };
        (speaks || starts.contains(&words.len())).then_some(said)
    }

    /// A piece without the customer's name at its end.
    fn uncalled<'w>(&self, words: &'w [String]) -> &'w [String] {
        let name = self.names.iter().find(|name| words.ends_with(name));
        &words[..words.len() - name.map_or(0, Vec::len)]
    }

    /// Where in a piece its act may begin: behind words that say nothing, or that only agree.
    fn openings(&self, grammar: &Grammar, piece: &Piece<'_>, given: Given<'_>) -> BTreeSet<usize> {
        let mut starts = BTreeSet::from([0]);
        for _ in 0..3 {
            let more = starts.iter().flat_map(|at| {
                let filler = grammar.ends(Section::Filler, piece, *at, given);
                let agree = grammar.ends(Section::Agree, piece, *at, given);
                filler.into_iter().chain(agree.into_iter().filter(|_| !self.asked))
            });
            let more: Vec<usize> = more.collect();
            starts.extend(more);
        }
        starts
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    something: bool,
    /// Whether a person was offered, so that it may be asked whether that is wanted.
    offered: bool,
}

/// The whole name and the first one, if they can be nothing but a name.
fn called(name: &str) -> Vec<Vec<String>> {
    let words = pieces::words(name);
    if words.is_empty() || words.len() > 4 || vocabulary::names(name) != words {
        return Vec::new();
    }
    vec![words.clone(), words[..1].to_vec()]
}

/// A number by any reading; «un», «una» and «uno» are articles.
pub(crate) fn number(extractor: &Extractor, text: &str) -> Option<String> {
    let normal = Normalized::new(text);
    let found = extractor.find_kinds(&normal, jiff::Timestamp::UNIX_EPOCH, &NUMBERS);
    let is_article =
        |text: &str| matches!(text.to_lowercase().as_str(), "un" | "una" | "uno" | "one" | "a");
    let number = found.iter().find(|found| !is_article(found.text.trim()));
    number
        .map(|number| format!("`{}` can be read as a number, an amount or an address", number.text))
}

/// How much of a growing text may be shown: whole sentences that would be allowed.
pub(crate) fn preview<'a>(
    allowed: &'a Allowed<'_>,
) -> impl Fn(&str) -> Option<String> + Sync + use<'a> {
    move |text: &str| {
        let end = text.rfind(['.', '!', '?', '\n']).map(|at| at + 1)?;
        // A mark inside a number ends no sentence: what follows must be seen.
        let rest = text[end..].chars().next()?;
        let whole = text[..end].trim();
        (rest.is_whitespace() && allowed.refuses(whole).is_none()).then(|| whole.to_owned())
    }
}
