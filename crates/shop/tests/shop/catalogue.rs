//! Imports and exports: what each changes or says, and that the one reads back the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::{Product, Stock};
use proptest::prelude::*;
use serde_json::{Value, json};
use shop::catalogue::{
    ImportProducts, Listed, ListedVariant, Page, RetireProducts, page, read, write_csv, write_json,
};
use shop::search::search;
use store::{MemoryRecords, Records};

use crate::kit::{Shop, wait};

pub(crate) const HEAD: &str =
    "product,name,category,sku,price,currency,stock,active,brand,label,aliases";

/// Everything a file may say, in another order than it is written back.
pub(crate) const FULL: &str = "\u{feff}sku;product;NAME; category ;brand;description;aliases;label;price;currency;stock;variant_aliases;active\r\n\
coca-500;coca;Coca-Cola;Gaseosas;Coca-Cola Co;\"La de siempre;\r\ncon gas\";coca | cola|coca;500 ml;1.250,50;ARS;10;chica|personal;si\r\n\
\r\n\
fanta-500;fanta;\"Fanta \"\"Naranja\"\"\";Gaseosas;;;;;$ 900;ARS;;;no\r\n\
coca-1500;coca;;;;;;1,5 L;2500;ARS;3;;\r\n\
;;;;;;;;;;;;\r\n";

pub(crate) fn listed(product: &str, name: &str, variants: Vec<ListedVariant>) -> Listed {
    Listed {
        product: product.to_owned(),
        name: name.to_owned(),
        category: "Gaseosas".to_owned(),
        brand: None,
        description: String::new(),
        aliases: Vec::new(),
        variants,
    }
}

pub(crate) fn variant(sku: &str, price: &str, stock: Option<u32>) -> ListedVariant {
    ListedVariant {
        sku: sku.to_owned(),
        label: String::new(),
        price: price.parse().unwrap(),
        currency: "ARS".parse().unwrap(),
        stock,
        aliases: Vec::new(),
        active: true,
        data: None,
    }
}

pub(crate) fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

fn import(products: Vec<Listed>) -> ImportProducts {
    ImportProducts { products, replace: false, set_stock: false, dry_run: false }
}

fn counts(added: u32, changed: u32, same: u32, stock_set: u32) -> Value {
    json!({ "added": added, "changed": changed, "same": same, "stock_set": stock_set })
}

fn stored(shop: &mut Shop, id: &str) -> Product {
    wait(shop.records.product(id)).unwrap().unwrap()
}

#[test]
fn the_same_file_twice_changes_nothing() {
    let mut shop = Shop::open();
    let products = read(FULL.as_bytes()).products;
    assert_eq!(shop.perform(&import(products.clone())).unwrap(), counts(0, 2, 0, 0));
    let before = shop.records.clone();
    assert_eq!(shop.perform(&import(products)).unwrap(), counts(0, 0, 2, 0));
    assert!(shop.records == before);
}

#[test]
fn an_import_keeps_what_it_does_not_say_and_is_found_by_its_words() {
    let mut shop = Shop::open();
    let mut coca = stored(&mut shop, "coca");
    coca.variants[0].data = json!({ "iva": 21 }).as_object().unwrap().clone();
    shop.put(&coca);
    let new =
        ListedVariant { aliases: texts(&["burbujas"]), ..variant("coca-2250", "3500", Some(6)) };
    let products = vec![
        listed("coca", "Coca", vec![new, variant("coca-500", "1300", Some(77))]),
        listed("sidra", "Sidra", vec![variant("sidra", "4000", Some(2))]),
    ];
    assert_eq!(shop.perform(&import(products)).unwrap(), counts(1, 1, 0, 2));
    let coca = stored(&mut shop, "coca");
    let skus: Vec<_> = coca.variants.iter().map(|variant| variant.sku.as_str()).collect();
    assert_eq!(skus, ["coca-2250", "coca-500", "coca-1500", "tab-500"]);
    assert_eq!((coca.name.as_str(), coca.active), ("Coca", true));
    assert_eq!(coca.variants[1].price.amount, 1300.into());
    assert_eq!(coca.variants[1].data["iva"], 21);
    assert!(coca.variants[2].active && !coca.variants[3].active);
    assert_eq!(shop.level("coca-500").0, 10, "a known variant's stock is not the file's to say");
    assert_eq!((shop.level("coca-2250").0, shop.level("sidra").0), (6, 2));
    let found = wait(search(&mut shop.records, "burbujas", 5)).unwrap();
    assert_eq!(found.items[0].item.sku, "coca-2250");
}

