//! Turns scores into chances that come true as often as they say.

/// Scores of an example that the weights did not learn from, with its true class.
pub(super) struct HeldOut {
    pub(super) scores: Vec<f32>,
    pub(super) known: f32,
    pub(super) class: usize,
}

/// The sharpness when nothing could be held out: the usual one of sets with a few examples per
/// intent.
const USUAL_SHARPNESS: f32 = 4.0;

/// The bounds of the search for the sharpness, as logarithms.
const BOUNDS: (f64, f64) = (-2.0, 5.0);

/// The chance of each class.
pub(super) fn chances(scores: &[f32], sharpness: f32) -> Vec<f32> {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut chances: Vec<f32> =
        scores.iter().map(|score| ((score - highest) * sharpness).exp()).collect();
    let whole: f32 = chances.iter().sum();
    for chance in &mut chances {
        *chance /= whole;
    }
    chances
}

/// The factor on the scores under which the held-out truth is likeliest.
pub(super) fn sharpness(held_out: &[HeldOut]) -> f32 {
    if held_out.is_empty() {
        return USUAL_SHARPNESS;
    }
    // The surprise has a single lowest point, so a golden-section search finds it.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = BOUNDS;
    while high - low > 1e-3 {
        let step = (high - low) * golden;
        if surprise(held_out, high - step) < surprise(held_out, low + step) {
            high = low + step;
        } else {
            low = high - step;
        }
    }
    ((low + high) / 2.0).exp() as f32
}

fn surprise(held_out: &[HeldOut], log_sharpness: f64) -> f64 {
    let sharpness = log_sharpness.exp() as f32;
    held_out
        .iter()
        .map(|row| {
            let highest = row.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let whole: f32 =
                row.scores.iter().map(|score| ((score - highest) * sharpness).exp()).sum();
            f64::from(whole.ln() - (row.scores[row.class] - highest) * sharpness)
        })
        .sum()
}
