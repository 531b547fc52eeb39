//! A local intent classifier trained from examples.

mod calibrate;
mod evaluate;
mod features;
mod lexicon;
mod meaning;
mod scope;
mod shuffle;
mod solver;
mod spelling;
mod stem;
mod train;
mod vocabulary;
mod weights;

use std::sync::Arc;

pub use evaluate::{Report, evaluate};

use crate::Normalized;
use scope::Scope;
use spelling::Spelling;
use vocabulary::Vocabulary;
use weights::Weights;

/// The intent name that marks an example as belonging to no intent.
pub const OUT_OF_SCOPE: &str = "oos";

/// The number of intents that a classification names.
const RANKED: usize = 5;

/// A message with the intent it was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example<'a> {
    pub text: &'a str,
    pub intent: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrainError {
    #[error("there are no examples to learn intents from; add some under `examples`")]
    NoExamples,
    #[error("no example holds a word; write them as a customer would")]
    NoWords,
}

/// The possible intents of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// Best first, at most five.
    pub ranked: Vec<Ranked>,
    /// From 0 to 1: how much the message looks like any intent at all; 0.5 is the threshold.
    pub in_scope: f32,
    /// Whether `in_scope` is below the threshold, which keeps about 95 of 100 messages that do
    /// belong to an intent.
    pub out_of_scope: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    pub intent: Arc<str>,
    /// The chance that this is the intent, given that the message has one.
    pub confidence: f32,
}

/// Classifies messages by intent. A clone shares the learnt weights.
#[derive(Clone, Debug)]
pub struct Classifier {
    learnt: Arc<Learnt>,
}

#[derive(Debug)]
struct Learnt {
    intents: Vec<Arc<str>>,
    spelling: Spelling,
    vocabulary: Vocabulary,
    /// A column for each intent, and a last one for out-of-scope examples if there were any.
    weights: Weights,
    sharpness: f32,
    scope: Scope,
}

impl Classifier {
    /// Learns from the examples; the same examples in the same order give the same classifier.
    pub fn train(examples: &[Example<'_>]) -> Result<Self, TrainError> {
        Ok(Self { learnt: Arc::new(train::train(examples)?) })
    }

    pub fn classify(&self, text: &Normalized<'_>) -> Classification {
        let learnt = &*self.learnt;
        let message = learnt.vocabulary.vector(&features::read(text, &learnt.spelling));
        let scores = learnt.weights.scores(&message);
        let in_scope = learnt.scope.of(&scores, learnt.intents.len(), message.known);
        let mut ranked: Vec<(usize, f32)> = calibrate::chances(&scores, learnt.sharpness)
            .into_iter()
            .take(learnt.intents.len())
            .enumerate()
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.truncate(RANKED);
        let ranked = ranked
            .into_iter()
            .map(|(at, confidence)| Ranked { intent: Arc::clone(&learnt.intents[at]), confidence })
            .collect();
        Classification { ranked, in_scope, out_of_scope: in_scope < 0.5 }
    }

    /// The known intents, in alphabetical order, without the out-of-scope mark.
    pub fn intents(&self) -> &[Arc<str>] {
        &self.learnt.intents
    }
}