#[test]
fn stock_is_set_only_where_that_is_asked_for() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4)]);
    let products = vec![listed(
        "coca",
        "Coca",
        vec![variant("coca-500", "1", Some(50)), variant("coca-1500", "1", None)],
    )];
    let deed = ImportProducts { set_stock: true, ..import(products) };
    assert_eq!(shop.perform(&deed).unwrap(), counts(0, 1, 0, 1));
    assert_eq!((shop.level("coca-500"), shop.level("coca-1500")), ((50, 4, 0), (3, 0, 0)));
    assert_eq!(shop.perform(&deed).unwrap(), counts(0, 0, 1, 0));
    // A variant that comes back after its stock was known is not new.
    shop.stock(&Stock { available: 0, reserved: 0, sold: 9, sku: "sidra".into() });
    let sidra = vec![listed("sidra", "Sidra", vec![variant("sidra", "1", Some(3))])];
    assert_eq!(shop.perform(&import(sidra)).unwrap(), counts(1, 0, 0, 0));
}

#[test]
fn what_a_file_leaves_out_goes_only_if_it_replaces() {
    let mut shop = Shop::open();
    let products = vec![listed("coca", "Coca", vec![variant("coca-500", "1", None)])];
    let deed = ImportProducts { replace: true, ..import(products.clone()) };
    let active = |shop: &mut Shop, id: &str| {
        let product = stored(shop, id);
        (product.active, product.variants.iter().filter(|variant| variant.active).count())
    };
    shop.perform(&import(products)).unwrap();
    assert_eq!(active(&mut shop, "coca"), (true, 2));
    shop.perform(&deed).unwrap();
    assert_eq!((active(&mut shop, "coca"), active(&mut shop, "fanta")), ((true, 1), (true, 1)));
    let listed = Arc::new(BTreeSet::from(["coca".to_owned()]));
    let retire = |after: Option<&str>, dry_run| RetireProducts {
        listed: Arc::clone(&listed),
        after: after.map(str::to_owned),
        limit: 2,
        dry_run,
    };
    let two = json!({ "retired": 1, "last": "fanta" });
    assert_eq!(shop.perform(&retire(None, true)).unwrap(), two);
    assert_eq!(active(&mut shop, "fanta"), (true, 1));
    assert_eq!(shop.perform(&retire(None, false)).unwrap(), two);
    assert_eq!((active(&mut shop, "coca"), active(&mut shop, "fanta")), ((true, 1), (false, 0)));
    let rest = shop.perform(&retire(Some("fanta"), false)).unwrap();
    assert_eq!(rest, json!({ "retired": 2, "last": "vino" }));
    assert_eq!(shop.perform(&retire(Some("vino"), false)).unwrap()["last"], Value::Null);
    assert_eq!(shop.perform(&retire(None, false)).unwrap()["retired"], 0);
    // Listed again, it is sold again.
    let back = vec![Listed { category: "G".to_owned(), ..listed_fanta() }];
    shop.perform(&import(back)).unwrap();
    assert_eq!(active(&mut shop, "fanta"), (true, 1));
}

fn listed_fanta() -> Listed {
    listed("fanta", "Fanta", vec![variant("fanta-500", "1", None)])
}

#[test]
fn a_rehearsed_import_says_what_would_change_and_changes_nothing() {
    let mut shop = Shop::open();
    let before = shop.records.clone();
    let products = vec![
        listed("coca", "Coca", vec![variant("coca-500", "1", Some(1))]),
        listed("sidra", "Sidra", vec![variant("sidra", "1", Some(2))]),
    ];
    let deed = ImportProducts { dry_run: true, set_stock: true, ..import(products) };
    assert_eq!(shop.perform(&deed).unwrap(), counts(1, 1, 0, 2));
    assert!(shop.records == before);
}

