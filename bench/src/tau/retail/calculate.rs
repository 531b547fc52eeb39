//! The benchmark's calculator: sums in doubles, answered with two decimals.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Deed, DeedError, Records};

/// Deeper brackets are no sum that anybody meant.
const DEEPEST: usize = 64;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Calculate {
    /// Numbers, `+ - * /` and brackets.
    expression: String,
}

#[async_trait]
impl Deed for Calculate {
    async fn run(&self, _records: &mut dyn Records) -> Result<Value, DeedError> {
        match evaluate(&self.expression) {
            Some(result) => Ok(json!(result)),
            None => DeedError::refused(format!("`{}` is no sum", self.expression)),
        }
    }
}

/// `None` for a text that is no sum, or has no result.
fn evaluate(expression: &str) -> Option<String> {
    let mut sum = Sum { rest: expression.trim(), depth: 0 };
    let result = sum.terms()?;
    if !sum.rest.is_empty() || !result.is_finite() {
        return None;
    }
    let rounded: f64 = format!("{result:.2}").parse().ok()?;
    Some(format!("{rounded:?}"))
}

/// The rest of a sum, still to be read.
struct Sum<'t> {
    rest: &'t str,
    depth: usize,
}

impl Sum<'_> {
    fn terms(&mut self) -> Option<f64> {
        let mut left = self.factors()?;
        loop {
            left = match self.take(&["+", "-"]) {
                Some("+") => left + self.factors()?,
                Some(_) => left - self.factors()?,
                None => return Some(left),
            };
        }
    }

    fn factors(&mut self) -> Option<f64> {
        let mut left = self.signed()?;
        loop {
            let operator = if self.rest.starts_with("**") { None } else { self.operator() };
            let Some(operator) = operator else { return Some(left) };
            let right = self.signed()?;
            left = match operator {
                "*" => left * right,
                _ if right == 0.0 => return None,
                "//" => (left / right).floor(),
                _ => left / right,
            };
        }
    }

    fn operator(&mut self) -> Option<&'static str> {
        self.take(&["*", "//", "/"])
    }

    fn signed(&mut self) -> Option<f64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let signed = match self.take(&["+", "-"]) {
            Some("-") => self.signed().map(|value| -value),
            Some(_) => self.signed(),
            None => self.power(),
        };
        self.depth -= 1;
        signed
    }

    /// Binds more tightly than a sign before it, and takes one after it.
    fn power(&mut self) -> Option<f64> {
        let base = self.value()?;
        match self.take(&["**"]) {
            Some(_) => Some(base.powf(self.signed()?)),
            None => Some(base),
        }
    }

    fn value(&mut self) -> Option<f64> {
        if self.take(&["("]).is_some() {
            let inner = self.terms()?;
            return self.take(&[")"]).map(|_| inner);
        }
        let digits = |byte: char| byte.is_ascii_digit() || byte == '.';
        let end = self.rest.find(|byte| !digits(byte)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        let whole = !number.contains('.');
        if whole && number.len() > 1 && number.starts_with('0') {
            return None;
        }
        self.rest = rest.trim_start_matches(' ');
        number.parse().ok()
    }

    fn take(&mut self, tokens: &[&'static str]) -> Option<&'static str> {
        let token = tokens.iter().copied().find(|token| self.rest.starts_with(token))?;
        self.rest = self.rest[token.len()..].trim_start_matches(' ');
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_out_as_the_benchmark_writes_them() {
        for (expression, expected) in [
            ("348.82 + 38 * (7 - 6)", Some("386.82")),
            ("2 + 3 * 4", Some("14.0")),
            ("(2 + 3) * 4", Some("20.0")),
            ("10 - 4 - 3", Some("3.0")),
            ("8 / 4 / 2", Some("1.0")),
            ("7 // 2", Some("3.0")),
            ("-2 ** 2", Some("-4.0")),
            ("2 ** -1", Some("0.5")),
            ("2 * -3", Some("-6.0")),
            (" 1. + .5 ", Some("1.5")),
            ("2.675", Some("2.67")),
            ("10 / 3", Some("3.33")),
            ("1 / 0", None),
            ("2 +", None),
            ("(2", None),
            ("2)", None),
            ("2 3", None),
            ("1.2.3", None),
            ("007", None),
            ("", None),
            ("two", None),
        ] {
            assert_eq!(evaluate(expression).as_deref(), expected, "{expression}");
        }
        assert_eq!(evaluate(&format!("{}1{}", "(".repeat(5000), ")".repeat(5000))), None);
    }
}
