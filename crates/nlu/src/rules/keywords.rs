//! All phrases of all sets in one automaton, matched on whole words.

use aho_corasick::{AhoCorasick, MatchKind};

use super::Found;
use crate::Normalized;

/// A phrase as it is searched. The automaton holds the words up to the first `*`; the rest is
/// compared word by word once that much was found.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    set: usize,
    written: String,
    head: String,
    /// Whether the last word of `head` takes any ending.
    open: bool,
    tail: Vec<(String, bool)>,
}

impl Phrase {
    /// `None` if the text has no words.
    pub(super) fn new(set: usize, text: &Normalized<'_>) -> Option<Self> {
        let words = text.words();
        let starred = |at: usize| {
            // A spelling that stands for several words gives its star to the last of them.
            let last = words.get(at + 1).is_none_or(|next| next.folded != words[at].folded);
            last && text.folded()[words[at].folded.end..].starts_with('*')
        };
        let first_star = (0..words.len()).find(|at| starred(*at));
        let split = first_star.map_or(words.len(), |at| at + 1);
        let head: Vec<_> = words[..split].iter().map(|word| word.text.as_str()).collect();
        let tail = (split..words.len()).map(|at| (words[at].text.clone(), starred(at))).collect();
        (!words.is_empty()).then(|| Phrase {
            set,
            written: text.original().to_owned(),
            head: head.join(" "),
            open: first_star.is_some(),
            tail,
        })
    }

    /// The end of the phrase, given the end of its head, or `None` if the text does not go on so.
    fn end(&self, plain: &str, head_end: usize) -> Option<usize> {
        let word_end = |from: usize| plain[from..].find(' ').map_or(plain.len(), |at| from + at);
        let mut end = word_end(head_end);
        if end != head_end && !self.open {
            return None;
        }
        for (word, open) in &self.tail {
            let start = end + 1;
            let next = plain.get(start..).map(|_| &plain[start..word_end(start)])?;
            if !(next == word || *open && next.starts_with(word.as_str())) {
                return None;
            }
            end = start + next.len();
        }
        Some(end)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Automaton {
    phrases: Vec<Phrase>,
    heads: Option<AhoCorasick>,
}

impl Automaton {
    pub(super) fn new(phrases: Vec<Phrase>) -> Self {
        let heads = (!phrases.is_empty()).then(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(phrases.iter().map(|phrase| phrase.head.as_str()))
                .expect("a pack's phrases are far fewer than an automaton can number")
        });
        Automaton { phrases, heads }
    }

    pub(super) fn find<'r>(&'r self, text: &Normalized<'_>, found: &mut Vec<Found<'r>>) {
        let (Some(heads), plain) = (&self.heads, text.plain()) else {
            return;
        };
        for head in heads.find_overlapping_iter(plain) {
            if head.start() > 0 && plain.as_bytes()[head.start() - 1] != b' ' {
                continue;
            }
            let phrase = &self.phrases[head.pattern().as_usize()];
            if let Some(end) = phrase.end(plain, head.end()) {
                let span = text.original_span_of_plain(head.start()..end);
                found.push(Found { set: phrase.set, rule: &phrase.written, span });
            }
        }
    }
}
