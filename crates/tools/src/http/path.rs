//! A path with inputs in braces, filled so that no value can leave its place in it.

use reqwest::Url;
use serde_json::Value;

/// Segments, each made of literals and inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path(Vec<Vec<Part>>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Input(String),
}

impl Path {
    pub(super) fn parse(path: &str) -> Result<Self, String> {
        let rest = path.strip_prefix('/').ok_or("it does not begin with /")?;
        if let Some(letter) = rest.chars().find(|letter| "?#%\\".contains(*letter)) {
            return Err(format!("`{letter}` does not belong in it"));
        }
        rest.split('/').map(segment).collect::<Result<_, _>>().map(Self)
    }

    /// The names of its inputs.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().filter_map(|part| match part {
            Part::Input(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// The address below `base`, every value percent-encoded inside its own segment.
    pub(super) fn fill(&self, base: &Url, input: &Value) -> Result<Url, String> {
        let filled: Vec<String> =
            self.0.iter().map(|parts| fill(parts, input)).collect::<Result<_, _>>()?;
        let mut url = base.clone();
        let mut segments = url.path_segments_mut().map_err(|()| "the address has no path")?;
        segments.pop_if_empty().extend(filled);
        drop(segments);
        Ok(url)
    }
}

fn segment(text: &str) -> Result<Vec<Part>, String> {
    if matches!(text, "." | "..") {
        return Err("it climbs".to_owned());
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').ok_or("a brace is not closed")?;
        if name.is_empty() || name.contains('{') {
            return Err("braces hold the name of an input".to_owned());
        }
        parts.push(Part::Literal(before.to_owned()));
        parts.push(Part::Input(name.to_owned()));
        rest = behind;
    }
    if rest.contains('}') {
        return Err("a brace is not opened".to_owned());
    }
    parts.push(Part::Literal(rest.to_owned()));
    Ok(parts)
}

fn fill(parts: &[Part], input: &Value) -> Result<String, String> {
    let texts = parts.iter().map(|part| match part {
        Part::Literal(text) => Ok(text.clone()),
        Part::Input(name) => value(name, &input[name]),
    });
    let filled = texts.collect::<Result<String, _>>()?;
    match filled.as_str() {
        "." | ".." => Err("a value climbs out of the path".to_owned()),
        _ => Ok(filled),
    }
}

/// A slash is encoded and stays inside its segment; some servers decode before they split, so a
/// value that would climb there is refused too.
fn value(name: &str, value: &Value) -> Result<String, String> {
    let text = scalar(value).ok_or(format!("`{name}` must be a text or a number"))?;
    if text.trim().is_empty() {
        return Err(format!("`{name}` is blank"));
    }
    let climbs = text.split(['/', '\\']).any(|part| matches!(part.trim(), "." | ".."));
    if climbs || text.contains(char::is_control) || text.contains('%') {
        return Err(format!("`{name}` is nothing that belongs in an address"));
    }
    Ok(text)
}

pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled(path: &str, input: Value) -> Result<String, String> {
        let base = Url::parse("https://api.example.com/v1/").unwrap();
        Ok(Path::parse(path)?.fill(&base, &input)?.into())
    }

    #[test]
    fn values_stay_in_their_segment() {
        for (path, value, expected) in [
            ("/pedidos/{n}", json!("A-12"), "/pedidos/A-12"),
            ("/pedidos/{n}", json!(12), "/pedidos/12"),
            ("/pedidos/{n}/estado", json!("a/b"), "/pedidos/a%2Fb/estado"),
            ("/pedidos/{n}", json!("a?b=c#d"), "/pedidos/a%3Fb=c%23d"),
            ("/pedidos/{n}", json!("@evil.example"), "/pedidos/@evil.example"),
            ("/pedidos/{n}", json!("//evil.example"), "/pedidos/%2F%2Fevil.example"),
            ("/{n}", json!("http://evil.example"), "/http:%2F%2Fevil.example"),
            ("/pedidos/{n}", json!("niño y niña"), "/pedidos/ni%C3%B1o%20y%20ni%C3%B1a"),
            ("/pedidos/n-{n}.json", json!("7"), "/pedidos/n-7.json"),
            ("/{n}{n}", json!("."), "refused"),
            ("/pedidos/{n}", json!(".."), "refused"),
            ("/pedidos/{n}", json!("."), "refused"),
            ("/pedidos/{n}", json!("../admin"), "refused"),
            ("/pedidos/{n}", json!("a/../../admin"), "refused"),
            ("/pedidos/{n}", json!("..\\admin"), "refused"),
            ("/pedidos/{n}", json!("%2e%2e"), "refused"),
            ("/pedidos/{n}", json!("a\r\nHost: evil"), "refused"),
            ("/pedidos/{n}", json!(" "), "refused"),
            ("/pedidos/{n}", json!(""), "refused"),
            ("/pedidos/{n}", json!(null), "refused"),
            ("/pedidos/{n}", json!(["a"]), "refused"),
        ] {
            let url = filled(path, json!({ "n": value }));
            let found = url.as_deref().unwrap_or("refused");
            let found = found.strip_prefix("https://api.example.com/v1").unwrap_or(found);
            assert_eq!(found, expected, "{path} {value}");
        }
    }

    #[test]
    fn a_path_that_is_none_is_refused_when_it_is_declared() {
        for path in [
            "pedidos", "/a/../b", "/a/.", "/a?b=1", "/a#b", "/a%2e", "/{a", "/a}", "/{}", "/{a{b}}",
        ] {
            assert!(Path::parse(path).is_err(), "{path}");
        }
        let path = Path::parse("/{a}/b/{c}-{d}").unwrap();
        assert_eq!(path.inputs().collect::<Vec<_>>(), ["a", "c", "d"]);
    }
}
