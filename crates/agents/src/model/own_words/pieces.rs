//! A text as sentences, and each as the pieces between its commas, in plain words.

use nlu::Normalized;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) pieces: Vec<Vec<String>>,
    pub(super) asks: bool,
}

pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut all = Vec::new();
    let (mut sentence, mut piece) = (Sentence::default(), String::new());
    for c in text.chars().chain(['\n']) {
        let ends_piece = matches!(c, ',' | '—' | '–');
        let ends = matches!(c, '.' | '!' | '?' | '…' | ';' | ':' | '\n' | '¿' | '¡');
        if !ends_piece && !ends {
            piece.push(c);
            continue;
        }
        let words = words(&std::mem::take(&mut piece));
        if !words.is_empty() {
            sentence.pieces.push(words);
        }
        if ends {
            sentence.asks = c == '?';
            let sentence = std::mem::take(&mut sentence);
            all.extend(Some(sentence).filter(|sentence| !sentence.pieces.is_empty()));
        }
    }
    all
}

pub(super) fn words(text: &str) -> Vec<String> {
    Normalized::new(text).words().iter().map(|word| word.text.clone()).collect()
}
