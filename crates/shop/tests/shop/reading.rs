//! A catalogue's file: what is read from it, and what is wrong with it.

use serde_json::{Value, json};
use shop::catalogue::{Listed, ListedVariant, read, write_csv};

use crate::catalogue::{FULL, HEAD, listed, texts, variant};

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
