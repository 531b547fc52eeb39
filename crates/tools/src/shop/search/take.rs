//! Takes an order: each thing a message asks for with what was found, where one may lean on another.

use nlu::goods::{Ask, Question, Size, Term, hear, terms};
use store::{Records, StoreResult};

use super::index::WHOLE;
use super::{Found, Verdict, seek};

/// What a message comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    pub lines: Vec<(Ask, Found)>,
    pub questions: Vec<Question>,
}

type Line = (Ask, Found);

/// Takes an order.
pub async fn take(records: &mut dyn Records, message: &str, limit: usize) -> StoreResult<Taken> {
    let heard = hear(message);
    let alone = heard.asks.len() == 1 && heard.questions.is_empty() && !heard.talk;
    let mut lines: Vec<Line> = Vec::with_capacity(heard.asks.len());
    for ask in heard.asks {
        let found = seek(records, &ask, limit).await?;
        let line = match lines.last().filter(|(before, _)| leans(&ask, &found, before)) {
            Some((before, _)) => of_kind_before(records, before, &ask, limit).await?,
            None => None,
        };
        lines.push(line.unwrap_or((ask, found)));
    }
    drop_totals(&mut lines);
    let listed = lines.iter().any(|(_, found)| found.verdict != Verdict::Nothing);
    lines.retain(|(ask, found)| !is_talk(ask, found, alone) || ask.listed && listed && !alone);
    Ok(Taken { lines, questions: heard.questions })
}

/// Whether nothing was ordered by it: it is only named, by no verb and no number, the shop has
/// nothing like it, and it stands beside something else or is an address. One word
/// beside something else is no goods either if it is only like some.
fn is_talk(ask: &Ask, found: &Found, alone: bool) -> bool {
    let word = !alone && !ask.what.contains(' ');
    let unknown = found.verdict == Verdict::Nothing && (word || found.alternatives.is_empty());
    let beside = !alone || matches!(ask.size, Some(Size::Bare(_)));
    !ask.sure && !ask.what.is_empty() && unknown && beside
}

/// Whether an ask may leave out the noun of the one before: it says `2 de naranja`, or what goods
/// are and not what they are called, as `2 enteras` does.
fn leans(ask: &Ask, found: &Found, before: &Ask) -> bool {
    let called = found.verdict == Verdict::One || is_called(found);
    let counted = ask.quantity.is_some_and(|quantity| quantity.unit.is_none());
    let leaves_out = ask.partitive || counted && !called;
    leaves_out && ask.act == before.act && !ask.what.is_empty() && !before.what.is_empty()
}

/// Whether some name begins with what was said: the first word of a name weighs half at least.
fn is_called(found: &Found) -> bool {
    found.items.iter().any(|hit| hit.score >= WHOLE / 2)
}

/// Nouns are tried with so many of their words at the most.
const MOST_NOUNS: usize = 3;

/// The ask with the noun of the one before, if there is such a thing.
async fn of_kind_before(
    records: &mut dyn Records,
    before: &Ask,
    ask: &Ask,
    limit: usize,
) -> StoreResult<Option<Line>> {
    let words: Vec<&str> = before.what.split_whitespace().collect();
    let longest = words.len().saturating_sub(1).clamp(1, MOST_NOUNS);
    for noun in (1..=longest.min(words.len())).rev() {
        let what = format!("{} {}", words[..noun].join(" "), ask.what);
        let whole = Ask { what, ..ask.clone() };
        let found = seek(records, &whole, limit).await?;
        if found.verdict != Verdict::Nothing {
            return Ok(Some((whole, found)));
        }
    }
    Ok(None)
}

/// `4 leches, 2 enteras y 2 descremadas`: the number of all is no order besides its parts.
fn drop_totals(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        if is_total(&lines[at], &lines[at + 1..]) {
            lines.remove(at);
        }
        at += 1;
    }
}

fn is_total((total, found): &Line, parts: &[Line]) -> bool {
    let Some(wanted) = total.quantity.filter(|_| found.verdict == Verdict::Several) else {
        return false;
    };
    let kind: Vec<Term> = terms(&total.what);
    let mut sum = rust_decimal::Decimal::ZERO;
    let of_kind = |(ask, found): &&Line| {
        let named = |text: &str| kind.iter().all(|term| terms(text).contains(term));
        ask.act == total.act
            && found.verdict != Verdict::Nothing
            && found.items.iter().all(|hit| named(&hit.item.name))
    };
    for (count, (ask, _)) in parts.iter().take_while(of_kind).enumerate() {
        let Some(part) = ask.quantity.filter(|part| part.unit == wanted.unit) else { return false };
        sum = sum.saturating_add(part.value);
        if count > 0 && sum == wanted.value {
            return true;
        }
    }
    false
}
