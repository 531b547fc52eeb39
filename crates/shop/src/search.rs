//! Finds the goods a customer means by the words they use, over an index and never by a scan.

mod candidates;
mod fit;
mod index;
mod matching;
mod mend;

use domain::Item;
use nlu::goods::{Ask, Size, Term, says_plain, terms, without_how};
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
pub enum MatchKind {
    /// The query can only mean this item.
    One,
    /// The customer must be asked which, even if stock leaves one to choose.
    Several,
    /// The shop does not have what was named.
    Nothing,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub kind: MatchKind,
    /// The one meant, or those to choose from in the order to show them.
    pub items: Vec<Hit>,
    /// Items on the shelf instead, when the named one is not sold or none of it is left.
    pub alternatives: Vec<Item>,
}

/// Finds what a query names.
pub async fn search(records: &mut dyn Records, query: &str, limit: usize) -> StoreResult<Found> {
    let query = Query::new(query, None);
    matching::reach(records, &query, limit).await
}

/// Finds what an ask names, with how many units of it the quantity comes to: half a kilo of bread
/// is one bag of 500 g, and a dozen eggs one box of twelve.
pub async fn seek(records: &mut dyn Records, ask: &Ask, limit: usize) -> StoreResult<Found> {
    let found = named(records, &ask.what, ask, limit).await?;
    match without_how(&ask.what).filter(|_| found.kind == MatchKind::Nothing) {
        Some(what) => {
            let plain = named(records, what, ask, limit).await?;
            Ok(if plain.kind == MatchKind::Nothing { found } else { plain })
        }
        None => Ok(found),
    }
}

async fn named(
    records: &mut dyn Records,
    what: &str,
    ask: &Ask,
    limit: usize,
) -> StoreResult<Found> {
    let query = Query::new(what, Some(ask));
    let found = matching::reach(records, &query, limit).await?;
    // `queso 300 g`: what is said like a size is how much is wanted of what is sold by weight.
    match (&found.kind, ask.size, ask.quantity) {
        (MatchKind::Nothing, Some(size @ (Size::Grams(_) | Size::Millilitres(_))), None) => {
            let weighed = Query { sizes: Vec::new(), measure: Some(size), ..query };
            let fitting = matching::reach(records, &weighed, limit).await?;
            Ok(if fitting.kind == MatchKind::Nothing { found } else { fitting })
        }
        _ => Ok(found),
    }
}

/// The goods that are looked for.
#[derive(Clone)]
struct Query {
    words: Vec<String>,
    containers: Vec<String>,
    /// No kind of its own is wanted: `harina común`.
    plain: bool,
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
            plain: says_plain(text),
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
        // `2 cajas de 12`: the number is no word of theirs.
        if let Some(size @ Size::Units(_)) = ask.and_then(|ask| ask.size) {
            query.sizes.push(size);
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
