//! `shop: change`: does to the cart what a message asks, with the mode's tools, and says what came
//! of it.

use domain::{Proposal, ReplyOption, Standing};
use nlu::goods::Act;
use pack::files::Summary;
use serde_json::{Map, Value, json};

use super::look::{Item, Verdict};
use super::pick::meant;
use super::{Choosing, Goods, Wish};
use crate::flow::act::call;
use crate::flow::say::{say, say_message, say_with_options, summarise};
use crate::flow::state::FlowState;
use crate::form::say::join;

const ADD: &str = "add_to_cart";
const UPDATE: &str = "update_cart_item";
const REMOVE: &str = "remove_from_cart";
const CLEAR: &str = "clear_cart";

/// What was done to the cart, in words.
#[derive(Default)]
pub(in crate::flow) struct Done {
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) changed: Vec<String>,
}

impl Done {
    pub(in crate::flow) fn any(&self) -> bool {
        !(self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty())
    }
}

enum Trouble {
    Missing(String),
    Short { title: String, left: u32, alternatives: Vec<Item> },
    Absent(String),
}

/// Whether the cart was changed, or the customer asked which of several to put into it.
pub(in crate::flow) async fn change(state: &mut FlowState<'_>) -> bool {
    let mut troubles = Vec::new();
    let wishes = std::mem::take(&mut state.asked.wishes);
    // A message that has to be asked about again, or asked for its goods, was not understood.
    state.unresolved |= wishes.is_empty();
    let mut last = None;
    for wish in wishes {
        match wish.act {
            Act::Add => {
                add(state, wish, &mut troubles).await;
            }
            Act::Remove => last = remove(state, wish, &mut troubles).await.or(last),
            Act::Set => last = set(state, wish, &mut troubles).await.or(last),
            Act::Replace => replace(state, wish, &mut troubles).await,
        }
        if state.handoff.is_some() {
            break;
        }
    }
    // The message's other wishes may have left the thing no longer the last.
    if let Some(sku) = last.take_if(|sku| !state.memory.shop.cart.is_all(sku)) {
        act(state, REMOVE, &sku, None).await;
    }
    let worked = tell(state, troubles);
    let Some(last) = last else { return worked };
    // The question comes at the end: a yes is to what was asked last.
    if ask_to_empty(state).await {
        return true;
    }
    act(state, REMOVE, &last, None).await;
    tell(state, Vec::new()) || worked
}

/// The summary that asks whether to empty the cart, where one was shown that still counts.
fn emptying<'a>(state: &FlowState<'a>) -> Option<&'a Summary> {
    let used = |shown: &Proposal| matches!(shown.standing, Standing::Used(_));
    let shown = state.session.proposal.as_ref().is_some_and(|shown| !used(shown));
    state.spec.summary_of(CLEAR).filter(|_| shown)
}

/// Asks whether to empty a cart that was summed up; false if no yes is needed for it.
pub(in crate::flow) async fn ask_to_empty(state: &mut FlowState<'_>) -> bool {
    let Some(summary) = emptying(state) else { return false };
    let asked = summarise(state, summary, Map::new()).await;
    if let Err(reason) = &asked {
        state.notes.other.push(format!("{}: {reason}", summary.template));
    }
    asked.is_ok()
}

/// Says what was done, what could not be, and asks what is open; whether anything was done.
fn tell(state: &mut FlowState<'_>, troubles: Vec<Trouble>) -> bool {
    let Some(shop) = &state.spec.flow.shop else { return false };
    let done = std::mem::take(&mut state.done);
    let and = state.spec.fields.conjunction();
    let messages = &shop.messages;
    let lists = [
        (&messages.removed, "quitados", &done.removed),
        (&messages.changed, "cambiados", &done.changed),
        (&messages.added, "agregados", &done.added),
    ];
    let mut worked = false;
    let trouble = !troubles.is_empty();
    for (template, name, list) in lists {
        if !list.is_empty() {
            worked = true;
            let more = Map::from_iter([(name.to_owned(), json!(join(list, and)))]);
            say_message(state, template, more);
        }
    }
    for trouble in troubles {
        match trouble {
            Trouble::Missing(called) => {
                say_message(state, &messages.missing, named(&called));
            }
            Trouble::Absent(called) => {
                say_message(state, &messages.absent, named(&called));
            }
            Trouble::Short { title, left, alternatives } => {
                say_short(state, &title, left, &alternatives);
            }
        }
    }
    if let Some(open) = state.memory.shop.choosing.first().cloned() {
        ask_which(state, &open);
        worked = true;
    }
    state.asked.idle = !worked && !trouble;
    worked
}

