//! Reads the items of a webhook's body one after the other, so many and no deeper than any provider's:
//! an item beyond that is kept as unreadable, and the items beside it are read.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fields::Raw;
use crate::webhook::{BadItem, LONGEST, Parsed};

/// Items of one body that are read; providers put together a thousand at most.
pub(crate) const MOST_ITEMS: usize = 4_000;

/// The deepest nesting of an item, beyond any real one: what reads items calls itself at each level.
const MAX_DEPTH: usize = 64;

/// A list as it came, whose elements are read one after the other, because a list of them all would take
/// many times the memory of the body.
#[derive(Clone, Copy)]
pub(crate) struct List<'a>(&'a RawValue);

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        match raw.get().starts_with('[') {
            true => Ok(Self(raw)),
            false => Err(D::Error::custom("this is not a list")),
        }
    }
}

impl<'a> List<'a> {
    /// The list in a field; an absent one has no elements.
    pub(crate) fn of(raw: Raw<'a>, name: &str) -> Result<Option<Self>, String> {
        let Some(raw) = raw else { return Ok(None) };
        let list = serde_json::from_str(raw.get());
        list.map(Some).map_err(|_| format!("{name} is not a list"))
    }

    pub(crate) fn each(self, each: impl FnMut(&'a RawValue)) {
        let mut deserializer = serde_json::Deserializer::from_str(self.0.get());
        // The text was read as a list before, so it is one.
        let _ = deserializer.deserialize_seq(Elements(each));
    }
}

struct Elements<F>(F);

impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for Elements<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element()? {
            (self.0)(raw);
        }
        Ok(())
    }
}

/// A body that is being read.
#[derive(Default)]
pub(crate) struct Reading {
    parsed: Parsed,
    items: usize,
    beyond: Beyond,
}

impl Reading {
    /// Reads one item with `take`. An item that cannot be read is kept, and one beyond those that are read
    /// too.
    pub(crate) fn item(
        &mut self,
        raw: &RawValue,
        take: impl FnOnce(&RawValue, &mut Parsed) -> Result<(), String>,
    ) {
        if self.items == MOST_ITEMS {
            return self.beyond.keep(raw);
        }
        self.items += 1;
        let taken = match is_too_deep(raw.get()) {
            false => take(raw, &mut self.parsed),
            true => Err(format!("the item nests deeper than {MAX_DEPTH} levels")),
        };
        if let Err(reason) = taken {
            self.parsed.bad.push(BadItem::new(raw, reason));
        }
    }

    /// Reads what holds items with `take`. If it cannot be read as a whole, it is kept like an item.
    pub(crate) fn group(
        &mut self,
        raw: &RawValue,
        take: impl FnOnce(&RawValue, &mut Self) -> Result<(), String>,
    ) {
        if let Err(reason) = take(raw, self) {
            self.item(raw, |_, _| Err(reason));
        }
    }

    /// Counts a group that is not ours to act on.
    pub(crate) fn ignore(&mut self) {
        self.parsed.ignored += 1;
    }

    /// All that the body holds.
    pub(crate) fn whole(self) -> Parsed {
        let Self { mut parsed, beyond, .. } = self;
        parsed.bad.extend(beyond.kept());
        parsed
    }
}

/// Items beyond those that are read, put together as text: each alone would be a record of its own, and
/// there may be millions.
#[derive(Default)]
struct Beyond {
    full: Vec<BadItem>,
    text: String,
    items: usize,
}

impl Beyond {
    fn keep(&mut self, raw: &RawValue) {
        let text = raw.get();
        if text.len() > LONGEST {
            self.full.push(BadItem::new(raw, reason(1)));
            return;
        }
        if self.text.len() + text.len() > LONGEST {
            self.close();
        }
        self.text.push_str(if self.text.is_empty() { "[" } else { "," });
        self.text.push_str(text);
        self.items += 1;
    }

    fn close(&mut self) {
        if self.items > 0 {
            let text = std::mem::take(&mut self.text) + "]";
            let reason = reason(std::mem::take(&mut self.items));
            self.full.push(BadItem { raw: Value::String(text), reason });
        }
    }

    fn kept(mut self) -> Vec<BadItem> {
        self.close();
        self.full
    }
}

fn reason(items: usize) -> String {
    format!(
        "beyond the {MOST_ITEMS} items that are read of one delivery: {items} more, as they came"
    )
}

/// Whether a text nests deeper than what is read.
pub(crate) fn is_too_deep(text: &str) -> bool {
    depth(text) > MAX_DEPTH
}

/// The depth of brackets outside strings; exact for JSON, harmless for anything else.
fn depth(text: &str) -> usize {
    let (mut now, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
