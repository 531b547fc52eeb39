//! Reads single fields of a wire object, so that one odd value spoils one item and no other.

use domain::{Pii, Timestamp, storable, visible};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A field as it came, not parsed yet; absent and `null` are the same.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

/// The longest id stored: a longer one fits no index, so the item could not be kept.
const MAX_ID_BYTES: usize = 1024;

/// Longer than any name that a provider lets people have.
const MAX_NAME_BYTES: usize = 1024;

/// The end of the year 9999: nothing was sent at a later time.
const MAX_SECONDS: i64 = 253_402_300_799;

/// Parses an object whose fields are themselves `Raw`. The parser's own words are dropped, because
/// they quote the value, which may be personal.
pub(crate) fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue, name: &str) -> Result<T, String> {
    serde_json::from_str(raw.get())
        .map_err(|_| format!("{name} is not an object, or repeats a field"))
}

/// A string as it was written.
pub(crate) fn string(raw: Raw<'_>, name: &str) -> Result<Option<String>, String> {
    let Some(raw) = raw else { return Ok(None) };
    let text: String =
        serde_json::from_str(raw.get()).map_err(|_| format!("{name} is not a readable string"))?;
    Ok(Some(storable(&text)))
}

/// A string that must be there, empty or not.
pub(crate) fn required(raw: Raw<'_>, name: &str) -> Result<String, String> {
    string(raw, name)?.ok_or_else(|| format!("{name} is missing"))
}

/// A string that identifies something: kept to the letter or not at all.
pub(crate) fn id(raw: Raw<'_>, name: &str) -> Result<String, String> {
    let raw = raw.ok_or_else(|| format!("{name} is missing"))?;
    let id: String =
        serde_json::from_str(raw.get()).map_err(|_| format!("{name} is not a readable string"))?;
    if id.is_empty() {
        Err(format!("{name} is empty"))
    } else if id.len() > MAX_ID_BYTES || id.contains('\0') {
        Err(format!("{name} cannot be stored"))
    } else {
        Ok(id)
    }
}

/// A person's name without invisible characters, because it is shown among other names and could
/// pass for one of them. A name that is unreadable or too long is no reason to lose the message.
pub(crate) fn name(raw: Raw<'_>) -> Option<Pii> {
    let name = visible(&string(raw, "name").ok()??);
    let name = name.trim();
    (1..=MAX_NAME_BYTES).contains(&name.len()).then(|| name.into())
}

/// A string or a number, to the letter.
pub(crate) fn literal(raw: Raw<'_>) -> Option<String> {
    let text = match raw?.get() {
        text if text.starts_with('"') => string(raw, "").ok()??,
        number => {
            serde_json::from_str::<serde_json::Number>(number).ok().map(|_| number.to_owned())?
        }
    };
    (!text.is_empty()).then_some(text)
}

pub(crate) fn number(raw: Raw<'_>, name: &str) -> Result<f64, String> {
    let raw = raw.ok_or_else(|| format!("{name} is missing"))?;
    serde_json::from_str(raw.get()).map_err(|_| format!("{name} is not a number in range"))
}

/// Whole seconds since the epoch, written as a string or a number. As with any instant, an
/// unreadable one counts as absent.
pub(crate) fn seconds(raw: Raw<'_>) -> Option<Timestamp> {
    let text = raw?.get().trim_matches('"');
    let seconds: i64 = text.parse().ok().filter(|seconds| (0..=MAX_SECONDS).contains(seconds))?;
    Some(Timestamp::from_millis(seconds * 1_000))
}

/// An instant; Infobip writes the offset without a colon. An unreadable one counts as absent: it
/// only orders messages, and is no reason to lose one.
pub(crate) fn instant(raw: Raw<'_>) -> Option<Timestamp> {
    let text = string(raw, "instant").ok()??;
    let instant = text
        .parse::<jiff::Timestamp>()
        .or_else(|_| jiff::Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", &text))
        .ok()?;
    Some(Timestamp::from_millis(instant.as_millisecond()))
}
