//! The goods that the catalogue has under a customer's words.

use nlu::goods::Shown;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Goods;
use crate::Context;
use crate::flow::act::call;
use crate::flow::perform::perform;
use crate::flow::turn::Turn;

/// The first word of a name weighs so much at least.
const CALLED: u32 = 50;

/// The tool that looks.
const SEARCH: &str = "search_products";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MatchKind {
    One,
    Several,
    #[default]
    Nothing,
    /// The catalogue could not be asked, or its answer not be read: it is not known what there is.
    #[serde(skip)]
    Unknown,
}

/// The catalogue's answer. An answer without its kind of match and its goods is none, and does not say that
/// there is nothing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Looked {
    // Recorded answers of before have the other name.
    #[serde(rename = "match", alias = "verdict")]
    pub(super) kind: MatchKind,
    pub(super) items: Vec<Item>,
    #[serde(default)]
    pub(super) alternatives: Vec<Item>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Item {
    pub(super) sku: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) label: String,
    #[serde(default)]
    pub(super) product: String,
    #[serde(default)]
    pub(super) price: String,
    #[serde(default)]
    pub(super) price_text: String,
    pub(super) available: u32,
    /// How well it matches, of a hundred.
    #[serde(default)]
    pub(super) score: u32,
    /// How many of it make up what was asked for, if a number was said.
    #[serde(default)]
    pub(super) units: Option<u32>,
}

impl Item {
    pub(super) fn goods(&self) -> Goods {
        Goods {
            sku: self.sku.clone(),
            title: self.title.clone(),
            product: self.product.clone(),
            price: self.price.clone(),
        }
    }

    pub(super) fn shown(&self) -> Value {
        json!({
            "title": self.title, "price_text": self.price_text, "available": self.available,
        })
    }
}

impl Looked {
    /// The part of it that tells of the asks beside it.
    pub(super) fn shown(&self) -> Shown {
        Shown {
            names: self.items.iter().map(|item| item.title.clone()).collect(),
            one: self.kind == MatchKind::One,
            called: self.items.iter().any(|item| item.score >= CALLED),
            alternatives: !self.alternatives.is_empty(),
        }
    }

    pub(super) fn is_known(&self) -> bool {
        matches!(self.kind, MatchKind::One | MatchKind::Several)
    }

    fn unknown() -> Self {
        Self { kind: MatchKind::Unknown, ..Self::default() }
    }

    /// The result for goods that were already chosen.
    pub(super) fn chosen(goods: &Goods) -> Self {
        let Goods { sku, title, product, price } = goods.clone();
        let item = Item { sku, title, product, price, ..Item::default() };
        Self { kind: MatchKind::One, items: vec![item], alternatives: Vec::new() }
    }
}

/// Looks for what a customer calls so.
pub(super) async fn look(turn: &mut Turn<'_>, context: &mut dyn Context, called: &str) -> Looked {
    search(turn, context, json!({ "query": called.chars().take(200).collect::<String>() })).await
}

/// Looks for what has this very code.
pub(super) async fn look_by_sku(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    sku: &str,
) -> Looked {
    search(turn, context, json!({ "query": sku, "by_sku": true })).await
}

async fn search(turn: &mut Turn<'_>, context: &mut dyn Context, input: Value) -> Looked {
    let input = input.as_object().cloned().unwrap_or_default();
    let called = |turn: &mut Turn<'_>| call(turn, SEARCH, input.clone());
    match perform(turn, context, called).await {
        Ok(answer) => serde_json::from_value(answer).unwrap_or_else(|error| {
            turn.notes.other.push(format!("{SEARCH}: its answer is no list of goods: {error}"));
            turn.tool_failed();
            Looked::unknown()
        }),
        Err(reason) => {
            turn.notes.other.push(format!("{SEARCH}: {reason}"));
            Looked::unknown()
        }
    }
}
