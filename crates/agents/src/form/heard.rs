//! A message understood once for all nodes: its words, the rules it hits, the values in it.

use std::ops::Range;
use std::sync::OnceLock;

use nlu::{Found, Hit, Hits, Normalized, Signals, ValueKind, is_code, signals};

use super::spec::{CHANGE_SET, FIELD_SET, Spec};

pub(crate) struct Heard<'a> {
    pub(crate) text: Normalized<'a>,
    pub(crate) hits: Hits<'a>,
    pub(crate) found: Vec<Found>,
    pub(crate) signals: Signals,
    /// Whether it was written for a machine: nothing in it is an answer, an order or a choice.
    pub(crate) is_code: bool,
    /// An asterisk, or a later line that corrects an earlier one.
    takes_back: bool,
    now: jiff::Timestamp,
    /// Whether it is a yes: read when first asked for, and asked for by many nodes.
    yes: OnceLock<bool>,
    /// Fields it names, by the words of the pack, in order of appearance.
    pub(crate) named: Vec<Named>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) field: usize,
    pub(crate) span: Range<usize>,
}

/// A message of more words than this is not only a yes, a greeting or thanks.
const SHORT: usize = 6;

/// How people begin to say who they are, in plain words.
const FIRST_PERSON: [&str; 8] =
    [" soy ", " me llamo ", " mi nombre ", " habla ", " my name ", " i am ", " i m ", " im "];

const DOCUMENTS: [&str; 9] =
    ["cedula", "documento", "dni", "nit", "cuit", "cuil", "cc", "rut", "pasaporte"];

/// Words that say nothing by themselves.
const FILLERS: [&str; 10] = ["ah", "aj", "eh", "em", "mm", "oh", "uh", "uy", "pues", "bueno"];

/// How words begin that make a number an amount.
const SUMS: [&str; 8] = ["mil", "peso", "palo", "luca", "dolar", "cop", "usd", "melon"];

impl<'a> Heard<'a> {
    pub(crate) fn new(spec: &'a Spec, text: &'a str, now: domain::Timestamp) -> Self {
        // On WhatsApp an asterisk before a text means that it corrects the last one.
        let (starred, text) = match text.trim_start().strip_prefix('*') {
            Some(rest) if !rest.trim_end().ends_with('*') => (true, rest),
            _ => (false, text),
        };
        let is_code = is_code(text);
        let takes_back = starred || spec.later_line_corrects(text);
        let text = Normalized::new(text);
        let hits = spec.hits(&text);
        let now = instant(now);
        let found = spec.extractor.find_among(&text, now, kinds(&text));
        let signals = signals(&text, &hits, 0);
        let named = named(spec, &hits, &found);
        let yes = OnceLock::new();
        Self { text, hits, found, signals, is_code, named, takes_back, now, yes }
    }

    /// Whether something in it says that it takes back what was said before.
    pub(crate) fn is_cue(&self) -> bool {
        let of_field = self.hits.any(CHANGE_SET) && !self.named.is_empty();
        self.takes_back || self.hits.any("correction") || of_field
    }

    /// Whether it names a kind of document, so that its digits are no phone and no amount.
    pub(crate) fn speaks_of_document(&self) -> bool {
        let is_document = |word: &nlu::Word| DOCUMENTS.contains(&word.text.as_str());
        self.text.words().iter().any(is_document)
    }

    /// Whether a number is said as an amount: with its currency or its thousands.
    pub(crate) fn is_amount(&self, span: &Range<usize>) -> bool {
        let written = Normalized::new(self.written(span));
        let is_sum = |word: &nlu::Word| SUMS.iter().any(|sum| word.text.starts_with(sum));
        written.folded().contains('$') || written.words().iter().any(is_sum)
    }

    /// Whether nothing that parts clauses lies there.
    pub(crate) fn is_one_clause(&self, span: Range<usize>) -> bool {
        !self.written(&span).contains([',', ';', '.', '\n'])
    }

    /// Whether it is a yes and nothing else.
    pub(crate) fn is_yes(&self) -> bool {
        *self.yes.get_or_init(|| nlu::agrees(self.text.original(), ""))
    }

