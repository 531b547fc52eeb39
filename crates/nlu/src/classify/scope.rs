//! How much a message looks like any intent at all.

use super::calibrate::HeldOut;

/// The share of messages with an intent that the threshold keeps.
const KEPT: f32 = 0.95;

/// The weight of the known share of a message, relative to a usual peak of 1.
const KNOWN_SHARE: f32 = 0.3;

/// The weight by which likeness to the out-of-scope examples counts against, relative to a usual
/// peak of 1.
const REJECT_SHARE: f32 = 0.5;

/// The score that the median message with an intent gets.
const MIDDLE: f32 = 0.95;

/// The peak when nothing could be held out: the usual one of sets with a few examples per intent.
const USUAL_PEAK: f32 = 1.0;
const USUAL_THRESHOLD: f32 = 0.6;

#[derive(Debug)]
pub(super) struct Scope {
    /// The peak of the median message with an intent.
    usual_peak: f32,
    threshold: f32,
    steepness: f32,
}

impl Scope {
    pub(super) fn of_held_out(held_out: &[HeldOut], intents: usize) -> Self {
        let inside = || held_out.iter().filter(|row| row.class < intents);
        let peaks = sorted(inside().map(|row| peak(&row.scores, intents)));
        let usual_peak = at(&peaks, 0.5).unwrap_or(USUAL_PEAK).max(f32::EPSILON);
        let likenesses =
            sorted(inside().map(|row| likeness(&row.scores, intents, row.known, usual_peak)));
        let threshold = at(&likenesses, given_up(likenesses.len())).unwrap_or(USUAL_THRESHOLD);
        let middle = at(&likenesses, 0.5).unwrap_or(USUAL_THRESHOLD * 2.0);
        let odds = (MIDDLE / (1.0 - MIDDLE)).ln();
        Self { usual_peak, threshold, steepness: odds / (middle - threshold).max(0.05) }
    }

    /// The scope score from 0 to 1; 0.5 is the threshold.
    pub(super) fn of(&self, scores: &[f32], intents: usize, known: f32) -> f32 {
        if known <= 0.0 {
            return 0.0;
        }
        let likeness = likeness(scores, intents, known, self.usual_peak);
        1.0 / (1.0 + (-self.steepness * (likeness - self.threshold)).exp())
    }
}

/// The share of held-out examples that the threshold gives up. Among few examples the lowest may be
/// an outlier that would let every stranger in, so fewer examples give up more: up to the share
/// that chance would reach one time in twenty.
fn given_up(held_out: usize) -> f32 {
    let share = 1.0 - KEPT;
    share + 1.64 * (share * KEPT / held_out.max(1) as f32).sqrt()
}

fn likeness(scores: &[f32], intents: usize, known: f32, usual_peak: f32) -> f32 {
    let rejected = scores.get(intents).map_or(0.0, |reject| reject - mean(&scores[..intents]));
    (peak(scores, intents) - REJECT_SHARE * rejected) / usual_peak + KNOWN_SHARE * known
}

/// The distance of the best intent's score above the others together.
fn peak(scores: &[f32], intents: usize) -> f32 {
    let scores = &scores[..intents];
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    match scores.len() {
        1 => best,
        others => (best - mean(scores)) * others as f32 / (others - 1) as f32,
    }
}

fn mean(scores: &[f32]) -> f32 {
    scores.iter().sum::<f32>() / scores.len() as f32
}

fn sorted(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values
}

fn at(sorted: &[f32], share: f32) -> Option<f32> {
    sorted.get((sorted.len() as f32 * share) as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::{given_up, peak};

    #[test]
    fn the_peak_is_above_the_other_intents_and_blind_to_the_rejected() {
        assert_eq!(peak(&[0.7], 1), 0.7);
        assert!((peak(&[0.2, 0.8, 0.2, 9.0], 3) - 0.6).abs() < 1e-6);
    }

    #[test]
    fn few_held_out_examples_give_up_more() {
        assert!(given_up(36) > 0.1);
        assert!(given_up(3000) < 0.06);
        assert!(given_up(0).is_finite());
    }
}
