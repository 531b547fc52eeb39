//! Reads from a message the features by which intents are told apart.

use crate::Normalized;

use super::meaning::meanings;
use super::spelling::Spelling;

/// A feature's name, hashed: among a few hundred thousand names two collide in about one of a
/// billion packs.
pub(super) type Key = u64;

/// The kinds of features. Each feature is weighed against its own kind before the kinds are joined,
/// so that the many letter runs do not drown the few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Word,
    /// Two words side by side.
    WordPair,
    /// Runs of letters within a word, which survive a typo.
    Letters,
    /// Synonym groups and stems, which survive another wording.
    Meaning,
    /// Two meanings near each other, in order.
    MeaningPair,
}

impl Kind {
    pub(super) const COUNT: usize = 5;

    /// How much each kind counts; found by cross-validation over Spanish and English sets.
    pub(super) const SHARES: [f32; Self::COUNT] = [0.5, 0.3, 1.5, 1.5, 0.5];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Feature {
    pub(super) kind: Kind,
    pub(super) key: Key,
}

/// The limit on the words read, which bounds the time for a pasted document: an intent shows in the
/// first words.
const MAX_WORDS: usize = 300;
pub(super) const MAX_WORD_BYTES: usize = 40;

/// The longest letter run, in bytes: folded Spanish has one byte a letter.
const LONGEST_RUN: usize = 5;

/// How far apart the words of a pair may stand.
const PAIR_REACH: usize = 2;

/// The features, sorted, each repeated as often as it occurs.
pub(super) fn read(text: &Normalized<'_>, spelling: &Spelling) -> Vec<Feature> {
    let mut features = Vec::with_capacity(text.plain().len() * LONGEST_RUN);
    let mut before = Key::default();
    let mut near: Vec<Vec<Key>> = Vec::new();
    let mut padded = Vec::with_capacity(MAX_WORD_BYTES + 2);
    for word in text.words().iter().take(MAX_WORDS) {
        let mut push = |kind: Kind, key| features.push(Feature { kind, key });
        let word = shortened(spelling.mended(&word.text));
        let whole = key(Kind::Word as u64, word.as_bytes());
        push(Kind::Word, whole);
        push(Kind::WordPair, pair(before, whole));
        before = whole;

        // The spaces tell a run at the edge of a word from one inside.
        padded.clear();
        padded.push(b' ');
        padded.extend_from_slice(word.as_bytes());
        padded.push(b' ');
        for length in 1..=LONGEST_RUN.min(padded.len()) {
            for run in padded.windows(length) {
                push(Kind::Letters, key(Kind::Letters as u64, run));
            }
        }

        let mut found = Vec::new();
        meanings(word, &mut found);
        for meaning in &found {
            push(Kind::Meaning, meaning.rotate_left(1));
            for earlier in near.iter().flatten() {
                push(Kind::MeaningPair, pair(*earlier, *meaning));
            }
        }
        if near.len() == PAIR_REACH {
            near.remove(0);
        }
        near.push(found);
    }
    // Signs are features too, because a lone thumb or heart is a message.
    for sign in text.folded().chars().filter(|c| is_sign(*c)).take(MAX_WORDS) {
        let mut bytes = [0; 4];
        let key = key(Kind::Word as u64, sign.encode_utf8(&mut bytes).as_bytes());
        features.push(Feature { kind: Kind::Word, key });
    }
    features.sort_unstable();
    features
}

/// Arrows, symbols and emoji.
fn is_sign(c: char) -> bool {
    c >= '\u{2190}' && !c.is_alphanumeric()
}

fn shortened(word: &str) -> &str {
    &word[..word.floor_char_boundary(MAX_WORD_BYTES)]
}

fn pair(first: Key, second: Key) -> Key {
    first.rotate_left(9).wrapping_mul(33) ^ second
}

/// FNV-1a with a final mix, because the table takes its index from the low bits.
pub(super) fn key(space: u64, bytes: &[u8]) -> Key {
    let mut hash = space.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xCBF2_9CE4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ (hash >> 32)
}
