//! `read_order`: what a message asks of the cart, or asks about, by the words of the catalogue.

use nlu::goods::{Act, Ask, Heard as Order, account, hear, orders};
use nlu::{Normalized, without_links};
use pack::files::Thread;
use pack::program::{IntentId, Shop};
use rust_decimal::prelude::ToPrimitive;

use super::change::lines_of;
use super::look::{Looked, look};
use super::pick::{pick, pick_shown};
use super::{Asked, Goods, Just, Wish, basket};
use crate::Context;
use crate::flow::reading::IntentRanking;
use crate::flow::turn::Turn;
use crate::flow::understand::by_examples;
use crate::form::heard::Heard;
use domain::Tier;

/// As many things as one message asks for.
const MOST: usize = 12;

pub(in crate::flow) async fn read_order(turn: &mut Turn<'_>, context: &mut dyn Context) {
    let (Some(heard), Some(shop)) = (turn.heard(), &turn.spec.flow.shop) else { return };
    let just = std::mem::take(&mut turn.state.memory.shop.just);
    if !turn.given.picked.is_empty() {
        let text = turn.given.beside.clone();
        let beside = hear(&text);
        let mut wishes = basket::wishes(turn, context).await;
        wishes.extend(self::wishes(turn, context, &beside, &text, &just).await);
        let rest = without(&text, &beside.asks);
        ordered(turn, shop, &rest);
        turn.reading.asked = Asked { wishes, ..Asked::default() };
        return;
    }
    if heard.is_code || choose(turn, heard, shop, &just.shown) {
        return;
    }
    // A number in a link counts nothing.
    let text = &*without_links(heard.text.original());
    let order = hear(text);
    if !order.asks.is_empty() && !gives_data(turn) {
        let wishes = wishes(turn, context, &order, text, &just).await;
        let certain = wishes.iter().any(|wish| is_certain(turn, wish));
        if !is_of_the_order(turn, &wishes) && (certain || is_order(turn, shop, &wishes)) {
            let rest = without(text, &order.asks);
            if !wishes.is_empty() {
                turn.state.memory.shop.choosing.clear();
            }
            ordered(turn, shop, &rest);
            turn.reading.asked = Asked { wishes, ..Asked::default() };
            return;
        }
    }
    // A message that a rule of the pack answers is no question about a product.
    let by_rules = turn.reading.ranking.tier == Some(Tier::Rules)
        && turn
            .reading
            .ranking
            .by_rules
            .iter()
            .any(|intent| thread(turn, *intent) == Some(Thread::Info));
    if by_rules {
        return;
    }
    if let Some(called) = order.questions.into_iter().find_map(|question| question.about) {
        let found = look(turn, context, &called).await;
        if found.is_known() || turn.reading.ranking.intent() == shop.ask {
            decide(turn, shop.ask);
            let wish = Wish { called, found, ..Wish::default() };
            turn.reading.asked.about = Some(wish);
        }
    }
}

/// Whether «cancelalo» means the order and not what was last spoken of: a rule of the pack says so, and
/// nothing to be taken out is named.
fn is_of_the_order(turn: &Turn<'_>, wishes: &[Wish]) -> bool {
    let nameless = |wish: &Wish| wish.act == Act::Remove && wish.called.is_empty();
    let of_order = |intent: &IntentId| thread(turn, *intent) == Some(Thread::Order);
    let ruled = turn.reading.ranking.tier == Some(Tier::Rules);
    ruled && wishes.iter().all(nameless) && turn.reading.ranking.by_rules.iter().any(of_order)
}

