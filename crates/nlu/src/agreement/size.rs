//! Sizes said in words.

use super::token::{Gap, Token};

/// The words of a size, and the number of litres they say.
const SIZES: &[(&[&str], &str)] = &[
    (&["un", "litro", "y", "medio"], "1.5"),
    (&["litro", "y", "medio"], "1.5"),
    (&["1", "litro", "y", "medio"], "1.5"),
    (&["dos", "litros", "y", "medio"], "2.5"),
    (&["2", "litros", "y", "medio"], "2.5"),
    (&["medio", "litro"], "0.5"),
    (&["a", "litre", "and", "a", "half"], "1.5"),
    (&["a", "liter", "and", "a", "half"], "1.5"),
    (&["litre", "and", "a", "half"], "1.5"),
    (&["liter", "and", "a", "half"], "1.5"),
    (&["half", "a", "litre"], "0.5"),
    (&["half", "a", "liter"], "0.5"),
];

/// The tokens with every size in digits, as a summary writes it.
pub(super) fn sizes(tokens: Vec<Token>) -> Vec<Token> {
    let mut list = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let Some((words, litres)) = SIZES.iter().find(|(words, _)| begins(rest, words)) else {
            list.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let last = &rest[words.len() - 1];
        list.push(Token { text: (*litres).to_owned(), asked: false, ..rest[0].clone() });
        list.push(Token { text: "l".to_owned(), before: Gap::default(), ..last.clone() });
        at += words.len();
    }
    list
}

fn begins(tokens: &[Token], words: &[&str]) -> bool {
    tokens.len() >= words.len()
        && tokens.iter().zip(words).enumerate().all(|(index, (token, word))| {
            token.text == *word && token.emoji.is_none() && (index == 0 || !token.before.broken)
        })
}
