//! A catalogue's file: what is read from it, what is wrong with it, and what an import changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::{Product, Stock};
use proptest::prelude::*;
use serde_json::{Value, json};
use store::{MemoryRecords, Records};
use tools::shop::catalogue::{
    ImportProducts, Listed, ListedVariant, Page, RetireProducts, page, read, write_csv, write_json,
};
use tools::shop::search::search;

use crate::kit::{Shop, wait};

const HEAD: &str = "product,name,category,sku,price,currency,stock,active,brand,label,aliases";

/// Everything a file may say, in another order than it is written back.
const FULL: &str = "\u{feff}sku;product;NAME; category ;brand;description;aliases;label;price;currency;stock;variant_aliases;active\r\n\
coca-500;coca;Coca-Cola;Gaseosas;Coca-Cola Co;\"La de siempre;\r\ncon gas\";coca | cola|coca;500 ml;1.250,50;ARS;10;chica|personal;si\r\n\
\r\n\
fanta-500;fanta;\"Fanta \"\"Naranja\"\"\";Gaseosas;;;;;$ 900;ARS;;;no\r\n\
coca-1500;coca;;;;;;1,5 L;2500;ARS;3;;\r\n\
;;;;;;;;;;;;\r\n";

fn listed(product: &str, name: &str, variants: Vec<ListedVariant>) -> Listed {
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

fn variant(sku: &str, price: &str, stock: Option<u32>) -> ListedVariant {
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

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

fn told(file: &str) -> Vec<String> {
    read(file.as_bytes()).errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_is_read_whatever_program_wrote_it() {
    let coca = Listed {
        brand: Some("Coca-Cola Co".to_owned()),
        description: "La de siempre;\r\ncon gas".to_owned(),
        aliases: texts(&["coca", "cola"]),
        ..listed(
            "coca",
            "Coca-Cola",
            vec![
                ListedVariant {
                    label: "500 ml".to_owned(),
                    aliases: texts(&["chica", "personal"]),
                    ..variant("coca-500", "1250.5", Some(10))
                },
                ListedVariant {
                    label: "1,5 L".to_owned(),
                    ..variant("coca-1500", "2500", Some(3))
                },
            ],
        )
    };
    let off = ListedVariant { active: false, ..variant("fanta-500", "900", None) };
    let expected = vec![coca, listed("fanta", "Fanta \"Naranja\"", vec![off])];
    let reading = read(FULL.as_bytes());
    assert_eq!(reading.errors, []);
    assert_eq!(reading.products, expected);
    let tabs = "product\tname\tcategory\tsku\tprice\tcurrency\npan\tPan\tP\tpan\t5\tARS\n";
    assert_eq!(read(tabs.as_bytes()).products.len(), 1);
}

#[test]
fn a_json_file_says_the_same() {
    let file = json!([{
        "product": "coca", "name": " Coca-Cola ", "category": "Gaseosas", "brand": null,
        "aliases": ["coca", "cola"],
        "variants": [
            { "sku": "coca-500", "price": 1.234, "currency": "ARS", "stock": 7, "active": true,
              "aliases": ["chica"], "data": { "iva": 21 } },
            { "sku": "coca-1500", "price": "2500.00", "currency": "ARS", "label": "1,5 L",
              "active": false, "stock": null },
        ],
    }]);
    let reading = read(file.to_string().as_bytes());
    let data = json!({ "iva": 21 }).as_object().cloned();
    let variants = vec![
        ListedVariant { aliases: texts(&["chica"]), data, ..variant("coca-500", "1.234", Some(7)) },
        ListedVariant {
            label: "1,5 L".to_owned(),
            active: false,
            ..variant("coca-1500", "2500", None)
        },
    ];
    let expected =
        Listed { aliases: texts(&["coca", "cola"]), ..listed("coca", "Coca-Cola", variants) };
    assert_eq!(reading.errors, []);
    assert_eq!(reading.products, [expected]);
}

#[test]
fn every_mistake_of_a_row_is_named_with_its_place() {
    let row = |row: &str| format!("{HEAD}\npan,Pan,Panes,pan,800,ARS,1,,,,\n{row}\n");
    for (line, expected) in [
        ("x,X,C,x,abc,ARS", &["line 3, `price` = abc: write a price like 1234.50 or 1.234,50"][..]),
        (
            "x,X,C,x,1.234,ARS",
            &["line 3, `price` = 1.234: `1.234` may mean 1234 or 1.2340: write one of these"],
        ),
        ("x,X,C,x,-5,ARS", &["line 3, `price` = -5: a price cannot be below zero"]),
        ("x,X,C,x,,ARS", &["line 3, `price`: it is missing"]),
        ("x,X,C,,5,ARS", &["line 3, `sku`: it is missing"]),
        (",X,C,x,5,ARS", &["line 3, `product`: it is missing"]),
        ("x,,C,x,5,ARS", &["line 3, `name`: `x` has none in any row"]),
        ("x,X,,x,5,ARS", &["line 3, `category`: `x` has none in any row"]),
        ("x,X,C,x,5,", &["line 3, `currency`: it is missing"]),
        (
            "x,X,C,x,5,pesos",
            &[
                "line 3, `currency` = pesos: `pesos` is not a currency code: three capital letters such as COP",
            ],
        ),
        (
            "x,X,C,x,5,USD",
            &["line 3, `currency` = USD: line 2 is in ARS: a catalogue has one currency"],
        ),
        ("x,X,C,x,5,ARS,-3", &["line 3, `stock` = -3: stock cannot be below zero"]),
        ("x,X,C,x,5,ARS,'-3", &["line 3, `stock` = -3: stock cannot be below zero"]),
        (
            "x,X,C,x,5,ARS,+3",
            &["line 3, `stock` = +3: write the units for sale in digits, such as 12"],
        ),
        (
            "x,X,C,x,5,ARS,9999999999",
            &["line 3, `stock` = 9999999999: write the units for sale in digits, such as 12"],
        ),
        ("x,X,C,x,5,ARS,1,quizá", &["line 3, `active` = quizá: write yes or no"]),
        (
            "x,X,C,pan,5,ARS",
            &["line 3, `sku` = pan: the same sku is in line 2: a variant is listed once"],
        ),
        (
            "x,X,C,a b,5,ARS",
            &["line 3, `sku` = a b: a code has at most 64 letters, no blanks, quotes or `|`"],
        ),
        (
            "pan,Otro,Panes,p2,5,ARS",
            &["line 3, `name` = Otro: line 2 says otherwise of `pan`: leave it blank here"],
        ),
        ("x,\"X\ny\",C,x,5,ARS", &["line 3, `name` = X\ny: it has a line break or a tab"]),
        ("x,X,C,x,5,ARS,1,,,,,", &[]),
        (
            "x,X,C,x,5,ARS,1,,,,,de más",
            &[
                "line 3 = de más: the row has more cells than the first line (11): quote what holds a separator",
            ],
        ),
        ("x,X,C,x,5", &["line 3, `currency`: it is missing"]),
        (
            "x,X,C,x y,,pesos,-1,quizá",
            &[
                "line 3, `sku` = x y: a code has at most 64 letters, no blanks, quotes or `|`",
                "line 3, `price`: it is missing",
                "line 3, `currency` = pesos: `pesos` is not a currency code: three capital letters such as COP",
                "line 3, `stock` = -1: stock cannot be below zero",
                "line 3, `active` = quizá: write yes or no",
            ],
        ),
    ] {
        let file = row(line);
        assert_eq!(told(&file), expected, "{line}");
        let products = read(file.as_bytes()).products;
        let variants: usize = products.iter().map(|listed| listed.variants.len()).sum();
        let right = if expected.is_empty() { 2 } else { 1 };
        assert_eq!((products.len(), variants), (right, right), "{line}");
    }
    let long = row(&format!("x,{},C,x,5,ARS", "y".repeat(201)));
    let shown = format!("line 3, `name` = {}…: it is longer than 200 letters", "y".repeat(60));
    assert_eq!(told(&long), [shown]);
    let names = row(&format!("x,X,C,x,5,ARS,,,,,{}", "y".repeat(101)));
    let shown = format!(
        "line 3, `aliases` = {}…: at most 50 names of 100 letters, with `|` between",
        "y".repeat(60)
    );
    assert_eq!(told(&names), [shown]);
}

#[test]
fn a_file_that_is_no_catalogue_is_refused_as_a_whole() {
    let columns = "product, name, category, brand, description, aliases, sku, label, price, \
                   currency, stock, variant_aliases, active";
    let full = format!("{HEAD},precio,sku\n");
    for (file, expected) in [
        ("", vec![format!("line 1: the file is empty; its first line names the columns: {columns}")]),
        ("\n , \n", vec![format!("line 1: the file is empty; its first line names the columns: {columns}")]),
        (&full, vec![format!("line 1 = precio: there is no such column: {columns}"),
                     "line 1 = sku: the column is there twice".to_owned()]),
        ("product,name,category,price,currency\n",
         vec!["line 1, `sku`: the column is missing: name it in the first line".to_owned()]),
        ("product,name,category,sku,price,currency\npan,\"Pan,P,pan,5,ARS\nvino,Vino,V,vino,5,ARS\n",
         vec!["line 2, `sku`: it is missing".to_owned(), "line 2, `price`: it is missing".to_owned(),
              "line 2, `currency`: it is missing".to_owned(),
              "line 2, `name` = Pan,P,pan,5,ARS vino,Vino,V,vino,5,ARS: it has a line break or a tab".to_owned(),
              "line 2: a quote is not closed here or above: close it, or write two for one".to_owned()]),
        ("[]", vec!["the file: there are no products in it".to_owned()]),
        ("{}", vec!["the file: a catalogue is an array of products".to_owned()]),
        ("[\n{]", vec!["line 2: this is not JSON: key must be a string at line 2 column 2".to_owned()]),
    ] {
        let mut came = told(file);
        came.iter_mut().for_each(|text| *text = text.replace('\n', " "));
        came.sort();
        let mut expected = expected;
        expected.sort();
        assert_eq!(came, expected, "{file}");
        assert_eq!(read(file.as_bytes()).products, []);
    }
    let latin = read(b"product,name\npan,Panader\xeda\n");
    assert_eq!(latin.products, []);
    assert_eq!(
        latin.errors[0].to_string(),
        "line 2: the file is not UTF-8: save it as `CSV UTF-8`, or as JSON"
    );
}

#[test]
fn mistakes_are_told_in_the_order_of_the_file() {
    let rows = "a,,C,a,1,ARS\nb,B,C,b,,ARS\nc,C,C,c,1,ARS,,,,,,x\nd,D,C,d,,ARS\n";
    let places: Vec<_> = read(format!("{HEAD}\n{rows}").as_bytes())
        .errors
        .iter()
        .map(|error| error.place.to_string())
        .collect();
    assert_eq!(places, ["line 2", "line 3", "line 4", "line 5"]);
}

#[test]
fn a_quote_left_open_in_the_last_column_loses_no_row_unseen() {
    let head = "product,name,category,sku,price,currency,description";
    let file = format!("{head}\na,A,C,a,1,ARS,\"rico\nb,B,C,b,1,ARS,rico\n");
    assert_eq!(
        told(&file),
        ["line 2: a quote is not closed here or above: close it, or write two for one"]
    );
}

#[test]
fn every_mistake_of_a_json_file_is_named_with_its_place() {
    let product = |variant: Value| {
        json!({ "product": "x", "name": "X", "category": "C",
                                            "variants": [variant] })
    };
    let good = json!({ "sku": "x", "price": 5, "currency": "ARS" });
    let with = |name: &str, value: Value| {
        let mut variant = good.clone();
        variant[name] = value;
        product(variant)
    };
    let mut odd = product(good.clone());
    odd["precio"] = json!(5);
    let place = "product 1, variant 1";
    for (listed, expected) in [
        (json!(7), "product 1 = 7: a product is an object".to_owned()),
        (odd, "product 1, `precio` = 5: there is no such field".to_owned()),
        (
            json!({ "product": "x", "name": "X", "category": "C", "variants": [] }),
            "product 1, `variants`: a product has at least one variant, with its sku and price"
                .to_owned(),
        ),
        (product(json!("x")), format!("{place} = \"x\": a variant is an object")),
        (with("name", json!("X")), format!("{place}, `name` = X: there is no such field")),
        (
            with("variant_aliases", json!(["a"])),
            format!("{place}, `variant_aliases` = [\"a\"]: there is no such field"),
        ),
        (
            with("aliases", json!(["a|b"])),
            format!("{place}, `aliases` = [\"a|b\"]: an alias holds no `|`"),
        ),
        (with("aliases", json!([1])), format!("{place}, `aliases` = [1]: a list is of texts")),
        (with("label", json!({})), format!("{place}, `label` = {{}}: this is no text")),
        (with("data", json!([])), format!("{place}, `data` = []: `data` is an object")),
        (with("price", json!(-1)), format!("{place}, `price` = -1: a price cannot be below zero")),
        (
            with("stock", json!(1.5)),
            format!("{place}, `stock` = 1.5: write the units for sale in digits, such as 12"),
        ),
    ] {
        assert_eq!(told(&json!([listed]).to_string()), [expected]);
    }
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
        ListedVariant { aliases: texts(&["familiar"]), ..variant("coca-2250", "3500", Some(6)) };
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
    let found = wait(search(&mut shop.records, "familiar", 5)).unwrap();
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

#[test]
fn what_a_spreadsheet_would_run_is_written_as_text() {
    for name in ["=1+1", "+54", "-5", "@SUM(A1)", "'=x", "'", "''", "O'Higgins", "5-2"] {
        let one = vec![listed("x", name, vec![variant("x", "5", None)])];
        let file = write_csv(&one);
        let cell = file.lines().nth(1).unwrap().split(',').nth(1).unwrap();
        assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell}");
        assert_eq!(read(file.as_bytes()).products, one, "{file}");
    }
    // An apostrophe of a customer's own stays where it marks nothing.
    let file = format!("{HEAD}\nx,'hola,C,x,5,ARS\n");
    assert_eq!(read(file.as_bytes()).products[0].name, "'hola");
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
