//! Finds the goods a customer means by the words they use, over an index and never by a scan.

mod candidates;
mod fit;
mod index;
mod mend;
mod verdict;

use domain::Item;
use nlu::goods::{Ask, Question, Size, Term, hear, terms};
use store::{Records, StoreResult};

pub use self::fit::units;
pub use self::index::index_terms;

/// No list that people choose from is longer.
pub const MOST_OPTIONS: usize = 10;

/// Nothing is called by so many words; who writes more is not naming goods.
const MOST_WORDS: usize = 12;

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub item: Item,
    /// How well it matches: 100 is all that it is called.
    pub score: u32,
    /// How many units of it the quantity comes to; None where none was said or it is no whole
    /// number of them.
    pub units: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can only be this one.
    One,
    /// The customer must be asked which, even if stock leaves one to choose.
    Several,
    /// The shop does not have what was named.
    Nothing,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub verdict: Verdict,
    /// The one meant, or those to choose from in the order to show them.
    pub items: Vec<Hit>,
    /// What is on the shelf instead, when what was named is not or there is none left.
    pub alternatives: Vec<Item>,
}

/// Finds what a query names.
pub async fn search(records: &mut dyn Records, query: &str, limit: usize) -> StoreResult<Found> {
    let query = Query::new(query, None);
    verdict::reach(records, &query, limit).await
}

/// Finds what an ask names, with how many units of it the quantity comes to: half a kilo of bread
/// is one bag of 500 g, and a dozen eggs one box of twelve.
pub async fn seek(records: &mut dyn Records, ask: &Ask, limit: usize) -> StoreResult<Found> {
    let query = Query::new(&ask.what, Some(ask));
    let found = verdict::reach(records, &query, limit).await?;
    // `queso 300 g`: what is said like a size is how much is wanted of what is sold by weight.
    match (&found.verdict, ask.size, ask.quantity) {
        (Verdict::Nothing, Some(size @ (Size::Grams(_) | Size::Millilitres(_))), None) => {
            let weighed = Query { sizes: Vec::new(), measure: Some(size), ..query };
            let fitting = verdict::reach(records, &weighed, limit).await?;
            Ok(if fitting.verdict == Verdict::Nothing { found } else { fitting })
        }
        _ => Ok(found),
    }
}

/// What a message comes to: each thing it asks for with what was found, and its questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    pub lines: Vec<(Ask, Found)>,
    pub questions: Vec<Question>,
}

/// Takes an order.
pub async fn take(records: &mut dyn Records, message: &str, limit: usize) -> StoreResult<Taken> {
    let heard = hear(message);
    let alone = heard.asks.len() == 1 && heard.questions.is_empty();
    let mut lines = Vec::with_capacity(heard.asks.len());
    for ask in heard.asks {
        let found = seek(records, &ask, limit).await?;
        if !is_talk(&ask, &found, alone) {
            lines.push((ask, found));
        }
    }
    Ok(Taken { lines, questions: heard.questions })
}

/// Whether nothing was ordered by it: it is only named, by no verb and no number, the shop has
/// nothing like it, and it stands beside something else or is an address.
fn is_talk(ask: &Ask, found: &Found, alone: bool) -> bool {
    let unknown = found.verdict == Verdict::Nothing && found.alternatives.is_empty();
    let beside = !alone || matches!(ask.size, Some(Size::Bare(_)));
    !ask.sure && !ask.what.is_empty() && unknown && beside
}

/// What is looked for.
struct Query {
    words: Vec<String>,
    containers: Vec<String>,
    sizes: Vec<Size>,
    /// So much of it is wanted, in whatever units it comes.
    measure: Option<Size>,
    /// So many pieces are wanted.
    pieces: Option<u32>,
}

impl Query {
    fn new(text: &str, ask: Option<&Ask>) -> Self {
        let mut query = Self {
            words: Vec::new(),
            containers: Vec::new(),
            sizes: Vec::new(),
            measure: None,
            pieces: None,
        };
        for term in terms(text) {
            match term {
                Term::Word(word) => query.words.push(word),
                Term::Container(word) => query.containers.push(word),
                Term::Size(size) => query.sizes.push(size),
            }
        }
        // `una lata`: where nothing else is said it is what is wanted.
        if query.words.is_empty() {
            query.words.append(&mut query.containers);
        }
        if let Some(quantity) = ask.and_then(|ask| ask.quantity) {
            query.measure = quantity.unit.and_then(|unit| unit.size(quantity.value));
            query.pieces = quantity.unit.is_none().then(|| fit::whole(quantity.value)).flatten();
        }
        query
    }

    /// Whether pieces are wanted and nothing says how large one is.
    fn counts_pieces(&self) -> bool {
        self.pieces.is_some() && self.sizes.is_empty()
    }
}
