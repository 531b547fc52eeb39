//! The newest summary shown to the customer, and whether something else was asked since.

use domain::{Cart, Order, TermsItem};
use serde_json::Value;

use super::Prey;
use super::scene::{Scene, plain, stands};
use crate::Happened;

/// The summary the customer had been shown before a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) summary: Option<Summary>,
}

/// The newest summary, as it was read.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    pub(super) text: String,
    /// The tool that a yes to it allows.
    pub(super) proposes: String,
    /// The mode in which it asks for a yes.
    pub(super) mode: String,
    /// Whether a yes may answer another question by now.
    pub(super) asked_since: bool,
}

impl Shown {
    /// After further turns, in which a model said these words of its own and the conversation came
    /// from one scene to the other.
    pub(super) fn after(
        &self,
        prey: &Prey<'_>,
        turns: &[Happened],
        own: &[&str],
        (before, after): (&Scene, &Scene),
    ) -> Self {
        let mut shown = self.clone();
        for turn in turns {
            let text = turn.replies.join("\n");
            let asks = |words: &&&str| words.contains('?') && text.contains(**words);
            let own_question = own.iter().any(|words| asks(&words));
            let sent = turn.trace.templates.iter().rev();
            let proposed = sent.filter_map(|sent| prey.proposed_by(plain(sent))).next();
            if let Some(proposes) = proposed {
                let (mode, proposes) = (turn.mode.clone(), proposes.to_owned());
                let asked_since = own_question;
                shown.summary = Some(Summary { text, proposes, mode, asked_since });
            } else if let Some(summary) = &mut shown.summary {
                let elsewhere = turn.mode != summary.mode && text.contains('?');
                summary.asked_since |= own_question || elsewhere;
            }
        }
        // A yes counts once: the next order needs a summary of its own.
        let agreed = |scene: &Scene| scene.orders.iter().filter(|order| stands(order)).count();
        if agreed(after) > agreed(before) {
            shown.summary = None;
        }
        shown
    }
}

impl Summary {
    /// Whether it says this order: what, how many, for how much and for whom.
    pub(super) fn says(&self, order: &Order) -> bool {
        let data = order.data.iter().filter(|(name, _)| name.as_str() != "delivery");
        let data = data.filter_map(|(_, value)| value.as_str());
        self.says_goods(order) && self.says_all(data)
    }

    /// Whether it says what is ordered, how many and for how much.
    pub(super) fn says_goods(&self, order: &Order) -> bool {
        let lines = order.lines.iter().all(|line| self.says_line(&line.title, line.quantity));
        lines && self.says_number(&order.total.normalize().to_string())
    }

    /// Whether it sums up a cart, and not an order that was confirmed before.
    pub(super) fn is_of_cart(&self) -> bool {
        ["confirm_order", "clear_cart"].contains(&self.proposes.as_str())
    }

    /// Whether it says what is in the cart.
    pub(super) fn says_cart(&self, cart: &Cart) -> bool {
        cart.lines
            .iter()
            .all(|line| self.says_line(&domain::title(&line.name, &line.label), line.quantity))
    }

    /// Whether it says what a proposal is of.
    pub(super) fn says_items(&self, items: &[TermsItem]) -> bool {
        items.iter().all(|item| self.says_line(&item.title, item.quantity))
    }

    /// Whether it speaks of this order, by its number or its total.
    pub(super) fn names(&self, order: &Order) -> bool {
        self.says_number(&order.number.to_string())
            || self.says_number(&order.total.normalize().to_string())
    }

    fn says_line(&self, title: &str, quantity: u32) -> bool {
        let named = self.text.to_lowercase().contains(&title.to_lowercase());
        named && (quantity == 1 || self.says_number(&quantity.to_string()))
    }

    fn says_number(&self, number: &str) -> bool {
        let digits: String = number.chars().filter(char::is_ascii_digit).collect();
        numbers(&self.text).any(|one| one.trim_start_matches('0') == digits)
    }

    /// Whether it says all of these.
    pub(super) fn says_all<'v>(&self, values: impl Iterator<Item = &'v str>) -> bool {
        let text = self.text.to_lowercase();
        values.into_iter().all(|value| text.contains(&value.to_lowercase()))
    }
}

/// Runs of digits, without the marks inside them.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let bare = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let words = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
    words.map(bare).filter(|digits| !digits.is_empty()).collect::<Vec<_>>().into_iter()
}

/// The texts of a model's own in what it asks for.
pub(super) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(all) => all.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
