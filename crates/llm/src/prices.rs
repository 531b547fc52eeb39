//! Prices of tokens, by model.

use std::collections::BTreeMap;

use domain::{Cost, Usage};
use serde::Deserialize;

const BUILT_IN: &str = include_str!("../prices.yaml");

/// A thousandth of a dollar per million tokens is a billionth per token, so prices are whole
/// numbers.
const NANOS_PER_TOKEN: f64 = 1_000.0;

#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    #[error("the file of prices cannot be read: {0}")]
    Unreadable(String),
    #[error("{model}: {usd} is not a price in dollars per million tokens, to the thousandth")]
    NoPrice { model: String, usd: f64 },
}

/// Prices by the beginning of a model's name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

/// Billionths of a dollar per token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Price {
    input: i64,
    output: i64,
    cache_read: i64,
    cache_write: i64,
}

/// Dollars per million tokens, as people write them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

impl Prices {
    /// The prices this was built with.
    pub fn built_in() -> Result<Self, PriceError> {
        Self::parse(BUILT_IN)
    }

    pub fn parse(yaml: &str) -> Result<Self, PriceError> {
        let written: BTreeMap<String, Written> = serde_saphyr::from_str(yaml)
            .map_err(|error| PriceError::Unreadable(error.to_string()))?;
        let price = |(model, written): (String, Written)| {
            let price = Price::read(&model, &written)?;
            Ok((model, price))
        };
        Ok(Self(written.into_iter().map(price).collect::<Result<_, PriceError>>()?))
    }

    /// These prices, replaced by the others for models in both.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// The cost of a call; `None` for a model without a known price.
    pub fn cost(&self, model: &str, usage: Usage) -> Option<Cost> {
        let named = |prefix: &str| {
            model.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(ENDS))
        };
        let fitting = self.0.iter().filter(|(prefix, _)| named(prefix));
        let (_, price) = fitting.max_by_key(|(prefix, _)| prefix.len())?;
        Some(price.of(usage))
    }
}

/// Characters that may follow a model's name before a date, a variant or a revision; another
/// version is another model.
const ENDS: &[char] = &['-', '@', ':'];

impl Price {
    fn read(model: &str, written: &Written) -> Result<Self, PriceError> {
        let nanos = |usd: f64| {
            let nanos = (usd * NANOS_PER_TOKEN).round();
            let exact = (usd * NANOS_PER_TOKEN - nanos).abs() < 1e-6;
            if exact && (0.0..1e9).contains(&nanos) {
                Ok(nanos as i64)
            } else {
                Err(PriceError::NoPrice { model: model.to_owned(), usd })
            }
        };
        Ok(Self {
            input: nanos(written.input)?,
            output: nanos(written.output)?,
            cache_read: nanos(written.cache_read.unwrap_or(written.input))?,
            cache_write: nanos(written.cache_write.unwrap_or(written.input))?,
        })
    }

    fn of(self, usage: Usage) -> Cost {
        let priced = [
            (self.input, usage.input),
            (self.output, usage.output),
            (self.cache_read, usage.cache_read),
            (self.cache_write, usage.cache_write),
        ];
        let cost = |(price, tokens): (i64, u32)| Cost(price.saturating_mul(i64::from(tokens)));
        priced.into_iter().map(cost).fold(Cost::default(), Cost::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLION: u32 = 1_000_000;

    /// Cents for a million tokens each of input, output, read from and written to a cache.
    fn cents(model: &str) -> Option<[i64; 4]> {
        let prices = Prices::built_in().unwrap();
        let of = |usage| prices.cost(model, usage).map(|cost| cost.0 / 100_000);
        Some([
            of(Usage { input: MILLION, ..Usage::default() })?,
            of(Usage { output: MILLION, ..Usage::default() })?,
            of(Usage { cache_read: MILLION, ..Usage::default() })?,
            of(Usage { cache_write: MILLION, ..Usage::default() })?,
        ])
    }

    #[test]
    fn the_longest_beginning_that_fits_gives_the_price() {
        let cases = [
            ("claude-haiku-4-5", Some([10_000, 50_000, 1_000, 12_500])),
            ("claude-haiku-4-5-20251001", Some([10_000, 50_000, 1_000, 12_500])),
            ("claude-sonnet-4-5@20250929", Some([30_000, 150_000, 3_000, 37_500])),
            ("claude-opus-4-6", Some([50_000, 250_000, 5_000, 62_500])),
            ("gpt-4o-2024-08-06", Some([25_000, 100_000, 12_500, 25_000])),
            ("gpt-4o-mini", Some([1_500, 6_000, 750, 1_500])),
            ("gpt-4.1-mini-2025-04-14", Some([4_000, 16_000, 1_000, 4_000])),
            ("gpt-4.1", Some([20_000, 80_000, 5_000, 20_000])),
            ("o4-mini", Some([11_000, 44_000, 2_750, 11_000])),
            ("gpt-4", None),
            ("gpt-4oh", None),
            ("gpt-5.9", None),
            ("claude-haiku-4-50", None),
            ("llama3.2", None),
            ("", None),
        ];
        for (model, expected) in cases {
            assert_eq!(cents(model), expected, "{model}");
        }
    }

    #[test]
    fn the_sum_is_exact_to_the_single_token_and_never_overflows() {
        let prices = Prices::built_in().unwrap();
        let usage = Usage { input: 1, output: 1, cache_read: 1, cache_write: 1 };
        assert_eq!(prices.cost("gpt-4o-mini", usage), Some(Cost(150 + 600 + 75 + 150)));
        let most = Usage { input: u32::MAX, output: u32::MAX, ..Usage::default() };
        let expected = i64::from(u32::MAX) * (15_000 + 75_000);
        assert_eq!(prices.cost("claude-opus-4-1", most), Some(Cost(expected)));
    }

    #[test]
    fn the_configurations_prices_come_before_the_built_in_ones() {
        let own =
            Prices::parse("gpt-4o: {input: 1, output: 2}\nmine: {input: 0, output: 0}").unwrap();
        let prices = Prices::built_in().unwrap().with(own);
        let usage = Usage { input: 1, output: 1, ..Usage::default() };
        assert_eq!(prices.cost("gpt-4o", usage), Some(Cost(3_000)));
        assert_eq!(prices.cost("mine", usage), Some(Cost(0)));
        assert_eq!(prices.cost("o4-mini", usage), Some(Cost(5_500)));
    }

    #[test]
    fn a_price_that_is_none_is_refused() {
        for wrong in [
            "m: {input: -1, output: 1}",
            "m: {input: 0.0001, output: 1}",
            "m: {input: .nan, output: 1}",
            "m: {input: 1}",
            "m: {input: 1, output: 1, discount: 1}",
        ] {
            assert!(Prices::parse(wrong).is_err(), "{wrong}");
        }
    }
}
