//! Rows to products: every cell checked, every mistake named with its place.

use std::collections::{BTreeMap, BTreeSet};

use domain::Currency;

use super::cells::Row;
use super::column::Column;
use super::{Listed, ListedVariant, Place, RowError, price};

/// The most letters of a code, a name, a description.
const CODE: usize = 64;
const NAME: usize = 200;
const LABEL: usize = 100;
const DESCRIPTION: usize = 2000;
/// The most other names of one thing.
const ALIASES: usize = 50;

const YES: [&str; 8] = ["yes", "y", "true", "1", "si", "sí", "s", "verdadero"];
const NO: [&str; 5] = ["no", "n", "false", "0", "falso"];

/// A row that is right by itself.
struct Good<'a> {
    row: &'a Row,
    product: String,
    variant: ListedVariant,
}

/// The products of the rows that are right; what is wrong with the others is added to the errors.
pub(super) fn products(rows: &[Row], errors: &mut Vec<RowError>) -> Vec<Listed> {
    let mut seen = Seen::default();
    let mut products: Vec<(String, Vec<Good<'_>>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        let Some(good) = Cells { row, errors }.read(&mut seen) else { continue };
        let at = *places.entry(good.product.clone()).or_insert(products.len());
        match products.get_mut(at) {
            Some((_, rows)) => rows.push(good),
            None => products.push((good.product.clone(), vec![good])),
        }
    }
    products.into_iter().filter_map(|(id, rows)| product(id, rows, errors)).collect()
}

/// The cells that a single row of a file may have, and those that all must.
#[derive(Default)]
struct Seen {
    skus: BTreeMap<String, Place>,
    currency: Option<(Currency, Place)>,
}

struct Cells<'a, 'e> {
    row: &'a Row,
    errors: &'e mut Vec<RowError>,
}

impl<'a> Cells<'a, '_> {
    fn read(mut self, seen: &mut Seen) -> Option<Good<'a>> {
        let before = self.errors.len();
        let product = self.code(Column::Product);
        let sku = self.code(Column::Sku).and_then(|sku| self.once(sku, &mut seen.skus));
        let price = self.required(Column::Price).and_then(|text| {
            let price = price::read(text, self.row.plain);
            self.told(Column::Price, price)
        });
        let currency = self.currency(&mut seen.currency);
        let stock = self.row.get(Column::Stock).map(stock).transpose();
        let stock = self.told(Column::Stock, stock);
        let active = self.row.get(Column::Active).map_or(Ok(true), active);
        let active = self.told(Column::Active, active);
        let label = self.text(Column::Label, LABEL).unwrap_or_default();
        let aliases = self.aliases(Column::VariantAliases);
        for (column, most) in
            [(Column::Name, NAME), (Column::Category, LABEL), (Column::Brand, LABEL)]
        {
            self.text(column, most);
        }
        self.text(Column::Description, DESCRIPTION);
        self.aliases(Column::Aliases);
        if self.errors.len() > before {
            return None;
        }
        let (sku, price, currency) = (sku?, price?, currency?);
        let (stock, active, data) = (stock?, active?, self.row.data.clone());
        let variant = ListedVariant { sku, label, price, currency, stock, aliases, active, data };
        Some(Good { row: self.row, product: product?, variant })
    }

    /// A value, or its error written down.
    fn told<T>(&mut self, column: Column, value: Result<T, String>) -> Option<T> {
        value.map_err(|problem| self.errors.push(self.row.error(column, problem))).ok()
    }

    fn required(&mut self, column: Column) -> Option<&'a str> {
        let cell = self.row.get(column).ok_or_else(|| "it is missing".to_owned());
        self.told(column, cell)
    }

    fn code(&mut self, column: Column) -> Option<String> {
        let cell = self.required(column)?;
        let odd = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '|';
        let fits =
            cell.chars().count() <= CODE && !cell.contains(odd) && !cell.contains(['`', '"']);
        let problem = format!("a code has at most {CODE} letters, no blanks, quotes or `|`");
        self.told(column, fits.then(|| cell.to_owned()).ok_or(problem))
    }

    fn once(&mut self, sku: String, seen: &mut BTreeMap<String, Place>) -> Option<String> {
        let first = seen.entry(sku.clone()).or_insert_with(|| self.row.place);
        let own = *first == self.row.place;
        let problem = format!("the same sku is in {first}: a variant is listed once");
        self.told(Column::Sku, own.then_some(sku).ok_or(problem))
    }

    fn currency(&mut self, seen: &mut Option<(Currency, Place)>) -> Option<Currency> {
        let cell = self.required(Column::Currency)?;
        let currency = cell.parse().map_err(|error: domain::MoneyError| error.to_string());
        let currency: Currency = self.told(Column::Currency, currency)?;
        let (first, place) = seen.get_or_insert_with(|| (currency, self.row.place));
        let problem = format!("{place} is in {first}: a catalogue has one currency");
        let same = currency == *first;
        self.told(Column::Currency, same.then_some(currency).ok_or(problem))
    }

    /// A text in one line, except where it describes.
    fn text(&mut self, column: Column, most: usize) -> Option<String> {
        let cell = self.row.get(column)?;
        let breaks = |letter: char| letter.is_control() && column != Column::Description;
        let problem = match cell.chars().count() > most {
            true => Some(format!("it is longer than {most} letters")),
            false => cell.contains(breaks).then(|| "it has a line break or a tab".to_owned()),
        };
        self.told(column, problem.map_or(Ok(cell.to_owned()), Err))
    }

    fn aliases(&mut self, column: Column) -> Vec<String> {
        let aliases = self.row.get(column).map(aliases).unwrap_or_default();
        let long = aliases
            .iter()
            .any(|alias| alias.chars().count() > LABEL || alias.contains(char::is_control));
        let problem = match aliases.len() > ALIASES || long {
            true => Err(format!("at most {ALIASES} names of {LABEL} letters, with `|` between")),
            false => Ok(aliases),
        };
        self.told(column, problem).unwrap_or_default()
    }
}

