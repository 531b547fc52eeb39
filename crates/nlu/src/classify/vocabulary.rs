//! The features that examples showed, with their weights, and messages as vectors of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::features::{Feature, Key, Kind};

/// The number of examples from which on a feature shown by a single example is dropped, because it
/// tells nothing and costs memory.
const MANY_EXAMPLES: usize = 2000;

/// A message as the solvers and the weights see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Vector {
    pub(super) entries: Vec<(u32, f32)>,
    /// The share of the message, from 0 to 1, that any example has shown.
    pub(super) known: f32,
}

impl Vector {
    pub(super) fn squared_length(&self) -> f32 {
        self.entries.iter().map(|(_, value)| value * value).sum()
    }
}

#[derive(Debug)]
pub(super) struct Vocabulary {
    places: HashMap<Key, u32, BuildHasherDefault<KeyHasher>>,
    /// The weight of each feature, by place: the fewer examples show it, the higher.
    telling: Vec<f32>,
    /// The weight that a feature without any example would have.
    unseen: f32,
}

impl Vocabulary {
    /// The vocabulary of examples, given the sorted features of each.
    pub(super) fn of(examples: &[&[Feature]]) -> Self {
        let mut places = HashMap::<Key, u32, _>::default();
        let mut seen: Vec<(Feature, u32)> = Vec::new();
        for example in examples {
            for features in example.chunk_by(|a, b| a == b) {
                let next = seen.len() as u32;
                let place = *places.entry(features[0].key).or_insert(next);
                if place == next {
                    seen.push((features[0], 0));
                }
                seen[place as usize].1 += 1;
            }
        }
        let rarest = if examples.len() < MANY_EXAMPLES { 1 } else { 2 };
        seen.retain(|(feature, count)| {
            *count >= rarest || matches!(feature.kind, Kind::Word | Kind::Meaning)
        });
        let telling =
            |count: u32| ((1.0 + examples.len() as f32) / (1.0 + count as f32)).ln() + 1.0;
        places.clear();
        places.extend(seen.iter().zip(0..).map(|((feature, _), place)| (feature.key, place)));
        places.shrink_to_fit();
        Self {
            places,
            telling: seen.iter().map(|(_, count)| telling(*count)).collect(),
            unseen: telling(0),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.telling.len()
    }

    /// A message as a vector of length 1, shortened by the share that no example has shown: unknown
    /// words pull every score towards 0, so that strangers stay out of scope.
    pub(super) fn vector(&self, features: &[Feature]) -> Vector {
        let mut entries = Vec::with_capacity(features.len());
        let mut kinds = Vec::with_capacity(features.len());
        let mut squares = [0.0f32; Kind::COUNT];
        let (mut known, mut whole) = (0.0, 0.0);
        for repeated in features.chunk_by(|a, b| a == b) {
            let Feature { kind, key } = repeated[0];
            let often = 1.0 + (repeated.len() as f32).ln();
            let place = self.places.get(&key);
            let value = often * place.map_or(self.unseen, |place| self.telling[*place as usize]);
            squares[kind as usize] += value * value;
            let literal = matches!(kind, Kind::Word | Kind::Letters);
            whole += if literal { value * value } else { 0.0 };
            if let Some(place) = place {
                known += if literal { value * value } else { 0.0 };
                entries.push((*place, value));
                kinds.push(kind);
            }
        }
        let scale = scales(squares);
        for ((_, value), kind) in entries.iter_mut().zip(kinds) {
            *value *= scale[kind as usize];
        }
        Vector { entries, known: if whole > 0.0 { known / whole } else { 0.0 } }
    }
}

/// The factors that bring each kind to its share and all kinds together to length 1.
fn scales(squares: [f32; Kind::COUNT]) -> [f32; Kind::COUNT] {
    let present = |kind: &usize| squares[*kind] > 0.0;
    let whole: f32 = (0..Kind::COUNT).filter(present).map(|kind| Kind::SHARES[kind].powi(2)).sum();
    std::array::from_fn(|kind| {
        if present(&kind) { Kind::SHARES[kind] / (squares[kind] * whole).sqrt() } else { 0.0 }
    })
}

/// A hasher that passes keys through, because keys are hashes already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