#[test]
fn an_export_is_read_page_by_page_and_says_what_is_for_sale() {
    let mut shop = Shop::open();
    shop.buy(&[("coca-500", 4)]);
    let vino = stored(&mut shop, "vino");
    shop.put(&Product { active: false, ..vino });
    let first = shop.perform(&Page { after: None, limit: 3 }).unwrap();
    let (products, last) = page(first).unwrap();
    let ids: Vec<_> = products.iter().map(|listed| listed.product.as_str()).collect();
    assert_eq!((ids, last.as_deref()), (vec!["coca", "fanta", "pan"], Some("pan")));
    let stock: Vec<_> = products[0].variants.iter().map(|one| (one.stock, one.active)).collect();
    assert_eq!(stock, [(Some(6), true), (Some(3), true), (Some(5), false)]);
    let (products, last) = page(shop.perform(&Page { after: last, limit: 3 }).unwrap()).unwrap();
    assert_eq!((products.len(), last.as_deref()), (1, Some("vino")));
    assert!(!products[0].variants[0].active, "a product off sale has no variant on sale");
    let end = shop.perform(&Page { after: last, limit: 3 }).unwrap();
    assert_eq!(page(end).unwrap(), (vec![], None));
}

fn words(most: usize) -> impl Strategy<Value = String> {
    let letters = prop::sample::select(
        "abcñáé019 =+-@'\",;|#$%().\u{a0}😀".chars().filter(|c| *c != '|').collect::<Vec<_>>(),
    );
    prop::collection::vec(letters, 1..most)
        .prop_map(|letters| letters.into_iter().collect::<String>().trim().to_owned())
        .prop_filter("blank", |text| !text.is_empty())
}

fn some_aliases() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(words(8), 0..3).prop_map(|aliases| aliases.into_iter().collect())
}

prop_compose! {
    fn some_variant()(
        label in prop_oneof![Just(String::new()), words(10)], amount in 0_i64..10_000_000,
        scale in 0_u32..=4, stock in 0_u32..5000, aliases in some_aliases(), active: bool,
    ) -> ListedVariant {
        let price = rust_decimal::Decimal::new(amount, scale).normalize();
        ListedVariant { label, aliases, active, price, ..variant("", "0", Some(stock)) }
    }
}

prop_compose! {
    fn some_product()(
        name in words(12), category in words(8), brand in prop::option::of(words(8)),
        description in prop_oneof![Just(String::new()), words(20), Just("dos\nlíneas".to_owned())],
        aliases in some_aliases(), variants in prop::collection::vec(some_variant(), 1..4),
    ) -> Listed {
        Listed { product: String::new(), name, category, brand, description, aliases, variants }
    }
}

fn some_catalogue() -> impl Strategy<Value = Vec<Listed>> {
    prop::collection::vec(some_product(), 1..6).prop_map(|mut products| {
        let codes = ["=a", "b", "+c", "d-1", "'e", "f"];
        for (product, code) in products.iter_mut().zip(codes) {
            product.product = code.to_owned();
            for (number, variant) in product.variants.iter_mut().enumerate() {
                variant.sku = format!("{code}{number}");
            }
        }
        products.sort_by(|a, b| a.product.cmp(&b.product));
        products
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_catalogue_reads_back_equal_from_either_file_through_the_records(
        products in some_catalogue()
    ) {
        for file in [write_csv(&products), write_json(&products)] {
            let reading = read(file.as_bytes());
            prop_assert_eq!(&reading.errors, &vec![], "{}", file);
            prop_assert_eq!(&reading.products, &products, "{}", file);
        }
        let mut records = MemoryRecords::default();
        let deed = import(products.clone());
        wait(store::Deed::run(&deed, &mut records)).unwrap();
        let answer = wait(store::Deed::run(&Page { after: None, limit: 100 }, &mut records));
        prop_assert_eq!(page(answer.unwrap()).unwrap().0, products);
    }

    #[test]
    fn no_file_makes_the_reader_fall(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(product|sku|[,;\"\\n\\[\\{:'=]|\\PC){0,60}") {
        let _ = read(&bytes);
        let _ = read(text.as_bytes());
        let _ = read(format!("{HEAD}\n{text}").as_bytes());
    }
}
