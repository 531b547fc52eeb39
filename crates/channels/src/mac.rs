//! Keyed hashes of webhook bodies, compared in constant time, and the reasons for refusing a
//! caller.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The reason for refusing a call: for our log, not for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("the channel's webhook secret is empty; nobody is let in until it is set")]
    NotConfigured,
    #[error("the request carries no credentials")]
    Missing,
    #[error("the credentials are not in a form this channel reads")]
    Malformed,
    #[error("the credentials do not match")]
    Wrong,
}

/// Whether `presented` is the HMAC-SHA256 of the bytes as they came.
pub(crate) fn signed(secret: &str, presented: &[u8], body: &[u8]) -> Result<(), Denied> {
    if secret.is_empty() {
        return Err(Denied::NotConfigured);
    }
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|_| Denied::NotConfigured)?;
    mac.update(body);
    mac.verify_slice(presented).map_err(|_| Denied::Wrong)
}

/// The text behind `sha256=`, which may be written in any case.
pub(crate) fn without_scheme(signature: &str) -> Option<&str> {
    let (scheme, rest) = signature.split_at_checked("sha256=".len())?;
    scheme.eq_ignore_ascii_case("sha256=").then_some(rest)
}

pub(crate) fn unhex(digits: &str) -> Option<Vec<u8>> {
    let nibble = |digit: &u8| char::from(*digit).to_digit(16).and_then(|n| u8::try_from(n).ok());
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| Some((nibble(pair.first()?)? << 4) | nibble(pair.get(1)?)?))
        .collect()
}
