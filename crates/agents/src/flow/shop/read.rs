//! `read_order`: what a message asks of the cart, or asks about, by the words of the catalogue.

use nlu::goods::{Act, Ask, Heard as Order, account, hear, orders};
use nlu::{Normalized, without_links};
use pack::files::{FlowShop, Thread};
use rust_decimal::prelude::ToPrimitive;

use super::change::lines_of;
use super::look::{Looked, look};
use super::pick::{pick, pick_shown};
use super::{Asked, Goods, Just, Wish, basket};
use crate::flow::state::{FlowState, Verdict};
use crate::flow::understand::by_examples;
use crate::form::heard::Heard;
use domain::Tier;

/// As many things as one message asks for.
const MOST: usize = 12;

pub(in crate::flow) async fn read_order(state: &mut FlowState<'_>) {
    let (Some(heard), Some(shop)) = (state.heard(), &state.spec.flow.shop) else { return };
    let just = std::mem::take(&mut state.memory.shop.just);
    if !state.picked.is_empty() {
        let text = state.beside.clone();
        let beside = hear(&text);
        let mut wishes = basket::wishes(state).await;
        wishes.extend(self::wishes(state, &beside, &text, &just).await);
        let rest = without(&text, &beside.asks);
        ordered(state, shop, &rest);
        state.asked = Asked { wishes, ..Asked::default() };
        return;
    }
    if heard.is_code || choose(state, heard, shop, &just.shown) {
        return;
    }
    // A number in a link counts nothing.
    let text = &*without_links(heard.text.original());
    let order = hear(text);
    if !order.asks.is_empty() && !gives_data(state) {
        let wishes = wishes(state, &order, text, &just).await;
        let certain = wishes.iter().any(|wish| is_certain(state, wish));
        if !is_of_the_order(state, &wishes) && (certain || is_order(state, shop, &wishes)) {
            let rest = without(text, &order.asks);
            if !wishes.is_empty() {
                state.memory.shop.choosing.clear();
            }
            ordered(state, shop, &rest);
            state.asked = Asked { wishes, ..Asked::default() };
            return;
        }
    }
    // What a rule of the pack answers is no question about a product.
    let settled = state.verdict.tier == Some(Tier::Rules)
        && state.verdict.settled.iter().any(|intent| thread(state, intent) == Some(Thread::Info));
    if settled {
        return;
    }
    if let Some(called) = order.questions.into_iter().find_map(|question| question.about) {
        let found = look(state, &called).await;
        if found.is_known() || state.verdict.intent() == shop.intents.ask {
            settle(state, &shop.intents.ask);
            let wish = Wish { called, found, ..Wish::default() };
            state.asked.about = Some(wish);
        }
    }
}

/// Whether «cancelalo» means the order and not what was last spoken of: a rule of the pack says so, and
/// nothing to be taken out is named.
fn is_of_the_order(state: &FlowState<'_>, wishes: &[Wish]) -> bool {
    let nameless = |wish: &Wish| wish.act == Act::Remove && wish.called.is_empty();
    let of_order = |intent: &String| thread(state, intent) == Some(Thread::Order);
    let ruled = state.verdict.tier == Some(Tier::Rules);
    ruled && wishes.iter().all(nameless) && state.verdict.settled.iter().any(of_order)
}

/// The customer says which of several was meant, or takes one of those just shown.
fn choose(state: &mut FlowState<'_>, heard: &Heard<'_>, shop: &FlowShop, shown: &[Goods]) -> bool {
    let text = heard.text.original();
    let wish = match state.memory.shop.choosing.first() {
        Some(open) => pick(text, &open.options).map(|place| Wish {
            act: if open.instead_of.is_some() { Act::Replace } else { Act::Add },
            quantity: Some(open.quantity),
            called: open.called.clone(),
            found: Looked::chosen(&open.options[place]),
            instead_of: open.instead_of.clone(),
            ..Wish::default()
        }),
        None => pick_shown(text, shown).map(|place| Wish {
            called: shown[place].title.clone(),
            found: Looked::chosen(&shown[place]),
            ..Wish::default()
        }),
    };
    let Some(wish) = wish else { return false };
    if !state.memory.shop.choosing.is_empty() {
        state.memory.shop.choosing.remove(0);
    }
    state.asked.wishes = vec![wish];
    state.accepts = false;
    state.verdict = Verdict::by_rule(vec![shop.intents.choose.clone()]);
    state.notes.rules.push(format!("intent: {}", shop.intents.choose));
    true
}

