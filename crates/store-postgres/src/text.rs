//! Statement texts in PostgreSQL's own notation: `$1` where the shared text says `?1`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use store::sql::Sql;

/// The texts made so far. They are constants of the program, so this map stops growing once each
/// has been used.
static TEXTS: LazyLock<RwLock<HashMap<&'static str, Arc<str>>>> = LazyLock::new(RwLock::default);

pub(crate) fn text(sql: Sql) -> Arc<str> {
    let known = TEXTS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known.get(sql.postgres) {
        return Arc::clone(text);
    }
    drop(known);
    let text: Arc<str> = translate(sql.postgres).into();
    let mut known = TEXTS.write().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(known.entry(sql.postgres).or_insert(text))
}

/// Replaces `?N` by `$N`. A `?` without a digit behind it stays, because it is a jsonb operator.
fn translate(shared: &str) -> String {
    let mut text = String::with_capacity(shared.len());
    let mut letters = shared.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_parameter = letter == '?' && letters.peek().is_some_and(char::is_ascii_digit);
        text.push(if is_parameter { '$' } else { letter });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_renamed_and_operators_are_not() {
        assert_eq!(
            translate("SELECT a ? 'k' FROM t WHERE b = ?1 AND c = ?12"),
            "SELECT a ? 'k' FROM t WHERE b = $1 AND c = $12"
        );
        let sql = Sql::both("SELECT ?1");
        assert!(Arc::ptr_eq(&text(sql), &text(sql)));
    }
}
