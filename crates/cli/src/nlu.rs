//! `recado nlu`: what the understanding without a model makes of labelled sets and of texts.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use agents::explain;
use anyhow::{Context, Result};
use domain::{Clock, SystemClock, Ticks};
use host::SystemTicks;
use jiff::tz::TimeZone;
use nlu::{
    City, Classifier, Country, DocumentKind, Example, Extractor, FieldType, Locale, Normalized,
    OUT_OF_SCOPE, ValueKind, evaluate, validate,
};
use sentences::Explanations;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::{ExtractOptions, NluCommand, NluOptions};
use crate::exit::{Outcome, Usage};
use crate::output::print;

pub(crate) fn nlu(options: &NluOptions) -> Outcome {
    match (&options.command, &options.train, &options.test) {
        (Some(NluCommand::Extract(extract)), ..) => extract_lines(extract)?,
        (None, Some(train), Some(test)) => classifier(train, test, options.json)?,
        _ => {
            let usage = "give --train F.jsonl and --test F.jsonl, or `recado nlu extract`";
            return Err(Usage(usage.to_owned()).into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A line of a labelled set; other keys are somebody else's.
#[derive(Deserialize)]
struct Labelled {
    text: String,
    intent: String,
}

fn labelled(path: &Path) -> Result<Vec<Labelled>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let one = serde_json::from_str(line).map_err(|error| {
            let place = format!("{}:{}:{}", path.display(), number + 1, error.column());
            Usage(format!(
                "{place}: not a labelled message, such as {{\"text\":\"hola\",\"intent\":\"saludo\"}}: {error}"
            ))
        })?;
        lines.push(one);
    }
    if lines.is_empty() {
        return Err(Usage(format!("{} holds no messages", path.display())).into());
    }
    Ok(lines)
}

#[derive(Serialize)]
struct Figures {
    train_messages: usize,
    test_messages: usize,
    out_of_scope_messages: usize,
    intents: usize,
    accuracy: f64,
    macro_f1: f64,
    expected_calibration_error: f64,
    oos_recall_at_95: Option<f64>,
    training_seconds: f64,
    microseconds_per_message: f64,
}

fn classifier(train: &Path, test: &Path, as_json: bool) -> Result<()> {
    let (train, test) = (labelled(train)?, labelled(test)?);
    let (examples, tests) = (examples(&train), examples(&test));
    let ticks = SystemTicks::start();
    eprintln!("training on {} messages…", examples.len());
    let began = ticks.nanos();
    let classifier = Classifier::train(&examples)?;
    let training_seconds = seconds(ticks.nanos() - began);
    let report = evaluate(&classifier, &tests);
    let began = ticks.nanos();
    for one in &tests {
        std::hint::black_box(classifier.classify(&Normalized::new(one.text)));
    }
    let classifying = seconds(ticks.nanos() - began);
    let figures = Figures {
        train_messages: examples.len(),
        test_messages: tests.len(),
        out_of_scope_messages: tests.iter().filter(|one| one.intent == OUT_OF_SCOPE).count(),
        intents: classifier.intents().len(),
        accuracy: report.accuracy,
        macro_f1: report.macro_f1,
        expected_calibration_error: report.expected_calibration_error,
        oos_recall_at_95: report.oos_recall_at_95,
        training_seconds,
        microseconds_per_message: classifying * 1e6 / tests.len() as f64,
    };
    print(as_json, &figures, Figures::lines)
}

fn examples(lines: &[Labelled]) -> Vec<Example<'_>> {
    lines.iter().map(|one| Example { text: &one.text, intent: &one.intent }).collect()
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

impl Figures {
    fn lines(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let recall = match self.oos_recall_at_95 {
            Some(recall) => percent(recall),
            None => "no message with the intent oos in the test file".to_owned(),
        };
        [
            format!(
                "messages                       {} to train, {} to test",
                self.train_messages, self.test_messages
            ),
            format!("intents                        {}", self.intents),
            format!("accuracy                       {}", percent(self.accuracy)),
            format!("macro-F1                       {}", percent(self.macro_f1)),
            format!("expected calibration error     {:.3}", self.expected_calibration_error),
            format!("out-of-scope recall, 95 % kept {recall}"),
            format!("training                       {:.2} s", self.training_seconds),
            format!("one classification             {:.1} µs", self.microseconds_per_message),
        ]
        .join("\n")
    }
}

/// A text to read: a plain line, or an object that also says where and when.
#[derive(Deserialize)]
struct Text {
    text: String,
    #[serde(default)]
    locale: Option<String>,
    #[serde(default)]
    time_zone: Option<String>,
    #[serde(default)]
    now: Option<String>,
}

fn extract_lines(options: &ExtractOptions) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut readers: Vec<((String, String), Reader)> = Vec::new();
    while let Some(line) = crate::input::line()? {
        if line.trim().is_empty() {
            continue;
        }
        let plain = || Text { text: line.clone(), locale: None, time_zone: None, now: None };
        let text: Text = serde_json::from_str(&line).unwrap_or_else(|_| plain());
        let locale = text.locale.as_ref().unwrap_or(&options.locale).clone();
        let zone = text.time_zone.as_ref().unwrap_or(&options.time_zone).clone();
        let key = (locale, zone);
        if !readers.iter().any(|(known, _)| *known == key) {
            readers.push((key.clone(), Reader::new(&key.0, &key.1, &options.cities)?));
        }
        let Some((_, reader)) = readers.iter().find(|(known, _)| *known == key) else { continue };
        let now = match text.now.as_ref().or(options.now.as_ref()) {
            Some(now) => instant(now, &reader.time_zone)?,
            None => jiff::Timestamp::from_millisecond(SystemClock::default().now().millis())?,
        };
        writeln!(out, "{}", reader.read(&text.text, now))?;
        out.flush()?;
    }
    Ok(())
}

/// With an offset, or as the clock on the wall of the time zone.
fn instant(text: &str, zone: &TimeZone) -> Result<jiff::Timestamp> {
    if let Ok(instant) = text.parse() {
        return Ok(instant);
    }
    let wall: jiff::civil::DateTime = text
        .parse()
        .map_err(|_| Usage(format!("`{text}` is not a time; write 2026-02-10T09:30:00")))?;
    Ok(wall.to_zoned(zone.clone())?.timestamp())
}

struct Reader {
    extractor: Extractor,
    country: Country,
    explanations: Explanations,
    time_zone: TimeZone,
}

impl Reader {
    fn new(locale: &str, zone: &str, cities: &[String]) -> Result<Self> {
        let city = |name: &String| City { name: name.clone(), aliases: Vec::new() };
        let (_, country) = locale
            .split_once('-')
            .ok_or_else(|| Usage(format!("`{locale}` is not a locale; write es-CO or en-US")))?;
        let country: Country =
            country.parse().map_err(|_| Usage(format!("`{country}` is not a country")))?;
        let time_zone = TimeZone::get(zone).map_err(|error| Usage(error.to_string()))?;
        let explanations = Explanations::of(locale);
        let settings = Locale {
            country,
            time_zone: time_zone.clone(),
            cities: cities.iter().map(city).collect(),
            products: Vec::new(),
        };
        Ok(Self { extractor: Extractor::new(&settings), country, explanations, time_zone })
    }

    fn read(&self, text: &str, now: jiff::Timestamp) -> Value {
        let normalized = Normalized::new(text);
        let found = self.extractor.find(&normalized, now);
        let by_kind = ValueKind::ALL.into_iter().filter_map(|kind| {
            let found = self.extractor.find_kinds(&normalized, now, &[kind]);
            (!found.is_empty()).then(|| (kind.name().to_owned(), json!(found)))
        });
        json!({
            "text": text,
            "found": found,
            "by_kind": by_kind.collect::<Map<_, _>>(),
            "valid": self.validations(text),
        })
    }

    /// The whole text as the value of a field of each type.
    fn validations(&self, text: &str) -> Map<String, Value> {
        let validation = |field| match validate(field, text, self.country) {
            Ok(valid) => json!({ "valid": true, "value": valid.canonical }),
            Err(invalid) => json!({
                "valid": false,
                "code": invalid.code(),
                "explanation": explain(&invalid, &self.explanations),
            }),
        };
        FIELDS.iter().map(|(name, field)| ((*name).to_owned(), validation(*field))).collect()
    }
}

const FIELDS: [(&str, FieldType); 10] = [
    ("text", FieldType::Text),
    ("email", FieldType::Email),
    ("phone", FieldType::Phone),
    ("url", FieldType::Url),
    ("number", FieldType::Number),
    ("cuit", FieldType::Document(DocumentKind::Cuit)),
    ("cuil", FieldType::Document(DocumentKind::Cuil)),
    ("dni", FieldType::Document(DocumentKind::Dni)),
    ("nit", FieldType::Document(DocumentKind::Nit)),
    ("cedula", FieldType::Document(DocumentKind::Cedula)),
];
