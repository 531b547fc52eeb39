//! `shop: change`: does to the cart what a message asks, with the mode's tools, and says what came
//! of it.

use domain::{Proposal, ReplyOption, Standing};
use nlu::goods::Act;
use pack::program::Summary;
use serde_json::{Map, Value, json};

use super::look::{Item, MatchKind};
use super::pick::meant;
use super::{Choosing, Goods, Wish};
use crate::flow::act::call;
use crate::flow::plan::Decided;
use crate::flow::say::{say, say_message, say_with_options, summarise};
use crate::flow::turn::Turn;
use crate::form::say::join;

const ADD: &str = "add_to_cart";
const UPDATE: &str = "update_cart_item";
const REMOVE: &str = "remove_from_cart";
const CLEAR: &str = "clear_cart";

/// The changes of the cart, in words.
#[derive(Clone, Default)]
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
    Short {
        title: String,
        left: u32,
        alternatives: Vec<Item>,
    },
    Absent(String),
    /// A tool did not do its part: look for goods, take something out, or less of it.
    Undone,
}

/// Whether the cart was changed, or the customer asked which of several to put into it.
pub(in crate::flow) fn change(turn: &mut Turn<'_>) -> Decided<bool> {
    let mut troubles = Vec::new();
    let wishes = std::mem::take(&mut turn.reading.asked.wishes);
    // A message that has to be asked about again, or asked for its goods, was not understood.
    turn.progress.unresolved |= wishes.is_empty();
    let mut last = None;
    for wish in wishes {
        match wish.act {
            Act::Add => {
                add(turn, wish, &mut troubles)?;
            }
            Act::Remove => last = remove(turn, wish, &mut troubles)?.or(last),
            Act::Set => last = set(turn, wish, &mut troubles)?.or(last),
            Act::Replace => replace(turn, wish, &mut troubles)?,
        }
        if turn.plan.hands_off() {
            break;
        }
    }
    // The message's other wishes may have left the thing no longer the last.
    if let Some(sku) = last.take_if(|sku| !turn.state.memory.shop.cart.is_all(sku)) {
        take(turn, REMOVE, &sku, None, &mut troubles)?;
    }
    let worked = tell(turn, troubles);
    let Some(last) = last else { return Ok(worked) };
    // The question comes at the end: a yes is to what was asked last.
    if ask_to_empty(turn)? {
        return Ok(true);
    }
    let mut troubles = Vec::new();
    take(turn, REMOVE, &last, None, &mut troubles)?;
    Ok(tell(turn, troubles) || worked)
}

/// The summary that asks whether to empty the cart, where one was shown that still counts.
fn emptying<'a>(turn: &Turn<'a>) -> Option<&'a Summary> {
    let used = |shown: &Proposal| matches!(shown.standing, Standing::Used(_));
    let shown = turn.state.session.proposal.as_ref().is_some_and(|shown| !used(shown));
    turn.spec.summary_of(CLEAR).filter(|_| shown)
}

/// Asks whether to empty a cart that was summed up; false if no yes is needed for it.
pub(in crate::flow) fn ask_to_empty(turn: &mut Turn<'_>) -> Decided<bool> {
    let Some(summary) = emptying(turn) else { return Ok(false) };
    let asked = summarise(turn, summary, Map::new())?;
    if let Err(reason) = &asked {
        turn.notes.other.push(format!("{}: {reason}", summary.template));
    }
    Ok(asked.is_ok())
}

/// Says what was done, what could not be, and asks what is open; whether anything was done.
fn tell(turn: &mut Turn<'_>, troubles: Vec<Trouble>) -> bool {
    let Some(shop) = &turn.spec.flow.shop else { return false };
    let done = std::mem::take(&mut turn.progress.done);
    let and = &turn.spec.fields.and;
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
            say_message(turn, template, more);
        }
    }
    for trouble in troubles {
        match trouble {
            Trouble::Missing(called) => {
                say_message(turn, &messages.missing, named(&called));
            }
            Trouble::Absent(called) => {
                say_message(turn, &messages.absent, named(&called));
            }
            Trouble::Short { title, left, alternatives } => {
                say_short(turn, &title, left, &alternatives);
            }
            Trouble::Undone => say_message(turn, &turn.spec.flow.messages.failed, Map::new()),
        }
    }
    if let Some(open) = turn.state.memory.shop.choosing.first().cloned() {
        ask_which(turn, &open);
        worked = true;
    }
    turn.reading.asked.idle = !worked && !trouble;
    worked
}

/// Asks what is wanted, where a message orders nothing that it names.
pub(in crate::flow) fn ask_what(turn: &mut Turn<'_>) -> Decided<()> {
    let shop = turn.spec.flow.shop.as_ref();
    match shop.and_then(|shop| shop.messages.nothing.as_ref()) {
        Some(template) => {
            say(turn, template)?;
        }
        None => say_message(turn, &turn.spec.flow.messages.unclear, Map::new()),
    }
    Ok(())
}

