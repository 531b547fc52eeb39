//! The catalogue: products with their variants, and the terms by which active variants are found.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Item, Money, Product, Variant};
use serde_json::{Value, json};

use super::SqlRecords;
use crate::sql::{Param, Row, Sql, Tx};
use crate::{Posting, StoreResult, statement};

const PRODUCT: Sql = Sql::both(
    "SELECT id, name, category, brand, description, aliases, active FROM products \
     WHERE workspace_id = ?1 AND id = ?2",
);

const PRODUCTS: Sql = Sql::both(
    "SELECT id, name, category, brand, description, aliases, active FROM products \
     WHERE workspace_id = ?1 AND id > ?2 AND active >= 0 ORDER BY id LIMIT ?3",
);

const VARIANTS: Sql = Sql::both(
    "SELECT sku, label, CAST(price AS text), currency, aliases, active, data \
     FROM product_variants WHERE workspace_id = ?1 AND product_id = ?2 ORDER BY place",
);

const PUT_PRODUCT: Sql = Sql::both(
    "INSERT INTO products (workspace_id, id, name, category, brand, description, aliases, active) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
     ON CONFLICT (workspace_id, id) DO UPDATE \
     SET name = excluded.name, category = excluded.category, brand = excluded.brand, \
         description = excluded.description, aliases = excluded.aliases, active = excluded.active",
);

const FORGET_TERMS_OF_PRODUCT: Sql = Sql::both(
    "DELETE FROM product_terms WHERE workspace_id = ?1 AND sku IN \
        (SELECT sku FROM product_variants WHERE workspace_id = ?1 AND product_id = ?2)",
);

// Deletes by key, because SQLite would otherwise read all variants of the workspace.
const FORGET_VARIANTS: Sql = Sql::both(
    "DELETE FROM product_variants WHERE workspace_id = ?1 AND sku IN \
        (SELECT sku FROM product_variants WHERE workspace_id = ?1 AND product_id = ?2)",
);

const FORGET_TERMS: Sql =
    Sql::both("DELETE FROM product_terms WHERE workspace_id = ?1 AND sku = ?2");

// The sales row is created if missing and locked either way: an order that counts sales meanwhile
// waits, and then finds the new variant to rank.
const HOLD_SALES: Sql = Sql::both(
    "INSERT INTO product_sales (workspace_id, sku, units) VALUES (?1, ?2, 0) \
     ON CONFLICT (workspace_id, sku) DO UPDATE SET units = product_sales.units",
);

macro_rules! put_variant {
    ($price:literal) => {
        concat!(
            "INSERT INTO product_variants (workspace_id, sku, product_id, place, label, price, \
                    currency, aliases, active, data, category, on_sale, popularity) \
             SELECT workspace_id, sku, ?3, ?4, ?5, ",
            $price,
            ", ?7, ?8, ?9, ?10, ?11, ?12, units \
             FROM product_sales WHERE workspace_id = ?1 AND sku = ?2 \
             ON CONFLICT (workspace_id, sku) DO UPDATE \
             SET product_id = excluded.product_id, place = excluded.place, \
                 label = excluded.label, price = excluded.price, currency = excluded.currency, \
                 aliases = excluded.aliases, active = excluded.active, data = excluded.data, \
                 category = excluded.category, on_sale = excluded.on_sale, \
                 popularity = excluded.popularity"
        )
    };
}

// The amount is bound as text and stays exact; SQLite would make a float of a number.
const PUT_VARIANT: Sql = Sql {
    sqlite: put_variant!("?6"),
    postgres: put_variant!("CAST(CAST(?6 AS text) AS numeric)"),
    each: false,
};

// All terms are added in one statement, because a product has dozens and an import has thousands of
// products. Only variants on sale get terms. SQLite's CROSS JOIN keeps the order written, since its
// planner would read the list once for each variant.
const ADD_TERMS: Sql = Sql {
    sqlite: "INSERT INTO product_terms (workspace_id, sku, term, weight, popularity) \
             SELECT v.workspace_id, v.sku, t.value ->> 1, t.value ->> 2, v.popularity \
             FROM json_each(?2) t CROSS JOIN product_variants v \
                ON v.workspace_id = ?1 AND v.sku = t.value ->> 0 AND v.on_sale = 1 \
             WHERE true ON CONFLICT (workspace_id, sku, term) DO UPDATE SET weight = excluded.weight",
    postgres: "INSERT INTO product_terms (workspace_id, sku, term, weight, popularity) \
             SELECT v.workspace_id, v.sku, t ->> 1, CAST(t ->> 2 AS bigint), v.popularity \
             FROM jsonb_array_elements(CAST(?2 AS jsonb)) t JOIN product_variants v \
                ON v.workspace_id = ?1 AND v.sku = t ->> 0 AND v.on_sale = 1 \
             ON CONFLICT (workspace_id, sku, term) DO UPDATE SET weight = excluded.weight",
    each: false,
};