/// Asks what is wanted, where a message orders nothing that it names.
pub(in crate::flow) async fn ask_what(state: &mut FlowState<'_>) {
    let shop = state.spec.flow.shop.as_ref();
    match shop.and_then(|shop| shop.messages.nothing.as_ref()) {
        Some(template) => {
            say(state, template).await;
        }
        None => say_message(state, &state.spec.flow.messages.unclear, Map::new()),
    }
}

fn named(called: &str) -> Map<String, Value> {
    Map::from_iter([("producto".to_owned(), json!(called))])
}

/// There is not enough of it; what else there is.
pub(super) fn say_short(state: &mut FlowState<'_>, title: &str, left: u32, alternatives: &[Item]) {
    let Some(shop) = &state.spec.flow.shop else { return };
    let others: Vec<String> = alternatives.iter().take(3).map(|item| item.title.clone()).collect();
    let others = join(&others, state.spec.fields.or());
    let mut more = named(title);
    more.insert("quedan".to_owned(), json!(left));
    more.insert("alternativas".to_owned(), json!(others));
    say_message(state, &shop.messages.short, more);
}

/// Asks which of several was meant.
pub(super) fn ask_which(state: &mut FlowState<'_>, open: &Choosing) {
    let Some(shop) = &state.spec.flow.shop else { return };
    let option = |goods: &Goods| ReplyOption {
        id: goods.sku.clone(),
        title: goods.title.clone(),
        description: None,
    };
    let options = open.options.iter().map(option).collect();
    say_with_options(state, &shop.messages.options, named(&open.called), options);
}

/// What came of a call.
#[derive(PartialEq, Eq)]
enum Acted {
    Done,
    /// The tool said no.
    Failed,
    /// The mode does not have the tool.
    NotHere,
}

fn offers(state: &FlowState<'_>, tool: &str) -> bool {
    state.spec.mode(&state.mode).tools.iter().any(|name| name == tool)
}

async fn act(state: &mut FlowState<'_>, tool: &str, sku: &str, quantity: Option<u32>) -> Acted {
    if !offers(state, tool) {
        state.notes.refused.push(format!("call {tool}"));
        return Acted::NotHere;
    }
    let mut input = Map::from_iter([("sku".to_owned(), json!(sku))]);
    input.extend(quantity.map(|quantity| ("quantity".to_owned(), json!(quantity))));
    match call(state, tool, input).await {
        Ok(_) => Acted::Done,
        Err(reason) => {
            state.notes.other.push(format!("{tool}: {reason}"));
            Acted::Failed
        }
    }
}

/// Whether so many were put into the cart.
async fn add(state: &mut FlowState<'_>, wish: Wish, troubles: &mut Vec<Trouble>) -> bool {
    let quantity = wish.quantity.unwrap_or(1);
    match (wish.found.verdict, wish.found.items.as_slice()) {
        (Verdict::One, [item, ..]) => {
            let item = item.clone();
            let quantity = item.units.unwrap_or(quantity);
            return put(state, &item, quantity, &wish, troubles).await;
        }
        (Verdict::Several, items) => {
            let options = items.iter().take(10).map(Item::goods).collect();
            let Wish { called, instead_of, .. } = wish;
            let open = Choosing { quantity, called, options, instead_of };
            state.memory.shop.choosing.push(open);
        }
        // A wish without a name cannot be said to be missing.
        _ if wish.called.trim().is_empty() => {}
        _ => {
            state.tool_failed();
            troubles.push(Trouble::Missing(wish.called));
        }
    }
    false
}

async fn put(
    state: &mut FlowState<'_>,
    item: &Item,
    quantity: u32,
    wish: &Wish,
    troubles: &mut Vec<Trouble>,
) -> bool {
    state.memory.shop.speak_of(item.goods());
    let acted = act(state, ADD, &item.sku, Some(quantity)).await;
    if acted == Acted::Failed {
        // The units in the cart already are spoken for.
        let left = item.available.saturating_sub(state.memory.shop.cart.units_of(&item.sku));
        troubles.push(Trouble::Short {
            title: item.title.clone(),
            left,
            alternatives: wish.found.alternatives.clone(),
        });
    }
    acted == Acted::Done
}

