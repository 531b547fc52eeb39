//! Finds the values in a message: addresses, numbers, money, dates, names, documents, quantities.

mod address;
mod boolean;
mod candidate;
mod city;
mod country;
mod dates;
mod dictated;
mod document;
mod email;
mod first_names;
mod json;
mod money;
mod name;
pub(crate) mod number;
mod ordinal;
mod percent;
mod phone;
mod phrases;
mod quantity;
pub(crate) mod tokens;
mod trigger;
mod url;
mod value;

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use self::country::{Country, NotACountry};
pub use self::dates::{At, Moment, MomentKind, Point, Reading};
pub use self::first_names::is_first_name;
pub use self::number::{amount_in_words, place_in_words};
pub use self::phone::Phone;
pub use self::url::https_url;
pub use self::value::{DocumentKind, Found, Ordinal, Value, ValueKind};

use self::candidate::{Candidate, rank, without_overlaps};
use self::city::Cities;
use self::quantity::Products;
use self::tokens::Tokens;
use crate::Normalized;

/// The place of the business, and the words that only the business knows.
#[derive(Clone, Debug)]
pub struct Locale {
    pub country: Country,
    pub time_zone: TimeZone,
    pub cities: Vec<City>,
    /// Names of products, for quantities; with an empty list every counted noun is a product.
    pub products: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct City {
    pub name: String,
    /// Other spellings, such as `CABA`.
    pub aliases: Vec<String>,
}

/// A compiled locale; built once and shared by every message.
#[derive(Clone, Debug)]
pub struct Extractor {
    country: Country,
    time_zone: TimeZone,
    cities: Cities,
    products: Products,
}

impl Extractor {
    pub fn new(locale: &Locale) -> Self {
        let cities: Vec<_> =
            locale.cities.iter().map(|city| (city.name.clone(), city.aliases.clone())).collect();
        Self {
            country: locale.country,
            time_zone: locale.time_zone.clone(),
            cities: Cities::new(&cities),
            products: Products::new(&locale.products),
        }
    }

    /// Every value of a message in order of position; no two share text.
    pub fn find(&self, text: &Normalized<'_>, now: Timestamp) -> Vec<Found> {
        self.find_among(text, now, &ValueKind::ALL)
    }

    /// The values of a message for a caller that names the kinds that can matter: those it wants,
    /// and those that would otherwise be mistaken for them.
    pub fn find_among(
        &self,
        text: &Normalized<'_>,
        now: Timestamp,
        kinds: &[ValueKind],
    ) -> Vec<Found> {
        let mut candidates = self.candidates(text, now, kinds);
        candidates.retain(|candidate| candidate.rank > rank::WEAK);
        let mut kept = without_overlaps(candidates);
        kept.retain(|candidate| candidate.rank != rank::DICTATED);
        found(text, kept)
    }

    /// The values of some kinds only, for a form that asks for one: values of other kinds do not
    /// take their text, and values too weak to stand among all kinds are kept too.
    pub fn find_kinds(
        &self,
        text: &Normalized<'_>,
        now: Timestamp,
        kinds: &[ValueKind],
    ) -> Vec<Found> {
        found(text, without_overlaps(self.candidates(text, now, kinds)))
    }

    fn candidates(
        &self,
        text: &Normalized<'_>,
        now: Timestamp,
        kinds: &[ValueKind],
    ) -> Vec<Candidate> {
        let tokens = Tokens::new(text.folded());
        let mut list = Vec::new();
        for kind in kinds.iter().filter(|kind| trigger::is_set_off(**kind, &tokens)) {
            self.read(*kind, text, &tokens, now, &mut list);
        }
        list
    }

    fn read(
        &self,
        kind: ValueKind,
        text: &Normalized<'_>,
        tokens: &Tokens<'_>,
        now: Timestamp,
        list: &mut Vec<Candidate>,
    ) {
        let folded = text.folded();
        let comma = self.country.writes_decimal_comma();
        match kind {
            ValueKind::Email => email::find(folded, tokens, list),
            ValueKind::Phone => {
                phone::find(text, tokens, self.country, list);
                dictated::find(tokens, self.country, list);
            }
            ValueKind::Url => url::find(text, list),
            ValueKind::Number => number::find(tokens, comma, list),
            ValueKind::Ordinal => ordinal::find(tokens, list),
            ValueKind::Percent => percent::find(tokens, comma, list),
            ValueKind::Money => money::find(tokens, self.country, list),
            ValueKind::Moment => {
                let now = now.to_zoned(self.time_zone.clone()).datetime();
                dates::find(tokens, now, self.country, list);
            }
            ValueKind::Name => name::find(text, tokens, list),
            ValueKind::Address => address::find(text, tokens, list),
            ValueKind::City => self.cities.find(folded, list),
            ValueKind::Document => document::find(folded, tokens, self.country, list),
            ValueKind::Quantity => self.products.find(text, tokens, comma, list),
            ValueKind::Boolean => boolean::find(tokens, accented(text, tokens), list),
        }
    }
}

/// The number that the whole folded text is, in digits or words.
pub(crate) fn whole_number(folded: &str, country: Country) -> Option<rust_decimal::Decimal> {
    let tokens = Tokens::new(folded);
    number::only(&tokens, country.writes_decimal_comma()).or_else(|| money::only(&tokens, country))
}

/// Whether a word was written with an accent, which folding drops.
fn accented<'a>(text: &'a Normalized<'_>, tokens: &'a Tokens<'_>) -> impl Fn(usize) -> bool + 'a {
    |at| !text.original()[text.original_span(tokens.span(at, at + 1))].is_ascii()
}

fn found(text: &Normalized<'_>, candidates: Vec<Candidate>) -> Vec<Found> {
    let mut list: Vec<Found> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let span = text.original_span(candidate.span);
        // A single character may fold to several; two values cannot share it.
        if list.last().is_none_or(|last| last.span.end <= span.start) && !span.is_empty() {
            let written = text.original()[span.clone()].to_owned();
            list.push(Found { span, text: written, value: candidate.value });
        }
    }
    list
}
