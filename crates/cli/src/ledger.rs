//! Calls of models and their cost, in words.

use std::collections::HashMap;

use domain::{Cost, TurnId};
use store::LedgerLine;

use crate::output::table;

/// Tokens and price of some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    tokens: u64,
    cost: Cost,
}

impl Sum {
    pub(crate) fn of(lines: &[LedgerLine]) -> Self {
        lines.iter().fold(Self::default(), Self::with)
    }

    fn with(self, line: &LedgerLine) -> Self {
        let tokens = self.tokens + line.call.usage.total();
        Self { tokens, cost: self.cost.plus(line.call.cost) }
    }

    pub(crate) fn in_words(self) -> String {
        format!("{} tokens, {}", self.tokens, dollars(self.cost))
    }
}

/// The cost of each turn.
pub(crate) fn by_turn(lines: &[LedgerLine]) -> HashMap<TurnId, Sum> {
    let mut turns: HashMap<TurnId, Sum> = HashMap::new();
    for line in lines {
        let sum = turns.entry(line.turn).or_default();
        *sum = sum.with(line);
    }
    turns
}

/// Every call, oldest first, and the sum.
pub(crate) fn in_words(lines: &[LedgerLine]) -> String {
    if lines.is_empty() {
        return "no model was asked".to_owned();
    }
    let row = |line: &LedgerLine| {
        let call = &line.call;
        let usage = call.usage;
        vec![
            line.at.to_string(),
            call.component.clone(),
            call.model.clone(),
            call.outcome.clone(),
            usage.input.to_string(),
            usage.output.to_string(),
            (u64::from(usage.cache_read) + u64::from(usage.cache_write)).to_string(),
            dollars(call.cost),
        ]
    };
    let rows: Vec<_> = lines.iter().rev().map(row).collect();
    let head = ["AT", "ASKED BY", "MODEL", "OUTCOME", "IN", "OUT", "CACHED", "COST"];
    format!("{}\n{} in all", table(&head, &rows), Sum::of(lines).in_words())
}

/// To the millionth: one call to a small model costs less than a cent.
fn dollars(cost: Cost) -> String {
    format!("US${:.6}", cost.usd())
}

#[cfg(test)]
mod tests {
    use domain::{ModelCall, SessionId, StepKey, Timestamp, Usage};
    use uuid::Uuid;

    use super::*;

    fn line(turn: u128, at: i64, outcome: &str, cost: i64) -> LedgerLine {
        LedgerLine {
            at: Timestamp::from_millis(at),
            session: SessionId(Uuid::nil()),
            turn: TurnId(Uuid::from_u128(turn)),
            step: StepKey("model.writer".to_owned()),
            call: ModelCall {
                component: "writer".to_owned(),
                provider: "p".to_owned(),
                model: "m".to_owned(),
                attempt: 1,
                outcome: outcome.to_owned(),
                usage: Usage { input: 10, output: 5, cache_read: 2, cache_write: 1 },
                cost: Cost(cost),
                ms: 3,
            },
        }
    }

    #[test]
    fn the_ledger_reads_oldest_first_with_tokens_and_dollars_and_a_sum() {
        // As the store gives it: newest first.
        let lines = [line(2, 2_000, "answered", 1_500_000), line(1, 1_000, "overloaded", 0)];
        let text = in_words(&lines);
        let rows: Vec<_> = text.lines().collect();
        assert_eq!(rows.len(), 4, "{text}");
        assert!(rows[1].contains("overloaded") && rows[1].ends_with("US$0.000000"), "{text}");
        assert!(rows[2].contains("answered") && rows[2].ends_with("US$0.001500"), "{text}");
        let cells: Vec<_> = rows[2].split_whitespace().collect();
        assert_eq!(cells[cells.len() - 4..], ["10", "5", "3", "US$0.001500"]);
        assert_eq!(rows[3], "36 tokens, US$0.001500 in all");
        assert_eq!(in_words(&[]), "no model was asked");
    }

    #[test]
    fn each_turn_has_its_own_sum() {
        let lines = [line(2, 3, "answered", 7), line(1, 2, "answered", 5), line(1, 1, "server", 0)];
        let sums = by_turn(&lines);
        let of = |turn: u128| sums[&TurnId(Uuid::from_u128(turn))];
        assert_eq!(of(1), Sum { tokens: 36, cost: Cost(5) });
        assert_eq!(of(2), Sum { tokens: 18, cost: Cost(7) });
    }
}