/// The lines of the cart that a wish means: one, or all sizes of a product.
pub(super) fn lines_of(state: &FlowState<'_>, wish: &Wish) -> Vec<(Goods, u32)> {
    let cart = &state.memory.shop.cart;
    let options: Vec<Goods> = cart
        .lines
        .iter()
        .map(|line| Goods {
            sku: line.sku.clone(),
            title: line.title.clone(),
            product: line.product.clone(),
            price: String::new(),
        })
        .collect();
    let places = if wish.called.is_empty() {
        let last = state.memory.shop.last.as_ref();
        let spoken =
            options.iter().position(|goods| last.is_some_and(|last| last.sku == goods.sku));
        spoken.or((options.len() == 1).then_some(0)).into_iter().collect()
    } else {
        meant(&wish.called, &options)
    };
    places.into_iter().map(|at| (options[at].clone(), cart.lines[at].quantity)).collect()
}

fn line_of(state: &FlowState<'_>, wish: &Wish) -> Option<(Goods, u32)> {
    let mut lines = lines_of(state, wish);
    (lines.len() == 1).then(|| lines.remove(0))
}

/// Takes out what is meant. The last line of a cart that may have been summed up is only returned,
/// by its code: emptying needs a yes.
async fn remove(
    state: &mut FlowState<'_>,
    wish: Wish,
    troubles: &mut Vec<Trouble>,
) -> Option<String> {
    let lines = lines_of(state, &wish);
    if lines.is_empty() {
        troubles.push(Trouble::Absent(called(&wish)));
    }
    let mut last = None;
    for line in lines {
        last = take_out(state, wish.quantity, line).await;
    }
    last
}

async fn take_out(
    state: &mut FlowState<'_>,
    quantity: Option<u32>,
    (goods, units): (Goods, u32),
) -> Option<String> {
    state.memory.shop.speak_of(goods.clone());
    match quantity.filter(|quantity| *quantity < units) {
        Some(quantity) => {
            let left = units - quantity;
            act(state, UPDATE, &goods.sku, Some(left)).await;
        }
        None if emptying(state).is_some() && state.memory.shop.cart.is_all(&goods.sku) => {
            return Some(goods.sku);
        }
        None => {
            act(state, REMOVE, &goods.sku, None).await;
        }
    }
    None
}

async fn set(state: &mut FlowState<'_>, wish: Wish, troubles: &mut Vec<Trouble>) -> Option<String> {
    let quantity = wish.quantity.unwrap_or(1);
    let Some((goods, units)) = line_of(state, &wish) else {
        // There was none of it: then so many of it are to be put there.
        add(state, wish, troubles).await;
        return None;
    };
    if quantity == 0 {
        return take_out(state, None, (goods, units)).await;
    }
    if act(state, UPDATE, &goods.sku, Some(quantity)).await == Acted::Failed {
        let left = wish.found.items.iter().find(|item| item.sku == goods.sku);
        let left = left.map_or(units, |item| item.available);
        let alternatives = wish.found.alternatives.clone();
        troubles.push(Trouble::Short { title: goods.title.clone(), left, alternatives });
    }
    state.memory.shop.speak_of(goods);
    None
}

/// Puts one thing in the place of another, as many as there were unless a number is said. What is
/// there is not given up for what is not: the new thing comes first.
async fn replace(state: &mut FlowState<'_>, mut wish: Wish, troubles: &mut Vec<Trouble>) {
    let old = Wish { called: wish.instead_of.take().unwrap_or_default(), ..Wish::default() };
    let Some((goods, units)) = line_of(state, &old) else {
        troubles.push(Trouble::Absent(called(&old)));
        return;
    };
    if !offers(state, REMOVE) {
        state.notes.refused.push(format!("call {REMOVE}"));
        return;
    }
    wish.quantity = wish.quantity.or(Some(units));
    let same = |item: &Item| wish.found.verdict == Verdict::One && item.sku == goods.sku;
    if wish.found.items.first().is_some_and(same) {
        let it = Wish { called: goods.title, ..wish };
        set(state, it, troubles).await;
        return;
    }
    wish.instead_of = Some(goods.title);
    if add(state, wish, troubles).await {
        act(state, REMOVE, &goods.sku, None).await;
    }
}

/// How a wish speaks of its product.
fn called(wish: &Wish) -> String {
    if wish.called.is_empty() { "eso".to_owned() } else { wish.called.clone() }
}