macro_rules! item {
    ($product:literal) => {
        concat!(
            "SELECT g.sku, g.product_id, p.name, g.label, g.category, p.brand, \
                    CAST(g.price AS text), g.currency, coalesce(s.available, 0), g.popularity \
             FROM product_variants g JOIN products p ON p.id = g.product_id AND ",
            $product,
            " LEFT JOIN stock_items s ON s.workspace_id = g.workspace_id AND s.sku = g.sku \
             WHERE g.workspace_id = ?1 AND g.sku = ?2 AND (g.on_sale = 1) IS TRUE"
        )
    };
}

// PostgreSQL compares the tenant with that of a row found by key, so that it reads no index by the
// tenant alone.
pub(super) const ITEM: Sql = Sql {
    sqlite: item!("p.workspace_id = g.workspace_id"),
    postgres: item!("(p.workspace_id = g.workspace_id) IS TRUE"),
    each: true,
};

macro_rules! in_category {
    ($tenants:literal) => {
        concat!(
            "SELECT v.sku, v.product_id, p.name, v.label, v.category, p.brand, \
                    CAST(v.price AS text), v.currency, coalesce(s.available, 0), v.popularity \
             FROM product_variants v JOIN products p ON ",
            $tenants,
            " AND p.id = v.product_id \
             LEFT JOIN stock_items s ON s.workspace_id = v.workspace_id AND s.sku = v.sku \
             WHERE v.workspace_id = ?1 AND v.category = ?2 AND v.on_sale = 1 \
             ORDER BY v.popularity DESC, v.sku LIMIT ?3"
        )
    };
}

// PostgreSQL is not shown that a product's tenant is the given one, because the planner would then
// read the tenant's products instead of finding each by its id.
const IN_CATEGORY: Sql = Sql {
    sqlite: in_category!("p.workspace_id = v.workspace_id"),
    postgres: in_category!("(p.workspace_id = v.workspace_id) IS TRUE"),
    each: false,
};

// Counts the products on sale from an index alone.
const CATEGORIES: Sql = Sql::both(
    "SELECT category, count(DISTINCT product_id) FROM product_variants \
     WHERE workspace_id = ?1 AND on_sale = 1 GROUP BY category ORDER BY category",
);

pub(super) const POSTINGS: Sql = Sql::each(
    "SELECT term, sku, weight FROM product_terms WHERE workspace_id = ?1 AND term = ?2 \
     ORDER BY popularity DESC, sku LIMIT ?3",
);

pub(super) const STATEMENTS: &[Sql] = &[
    PRODUCT,
    PRODUCTS,
    VARIANTS,
    PUT_PRODUCT,
    FORGET_TERMS,
    HOLD_SALES,
    PUT_VARIANT,
    ITEM,
    IN_CATEGORY,
    POSTINGS,
];

/// Imports of goods, and the count of all goods by category, which reads an index of them alone.
pub(super) const BESIDE: &[Sql] =
    &[FORGET_TERMS_OF_PRODUCT, FORGET_VARIANTS, ADD_TERMS, CATEGORIES];

pub(super) async fn product<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    id: &str,
) -> StoreResult<Option<Product>> {
    let rows = records.tx.query(statement!(PRODUCT, records.workspace(), id)).await?;
    Ok(with_variants(records, &rows).await?.pop())
}

pub(super) async fn products<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<Product>> {
    let page = statement!(PRODUCTS, records.workspace(), after.unwrap_or_default(), limit);
    let rows = records.tx.query(page).await?;
    with_variants(records, &rows).await
}

async fn with_variants<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    rows: &[Row],
) -> StoreResult<Vec<Product>> {
    let workspace = records.workspace();
    let query = |row: &Row| Ok(statement!(VARIANTS, workspace, row.text(0)?));
    let queries = rows.iter().map(query).collect::<StoreResult<Vec<_>>>()?;
    let variants = records.tx.query_all(queries).await?;
    let product = |(row, variants): (&Row, Vec<Row>)| {
        Ok(Product {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            category: row.text(2)?.to_owned(),
            brand: row.opt_text(3)?.map(str::to_owned),
            description: row.text(4)?.to_owned(),
            aliases: row.json(5)?,
            active: row.int(6)? == 1,
            variants: variants.iter().map(variant).collect::<StoreResult<_>>()?,
        })
    };
    rows.iter().zip(variants).map(product).collect()
}

