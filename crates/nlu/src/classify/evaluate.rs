//! Measures a classifier against labelled messages.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Normalized;

use super::{Classifier, Example, OUT_OF_SCOPE};

/// How many ranges of confidence the calibration error looks at.
const BINS: usize = 15;

/// The share of messages with an intent that the out-of-scope measures keep.
const KEPT: f64 = 0.95;

/// A classifier's results on messages whose intent is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Messages with an intent, and how many of them were classified right.
    pub in_scope: usize,
    pub correct: usize,
    pub accuracy: f64,
    /// The mean over intents, so that rare ones count as much as common ones.
    pub macro_f1: f64,
    /// How far confidence is from accuracy, on average.
    pub expected_calibration_error: f64,
    pub out_of_scope: usize,
    /// Out-of-scope messages refused at the threshold that keeps 95 % of these in-scope ones.
    pub oos_recall_at_95: Option<f64>,
    /// Out-of-scope messages refused at the threshold found in training, and the share of in-scope
    /// messages that this threshold keeps.
    pub oos_recall: Option<f64>,
    pub kept: f64,
}

#[derive(Default)]
struct Counts {
    right: usize,
    wrongly_given: usize,
    missed: usize,
}

/// Evaluates a classifier. Rows marked `oos` count for the out-of-scope measures only.
pub fn evaluate(classifier: &Classifier, examples: &[Example<'_>]) -> Report {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut confidences = Vec::new();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    let (mut kept, mut refused) = (0, 0);
    for example in examples {
        let answer = classifier.classify(&Normalized::new(example.text));
        if example.intent == OUT_OF_SCOPE {
            outside.push(answer.in_scope);
            refused += usize::from(answer.out_of_scope);
            continue;
        }
        inside.push(answer.in_scope);
        kept += usize::from(!answer.out_of_scope);
        let best = &answer.ranked[0];
        let right = *best.intent == *example.intent;
        confidences.push((best.confidence, right));
        if right {
            counts.entry(example.intent.to_owned()).or_default().right += 1;
        } else {
            counts.entry(best.intent.to_string()).or_default().wrongly_given += 1;
            counts.entry(example.intent.to_owned()).or_default().missed += 1;
        }
    }
    let correct = confidences.iter().filter(|(_, right)| *right).count();
    Report {
        in_scope: inside.len(),
        correct,
        accuracy: share(correct, inside.len()),
        macro_f1: macro_f1(&counts),
        expected_calibration_error: calibration_error(&confidences),
        out_of_scope: outside.len(),
        oos_recall: (!outside.is_empty()).then(|| share(refused, outside.len())),
        kept: share(kept, inside.len()),
        oos_recall_at_95: recall_at_kept(inside, &outside),
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn macro_f1(counts: &BTreeMap<String, Counts>) -> f64 {
    let sum: f64 =
        counts.values().map(|c| share(2 * c.right, 2 * c.right + c.wrongly_given + c.missed)).sum();
    if counts.is_empty() { 0.0 } else { sum / counts.len() as f64 }
}

fn calibration_error(confidences: &[(f32, bool)]) -> f64 {
    let mut bins = [(0usize, 0usize, 0f64); BINS];
    for (confidence, right) in confidences {
        // A bin holds its upper edge, so a confidence of 1 falls into the last bin.
        let at = ((confidence * BINS as f32).ceil() as usize).clamp(1, BINS) - 1;
        bins[at].0 += 1;
        bins[at].1 += usize::from(*right);
        bins[at].2 += f64::from(*confidence);
    }
    let apart: f64 = bins.iter().map(|(_, right, said)| (*right as f64 - said).abs()).sum();
    if confidences.is_empty() { 0.0 } else { apart / confidences.len() as f64 }
}

fn recall_at_kept(mut inside: Vec<f32>, outside: &[f32]) -> Option<f64> {
    inside.sort_by(f32::total_cmp);
    let given_up = (inside.len() as f64 * (1.0 - KEPT)) as usize;
    let threshold = inside.get(given_up)?;
    let refused = outside.iter().filter(|score| *score < threshold).count();
    (!outside.is_empty()).then(|| share(refused, outside.len()))
}
