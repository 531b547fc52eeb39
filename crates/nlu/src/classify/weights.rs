//! The learnt weights in a quarter of the memory, as they are kept for classifying.

use super::vocabulary::Vector;

/// The weights as a row for each feature, of one byte a class, each row with its own scale. The
/// rounding of a message's hundreds of rows averages out far below the differences that decide.
#[derive(Debug)]
pub(super) struct Weights {
    classes: usize,
    rows: Vec<i8>,
    scales: Vec<f32>,
}

impl Weights {
    pub(super) fn of(exact: &[f32], classes: usize) -> Self {
        let mut rows = Vec::with_capacity(exact.len());
        let mut scales = Vec::with_capacity(exact.len() / classes);
        for row in exact.chunks_exact(classes) {
            let largest = row.iter().fold(0.0f32, |most, weight| most.max(weight.abs()));
            let scale = largest / f32::from(i8::MAX);
            scales.push(scale);
            rows.extend(row.iter().map(|weight| match scale {
                0.0 => 0,
                scale => (weight / scale).round() as i8,
            }));
        }
        Self { classes, rows, scales }
    }

    pub(super) fn scores(&self, vector: &Vector) -> Vec<f32> {
        let mut scores = vec![0.0; self.classes];
        for (place, value) in &vector.entries {
            let place = *place as usize;
            let value = value * self.scales[place];
            let row = &self.rows[place * self.classes..][..self.classes];
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += value * f32::from(*weight);
            }
        }
        scores
    }
}
