//! How answers are printed: data on standard output, as text or JSON. Customers' texts are shown
//! and never obeyed: no escape sequence of theirs reaches the terminal.

use anyhow::Result;
use domain::revealed;
use serde::Serialize;

/// Prints a JSON document, or the lines that `text` makes of it.
pub(crate) fn print<T: Serialize>(
    json: bool,
    value: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<()> {
    if json {
        println!("{}", escaped(&serde_json::to_string_pretty(value)?));
    } else {
        let text = text(value);
        if !text.is_empty() {
            println!("{}", revealed(text.trim_end()));
        }
    }
    Ok(())
}

/// The same JSON with what nobody sees written as escapes, which mean the same to whoever reads it.
fn escaped(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        let seen = (c.is_ascii() && c != '\u{7f}')
            || revealed(c.encode_utf8(&mut [0; 4])) == c.to_string();
        if seen {
            shown.push(c);
        } else {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            shown.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    shown
}

/// Columns as wide as their widest cell.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..head.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    std::iter::once(line(head.to_vec())).chain(body).collect::<Vec<_>>().join("\n")
}

/// The first line of a text, short enough for a column.
pub(crate) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_shows_what_nobody_sees_and_means_the_same() {
        let written = "hola ñ ❤️ \u{1b}[2J \u{9b}31m \u{7f} \u{202e}abc \u{e0041} క్\u{200c}ల";
        let json = serde_json::to_string_pretty(&serde_json::json!({ "text": written })).unwrap();
        let shown = escaped(&json);
        assert!(shown.contains("hola ñ ❤"), "{shown}");
        assert!(
            shown.contains("\\u001b[2J \\u009b31m \\u007f \\u202eabc \\udb40\\udc41"),
            "{shown}"
        );
        let hidden =
            |c: char| c.is_control() && c != '\n' || "\u{202e}\u{e0041}\u{200c}".contains(c);
        assert!(!shown.contains(hidden), "{shown}");
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read["text"], written);
    }
}
