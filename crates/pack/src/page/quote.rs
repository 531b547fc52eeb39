//! Texts of a pack as a page quotes them: values by their names, without the signs of templates.

use document::{Node, Value};

/// As much of a text as stands inside a sentence.
const SHORT: usize = 70;

/// A template in a few words.
pub(super) fn short(templates: &Node, key: &str) -> String {
    let text = templates.get(key).and_then(first).map(plain).unwrap_or_default();
    let mut short: String = text.chars().take(SHORT).collect();
    if short.chars().count() < text.chars().count() {
        short.truncate(short.rfind(' ').unwrap_or(short.len()));
        short.truncate(short.trim_end_matches(['.', ',', ';', ':']).len());
        short.push('…');
    }
    format!("«{short}»")
}

/// The wordings of a template, first what is said first.
pub(super) fn all(template: &Node) -> Vec<String> {
    let texts: Vec<&Node> = match &template.value {
        Value::List(items) => items.iter().collect(),
        Value::Group(_) => {
            template.get("text").into_iter().chain(template.list("backup")).collect()
        }
        _ => vec![template],
    };
    texts.into_iter().filter_map(Node::value_text).map(plain).collect()
}

fn first(template: &Node) -> Option<&str> {
    match &template.value {
        Value::List(items) => items.first()?.value_text(),
        Value::Group(_) => template.text("text").map(|(text, _)| text),
        _ => template.value_text(),
    }
}

/// A text on one line: a value stands under its name in ‹›, what depends on something stands in
/// brackets, and its alternatives with a stroke between them.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (close, tag) = match rest.as_bytes().get(1) {
            Some(b'{') => ("}}", false),
            Some(b'%') => ("%}", true),
            Some(b'#') => ("#}", true),
            _ => {
                plain.push('{');
                rest = &rest[1..];
                continue;
            }
        };
        let Some(end) = rest.find(close) else { break };
        let inner = rest[2..end].trim_matches(['-', ' ']);
        if !tag {
            plain.push_str(&format!("‹{}›", inner.split('|').next().unwrap_or_default().trim()));
        } else if close == "%}" {
            plain.push_str(match inner.split_whitespace().next() {
                Some("if" | "for") => "[",
                Some("elif" | "else") => " / ",
                Some("endif" | "endfor") => "]",
                _ => "",
            });
        }
        rest = &rest[end + close.len()..];
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with its first letter small, unless it begins with a name in capitals.
pub(super) fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), second) if !second.is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// The text as a sentence of its own.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    let text = format!("{first}{}", letters.as_str());
    if text.ends_with(['.', '!', '?', '…', ':']) { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_by_name_and_what_depends_in_brackets() {
        let rows = [
            ("¡Hola{% if nombre %}, {{ nombre }}{% endif %}!", "¡Hola[, ‹nombre›]!"),
            ("{% if a %}Sí{% else %}No{% endif %}", "[Sí / No]"),
            ("Pedido {{ pedido.number | plain }}\n  listo", "Pedido ‹pedido.number› listo"),
            ("a {#- nada -#} b", "a b"),
            ("{ no }", "{ no }"),
        ];
        for (text, expected) in rows {
            assert_eq!(plain(text), expected);
        }
    }
}
