//! Text to understanding without I/O: normalise, rules, classify, extract, validate, signals.

mod agreement;
mod classify;
mod code;
mod extract;
pub mod goods;
mod normalize;
mod rules;
mod signals;
mod validate;

pub use agreement::{Agreement, Objection, agrees, reads_agreement};
pub use classify::{
    Classification, Classifier, Example, OUT_OF_SCOPE, Ranked, Report, TrainError, evaluate,
};
pub use code::{is_code, without_links};
pub use extract::{
    At, City, Country, DocumentKind, Extractor, Found, Locale, Moment, MomentKind, NotACountry,
    Ordinal, Phone, Point, Reading, Value, ValueKind, amount_in_words, https_url, is_first_name,
    place_in_words,
};
pub use normalize::{Normalized, Word};
pub use rules::{BadPattern, Builtin, Hit, Hits, Rules, RulesBuilder};
pub use signals::{Indicator, Sentiment, Signals, Urgency, signals};
pub use validate::{FieldType, Invalid, Pattern, PatternError, Valid, document_is_valid, validate};