fn variant(row: &Row) -> StoreResult<Variant> {
    Ok(Variant {
        sku: row.text(0)?.to_owned(),
        label: row.text(1)?.to_owned(),
        price: price(row, 2)?,
        aliases: row.json(4)?,
        active: row.int(5)? == 1,
        data: row.json(6)?,
    })
}

/// An amount, with its currency in the next column.
fn price(row: &Row, column: usize) -> StoreResult<Money> {
    let amount = row.word(column, |amount| amount.parse().ok())?;
    Ok(Money::new(amount, row.word(column + 1, |code| code.parse().ok())?))
}

/// Puts a product. A variant that belonged to another product moves to this one, because a sku is
/// one thing on the shelf.
pub(super) fn put_product<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    product: &Product,
    terms: &[Posting],
) -> StoreResult<()> {
    let (workspace, id) = (records.workspace(), &product.id);
    records.write(statement!(
        PUT_PRODUCT,
        workspace,
        id,
        &product.name,
        &product.category,
        product.brand.as_ref(),
        &product.description,
        Param::json(&product.aliases),
        i64::from(product.active)
    ))?;
    records.write(statement!(FORGET_TERMS_OF_PRODUCT, workspace, id))?;
    records.write(statement!(FORGET_VARIANTS, workspace, id))?;
    for (place, variant) in (0_i64..).zip(&product.variants) {
        put_variant(records, product, variant, place)?;
    }
    let weights: BTreeMap<_, _> =
        terms.iter().map(|posting| ((&posting.sku, &posting.term), posting.weight)).collect();
    let rows: Vec<Value> =
        weights.iter().map(|((sku, term), weight)| json!([sku, term, weight])).collect();
    records.write(statement!(ADD_TERMS, workspace, Value::Array(rows)))
}

fn put_variant<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    product: &Product,
    variant: &Variant,
    place: i64,
) -> StoreResult<()> {
    let (workspace, sku) = (records.workspace(), &variant.sku);
    records.write(statement!(HOLD_SALES, workspace, sku))?;
    records.write(statement!(FORGET_TERMS, workspace, sku))?;
    records.write(statement!(
        PUT_VARIANT,
        workspace,
        sku,
        &product.id,
        place,
        &variant.label,
        variant.price.amount.to_string(),
        variant.price.currency.to_string(),
        Param::json(&variant.aliases),
        i64::from(variant.active),
        Param::json(&variant.data),
        &product.category,
        i64::from(product.active && variant.active)
    ))
}

pub(super) async fn items<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    skus: &[String],
) -> StoreResult<Vec<Item>> {
    let skus: BTreeSet<_> = skus.iter().collect();
    let workspace = records.workspace();
    let queries = skus.into_iter().map(|sku| statement!(ITEM, workspace, sku)).collect();
    records.tx.query_all(queries).await?.iter().flatten().map(item).collect()
}

pub(super) async fn in_category<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    category: &str,
    limit: u32,
) -> StoreResult<Vec<Item>> {
    let query = statement!(IN_CATEGORY, records.workspace(), category, limit);
    records.tx.query(query).await?.iter().map(item).collect()
}

fn item(row: &Row) -> StoreResult<Item> {
    Ok(Item {
        sku: row.text(0)?.to_owned(),
        product: row.text(1)?.to_owned(),
        name: row.text(2)?.to_owned(),
        label: row.text(3)?.to_owned(),
        category: row.text(4)?.to_owned(),
        brand: row.opt_text(5)?.map(str::to_owned),
        price: price(row, 6)?,
        available: row.count(8)?,
        popularity: u32::try_from(row.int(9)?.max(0)).unwrap_or(u32::MAX),
    })
}

pub(super) async fn categories<T: Tx>(
    records: &mut SqlRecords<'_, T>,
) -> StoreResult<Vec<(String, u32)>> {
    let rows = records.tx.query(statement!(CATEGORIES, records.workspace())).await?;
    rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.count(1)?))).collect()
}

pub(super) async fn postings<T: Tx>(
    records: &mut SqlRecords<'_, T>,
    terms: &[String],
    limit: u32,
) -> StoreResult<Vec<Posting>> {
    let terms: BTreeSet<_> = terms.iter().collect();
    let workspace = records.workspace();
    let queries = terms.into_iter().map(|term| statement!(POSTINGS, workspace, term, limit));
    let answers = records.tx.query_all(queries.collect()).await?;
    let posting = |row: &Row| {
        Ok(Posting {
            term: row.text(0)?.to_owned(),
            sku: row.text(1)?.to_owned(),
            weight: row.count(2)?,
        })
    };
    answers.iter().flatten().map(posting).collect()
}
