//! A form made ready to run: its fields, rules, classifier and extractor, built once per version.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;
use nlu::{
    Builtin, City, Classifier, Country, Example, Extractor, Hits, Locale, Normalized, OUT_OF_SCOPE,
    Pattern, Rules, RulesBuilder,
};
use pack::files::{Field, FieldKind, Form, Intents};
use pack::{Marks, Pack};
use serde_json::Value;

use super::heard::covers;

/// The set of rules that name a field begins so.
pub(crate) const FIELD_SET: &str = "field:";
/// The set of rules that decide an intent begins so.
pub(crate) const INTENT_SET: &str = "intent:";

/// Words that, beside the name of a field, say that it is to be changed.
pub(crate) const CHANGE_SET: &str = "change";
const CHANGES: [&str; 18] = [
    "perdón",
    "disculp*",
    "sorry",
    "no se llama",
    "no es así",
    "así no es",
    "cambi*",
    "corrig*",
    "corrij*",
    "correg*",
    "modific*",
    "actualiz*",
    "edit*",
    "mal",
    "equivocad*",
    "incorrect*",
    "wrong",
    "change*",
];

/// A classifier with the intents it was learnt from. Most edits of a pack leave them alone, and learning is
/// the dearest part of a reload.
struct Learnt {
    intents: Intents,
    classifier: Classifier,
}

static LEARNT: Mutex<Vec<Learnt>> = Mutex::new(Vec::new());

/// How many packs' intents are kept learnt.
const REMEMBERED: usize = 8;

pub(crate) struct Spec {
    pub(crate) pack: Arc<Pack>,
    pub(crate) form: Form,
    pub(crate) fields: Vec<Field>,
    /// Each field's own pattern, if it has one.
    pub(crate) patterns: Vec<Option<Pattern>>,
    /// The pack's own rules; those that ship are shared.
    rules: Rules,
    /// The classifier, unless the pack gives no examples.
    pub(crate) classifier: Option<Classifier>,
    pub(crate) extractor: Extractor,
    pub(crate) country: Country,
    /// The word that joins the last two parts of a list.
    pub(crate) and: String,
    /// The word between two of which one is to be taken.
    pub(crate) or: String,
    marks: Marks,
}

impl Spec {
    /// A loaded pack has been checked, so that nothing can fail here; should it, the reason is
    /// the pack's.
    pub(crate) fn new(pack: Arc<Pack>, form: Form) -> Result<Self, String> {
        let rules = rules(&pack, &form)?;
        let patterns = form
            .fields
            .iter()
            .map(|field| field.pattern.as_deref().map(str::parse::<Pattern>).transpose())
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        let classifier = classifier(&pack)?;
        let (extractor, country) = extractor(&pack)?;
        Ok(Self {
            fields: form.fields.clone(),
            patterns,
            rules,
            classifier,
            extractor,
            country,
            and: pack.sentences.and(),
            or: pack.sentences.or(),
            marks: Marks::of(&pack.manifest.locale),
            form,
            pack,
        })
    }

    /// The hits in a text of the rules that ship and of the pack's own.
    pub(crate) fn hits(&self, text: &Normalized<'_>) -> Hits<'_> {
        let mut hits = Rules::builtin().find(text);
        if !self.form.escalation.keyword.builtin {
            hits = hits.without(Builtin::Escalation.name());
        }
        hits.and(self.rules.find(text))
    }

    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Whether the pack counts an intent as beside the point.
    pub(crate) fn is_off_topic(&self, intent: &str) -> bool {
        self.form.off_topic.intents.iter().any(|name| name == intent)
    }

    /// A field's value as texts are told it: what customers supplied is a quotation where it could be
    /// taken for ours. A mail or web address was checked to be no more than that.
    pub(crate) fn told_value(&self, name: &str, value: &Value) -> Value {
        let field = self.fields.iter().find(|field| field.name == *name);
        let checked =
            field.is_some_and(|one| matches!(one.kind, FieldKind::Email | FieldKind::Url));
        match value.as_str() {
            Some(text) if !checked => pack::cited(text).into(),
            _ => value.clone(),
        }
    }

    /// A value as people read it.
    pub(crate) fn show(&self, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Number(number) => self.marks.apply(&number.to_string()),
            other => other.to_string(),
        }
    }

    /// Whether one of several messages that came together corrects what came before it.
    pub(crate) fn later_line_corrects(&self, text: &str) -> bool {
        text.lines()
            .skip(1)
            .any(|line| self.hits(&Normalized::new(line)).any(Builtin::Correction.name()))
    }

    /// Whether a piece of a message is a greeting, thanks, a refusal or a question, and no value.
    pub(crate) fn is_talk(&self, piece: &str) -> bool {
        let text = Normalized::new(piece);
        let hits = self.hits(&text);
        covers(&text, &hits, &["greeting", "thanks", "farewell", "yes", "no"])
            || ["refusal", "skip", "off_topic", "help"].iter().any(|set| hits.any(set))
    }
}

fn rules(pack: &Pack, form: &Form) -> Result<Rules, String> {
    let mut builder = RulesBuilder::new();
    let words = form.escalation.keyword.words.iter().map(String::as_str);
    builder = builder.keywords(Builtin::Escalation.name(), words);
    builder = builder.keywords(CHANGE_SET, CHANGES);
    builder = builder.keywords(Builtin::Correction.name(), ["no me llamo", "mentira*"]);
    for field in &form.fields {
        let set = format!("{FIELD_SET}{}", field.name);
        let own = field.name.replace('_', " ");
        let aliases = field.aliases.iter().map(String::as_str);
        builder = builder.keywords(&set, aliases.chain([own.as_str()]));
    }
    for intent in &pack.intents.intents {
        let set = format!("{INTENT_SET}{}", intent.name);
        builder = builder.keywords(&set, intent.keywords.iter().map(String::as_str));
        for pattern in &intent.patterns {
            builder = builder.pattern(&set, pattern).map_err(|error| error.to_string())?;
        }
    }
    Ok(builder.build())
}

fn classifier(pack: &Pack) -> Result<Option<Classifier>, String> {
    let intents = &pack.intents;
    let named = intents.intents.iter().flat_map(|intent| {
        intent.examples.iter().map(|text| Example { text, intent: &intent.name })
    });
    let others = intents.out_of_scope.iter().map(|text| Example { text, intent: OUT_OF_SCOPE });
    let examples: Vec<_> = named.chain(others).collect();
    if examples.is_empty() {
        return Ok(None);
    }
    let mut learnt = LEARNT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = learnt.iter().find(|known| known.intents == *intents) {
        return Ok(Some(known.classifier.clone()));
    }
    let classifier = Classifier::train(&examples).map_err(|error| error.to_string())?;
    learnt.truncate(REMEMBERED - 1);
    learnt.insert(0, Learnt { intents: intents.clone(), classifier: classifier.clone() });
    Ok(Some(classifier))
}

fn extractor(pack: &Pack) -> Result<(Extractor, Country), String> {
    let manifest = &pack.manifest;
    let code = manifest.locale.rsplit('-').next().unwrap_or_default();
    let country: Country = code.parse().map_err(|_| format!("`{code}` is not a country"))?;
    let time_zone = TimeZone::get(&manifest.time_zone).map_err(|error| error.to_string())?;
    let cities =
        manifest.cities.iter().map(|name| City { name: name.clone(), aliases: Vec::new() });
    let locale = Locale { country, time_zone, cities: cities.collect(), products: Vec::new() };
    Ok((Extractor::new(&locale), country))
}
