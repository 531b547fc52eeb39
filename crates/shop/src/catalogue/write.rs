//! A catalogue written to a file that is read back as the same one.

use super::column::Column;
use super::read_csv::marked;
use super::{Listed, ListedVariant, price};

/// Writes a row for each variant. Texts that a spreadsheet would take for a formula are marked with a `'`.
pub fn write_csv(products: &[Listed]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = products.iter().flat_map(|listed| {
        listed
            .variants
            .iter()
            .map(move |variant| Column::ALL.map(|column| cell(column, listed, variant)))
    });
    let header = Column::ALL.map(|column| column.name().to_owned());
    for row in std::iter::once(header).chain(rows) {
        let row = row.map(|cell| marked(&cell));
        writer.write_record(&row).expect("memory takes every row, and all have as many cells");
    }
    let bytes = writer.into_inner().expect("memory takes every row");
    String::from_utf8(bytes).expect("texts make a text")
}

fn cell(column: Column, listed: &Listed, variant: &ListedVariant) -> String {
    match column {
        Column::Product => listed.product.clone(),
        Column::Name => listed.name.clone(),
        Column::Category => listed.category.clone(),
        Column::Brand => listed.brand.clone().unwrap_or_default(),
        Column::Description => listed.description.clone(),
        Column::Aliases => listed.aliases.join("|"),
        Column::Sku => variant.sku.clone(),
        Column::Label => variant.label.clone(),
        Column::Price => price::write(variant.price),
        Column::Currency => variant.currency.to_string(),
        Column::Stock => variant.stock.map(|units| units.to_string()).unwrap_or_default(),
        Column::VariantAliases => variant.aliases.join("|"),
        Column::Active => if variant.active { "yes" } else { "no" }.to_owned(),
    }
}

pub fn write_json(products: &[Listed]) -> String {
    serde_json::to_string_pretty(products).expect("a catalogue is plain data") + "\n"
}