/// A product of its rows, which may leave blank what another row says. A row that says otherwise
/// is not of it.
fn product(id: String, rows: Vec<Good<'_>>, errors: &mut Vec<RowError>) -> Option<Listed> {
    let mut otherwise = BTreeSet::new();
    let mut said = |column: Column| {
        let mut saying = rows.iter().filter_map(|good| Some((good.row, good.row.get(column)?)));
        let (first, text) = saying.next()?;
        for (row, _) in saying.filter(|(_, other)| *other != text) {
            let problem = format!("{} says otherwise of `{id}`: leave it blank here", first.place);
            errors.push(row.error(column, problem));
            otherwise.insert(row.place);
        }
        Some(text.to_owned())
    };
    let (name, category) = (said(Column::Name), said(Column::Category));
    let (brand, description) = (said(Column::Brand), said(Column::Description));
    let named = said(Column::Aliases);
    for (column, text) in [(Column::Name, &name), (Column::Category, &category)] {
        if text.is_none() {
            errors.push(rows.first()?.row.error(column, format!("`{id}` has none in any row")));
        }
    }
    let agreeing = rows.into_iter().filter(|good| !otherwise.contains(&good.row.place));
    Some(Listed {
        name: name?,
        category: category?,
        brand,
        description: description.unwrap_or_default(),
        aliases: named.as_deref().map(aliases).unwrap_or_default(),
        variants: agreeing.map(|good| good.variant).collect(),
        product: id,
    })
}

fn stock(text: &str) -> Result<u32, String> {
    if text.starts_with('-') {
        return Err("stock cannot be below zero".to_owned());
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let units = text.parse().ok().filter(|_| digits);
    units.ok_or_else(|| "write the units for sale in digits, such as 12".to_owned())
}

fn active(text: &str) -> Result<bool, String> {
    let word = text.to_lowercase();
    match (YES.contains(&word.as_str()), NO.contains(&word.as_str())) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err("write yes or no".to_owned()),
    }
}

fn aliases(cell: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let named = cell.split('|').map(str::trim).filter(|alias| !alias.is_empty());
    named.filter(|alias| seen.insert(*alias)).map(str::to_owned).collect()
}
