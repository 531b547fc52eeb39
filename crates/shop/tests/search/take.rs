//! Takes an order as the agent does, with nothing between the words and the shelf.

use nlu::goods::{Ask, Question, Shown, hear, orders};
use shop::search::{Found, MatchKind, seek};
use store::{MemoryRecords, Records};

/// The outcome of a message.
pub(super) struct Taken {
    pub(super) lines: Vec<(Ask, Found)>,
    pub(super) questions: Vec<Question>,
}

pub(super) async fn take(records: &mut MemoryRecords, message: &str) -> Taken {
    let heard = hear(message);
    let mut lines: Vec<(Ask, Found)> = Vec::new();
    for ask in &heard.asks {
        let found = find(records, ask).await;
        let before = lines.last().filter(|(before, _)| ask.leans_on(before, &shown(&found)));
        let line = match before {
            Some((before, _)) => of_kind_before(records, before, ask).await,
            None => None,
        };
        lines.push(line.unwrap_or_else(|| (ask.clone(), found)));
    }
    let all: Vec<_> = lines.iter().map(|(_, found)| shown(found)).collect();
    let all: Vec<_> = lines.iter().map(|(ask, _)| ask).zip(&all).collect();
    let mut kept = orders(&all, heard.is_alone()).into_iter();
    lines.retain(|_| kept.next() == Some(true));
    Taken { lines, questions: heard.questions }
}

async fn find(records: &mut dyn Records, ask: &Ask) -> Found {
    seek(records, ask, 10).await.unwrap()
}

async fn of_kind_before(
    records: &mut dyn Records,
    before: &Ask,
    ask: &Ask,
) -> Option<(Ask, Found)> {
    for whole in ask.with_noun_of(before) {
        let found = find(records, &whole).await;
        if found.kind != MatchKind::Nothing {
            return Some((whole, found));
        }
    }
    None
}

fn shown(found: &Found) -> Shown {
    Shown {
        names: found.items.iter().map(|hit| hit.item.name.clone()).collect(),
        one: found.kind == MatchKind::One,
        called: found.items.iter().any(|hit| hit.score >= 50),
        alternatives: !found.alternatives.is_empty(),
    }
}
