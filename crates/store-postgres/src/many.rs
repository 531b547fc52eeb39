//! A statement for many: its text over one row of values rewritten over arrays of them.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use store::sql::Sql;
use tokio_postgres::types::Type;

/// How the answer to a statement for many is split among the callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// The first column is the place of the caller's values, from 1.
    Place,
    /// The first column is the value that the caller gave as this parameter, from 0.
    Value(usize),
    /// Each caller has one row, or all of them have failed.
    Together,
}

#[derive(Clone, Debug)]
pub(crate) struct Many {
    pub(crate) text: Arc<str>,
    pub(crate) split: Split,
}

/// The texts made so far. They are constants of the program, so this map stops growing once each
/// has been used.
static TEXTS: LazyLock<RwLock<HashMap<&'static str, Many>>> = LazyLock::new(RwLock::default);

/// The text for many, if it was made already.
pub(crate) fn known(sql: Sql) -> Option<Many> {
    TEXTS.read().unwrap_or_else(PoisonError::into_inner).get(sql.postgres).cloned()
}

/// Makes the text for many from the parameter types of the text for one; `None` if the text has a
/// shape that cannot be rewritten.
pub(crate) fn make(sql: Sql, types: &[Type]) -> Option<Many> {
    let (text, split) = rewrite(sql.postgres, types)?;
    let many = Many { text: text.into(), split };
    let mut texts = TEXTS.write().unwrap_or_else(PoisonError::into_inner);
    Some(texts.entry(sql.postgres).or_insert(many).clone())
}

fn rewrite(shared: &str, types: &[Type]) -> Option<(String, Split)> {
    let rows = rows(types);
    let text = by_name(shared);
    match text.split(' ').next()? {
        "SELECT" => {
            let text = format!("SELECT v.place, q.* FROM {rows} CROSS JOIN LATERAL ({text}) q");
            Some((text, Split::Place))
        }
        "UPDATE" => {
            let (head, tail) = text.split_at(top_level(&text, " WHERE ")?);
            let text = match top_level(tail, " RETURNING ") {
                Some(at) => {
                    let (condition, returned) = tail.split_at(at);
                    let returned = returned.trim_start_matches(" RETURNING ");
                    format!("{head} FROM {rows}{condition} RETURNING v.place, {returned}")
                }
                None => format!("{head} FROM {rows}{tail} RETURNING v.place"),
            };
            Some((text, Split::Place))
        }
        "INSERT" => insert(&text, &rows),
        _ => None,
    }
}

fn insert(text: &str, rows: &str) -> Option<(String, Split)> {
    let split = match top_level(text, " RETURNING ") {
        Some(at) => Split::Value(parameter_of(text, text[at..].trim_start_matches(" RETURNING "))?),
        None => Split::Together,
    };
    if let Some(at) = top_level(text, " VALUES (") {
        let (head, tail) = text.split_at(at);
        let tail = tail.trim_start_matches(" VALUES (");
        let end = closing(tail)?;
        let (values, rest) = (&tail[..end], &tail[end + 1..]);
        return Some((format!("{head} SELECT {values} FROM {rows}{rest}"), split));
    }
    // The tables that the statement selects from are joined to the given rows.
    let selects = top_level(text, " SELECT ")?;
    let from = selects + top_level(&text[selects..], " FROM ")?;
    let (head, tail) = text.split_at(from);
    let tail = tail.trim_start_matches(" FROM ");
    Some((format!("{head} FROM {rows}, {tail}"), split))
}

/// The index of the parameter that a column gets, if the column gets nothing else.
fn parameter_of(text: &str, column: &str) -> Option<usize> {
    let (_, columns) = text.split_once('(')?;
    let columns = &columns[..closing(columns)?];
    let values = &text[top_level(text, " VALUES (")? + " VALUES (".len()..];
    let values = &values[..closing(values)?];
    let place = columns.split(',').position(|name| name.trim() == column)?;
    let given = values.split(',').nth(place)?.trim();
    given.strip_prefix("v.p")?.parse::<usize>().ok()?.checked_sub(1)
}

/// The callers' values as rows, each with its place.
fn rows(types: &[Type]) -> String {
    let mut arrays = String::new();
    let mut names = String::new();
    for (at, ty) in types.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(arrays, "{}${}::{}[]", if at == 0 { "" } else { ", " }, at + 1, ty.name());
        let _ = write!(names, "p{}, ", at + 1);
    }
    format!("unnest({arrays}) WITH ORDINALITY AS v({names}place)")
}

/// The text with parameters replaced by their columns in those rows.
fn by_name(shared: &str) -> String {
    let mut text = String::with_capacity(shared.len() + 32);
    let mut letters = shared.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '?' if letters.peek().is_some_and(char::is_ascii_digit) => text.push_str("v.p"),
            letter => text.push(letter),
        }
    }
    text
}

/// The position of a word outside all brackets and quotes.
fn top_level(text: &str, word: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ' ' if !quoted && depth == 0 && text[at..].starts_with(word) => return Some(at),
            _ => {}
        }
    }
    None
}

/// The position at which the bracket closes that was opened just before.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted && depth == 0 => return Some(at),
            ')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_statement_is_rewritten_over_rows_of_values() {
        let two = [Type::UUID, Type::INT8];
        let rows = "unnest($1::uuid[], $2::int8[]) WITH ORDINALITY AS v(p1, p2, place)";
        let cases = [
            (
                "SELECT a FROM t WHERE id = ?1 AND n = ?2 LIMIT 1",
                format!(
                    "SELECT v.place, q.* FROM {rows} CROSS JOIN LATERAL (SELECT a FROM t \
                     WHERE id = v.p1 AND n = v.p2 LIMIT 1) q"
                ),
                Split::Place,
            ),
            (
                "UPDATE t SET n = ?2, m = (SELECT 1 FROM u WHERE u.id = ?1) WHERE id = ?1",
                format!(
                    "UPDATE t SET n = v.p2, m = (SELECT 1 FROM u WHERE u.id = v.p1) FROM {rows} \
                     WHERE id = v.p1 RETURNING v.place"
                ),
                Split::Place,
            ),
            (
                "UPDATE t SET n = ?2 WHERE id = ?1 RETURNING n",
                format!("UPDATE t SET n = v.p2 FROM {rows} WHERE id = v.p1 RETURNING v.place, n"),
                Split::Place,
            ),
            (
                "INSERT INTO t (id, n) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING",
                format!(
                    "INSERT INTO t (id, n) SELECT v.p1, v.p2 FROM {rows} ON CONFLICT (id) DO NOTHING"
                ),
                Split::Together,
            ),
            (
                "INSERT INTO t (n, id) VALUES (?2, ?1) ON CONFLICT DO NOTHING RETURNING id",
                format!(
                    "INSERT INTO t (n, id) SELECT v.p2, v.p1 FROM {rows} ON CONFLICT DO NOTHING \
                     RETURNING id"
                ),
                Split::Value(0),
            ),
            (
                "INSERT INTO t (id, n) SELECT ?1, u.n - ?2 FROM u WHERE u.id = ?1",
                format!(
                    "INSERT INTO t (id, n) SELECT v.p1, u.n - v.p2 FROM {rows}, u WHERE u.id = v.p1"
                ),
                Split::Together,
            ),
        ];
        for (shared, text, split) in cases {
            assert_eq!(rewrite(shared, &two), Some((text, split)), "{shared}");
        }
        assert_eq!(rewrite("DELETE FROM t WHERE id = ?1", &two), None);
        assert_eq!(rewrite("INSERT INTO t (n) VALUES (1 + ?2) RETURNING n", &two), None);
    }
}
