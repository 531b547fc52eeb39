//! Trains a classifier from examples.

use std::collections::HashSet;
use std::sync::Arc;

use crate::Normalized;

use super::calibrate::{HeldOut, sharpness};
use super::features::{self, Feature};
use super::scope::Scope;
use super::shuffle::Shuffle;
use super::solver;
use super::spelling::Spelling;
use super::vocabulary::{Vector, Vocabulary};
use super::weights::Weights;
use super::{Example, Learnt, OUT_OF_SCOPE, TrainError};

const FOLDS: usize = 5;

/// The most examples held out: chances fitted to this many do not improve with more.
const ENOUGH_HELD_OUT: usize = 3000;

pub(super) fn train(examples: &[Example<'_>]) -> Result<Learnt, TrainError> {
    if examples.iter().all(|example| example.intent == OUT_OF_SCOPE) {
        return Err(TrainError::NoExamples);
    }
    let mut intents: Vec<&str> = examples.iter().map(|example| example.intent).collect();
    intents.retain(|intent| *intent != OUT_OF_SCOPE);
    intents.sort_unstable();
    intents.dedup();

    let rows = Rows::of(examples, &intents);
    if rows.features.iter().all(Vec::is_empty) {
        return Err(TrainError::NoWords);
    }
    let held_out = rows.hold_out();
    let all: Vec<usize> = (0..rows.labels.len()).collect();
    let (vocabulary, exact) = rows.learn(&all);
    Ok(Learnt {
        spelling: Spelling::of(rows.words.iter().map(String::as_str)),
        vocabulary,
        weights: Weights::of(&exact, rows.classes),
        sharpness: sharpness(&held_out),
        scope: Scope::of_held_out(&held_out, intents.len()),
        intents: intents.into_iter().map(Arc::from).collect(),
    })
}

struct Rows {
    /// The words in the order of the examples.
    words: Vec<String>,
    features: Vec<Vec<Feature>>,
    labels: Vec<usize>,
    classes: usize,
}

impl Rows {
    /// The examples as rows. A repetition of an earlier example is left out, because it teaches
    /// nothing, and held out it would make the classifier look better than it is.
    fn of(examples: &[Example<'_>], intents: &[&str]) -> Self {
        let mut rows = Rows {
            words: Vec::new(),
            features: Vec::new(),
            labels: Vec::new(),
            classes: intents.len(),
        };
        let mut seen = HashSet::new();
        for example in examples {
            // Out-of-scope examples take the class after the intents.
            let label = intents.binary_search(&example.intent).unwrap_or(intents.len());
            let text = Normalized::new(example.text);
            if seen.insert((text.plain().to_owned(), label)) {
                rows.features.push(features::read(&text, &Spelling::default()));
                rows.labels.push(label);
                rows.words.extend(text.words().iter().map(|word| word.text.clone()));
                rows.classes = rows.classes.max(label + 1);
            }
        }
        rows
    }

    fn learn(&self, chosen: &[usize]) -> (Vocabulary, Vec<f32>) {
        let features: Vec<&[Feature]> =
            chosen.iter().map(|at| self.features[*at].as_slice()).collect();
        let labels: Vec<usize> = chosen.iter().map(|at| self.labels[*at]).collect();
        let vocabulary = Vocabulary::of(&features);
        let vectors: Vec<Vector> = features.iter().map(|row| vocabulary.vector(row)).collect();
        let exact = solver::learn(&vectors, &labels, vocabulary.len(), self.classes);
        (vocabulary, exact)
    }

    /// The scores of each fold's examples under weights learnt from the other folds.
    fn hold_out(&self) -> Vec<HeldOut> {
        let mut held_out = Vec::new();
        let folds = self.folds();
        for fold in 0..FOLDS {
            let (asked, taught): (Vec<usize>, Vec<usize>) =
                (0..self.labels.len()).partition(|at| folds[*at] == fold);
            let taught_labels: HashSet<usize> = taught.iter().map(|at| self.labels[*at]).collect();
            let (vocabulary, exact) = self.learn(&taught);
            // An intent with a single example cannot be learnt without that example, so it is
            // skipped.
            for at in asked.into_iter().filter(|at| taught_labels.contains(&self.labels[*at])) {
                let vector = vocabulary.vector(&self.features[at]);
                let mut scores = vec![0.0; self.classes];
                solver::score(&exact, &vector, &mut scores);
                held_out.push(HeldOut { scores, known: vector.known, class: self.labels[at] });
            }
            if held_out.len() >= ENOUGH_HELD_OUT {
                break;
            }
        }
        held_out
    }

    /// The fold of each example: every intent is spread over the folds evenly.
    fn folds(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        Shuffle::seeded(5).mix(&mut order);
        order.sort_by_key(|at| self.labels[*at]);
        let mut folds = vec![0; order.len()];
        for (position, at) in order.into_iter().enumerate() {
            folds[at] = position % FOLDS;
        }
        folds
    }
}
