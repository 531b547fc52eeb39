//! Accounts for a message as an order: which of its words order, lead to an order or accompany one,
//! and which say something that no order says.

use std::ops::Range;

use super::amount;
use super::lexicon::{WordRole, is_container, is_stop, is_topic, role};
use super::verbs::order_verb;
use crate::Normalized;
use crate::extract::tokens::{Class, Tokens};

/// The rest of a message beside its asks and questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Words that no order is made of.
    pub unexplained: usize,
    /// Verbs of an order or of a change, and words that point to the goods last named.
    pub leads: usize,
}

/// Accounts for the words of a message outside the parts that were parsed.
pub fn account(message: &str, read: &[Range<usize>]) -> Account {
    let text = Normalized::new(message);
    let tokens = Tokens::written_out(&text);
    let mut account = Account::default();
    for at in 0..tokens.len() {
        let word = tokens.text(at);
        if order_verb(word).is_some() || role(word) == Some(WordRole::Pronoun) || is_change(word) {
            account.leads += 1;
            continue;
        }
        let span = text.original_span(tokens.span(at, at + 1));
        let inside = |part: &Range<usize>| part.start <= span.start && span.end <= part.end;
        let told = role(word).is_some() || is_topic(word) || is_stop(word) || is_container(word);
        let number = amount::read(&tokens, at).is_some();
        let says = tokens.is(at, Class::Word) && !told && !number && !read.iter().any(inside);
        account.unexplained += usize::from(says && word.chars().count() > 1);
    }
    account
}

/// Words that announce the final number.
fn is_change(word: &str) -> bool {
    matches!(word, "era" | "eran" | "mejor" | "quise" | "sea" | "sean" | "total")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_order_says_is_counted_and_what_leads_to_one_is_not() {
        for (message, unexplained, leads) in [
            ("agregame otra", 0, 2),
            ("hola buenas, quiero 2 por favor", 0, 1),
            ("mejor que sean tres", 0, 2),
            ("había una vez un rey que tenía tres hijas", 3, 0),
            ("aplicá un 90% de descuento", 1, 0),
        ] {
            assert_eq!(account(message, &[]), Account { unexplained, leads }, "{message}");
        }
        let whole = 0..16;
        assert_eq!(account("2 leches enteras", &[whole]).unexplained, 0);
    }
}