/// What a message orders, each with what the catalogue has for it.
async fn wishes(state: &mut FlowState<'_>, heard: &Order, text: &str, just: &Just) -> Vec<Wish> {
    let mut lines: Vec<(Ask, Looked)> = Vec::new();
    for ask in heard.asks.iter().take(MOST) {
        let found = find(state, ask).await;
        let before = lines.last().map(|(before, _)| before);
        let before = before.filter(|before| ask.leans_on(before, &found.shown())).cloned();
        let line = match before {
            Some(before) => of_kind_before(state, &before, ask).await,
            None => None,
        };
        lines.push(line.unwrap_or_else(|| (ask.clone(), found)));
    }
    let shown: Vec<_> = lines.iter().map(|(_, found)| found.shown()).collect();
    let shown: Vec<_> = lines.iter().map(|(ask, _)| ask).zip(&shown).collect();
    let kept = orders(&shown, heard.is_alone());
    let kept = lines.into_iter().zip(kept).filter_map(|(line, kept)| kept.then_some(line));
    let kept = accounted(state, heard, kept.collect(), text, just);
    kept.into_iter().map(|(ask, found)| wish(ask, found)).collect()
}

/// As many unexplained words as a verb or a number bears with, and as each word of goods does.
const BESIDE: usize = 6;
const BESIDE_EACH: usize = 4;

/// Of each word of goods that is only named, as many.
const BESIDE_NAMED: usize = 2;

/// The lines that the message accounts for. What is named counts unless it drowns in words that no
/// order is made of. What goes unnamed, as «otra» or «3» do, counts if nothing else is said, one
/// thing is meant, and a verb or what was just spoken of says what.
fn accounted(
    state: &FlowState<'_>,
    heard: &Order,
    lines: Vec<(Ask, Looked)>,
    text: &str,
    just: &Just,
) -> Vec<(Ask, Looked)> {
    let is_meant = |(ask, found): &&(Ask, Looked)| {
        let of_cart = Wish { act: ask.act, called: ask.what.clone(), ..Wish::default() };
        let listed = ask.act != Act::Add && !lines_of(state, &of_cart).is_empty();
        !ask.what.is_empty() && (found.is_known() || listed)
    };
    let words = |ask: &Ask| ask.what.split_whitespace().count();
    let meant: usize = lines.iter().filter(is_meant).map(|(ask, _)| words(ask)).sum();
    let sure = lines.iter().filter(is_meant).any(|(ask, _)| ask.sure);
    let unnamed = lines.iter().filter(|(ask, _)| ask.what.is_empty()).count();
    let read = lines.iter().filter(|line| is_meant(line) || line.0.sure);
    let read = read.map(|(ask, _)| ask.span.clone());
    let read: Vec<_> = read.chain(heard.questions.iter().map(|one| one.span.clone())).collect();
    let account = account(text, &read);
    let most = if sure { BESIDE + BESIDE_EACH * meant } else { BESIDE_NAMED * meant };
    let drowned = meant > 0 && account.unexplained > most;
    let pointed = account.unexplained == 0 && unnamed == 1 && (just.spoken || account.leads > 0);
    let counts = |(ask, _): &(Ask, Looked)| if ask.what.is_empty() { pointed } else { !drowned };
    lines.into_iter().filter(counts).collect()
}

fn wish(ask: Ask, found: Looked) -> Wish {
    let pieces = ask.quantity.filter(|quantity| quantity.unit.is_none());
    let quantity = pieces.and_then(|quantity| quantity.value.ceil().to_u32());
    let Ask { act, what: called, instead_of, sure, .. } = ask;
    Wish { act, quantity, called, found, instead_of, sure }
}

/// What the catalogue has for an ask.
async fn find(state: &mut FlowState<'_>, ask: &Ask) -> Looked {
    // What is taken out is looked for in the cart.
    let is_wanted = matches!(ask.act, Act::Add | Act::Set | Act::Replace);
    match (ask.what.is_empty(), ask.size, &state.memory.shop.last) {
        (false, ..) if !is_wanted => Looked::default(),
        // «una docena de huevos»: with how many, since that may say which.
        (false, ..) if ask.act == Act::Add => look(state, &ask.in_words()).await,
        (false, ..) => look(state, &ask.what).await,
        // «3 de litro y medio»: another size of what was last spoken of.
        (true, Some(size), Some(last)) => {
            let query = format!("{} {}", last.product, size.key());
            look(state, &query).await
        }
        (true, ..) => of_last(state),
    }
}

/// «2 manaos de cola y otras 2 de naranja»: the ask with the noun of the one before, if there is
/// such a thing.
async fn of_kind_before(
    state: &mut FlowState<'_>,
    before: &Ask,
    ask: &Ask,
) -> Option<(Ask, Looked)> {
    for whole in ask.with_noun_of(before) {
        let found = find(state, &whole).await;
        if found.is_known() {
            return Some((whole, found));
        }
    }
    None
}

