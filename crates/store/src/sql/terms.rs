//! Terms by which contacts are found: the words of a name, and how a number or an address begins or
//! ends.
//!
//! Terms are written down when a contact is made or renamed, never when it writes. They are made of
//! letters and digits alone, without accents, so that they can stand in a pattern as they are.

use std::collections::BTreeSet;

use domain::{ContactId, ConversationId, Pii, WorkspaceId};
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::{Param, Row, Sql, Tx};
use crate::{StoreResult, statement};

/// Terms of one contact; a name with more words is found by its first ones.
const MOST: usize = 16;
/// Letters of a term.
const LONGEST: usize = 40;
/// Digits at the beginning of a number that people leave out: the country's, and a mobile's.
const PREFIX_DIGITS: usize = 3;
/// Fewer digits are no phone number.
const SHORTEST_NUMBER: usize = 6;
/// Marks a term that is a number read from its end.
const FROM_THE_END: char = '<';
/// Sorts after every letter.
const AFTER_ALL: char = '\u{10ffff}';
/// The words of a search that are tried, one after another, until one of them has few contacts.
const WAYS: usize = 3;
/// Contacts whose terms are added in one go.
const FILL_AT_ONCE: i64 = 500;

const ADD: Sql = Sql {
    sqlite: "INSERT INTO contact_terms (workspace_id, term, conversation_id) \
             SELECT ?1, t.value, ?2 FROM json_each(?3) t WHERE true ON CONFLICT DO NOTHING",
    postgres: "INSERT INTO contact_terms (workspace_id, term, conversation_id) \
             SELECT ?1, value, ?2 FROM jsonb_array_elements_text(CAST(?3 AS jsonb)) \
             ON CONFLICT DO NOTHING",
    each: false,
};

const REMOVE: Sql = Sql::both(
    "DELETE FROM contact_terms WHERE workspace_id = ?1 AND term = ?2 AND conversation_id = ?3",
);

const CONTACT: Sql = Sql::both(
    "SELECT k.conversation_id, k.name, k.phone, c.address, k.terms FROM contacts k \
     JOIN conversations c ON c.workspace_id = k.workspace_id AND c.id = k.conversation_id \
     WHERE k.workspace_id = ?1 AND k.id = ?2",
);

const KEEP: Sql = Sql::both("UPDATE contacts SET terms = ?3 WHERE workspace_id = ?1 AND id = ?2");

const WITHOUT_TERMS: Sql = Sql::both(
    "SELECT id FROM contacts WHERE workspace_id = ?1 AND terms IS NULL \
     AND conversation_id IS NOT NULL ORDER BY id LIMIT ?2",
);

pub(super) const STATEMENTS: &[Sql] = &[ADD, REMOVE, CONTACT, KEEP];

/// Upkeep after an upgrade.
pub(super) const BESIDE: &[Sql] = &[WITHOUT_TERMS];

/// A set of terms, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ContactTerms(BTreeSet<String>);

impl ContactTerms {
    pub(super) fn of(name: Option<&Pii>, phone: Option<&Pii>, address: &Pii) -> Self {
        let name = name.map(|name| words(name.reveal())).unwrap_or_default();
        let names = [phone, Some(address)].into_iter().flatten();
        let names = names.flat_map(|name| ends(&joined(name.reveal())));
        Self(names.chain(name).take(MOST).collect())
    }

    fn kept(text: &str) -> Self {
        Self(text.split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// The terms as text for a pattern, each after a space.
    pub(super) fn text(&self) -> String {
        self.0.iter().flat_map(|term| [" ", term]).collect()
    }

    fn without(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).cloned().collect())
    }
}

/// A search for contacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContactSearch {
    /// The search as one term, as one number read from its end, and as words, the longest first.
    /// Each matches terms that begin with it.
    whole: String,
    from_the_end: Option<String>,
    words: Vec<String>,
}

impl ContactSearch {
    /// `None` for a text without a letter or digit, which finds nobody.
    pub(super) fn of(text: &str) -> Option<Self> {
        let whole = joined(text);
        let mut words = words(text);
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let is_number = whole.bytes().all(|byte| byte.is_ascii_digit());
        let from_the_end = is_number.then(|| backwards(&whole));
        (!whole.is_empty()).then_some(Self { whole, from_the_end, words })
    }

    /// The words any of which finds every wanted contact.
    pub(super) fn ways(&self) -> std::ops::Range<usize> {
        0..self.words.len().clamp(1, WAYS)
    }

    /// Three ranges of terms by one of the words: every wanted contact has a term in one of them.
    /// Each range is its beginning and its exclusive end.
    pub(super) fn ranges(&self, way: usize) -> [Param; 6] {
        let end = self.from_the_end.as_ref().unwrap_or(&self.whole);
        let word = self.words.get(way).unwrap_or(&self.whole);
        let range = |term: &String| [Param::from(term), Param::from(format!("{term}{AFTER_ALL}"))];
        let [[a, b], [c, d], [e, f]] = [&self.whole, end, word].map(range);
        [a, b, c, d, e, f]
    }