fn named(called: &str) -> Map<String, Value> {
    Map::from_iter([("producto".to_owned(), json!(called))])
}

/// There is not enough of it; what else there is.
pub(super) fn say_short(turn: &mut Turn<'_>, title: &str, left: u32, alternatives: &[Item]) {
    let Some(shop) = &turn.spec.flow.shop else { return };
    let others: Vec<String> = alternatives.iter().take(3).map(|item| item.title.clone()).collect();
    let others = join(&others, &turn.spec.fields.or);
    let mut more = named(title);
    more.insert("quedan".to_owned(), json!(left));
    more.insert("alternativas".to_owned(), json!(others));
    say_message(turn, &shop.messages.short, more);
}

/// Asks which of several was meant.
pub(super) fn ask_which(turn: &mut Turn<'_>, open: &Choosing) {
    let Some(shop) = &turn.spec.flow.shop else { return };
    let option = |goods: &Goods| ReplyOption {
        id: goods.sku.clone(),
        title: goods.title.clone(),
        description: None,
    };
    let options = open.options.iter().map(option).collect();
    say_with_options(turn, &shop.messages.options, named(&open.called), options);
}

/// The outcome of a call.
#[derive(PartialEq, Eq)]
enum Acted {
    Done,
    /// The tool said no.
    Failed,
    /// The mode does not have the tool.
    NotHere,
}

fn offers(turn: &Turn<'_>, tool: &str) -> bool {
    turn.mode().tools.iter().any(|name| name == tool)
}

fn act(turn: &mut Turn<'_>, tool: &str, sku: &str, quantity: Option<u32>) -> Decided<Acted> {
    if !offers(turn, tool) {
        turn.notes.refused.push(format!("call {tool}"));
        return Ok(Acted::NotHere);
    }
    let mut input = Map::from_iter([("sku".to_owned(), json!(sku))]);
    input.extend(quantity.map(|quantity| ("quantity".to_owned(), json!(quantity))));
    Ok(match call(turn, tool, input)? {
        Ok(_) => Acted::Done,
        Err(reason) => {
            turn.notes.other.push(format!("{tool}: {reason}"));
            Acted::Failed
        }
    })
}

/// Whether so many were put into the cart.
fn add(turn: &mut Turn<'_>, wish: Wish, troubles: &mut Vec<Trouble>) -> Decided<bool> {
    let quantity = wish.quantity.unwrap_or(1);
    match (wish.found.kind, wish.found.items.as_slice()) {
        (MatchKind::One, [item, ..]) => {
            let item = item.clone();
            let quantity = item.units.unwrap_or(quantity);
            return put(turn, &item, quantity, &wish, troubles);
        }
        (MatchKind::Several, items) => {
            let options = items.iter().take(10).map(Item::goods).collect();
            let Wish { called, instead_of, .. } = wish;
            let open = Choosing { quantity, called, options, instead_of };
            turn.state.memory.shop.choosing.push(open);
        }
        (MatchKind::Unknown, _) => {
            turn.tool_failed();
            undone(troubles);
        }
        // A wish without a name cannot be said to be missing.
        _ if wish.called.trim().is_empty() => {}
        _ => {
            turn.tool_failed();
            troubles.push(Trouble::Missing(wish.called));
        }
    }
    Ok(false)
}

fn put(
    turn: &mut Turn<'_>,
    item: &Item,
    quantity: u32,
    wish: &Wish,
    troubles: &mut Vec<Trouble>,
) -> Decided<bool> {
    turn.state.memory.shop.speak_of(item.goods());
    let acted = act(turn, ADD, &item.sku, Some(quantity))?;
    if acted == Acted::Failed {
        // The units in the cart already are spoken for.
        let left = item.available.saturating_sub(turn.state.memory.shop.cart.units_of(&item.sku));
        troubles.push(Trouble::Short {
            title: item.title.clone(),
            left,
            alternatives: wish.found.alternatives.clone(),
        });
    }
    Ok(acted == Acted::Done)
}

/// The lines of the cart that a wish means: one, or all sizes of a product.
pub(super) fn lines_of(turn: &Turn<'_>, wish: &Wish) -> Vec<(Goods, u32)> {
    let cart = &turn.state.memory.shop.cart;
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
        let last = turn.state.memory.shop.last.as_ref();
        let spoken =
            options.iter().position(|goods| last.is_some_and(|last| last.sku == goods.sku));
        spoken.or((options.len() == 1).then_some(0)).into_iter().collect()
    } else {
        meant(&wish.called, &options)
    };
    places.into_iter().map(|at| (options[at].clone(), cart.lines[at].quantity)).collect()
}

