//! The guard on a template said in other words: it may use what the template said, and little else.

use std::collections::BTreeSet;

use nlu::Extractor;

use super::grammar::LANGUAGES;
use super::pieces::words;
use super::vocabulary::Vocabulary;
use super::{number, shape};

/// Stands where a value of the template was, so that the marks around it are seen as they will be.
const VALUE: &str = "valor";

/// As many letters as two forms of a word have in common: «llevas», «lleven».
const STEM: usize = 4;

/// Words that carry a sentence and add nothing to what it says.
#[rustfmt::skip]
const CARRIERS: &[&str] = &[
    VALUE, "cuento", "cuenta", "recuerdo", "repito", "digo", "comento", "resumo", "es", "son", "esta",
    "estan", "queda", "quedan", "sale", "salen", "vale", "valen", "todo", "todos", "toda", "todas",
    "tambien", "cada", "ahi", "listo", "claro", "dale", "mira", "mire", "bueno", "gusto", "hola",
    "is", "are", "comes", "remind", "repeat", "everything", "each", "sure", "here", "hello",
];

const NEGATIONS: [&str; 13] = [
    "no", "ni", "sin", "nunca", "jamas", "tampoco", "nada", "ningun", "ninguna", "not", "never",
    "without", "nothing",
];

/// The part of a paraphrase that its template did not say. Both have their values behind marks ⟦n⟧.
pub(crate) fn strays(
    vocabulary: &Vocabulary,
    extractor: &Extractor,
    template: &str,
    said: &str,
) -> Option<String> {
    let (template, said) = (unmarked(template), unmarked(said));
    if let Some(odd) = said.chars().find(|c| !shape::is_plain(*c) && !template.contains(*c)) {
        return Some(format!("`{}` is not in the template", odd.escape_default()));
    }
    if let Some(mark) = shape::joined(&said) {
        return Some(format!("`{mark}` is joined as in an address"));
    }
    let given: BTreeSet<String> = words(&template).into_iter().collect();
    let all = words(&said);
    if let Some(word) = all.iter().find(|word| !is_known(word, &given)) {
        return Some(format!("`{word}` is not in the template"));
    }
    if number(extractor, &said).is_some() && number(extractor, &template).is_none() {
        return Some("it has a number that the template has not".to_owned());
    }
    let denies = |words: &mut dyn Iterator<Item = &String>| {
        words.filter(|word| NEGATIONS.contains(&word.as_str())).count()
    };
    if denies(&mut all.iter()) != denies(&mut words(&template).iter()) {
        return Some("it denies what the template says, or says what it denies".to_owned());
    }
    if said.contains('?') && !template.contains('?') {
        return Some("it asks what the template does not".to_owned());
    }
    let leaked = vocabulary.leaked(&said).filter(|_| vocabulary.leaked(&template).is_none());
    leaked.map(|leaked| format!("«{leaked}» is read out of a prompt"))
}

fn is_known(word: &str, given: &BTreeSet<String>) -> bool {
    let stem = |word: &str| word.chars().take(STEM).collect::<String>();
    let long = word.chars().count() > STEM;
    given.contains(word)
        || CARRIERS.contains(&word)
        || LANGUAGES.iter().any(|language| language.is_common(word))
        || (long && given.iter().any(|one| one.chars().count() > STEM && stem(one) == stem(word)))
}

/// The text with a word where each mark is.
fn unmarked(text: &str) -> String {
    let mut rest = text;
    let mut whole = String::new();
    while let Some((before, mark)) = rest.split_once('⟦') {
        let Some((_, after)) = mark.split_once('⟧') else { break };
        whole.push_str(before);
        whole.push_str(VALUE);
        rest = after;
    }
    whole + rest
}