    pub(crate) fn is_no(&self) -> bool {
        self.hits.any("no") && !self.hits.any("yes") && self.is_short()
    }

    /// Whether the customer has no value for what is asked, or will not give it.
    pub(crate) fn goes_without(&self) -> bool {
        self.hits.any("skip") || self.hits.any("refusal")
    }

    /// Whether the customer speaks of who they are.
    pub(crate) fn is_first_person(&self) -> bool {
        let padded = format!(" {} ", self.text.plain());
        FIRST_PERSON.iter().any(|words| padded.contains(words))
    }

    /// How many of its words are in none of the values it holds.
    pub(crate) fn words_beside_values(&self) -> usize {
        let inside = |word: &&nlu::Word| {
            let span = &word.original;
            self.found.iter().any(|one| one.span.start <= span.start && span.end <= one.span.end)
        };
        self.text.words().iter().filter(|word| !inside(word)).count()
    }

    pub(crate) fn is_short(&self) -> bool {
        self.text.words().len() <= SHORT
    }

    /// How it was said, by someone who has now meant the same that often.
    pub(crate) fn tone(&self, times: u32) -> Signals {
        signals(&self.text, &self.hits, times)
    }

    /// The values it holds if it is read as an answer of these kinds alone.
    pub(crate) fn found_as(&self, spec: &Spec, kinds: &[ValueKind]) -> Vec<Found> {
        spec.extractor.find_kinds(&self.text, self.now, kinds)
    }

    pub(crate) fn written(&self, span: &Range<usize>) -> &'a str {
        &self.text.original()[span.clone()]
    }

    /// Whether the hits of these sets are all the words there are.
    pub(crate) fn is_only(&self, sets: &[&str]) -> bool {
        covers(&self.text, &self.hits, sets)
    }
}

/// Whether the hits of these sets are all the words a text has.
pub(crate) fn covers(text: &Normalized<'_>, hits: &Hits<'_>, sets: &[&str]) -> bool {
    let inside = |span: &Range<usize>, hit: &Hit<'_>| {
        hit.span.start <= span.start && span.end <= hit.span.end
    };
    let covered =
        |span: &Range<usize>| sets.iter().any(|set| hits.of(set).any(|hit| inside(span, hit)));
    let filler = |word: &nlu::Word| FILLERS.contains(&word.text.as_str());
    let words = text.words();
    words.iter().any(|word| !filler(word))
        && words.iter().all(|word| filler(word) || covered(&word.original))
}

/// The kinds that fields have, and those whose parts would be mistaken for them. Dates and
/// addresses cost more than all others together, and are mistaken for numbers only by their digits.
fn kinds(text: &Normalized<'_>) -> &'static [ValueKind] {
    const KINDS: [ValueKind; 13] = [
        ValueKind::Email,
        ValueKind::Phone,
        ValueKind::Url,
        ValueKind::Number,
        ValueKind::Money,
        ValueKind::Name,
        ValueKind::Document,
        ValueKind::Quantity,
        ValueKind::Percent,
        ValueKind::City,
        ValueKind::Ordinal,
        ValueKind::Address,
        ValueKind::Moment,
    ];
    let has_digits = text.folded().contains(|c: char| c.is_ascii_digit());
    if has_digits { &KINDS } else { &KINDS[..10] }
}

fn instant(at: domain::Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default()
}

/// Which fields are named; words inside a value, as in an address on the web, name nothing, and of
/// two names at one place the longer counts.
fn named(spec: &Spec, hits: &Hits<'_>, found: &[Found]) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for (field, one) in spec.fields.iter().enumerate() {
        for hit in hits.of(&format!("{FIELD_SET}{}", one.name)) {
            let inside =
                |found: &Found| found.span.start < hit.span.end && hit.span.start < found.span.end;
            if !found.iter().any(inside) {
                named.push(Named { field, span: hit.span.clone() });
            }
        }
    }
    named.sort_by_key(|one| (one.span.start, std::cmp::Reverse(one.span.end)));
    named.dedup_by(|later, earlier| later.span.start < earlier.span.end);
    named
}
