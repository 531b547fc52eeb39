//! A web address that prints without its credentials.

use std::fmt;
use std::ops::Deref;

use crate::database::without_credentials;

/// An address without a slash at its end, which prints as scheme and host only, because the rest of
/// an address is often a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(pub(crate) String);

impl Address {
    /// Scheme and host, for logs and screens.
    pub fn redacted(&self) -> String {
        let url = without_credentials(&self.0);
        url.splitn(4, ['/', '?', '#']).take(3).collect::<Vec<_>>().join("/")
    }
}

impl Deref for Address {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/***", self.redacted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_prints_as_its_host() {
        for (address, printed) in [
            ("https://api.example.com/v1", "https://api.example.com/***"),
            ("http://u:clave@h/x?t=clave", "http://u:***@h/***"),
            ("https://h?t=clave", "https://h/***"),
            ("https://h/hooks/clave", "https://h/***"),
        ] {
            assert_eq!(format!("{:?}", Address(address.to_owned())), printed, "{address}");
        }
    }
}
