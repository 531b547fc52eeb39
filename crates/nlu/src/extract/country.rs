//! Countries, as far as they change the reading: decimal mark, order of a date, money and phones.

use std::fmt;
use std::str::FromStr;

use rlibphonenumber::Region;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An ISO 3166 code of two letters, such as `AR`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Country([u8; 2]);

#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a country code: two capital letters such as AR")]
pub struct NotACountry(String);

impl Country {
    pub const AR: Self = Self(*b"AR");
    pub const CO: Self = Self(*b"CO");
    pub const ES: Self = Self(*b"ES");
    pub const MX: Self = Self(*b"MX");
    pub const US: Self = Self(*b"US");

    pub fn code(&self) -> &str {
        // The bytes are always ASCII, because every constructor checks it.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Whether `1,5` is one and a half here; elsewhere the point is the decimal mark.
    pub(crate) fn writes_decimal_comma(self) -> bool {
        !matches!(
            &self.0,
            b"MX"
                | b"US"
                | b"GB"
                | b"CA"
                | b"AU"
                | b"NZ"
                | b"IE"
                | b"IN"
                | b"PH"
                | b"GT"
                | b"HN"
                | b"SV"
                | b"NI"
                | b"PA"
                | b"DO"
                | b"PR"
                | b"PE"
        )
    }

    /// Whether `11/02` is the second of November here.
    pub(crate) fn writes_month_first(self) -> bool {
        matches!(&self.0, b"US" | b"PR" | b"PH")
    }

    /// The currency a bare `$` or `pesos` means here.
    pub(crate) fn currency(self) -> Option<&'static str> {
        Some(match &self.0 {
            b"AR" => "ARS",
            b"BO" => "BOB",
            b"BR" => "BRL",
            b"CL" => "CLP",
            b"CO" => "COP",
            b"CR" => "CRC",
            b"CU" => "CUP",
            b"DO" => "DOP",
            b"GB" => "GBP",
            b"GT" => "GTQ",
            b"HN" => "HNL",
            b"MX" => "MXN",
            b"NI" => "NIO",
            b"PE" => "PEN",
            b"PY" => "PYG",
            b"UY" => "UYU",
            b"VE" => "VES",
            b"EC" | b"SV" | b"PA" | b"PR" | b"US" => "USD",
            b"ES" | b"DE" | b"FR" | b"IT" | b"PT" | b"IE" => "EUR",
            _ => return None,
        })
    }

    /// Whether the money of the country is written with `$`.
    pub(crate) fn pays_in_dollar_sign(self) -> bool {
        matches!(
            &self.0,
            b"AR"
                | b"CL"
                | b"CO"
                | b"CU"
                | b"DO"
                | b"EC"
                | b"MX"
                | b"PA"
                | b"PR"
                | b"SV"
                | b"US"
                | b"UY"
        )
    }

    pub(crate) fn region(self) -> Option<Region> {
        Region::try_from(self.code()).ok()
    }
}

impl FromStr for Country {
    type Err = NotACountry;

    fn from_str(code: &str) -> Result<Self, NotACountry> {
        match <[u8; 2]>::try_from(code.as_bytes()) {
            Ok(letters) if letters.iter().all(u8::is_ascii_uppercase) => Ok(Self(letters)),
            _ => Err(NotACountry(code.to_owned())),
        }
    }
}

impl TryFrom<String> for Country {
    type Error = NotACountry;

    fn try_from(code: String) -> Result<Self, NotACountry> {
        code.parse()
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.code().to_owned()
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
