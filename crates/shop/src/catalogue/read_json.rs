//! A JSON file's rows: an array of products, each with its variants.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::cells::{Row, error};
use super::column::Column;
use super::{Place, RowError};

const OF_PRODUCT: [Column; 6] = [
    Column::Product,
    Column::Name,
    Column::Category,
    Column::Brand,
    Column::Description,
    Column::Aliases,
];

const VARIANTS: &str = "variants";
const DATA: &str = "data";

pub(super) fn rows(text: &str) -> (Vec<Row>, Vec<RowError>) {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    match serde_json::from_str(text) {
        Ok(Value::Array(products)) => {
            for (number, product) in (1..).zip(&products) {
                read_product(number, product, &mut rows, &mut errors);
            }
            if products.is_empty() {
                errors.push(error(Place::File, "", "", "there are no products in it"));
            }
        }
        Ok(_) => errors.push(error(Place::File, "", "", "a catalogue is an array of products")),
        Err(wrong) => {
            let place = Place::Line(wrong.line() as u64);
            errors.push(error(place, "", "", format!("this is not JSON: {wrong}")));
        }
    }
    (rows, errors)
}

fn read_product(number: u64, product: &Value, rows: &mut Vec<Row>, errors: &mut Vec<RowError>) {
    let place = Place::Listed(number, 0);
    let Some(product) = product.as_object() else {
        return errors.push(error(place, "", &product.to_string(), "a product is an object"));
    };
    let of_product = |name: &str| OF_PRODUCT.into_iter().find(|column| column.name() == name);
    let Some(shared) = read_cells(place, product, of_product, &[VARIANTS], errors) else { return };
    let variants = product.get(VARIANTS).and_then(Value::as_array);
    let Some(variants) = variants.filter(|variants| !variants.is_empty()) else {
        let problem = "a product has at least one variant, with its sku and price";
        return errors.push(error(place, VARIANTS, "", problem));
    };
    for (at, variant) in (1..).zip(variants) {
        let place = Place::Listed(number, at);
        let Some(variant) = variant.as_object() else {
            errors.push(error(place, "", &variant.to_string(), "a variant is an object"));
            continue;
        };
        let Some(own) = read_cells(place, variant, of_variant, &[DATA], errors) else { continue };
        let data = match variant.get(DATA) {
            None | Some(Value::Null) => None,
            Some(Value::Object(data)) => Some(data.clone()),
            Some(other) => {
                errors.push(error(place, DATA, &other.to_string(), "`data` is an object"));
                continue;
            }
        };
        let cells = shared.clone().into_iter().chain(own).collect();
        rows.push(Row { place, cells, plain: true, data });
    }
}

/// A variant's own `aliases` are a column of another name.
fn of_variant(name: &str) -> Option<Column> {
    match name {
        "aliases" => Some(Column::VariantAliases),
        name => Column::parse(name)
            .filter(|column| !OF_PRODUCT.contains(column) && *column != Column::VariantAliases),
    }
}

/// The cells that an object says; none if any of it is wrong.
fn read_cells(
    place: Place,
    object: &Map<String, Value>,
    column: impl Fn(&str) -> Option<Column>,
    besides: &[&str],
    errors: &mut Vec<RowError>,
) -> Option<BTreeMap<Column, String>> {
    let (mut cells, before) = (BTreeMap::new(), errors.len());
    for (name, value) in object.iter().filter(|(name, _)| !besides.contains(&name.as_str())) {
        let cell = match column(name) {
            Some(column) => cell(value).map(|cell| (column, cell)),
            None => Err("there is no such field".to_owned()),
        };
        match cell {
            Ok((column, cell)) if !cell.is_empty() => drop(cells.insert(column, cell)),
            Ok(_) => {}
            Err(problem) => errors.push(error(place, name, &shown(value), problem)),
        }
    }
    (errors.len() == before).then_some(cells)
}

fn cell(value: &Value) -> Result<String, String> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(yes) => Ok(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Array(list) => {
            let texts = list.iter().map(Value::as_str).collect::<Option<Vec<_>>>();
            let texts = texts.ok_or("a list is of texts")?;
            match texts.iter().any(|text| text.contains('|')) {
                true => Err("an alias holds no `|`".to_owned()),
                false => Ok(texts.join("|").trim().to_owned()),
            }
        }
        Value::Object(_) => Err("this is no text".to_owned()),
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
