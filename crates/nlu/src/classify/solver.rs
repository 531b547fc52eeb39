//! Learns linear weights by coordinate ascent on the dual, one example at a time.

use super::shuffle::Shuffle;
use super::vocabulary::Vector;

/// The pressure of the two objectives on the examples, against keeping the weights small.
const MARGIN_PRESSURE: f32 = 1.0;
const LIKELIHOOD_PRESSURE: f32 = 30.0;

/// The weight of the likelihood's solution beside that of the margins. Margins serve the intents
/// with few examples, likelihood those that lie close together.
const LIKELIHOOD_SHARE: f32 = 0.4;

/// The most passes; more of them move the weights without changing any decision.
const PASSES: usize = 8;
const SETTLED: f32 = 1e-3;
const NEGLIGIBLE: f32 = 1e-6;

/// Learns the weights by both objectives: a row of `classes` for each feature.
pub(super) fn learn(
    vectors: &[Vector],
    labels: &[usize],
    features: usize,
    classes: usize,
) -> Vec<f32> {
    let problem = Problem { vectors, labels, features, classes };
    let mut weights = problem.ascend(margin_step);
    let likely = problem.ascend(likelihood_step);
    for (weight, likely) in weights.iter_mut().zip(likely) {
        *weight += LIKELIHOOD_SHARE * likely;
    }
    weights
}

/// Replaces `scores` by the sums of the rows of the vector's features.
pub(super) fn score(weights: &[f32], vector: &Vector, scores: &mut [f32]) {
    let classes = scores.len();
    scores.fill(0.0);
    for (place, value) in &vector.entries {
        let row = &weights[*place as usize * classes..][..classes];
        for (score, weight) in scores.iter_mut().zip(row) {
            *score += value * weight;
        }
    }
}

struct Problem<'a> {
    vectors: &'a [Vector],
    labels: &'a [usize],
    features: usize,
    classes: usize,
}

/// The step's view of an example. `pulls` are the example's dual variables: how far it draws each
/// class's weights towards itself. The step writes the change of the pulls over `scores`.
struct Turn<'a> {
    label: usize,
    squared_length: f32,
    /// 1, or more if examples of this class are rare.
    rarity: f32,
    scores: &'a mut [f32],
    pulls: &'a mut [f32],
}

impl Problem<'_> {
    fn ascend(&self, step: impl Fn(Turn<'_>)) -> Vec<f32> {
        let classes = self.classes;
        let mut weights = vec![0.0; self.features * classes];
        let mut pulls = vec![0.0; self.vectors.len() * classes];
        let mut scores = vec![0.0; classes];
        let squared: Vec<f32> = self.vectors.iter().map(Vector::squared_length).collect();
        let rarity = self.rarity();
        let mut order: Vec<usize> = (0..self.vectors.len()).collect();
        let mut shuffle = Shuffle::seeded(42);
        for _ in 0..PASSES {
            shuffle.mix(&mut order);
            let mut largest = 0.0f32;
            for &at in &order {
                let vector = &self.vectors[at];
                score(&weights, vector, &mut scores);
                step(Turn {
                    label: self.labels[at],
                    squared_length: squared[at],
                    rarity: rarity[self.labels[at]],
                    scores: &mut scores,
                    pulls: &mut pulls[at * classes..][..classes],
                });
                let change = scores.iter().fold(0.0f32, |most, change| most.max(change.abs()));
                largest = largest.max(change);
                if change > NEGLIGIBLE {
                    add(&mut weights, vector, &scores);
                }
            }
            if largest < SETTLED {
                break;
            }
        }
        weights
    }

    /// The rarity of each class. Without it an intent of three examples among thousands would never
    /// win; in full proportion it would win too often.
    fn rarity(&self) -> Vec<f32> {
        let mut counts = vec![0usize; self.classes];
        for label in self.labels {
            counts[*label] += 1;
        }
        let usual = self.labels.len() as f32 / self.classes as f32;
        counts.iter().map(|count| (usual / (*count).max(1) as f32).max(1.0).sqrt()).collect()
    }
}

fn add(weights: &mut [f32], vector: &Vector, changes: &[f32]) {
    for (place, value) in &vector.entries {
        let row = &mut weights[*place as usize * changes.len()..][..changes.len()];
        for (weight, change) in row.iter_mut().zip(changes) {
            *weight += value * change;
        }
    }
}

/// A step for each class against the rest, squared hinge: the exact optimum for this example alone.
fn margin_step(turn: Turn<'_>) {
    for (class, (score, pull)) in turn.scores.iter_mut().zip(turn.pulls).enumerate() {
        let (side, pressure) = if class == turn.label {
            (1.0, MARGIN_PRESSURE * turn.rarity)
        } else {
            (-1.0, MARGIN_PRESSURE)
        };
        let slack = 1.0 / (2.0 * pressure);
        let curvature = turn.squared_length + slack;
        let strength = *pull * side;
        let slope = side * *score - 1.0 + slack * strength;
        let stronger = (strength - slope / curvature).max(0.0);
        *score = (stronger - strength) * side;
        *pull = stronger * side;
    }
}

/// A step for all classes together, multinomial likelihood. At the optimum an example's pull is the
/// distance of its predicted chances from the truth, so the step moves the pull part of the way
/// there.
fn likelihood_step(turn: Turn<'_>) {
    let highest = turn.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut whole = 0.0;
    for score in turn.scores.iter_mut() {
        *score = (*score - highest).exp();
        whole += *score;
    }
    let pressure = LIKELIHOOD_PRESSURE * turn.rarity;
    let part = 1.0 / (1.0 + pressure * turn.squared_length * 0.5);
    for (class, (score, pull)) in turn.scores.iter_mut().zip(turn.pulls).enumerate() {
        let truth = if class == turn.label { 1.0 } else { 0.0 };
        let aim = pressure * (truth - *score / whole);
        *score = (aim - *pull) * part;
        *pull += *score;
    }
}

#[cfg(test)]
mod tests {
    use super::{Problem, learn, score};
    use crate::classify::vocabulary::Vector;

    #[test]
    fn rare_classes_press_harder_and_common_ones_as_usual() {
        let labels = [0, 0, 0, 0, 0, 0, 0, 1];
        let problem = Problem { vectors: &[], labels: &labels, features: 0, classes: 2 };
        assert_eq!(problem.rarity(), [1.0, 2.0]);
    }

    #[test]
    fn what_can_be_told_apart_is_told_apart() {
        let vector = |entries: &[(u32, f32)]| Vector { entries: entries.to_vec(), known: 1.0 };
        let vectors =
            [vector(&[(0, 0.8), (2, 0.6)]), vector(&[(1, 0.8), (2, 0.6)]), vector(&[(2, 1.0)])];
        let weights = learn(&vectors, &[0, 1, 2], 3, 3);
        for (class, vector) in vectors.iter().enumerate() {
            let mut scores = [0.0; 3];
            score(&weights, vector, &mut scores);
            let best = (0..3).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
            assert_eq!(best, Some(class), "{scores:?}");
        }
    }
}
