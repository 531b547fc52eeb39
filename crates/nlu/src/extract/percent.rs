//! Percentages: a number followed by its sign or its words.

use super::candidate::{Candidate, rank};
use super::number;
use super::tokens::{Class, Tokens};
use super::trigger::Marks;
use super::value::Value;

const AFTER: [&str; 6] = ["%", "por ciento", "por cien", "porciento", "percent", "per cent"];

pub(super) fn find(tokens: &Tokens<'_>, decimal_comma: bool, found: &mut Vec<Candidate>) {
    let mut from = 0;
    while let Some(at) = tokens.seek(from, Marks::NUMBER) {
        let code = tokens.glued(at) && tokens.is(at.saturating_sub(1), Class::Word) && at > 0;
        let Some(number) = number::read(tokens, at, decimal_comma).filter(|_| !code) else {
            from = at + 1;
            continue;
        };
        if let Some(end) = tokens.follow_any(number.end, &AFTER) {
            let negative = tokens.before(at) == "-" && tokens.glued(at) && !tokens.glued(at - 1);
            let (start, value) =
                if negative { (at - 1, -number.value) } else { (at, number.value) };
            let encoded = tokens.text(number.end) == "%"
                && tokens.glued(end)
                && tokens.is(end, Class::Digits);
            if !encoded {
                found.push(Candidate::new(
                    tokens.span(start, end),
                    Value::Percent(value),
                    rank::PERCENT,
                ));
            }
            from = end;
        } else {
            from = number.end;
        }
    }
}
