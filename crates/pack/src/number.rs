//! Numbers as a locale writes them.

use serde::{Deserialize, Serialize};

/// How a locale groups thousands and marks decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    pub group: char,
    pub decimal: char,
}

/// Spanish-speaking countries that write 1,500.50.
const POINT_COUNTRIES: [&str; 11] =
    ["MX", "US", "PR", "DO", "GT", "HN", "NI", "PA", "SV", "PE", "PH"];

impl Marks {
    /// Of a locale such as es-CO, where 1.500,50 is written, or en-US, where 1,500.50 is.
    pub fn of(locale: &str) -> Self {
        let (language, country) = locale.split_once('-').unwrap_or((locale, ""));
        if language == "en" || POINT_COUNTRIES.contains(&country) {
            Self { group: ',', decimal: '.' }
        } else {
            Self { group: '.', decimal: ',' }
        }
    }

    /// A number that is written plainly, such as -1500.5, as the locale writes it; any other text
    /// stays as it is.
    pub fn apply(self, plain: &str) -> String {
        let (sign, digits) = match plain.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", plain),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return plain.to_owned();
        }
        let mut text = sign.to_owned();
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index) % 3 == 0 {
                text.push(self.group);
            }
            text.push(digit);
        }
        // 3.0 is what JSON makes of a whole number that went through a fraction.
        if !fraction.is_empty() && fraction.bytes().any(|digit| digit != b'0') {
            text.push(self.decimal);
            text.push_str(fraction);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_country_writes_them() {
        for (locale, plain, written) in [
            ("es-CO", "1500000", "1.500.000"),
            ("es-AR", "1500.5", "1.500,5"),
            ("es-MX", "1500.5", "1,500.5"),
            ("en-US", "-1500000", "-1,500,000"),
            ("es-CO", "999", "999"),
            ("es-CO", "1000", "1.000"),
            ("es-CO", "3.0", "3"),
            ("es-CO", "0", "0"),
            ("es-CO", "1e300", "1e300"),
            ("es-CO", "", ""),
            ("es-CO", "-", "-"),
        ] {
            assert_eq!(Marks::of(locale).apply(plain), written, "{locale} {plain}");
        }
    }
}
