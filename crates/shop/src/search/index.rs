//! Under which terms a product's variants are found, and how much each says about them.

use std::collections::BTreeMap;

use domain::{Product, Variant};
use nlu::goods::{Relative, Size, Term, shapes, sizes, terms};
use store::Posting;

/// A phrase that is said in full weighs this.
pub(super) const WHOLE: u32 = 100;
/// Of a brand, which many goods may share.
const BRAND: u32 = 60;
const CATEGORY: u32 = 20;
const LABEL: u32 = 10;
pub(super) const DESCRIPTION: u32 = 5;
const SHAPE: u32 = 1;

/// Shorter words become another with one letter changed.
pub(super) const SHORTEST_MENDED: usize = 4;

/// Everything a product is found by, for each of its variants.
pub fn index_terms(product: &Product) -> Vec<Posting> {
    let mut common = Weights::default();
    common.phrase(&product.name, WHOLE);
    for alias in &product.aliases {
        common.phrase(alias, WHOLE);
    }
    if let Some(brand) = &product.brand {
        common.phrase(brand, BRAND);
    }
    common.each(&product.category, CATEGORY);
    common.each(&product.description, DESCRIPTION);
    let postings = product.variants.iter().flat_map(|variant| {
        let mut own = common.clone();
        for alias in &variant.aliases {
            own.phrase(alias, WHOLE);
        }
        own.each(&variant.label, LABEL);
        if let Some(relative) = relative(product, variant) {
            own.add(Size::Relative(relative).key(), LABEL);
        }
        own.postings(&variant.sku)
    });
    postings.collect()
}

#[derive(Clone, Default)]
struct Weights {
    terms: BTreeMap<String, u32>,
}

impl Weights {
    fn add(&mut self, term: String, weight: u32) {
        let known = self.terms.entry(term).or_default();
        *known = weight.max(*known);
    }

    /// A name: its first word says most, as in `dulce de leche`, and all of them together the
    /// whole. A longer name leaves more unsaid when only its first word is.
    fn phrase(&mut self, phrase: &str, whole: u32) {
        let terms = terms(phrase);
        // The packing is left unsaid too: `servilletas` are not `servilletas de rollo`.
        let said = |(at, term): &(usize, &Term)| match term {
            Term::Word(_) => true,
            Term::Container(_) => *at > 0,
            Term::Size(_) => false,
        };
        let words = terms.iter().enumerate().filter(said).count();
        let words = u32::try_from(words).unwrap_or(u32::MAX).max(1);
        let first = whole / 2 + whole / 2 / words;
        let other = (whole - first).checked_div(words - 1).unwrap_or_default();
        let mut weights = std::iter::once(first).chain(std::iter::repeat(other));
        for term in terms {
            match term {
                Term::Word(word) => {
                    self.shapes(&word);
                    self.add(word, weights.next().unwrap_or(other).max(1));
                }
                term => self.term(&term, LABEL),
            }
        }
    }

    /// Words that say the same each.
    fn each(&mut self, text: &str, weight: u32) {
        for term in terms(text) {
            self.term(&term, weight);
        }
    }

    fn term(&mut self, term: &Term, weight: u32) {
        self.add(term.key(), weight);
        // A number alone must find both the litres and the kilos.
        if let Term::Size(size @ (Size::Millilitres(_) | Size::Grams(_))) = term
            && let Some(amount) = size.amount()
        {
            self.add(Size::Bare(amount).key(), weight);
        }
    }

    fn shapes(&mut self, word: &str) {
        if word.chars().count() >= SHORTEST_MENDED {
            for shape in shapes(word) {
                self.add(shape, SHAPE);
            }
        }
    }

    fn postings(self, sku: &str) -> Vec<Posting> {
        let posting = |(term, weight)| Posting { term, sku: sku.to_owned(), weight };
        self.terms.into_iter().map(posting).collect()
    }
}

/// Where a variant stands among its siblings by size.
fn relative(product: &Product, variant: &Variant) -> Option<Relative> {
    let amount = |variant: &Variant| sizes(&variant.label).into_iter().find_map(Size::amount);
    let own = amount(variant)?;
    let mut amounts: Vec<u32> = product.variants.iter().filter_map(amount).collect();
    amounts.sort_unstable();
    amounts.dedup();
    match amounts.binary_search(&own).ok()? {
        _ if amounts.len() == 1 => None,
        0 => Some(Relative::Small),
        last if last + 1 == amounts.len() => Some(Relative::Large),
        _ => Some(Relative::Medium),
    }
}
