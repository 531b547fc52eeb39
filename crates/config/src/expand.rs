//! Puts environment variables where a text says `${NAME}`.

use crate::environment::{Environment, Variable};

/// The text with every `${NAME}` replaced and every `$${` made a plain `${`. A variable's content
/// is taken as it is, never expanded again.
pub(crate) fn expand(text: &str, env: &Environment) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, after) = (&rest[..start], &rest[start + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = after;
            continue;
        }
        expanded.push_str(before);
        let name = after.split_once('}').map(|(name, _)| name).filter(|name| is_name(name));
        let Some(name) = name else {
            return Err("`${` begins the name of an environment variable, as in `${NAME}`; \
                        write `$${` to mean the characters themselves"
                .to_owned());
        };
        match env.get(name) {
            Variable::Set(value) => expanded.push_str(value),
            Variable::Unset => return Err(format!("the environment variable `{name}` is not set")),
            Variable::NotText => {
                return Err(format!("the environment variable `{name}` is not UTF-8 text"));
            }
        }
        rest = &after[name.len() + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_as_they_are_and_an_escape_stays_text() {
        let env = Environment::from_iter([("A", "uno"), ("B", "${A}: #\n'\"")]);
        for (text, expected) in [
            ("", Ok("")),
            ("no $A, no $", Ok("no $A, no $")),
            ("${A}-${A}", Ok("uno-uno")),
            ("${B}", Ok("${A}: #\n'\"")),
            ("$${A} ${A}", Ok("${A} uno")),
            ("$$${A}", Ok("$${A}")),
            ("ñ${A}ñ", Ok("ñunoñ")),
            ("${NADA}", Err("`NADA` is not set")),
            ("${A", Err("write `$${`")),
            ("${}", Err("write `$${`")),
            ("${A:-otro}", Err("write `$${`")),
        ] {
            match (expand(text, &env), expected) {
                (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{text}"),
                (Err(got), Err(expected)) => assert!(got.contains(expected), "{text}: {got}"),
                (got, _) => panic!("{text}: {got:?}"),
            }
        }
    }
}
