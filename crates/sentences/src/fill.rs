//! Texts with values in braces: how they are filled, and which values they name.

/// A text with its values said.
pub(crate) fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut whole = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Words(words) => whole.push_str(words),
            Part::Value(name) => {
                let value = values.iter().find(|(known, _)| *known == name);
                whole.push_str(value.map_or("", |(_, value)| value));
            }
        }
    }
    whole
}

/// The values that a text names.
pub(crate) fn named(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        Part::Value(name) => Some(name),
        Part::Words(_) => None,
    })
}

enum Part<'t> {
    Words(&'t str),
    Value(&'t str),
}

/// The words of a text and the values between them; a brace without its other stands for itself.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let open = rest.find('{').unwrap_or(rest.len());
        let (part, after) = match (open, rest[open..].find('}')) {
            (_, _) if rest.is_empty() => return None,
            (0, Some(close)) => (Part::Value(&rest[1..close]), &rest[close + 1..]),
            (0, None) => (Part::Words(rest), ""),
            (open, _) => (Part::Words(&rest[..open]), &rest[open..]),
        };
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_and_no_value_is_read_for_another() {
        let values = [("title", "{quantity}"), ("quantity", "3")];
        assert_eq!(filled("{title}: ahora {quantity}", &values), "{quantity}: ahora 3");
        assert_eq!(filled("} { sin cerrar", &[]), "} { sin cerrar");
        assert_eq!(named("{a} y {b}").collect::<Vec<_>>(), ["a", "b"]);
    }
}
