//! A grocer's shelf, read from the columns that a catalogue is imported from.

use domain::{
    ContactId, ConversationId, Currency, Money, Order, OrderId, OrderLine, OrderStatus, Product,
    Stock, Variant,
};
use shop::search::index_terms;
use store::{MemoryRecords, Records};

/// A variant a line.
const CATALOGUE: &str = include_str!("catalogo.csv");

pub(crate) fn products() -> Vec<Product> {
    let mut products: Vec<Product> = Vec::new();
    for line in CATALOGUE.lines().skip(1) {
        let fields = fields(line);
        let [product, name, category, brand, _, aliases, sku, label, price, ..] = &fields[..]
        else {
            panic!("too few columns: {line}")
        };
        if products.last().is_none_or(|last| last.id != *product) {
            products.push(Product {
                id: product.clone(),
                name: name.clone(),
                category: category.clone(),
                brand: Some(brand.clone()).filter(|brand| !brand.is_empty()),
                description: String::new(),
                aliases: aliases.split('|').filter(|a| !a.is_empty()).map(str::to_owned).collect(),
                active: true,
                variants: Vec::new(),
            });
        }
        let price = Money::new(price.parse().unwrap(), "ARS".parse::<Currency>().unwrap());
        products.last_mut().unwrap().variants.push(Variant {
            sku: sku.clone(),
            label: label.clone(),
            price,
            aliases: Vec::new(),
            active: true,
            data: serde_json::Map::new(),
        });
    }
    products
}

/// The fields of a line; one with a comma in it stands in quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// The shelf with ten of everything.
pub(crate) async fn shelf() -> MemoryRecords {
    let mut records = MemoryRecords::default();
    for product in products() {
        records.put_product(&product, &index_terms(&product)).await.unwrap();
        for variant in &product.variants {
            let stock = Stock { available: 10, ..Stock::none(&variant.sku) };
            records.put_stock(&stock).await.unwrap();
        }
    }
    records
}

/// Somebody orders so many units of a variant, which makes it so much more popular.
pub(crate) async fn ordered(records: &mut MemoryRecords, sku: &str, quantity: u32) {
    let number = u32::try_from(records.take_number("order").await.unwrap()).unwrap();
    let (id, now) = (records.new_id(), records.now());
    let line = OrderLine {
        product: sku.to_owned(),
        title: sku.to_owned(),
        quantity,
        unit_price: 1.into(),
    };
    let order = Order {
        id: OrderId(id),
        number,
        contact: ContactId(id),
        conversation: ConversationId(id),
        status: OrderStatus::Confirmed,
        lines: vec![line],
        currency: "ARS".parse().unwrap(),
        total: quantity.into(),
        data: serde_json::Map::new(),
        created_at: now,
        updated_at: now,
    };
    records.put_order(&order).await.unwrap();
}