/// What was last spoken of.
fn of_last(state: &FlowState<'_>) -> Looked {
    state.memory.shop.last.as_ref().map(Looked::chosen).unwrap_or_default()
}

/// Whether a wish names something there is, here or in the cart.
fn is_certain(state: &FlowState<'_>, wish: &Wish) -> bool {
    // What goes unnamed may be anything that the message says otherwise.
    let other = state.verdict.tier == Some(Tier::Rules) || !state.collected.taken.is_empty();
    if wish.called.is_empty() && other {
        return false;
    }
    let of_cart = wish.act != Act::Add && !lines_of(state, wish).is_empty();
    wish.found.is_known() || of_cart
}

/// Whether the message gives what the mode asks for: «Corrientes 3450, 5° B» orders nothing.
fn gives_data(state: &FlowState<'_>) -> bool {
    state.spec.mode(&state.mode).collects && !state.collected.taken.is_empty()
}

/// Whether a message orders although the shop has nothing of what it names.
fn is_order(state: &FlowState<'_>, shop: &FlowShop, wishes: &[Wish]) -> bool {
    let verdict = &state.verdict;
    let other = verdict.tier == Some(Tier::Rules) && verdict.intent() != shop.intents.change;
    let takes_out = !state.memory.shop.cart.is_empty();
    let named = wishes.iter().filter(|wish| !wish.called.is_empty());
    let plainly = named.into_iter().any(|wish| wish.sure && (wish.act == Act::Add || takes_out));
    let said = verdict.intent() == shop.intents.change
        && verdict.confidence() >= state.spec.flow.bands.clarify;
    !other && state.collected.taken.is_empty() && (said || plainly)
}

/// The message without what it orders: a question may be left.
fn without(text: &str, asks: &[Ask]) -> String {
    let mut rest = String::new();
    let mut at = 0;
    for ask in asks {
        if let Some(before) = text.get(at..ask.span.start) {
            rest.push_str(before);
            rest.push(' ');
        }
        at = ask.span.end.max(at);
    }
    rest.push_str(text.get(at..).unwrap_or_default());
    rest
}

/// Settles that something is ordered; a yes or a no that leads in means nothing of its own, and a
/// question beside it is answered too.
fn ordered(state: &mut FlowState<'_>, shop: &FlowShop, rest: &str) {
    let mut intents: Vec<String> = Vec::new();
    if state.verdict.tier == Some(Tier::Rules) {
        let kept = |intent: &&String| {
            state.spec.intent(intent).is_none_or(|intent| intent.means.is_none())
        };
        intents.extend(state.verdict.settled.iter().filter(kept).cloned());
    }
    if !intents.iter().any(|intent| thread(state, intent) == Some(Thread::Info)) {
        intents.extend(question(state, rest));
    }
    intents.retain(|intent| *intent != shop.intents.change && *intent != shop.intents.ask);
    intents.push(shop.intents.change.clone());
    state.accepts = false;
    state.declines = false;
    state.notes.rules.push(format!("intent: {}", shop.intents.change));
    state.verdict = Verdict::by_rule(intents);
}

fn settle(state: &mut FlowState<'_>, intent: &str) {
    let mut intents: Vec<String> = match state.verdict.tier {
        Some(Tier::Rules) => state.verdict.settled.clone(),
        _ => Vec::new(),
    };
    intents.retain(|settled| settled != intent);
    intents.push(intent.to_owned());
    state.notes.rules.push(format!("intent: {intent}"));
    state.verdict = Verdict::by_rule(intents);
}

fn thread(state: &FlowState<'_>, intent: &str) -> Option<Thread> {
    state.spec.intent(intent)?.thread
}

/// The question that is left beside an order, if the examples are sure of it.
fn question(state: &FlowState<'_>, rest: &str) -> Option<String> {
    let rest = Normalized::new(rest);
    if rest.words().len() < 2 {
        return None;
    }
    let rules = state.spec.fields.hits(&rest);
    let by_rule = state.spec.pack().intents.intents.iter().find(|intent| {
        intent.thread == Some(Thread::Info)
            && rules.any(&format!("{}{}", crate::form::spec::INTENT_SET, intent.name))
    });
    if let Some(intent) = by_rule {
        return Some(intent.name.clone());
    }
    let verdict = by_examples(state, &rest);
    let sure = verdict.confidence() >= state.spec.flow.bands.proceed;
    let intent = verdict.intent().to_owned();
    (sure && thread(state, &intent) == Some(Thread::Info)).then_some(intent)
}