/// The customer says which of several was meant, or takes one of those just shown.
fn choose(turn: &mut Turn<'_>, heard: &Heard<'_>, shop: &Shop, shown: &[Goods]) -> bool {
    let text = heard.text.original();
    let wish = match turn.state.memory.shop.choosing.first() {
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
    if !turn.state.memory.shop.choosing.is_empty() {
        turn.state.memory.shop.choosing.remove(0);
    }
    turn.reading.asked.wishes = vec![wish];
    turn.reading.accepts = false;
    turn.reading.ranking = IntentRanking::by_rule(vec![shop.choose]);
    turn.notes.rules.push(format!("intent: {}", turn.intent_name(shop.choose)));
    true
}

/// The orders of a message, each with what the catalogue has for it.
async fn wishes(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    heard: &Order,
    text: &str,
    just: &Just,
) -> Vec<Wish> {
    let mut lines: Vec<(Ask, Looked)> = Vec::new();
    for ask in heard.asks.iter().take(MOST) {
        let found = find(turn, context, ask).await;
        let before = lines.last().map(|(before, _)| before);
        let before = before.filter(|before| ask.leans_on(before, &found.shown())).cloned();
        let line = match before {
            Some(before) => of_kind_before(turn, context, &before, ask).await,
            None => None,
        };
        lines.push(line.unwrap_or_else(|| (ask.clone(), found)));
    }
    let shown: Vec<_> = lines.iter().map(|(_, found)| found.shown()).collect();
    let shown: Vec<_> = lines.iter().map(|(ask, _)| ask).zip(&shown).collect();
    let kept = orders(&shown, heard.is_alone());
    let kept = lines.into_iter().zip(kept).filter_map(|(line, kept)| kept.then_some(line));
    let kept = accounted(turn, heard, kept.collect(), text, just);
    kept.into_iter().map(|(ask, found)| wish(ask, found)).collect()
}

/// As many unexplained words as a verb or a number bears with, and as each word of goods does.
const BESIDE: usize = 6;
const BESIDE_EACH: usize = 4;

/// Of each word of goods that is only named, as many.
const BESIDE_NAMED: usize = 2;

/// The lines that the message accounts for. Named goods count unless they drown in words that no
/// order is made of. Unnamed goods, such as «otra» or «3», count if nothing else is said, one
/// thing is meant, and a verb or what was just spoken of says what.
fn accounted(
    turn: &Turn<'_>,
    heard: &Order,
    lines: Vec<(Ask, Looked)>,
    text: &str,
    just: &Just,
) -> Vec<(Ask, Looked)> {
    let is_meant = |(ask, found): &&(Ask, Looked)| {
        let of_cart = Wish { act: ask.act, called: ask.what.clone(), ..Wish::default() };
        let listed = ask.act != Act::Add && !lines_of(turn, &of_cart).is_empty();
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

/// The goods that the catalogue has for an ask.
async fn find(turn: &mut Turn<'_>, context: &mut dyn Context, ask: &Ask) -> Looked {
    // Goods to be taken out are looked for in the cart.
    let is_wanted = matches!(ask.act, Act::Add | Act::Set | Act::Replace);
    match (ask.what.is_empty(), ask.size, &turn.state.memory.shop.last) {
        (false, ..) if !is_wanted => Looked::default(),
        // «una docena de huevos»: with how many, since that may say which.
        (false, ..) if ask.act == Act::Add => look(turn, context, &ask.in_words()).await,
        (false, ..) => look(turn, context, &ask.what).await,
        // «3 de litro y medio»: another size of what was last spoken of.
        (true, Some(size), Some(last)) => {
            let query = format!("{} {}", last.product, size.key());
            look(turn, context, &query).await
        }
        (true, ..) => of_last(turn),
    }
}

/// «2 manaos de cola y otras 2 de naranja»: the ask with the noun of the one before, if there is
/// such a thing.
async fn of_kind_before(
    turn: &mut Turn<'_>,
    context: &mut dyn Context,
    before: &Ask,
    ask: &Ask,
) -> Option<(Ask, Looked)> {
    for whole in ask.with_noun_of(before) {
        let found = find(turn, context, &whole).await;
        if found.is_known() {
            return Some((whole, found));
        }
    }
    None
}

/// The goods last spoken of.
fn of_last(turn: &Turn<'_>) -> Looked {
    turn.state.memory.shop.last.as_ref().map(Looked::chosen).unwrap_or_default()
}

/// Whether a wish names something there is, here or in the cart.
fn is_certain(turn: &Turn<'_>, wish: &Wish) -> bool {
    // A wish without a name may be anything that the message says otherwise.
    let other =
        turn.reading.ranking.tier == Some(Tier::Rules) || !turn.reading.collected.taken.is_empty();
    if wish.called.is_empty() && other {
        return false;
    }
    let of_cart = wish.act != Act::Add && !lines_of(turn, wish).is_empty();
    wish.found.is_known() || of_cart
}

/// Whether the message gives what the mode asks for: «Corrientes 3450, 5° B» orders nothing.
fn gives_data(turn: &Turn<'_>) -> bool {
    turn.mode().collects && !turn.reading.collected.taken.is_empty()
}

/// Whether a message orders although the shop has nothing of what it names.
fn is_order(turn: &Turn<'_>, shop: &Shop, wishes: &[Wish]) -> bool {
    let ranking = &turn.reading.ranking;
    let other = ranking.tier == Some(Tier::Rules) && ranking.intent() != shop.change;
    let takes_out = !turn.state.memory.shop.cart.is_empty();
    let named = wishes.iter().filter(|wish| !wish.called.is_empty());
    let plainly = named.into_iter().any(|wish| wish.sure && (wish.act == Act::Add || takes_out));
    let said =
        ranking.intent() == shop.change && ranking.confidence() >= turn.spec.flow.bands.clarify;
    !other && turn.reading.collected.taken.is_empty() && (said || plainly)
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
fn ordered(turn: &mut Turn<'_>, shop: &Shop, rest: &str) {
    let mut intents: Vec<IntentId> = Vec::new();
    if turn.reading.ranking.tier == Some(Tier::Rules) {
        let kept = |intent: &IntentId| turn.spec.flow.intent(*intent).means.is_none();
        intents.extend(turn.reading.ranking.by_rules.iter().copied().filter(kept));
    }
    if !intents.iter().any(|intent| thread(turn, *intent) == Some(Thread::Info)) {
        intents.extend(question(turn, rest));
    }
    intents.retain(|intent| ![shop.change, shop.ask].contains(intent));
    intents.push(shop.change);
    turn.reading.accepts = false;
    turn.reading.declines = false;
    turn.notes.rules.push(format!("intent: {}", turn.intent_name(shop.change)));
    turn.reading.ranking = IntentRanking::by_rule(intents);
}

fn decide(turn: &mut Turn<'_>, intent: IntentId) {
    let mut intents = match turn.reading.ranking.tier {
        Some(Tier::Rules) => turn.reading.ranking.by_rules.clone(),
        _ => Vec::new(),
    };
    intents.retain(|ruled| *ruled != intent);
    intents.push(intent);
    let name = turn.intent_name(intent);
    turn.notes.rules.push(format!("intent: {name}"));
    turn.reading.ranking = IntentRanking::by_rule(intents);
}

/// The thread of an intent, as the pack says.
fn thread(turn: &Turn<'_>, intent: IntentId) -> Option<Thread> {
    turn.spec.flow.intent(intent).thread
}

/// The question that is left beside an order, if the examples are sure of it.
fn question(turn: &Turn<'_>, rest: &str) -> Option<IntentId> {
    let rest = Normalized::new(rest);
    if rest.words().len() < 2 {
        return None;
    }
    let rules = turn.spec.fields.hits(&rest);
    let is_info = |intent: IntentId| thread(turn, intent) == Some(Thread::Info);
    let mut sets = turn.spec.intent_sets.iter();
    if let Some((intent, _)) = sets.find(|(intent, set)| is_info(*intent) && rules.any(set)) {
        return Some(*intent);
    }
    let ranking = by_examples(turn, &rest);
    let sure = ranking.confidence() >= turn.spec.flow.bands.proceed;
    Some(ranking.intent()).filter(|intent| sure && is_info(*intent))
}