    /// Patterns for a contact's terms: either of the first two, or else all the others.
    pub(super) fn patterns(&self) -> [Param; 5] {
        let end = self.from_the_end.as_ref().unwrap_or(&self.whole);
        let word = |at: usize| self.words.get(at).or(self.words.first()).unwrap_or(&self.whole);
        [&self.whole, end, word(0), word(1), word(2)].map(|term| Param::from(format!("% {term}%")))
    }
}

/// Adds the terms of a contact that has none yet.
pub(super) fn add<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    conversation: ConversationId,
    terms: &ContactTerms,
) {
    if !terms.0.is_empty() {
        tx.write(statement!(ADD, workspace, conversation, Param::json(&terms.0)));
    }
}

/// Writes a contact's terms anew; to be called after its name, phone or address was changed.
pub(super) async fn refresh<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    contact: ContactId,
) -> StoreResult<()> {
    let rows = tx.query(statement!(CONTACT, workspace, contact)).await?;
    let Some(row) = rows.first() else { return Ok(()) };
    put(tx, workspace, contact, row)
}

fn put<T: Tx>(
    tx: &mut T,
    workspace: WorkspaceId,
    contact: ContactId,
    row: &Row,
) -> StoreResult<()> {
    let conversation = row.uuid(0)?;
    let (name, phone, address) = (row.opt_pii(1)?, row.opt_pii(2)?, row.pii(3)?);
    let known = row.opt_text(4)?;
    let (old, new) = (
        ContactTerms::kept(known.unwrap_or_default()),
        ContactTerms::of(name.as_ref(), phone.as_ref(), &address),
    );
    if known.is_some() && old == new {
        return Ok(());
    }
    for gone in &old.without(&new).0 {
        tx.write(statement!(REMOVE, workspace, gone, conversation));
    }
    add(tx, workspace, conversation, &new.without(&old));
    tx.write(statement!(KEEP, workspace, contact, new.text()));
    Ok(())
}

/// Adds the terms of some contacts without any, such as those from before there were terms.
pub(super) async fn fill<T: Tx>(tx: &mut T, workspace: WorkspaceId) -> StoreResult<u64> {
    tx.scope(workspace);
    let rows = tx.query(statement!(WITHOUT_TERMS, workspace, FILL_AT_ONCE)).await?;
    for row in &rows {
        refresh(tx, workspace, row.uuid(0)?).await?;
    }
    Ok(rows.len() as u64)
}

/// The text in small letters without accents; any character but a letter or digit becomes a space.
fn folded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        decompose_compatible(letter, |part| {
            if is_combining_mark(part) {
                return;
            }
            for small in part.to_lowercase() {
                plain.push(if small.is_alphanumeric() { small } else { ' ' });
            }
        });
    }
    plain
}

fn words(text: &str) -> Vec<String> {
    folded(text).split_ascii_whitespace().map(cut).collect()
}

fn joined(text: &str) -> String {
    cut(&folded(text).replace(' ', ""))
}

fn cut(term: &str) -> String {
    term.chars().take(LONGEST).collect()
}

fn backwards(number: &str) -> String {
    std::iter::once(FROM_THE_END).chain(number.chars().rev()).collect()
}

/// The texts with which somebody may begin to write this name: a number also without its first
/// digits, or with its last ones alone.
fn ends(name: &str) -> Vec<String> {
    let is_number = name.len() >= SHORTEST_NUMBER && name.bytes().all(|byte| byte.is_ascii_digit());
    match (name.is_empty(), is_number) {
        (true, _) => Vec::new(),
        (_, false) => vec![name.to_owned()],
        (_, true) => {
            let starts = (0..=PREFIX_DIGITS).map(|skipped| name[skipped..].to_owned());
            starts.chain([backwards(name)]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_found_by_words_and_by_the_ends_of_its_number() {
        let name = Pii::from("José  Pérez-Ñandú 🦙");
        let phone = Pii::from("+57 300 111 222");
        let terms = ContactTerms::of(Some(&name), Some(&phone), &Pii::from("57300111222"));
        let expected = " 00111222 300111222 57300111222 7300111222 <22211100375 jose nandu perez";
        assert_eq!(terms.text(), expected);
        assert_eq!(ContactTerms::kept(&terms.text()), terms);
        let terms = ContactTerms::of(None, None, &Pii::from("v-Ab%3"));
        assert_eq!(terms.text(), " vab3");
        let endless =
            ContactTerms::of(Some(&Pii::from("a b c d e f ".repeat(9))), None, &Pii::from(""));
        assert_eq!(endless.0.len(), 6);
    }

    #[test]
    fn what_is_looked_for_is_letters_and_digits() {
        assert_eq!(ContactSearch::of("%_ -"), None);
        let text = |params: &[Param]| {
            let text = |param: &Param| match param {
                Param::Text(text) => text.replace(AFTER_ALL, "…"),
                _ => panic!("text"),
            };
            params.iter().map(text).collect::<Vec<_>>().join("|")
        };
        let number = ContactSearch::of("111-222").unwrap();
        assert_eq!(text(&number.ranges(0)), "111222|111222…|<222111|<222111…|111|111…");
        let name = ContactSearch::of("a Pérez").unwrap();
        assert_eq!(text(&name.patterns()), "% aperez%|% aperez%|% perez%|% a%|% perez%");
    }
}