fn line_of(turn: &Turn<'_>, wish: &Wish) -> Option<(Goods, u32)> {
    let mut lines = lines_of(turn, wish);
    (lines.len() == 1).then(|| lines.remove(0))
}

/// Takes out what is meant. The last line of a cart that may have been summed up is only returned,
/// by its code: emptying needs a yes.
fn remove(turn: &mut Turn<'_>, wish: Wish, troubles: &mut Vec<Trouble>) -> Decided<Option<String>> {
    let lines = lines_of(turn, &wish);
    if lines.is_empty() {
        troubles.push(Trouble::Absent(called(&wish)));
    }
    let mut last = None;
    for line in lines {
        last = take_out(turn, wish.quantity, line, troubles)?;
    }
    Ok(last)
}

fn take_out(
    turn: &mut Turn<'_>,
    quantity: Option<u32>,
    (goods, units): (Goods, u32),
    troubles: &mut Vec<Trouble>,
) -> Decided<Option<String>> {
    turn.state.memory.shop.speak_of(goods.clone());
    match quantity.filter(|quantity| *quantity < units) {
        Some(quantity) => {
            let left = units - quantity;
            take(turn, UPDATE, &goods.sku, Some(left), troubles)?;
        }
        None if emptying(turn).is_some() && turn.state.memory.shop.cart.is_all(&goods.sku) => {
            return Ok(Some(goods.sku));
        }
        None => take(turn, REMOVE, &goods.sku, None, troubles)?,
    }
    Ok(None)
}

/// A customer is told once that something did not work.
fn undone(troubles: &mut Vec<Trouble>) {
    if !troubles.iter().any(|trouble| matches!(trouble, Trouble::Undone)) {
        troubles.push(Trouble::Undone);
    }
}

/// Takes something out, or less of it.
fn take(
    turn: &mut Turn<'_>,
    tool: &str,
    sku: &str,
    left: Option<u32>,
    troubles: &mut Vec<Trouble>,
) -> Decided<()> {
    if act(turn, tool, sku, left)? == Acted::Failed {
        undone(troubles);
    }
    Ok(())
}

fn set(turn: &mut Turn<'_>, wish: Wish, troubles: &mut Vec<Trouble>) -> Decided<Option<String>> {
    let quantity = wish.quantity.unwrap_or(1);
    let Some((goods, units)) = line_of(turn, &wish) else {
        // There was none of it: then so many of it are to be put there.
        add(turn, wish, troubles)?;
        return Ok(None);
    };
    if quantity == 0 {
        return take_out(turn, None, (goods, units), troubles);
    }
    if act(turn, UPDATE, &goods.sku, Some(quantity))? == Acted::Failed {
        let left = wish.found.items.iter().find(|item| item.sku == goods.sku);
        let left = left.map_or(units, |item| item.available);
        let alternatives = wish.found.alternatives.clone();
        troubles.push(Trouble::Short { title: goods.title.clone(), left, alternatives });
    }
    turn.state.memory.shop.speak_of(goods);
    Ok(None)
}

/// Puts one thing in the place of another, as many as there were unless a number is said. The new thing
/// comes first, because the old one is not given up for what may not be there.
fn replace(turn: &mut Turn<'_>, mut wish: Wish, troubles: &mut Vec<Trouble>) -> Decided<()> {
    let old = Wish { called: wish.instead_of.take().unwrap_or_default(), ..Wish::default() };
    let Some((goods, units)) = line_of(turn, &old) else {
        troubles.push(Trouble::Absent(called(&old)));
        return Ok(());
    };
    if !offers(turn, REMOVE) {
        turn.notes.refused.push(format!("call {REMOVE}"));
        return Ok(());
    }
    wish.quantity = wish.quantity.or(Some(units));
    let same = |item: &Item| wish.found.kind == MatchKind::One && item.sku == goods.sku;
    if wish.found.items.first().is_some_and(same) {
        let it = Wish { called: goods.title, ..wish };
        set(turn, it, troubles)?;
        return Ok(());
    }
    wish.instead_of = Some(goods.title);
    let wanted = wish.found.items.first().map(|item| item.sku.clone());
    let added = add(turn, wish, troubles)?;
    let cart = &turn.state.memory.shop.cart;
    // A tool that worked and whose answer nobody can read has not shown that the thing is there.
    if added && wanted.is_some_and(|sku| cart.units_of(&sku) > 0) {
        take(turn, REMOVE, &goods.sku, None, troubles)?;
    }
    Ok(())
}

/// How a wish speaks of its product.
fn called(wish: &Wish) -> String {
    if wish.called.is_empty() { "eso".to_owned() } else { wish.called.clone() }
}
