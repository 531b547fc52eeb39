//! A query on a grocer's shelf comes to one thing, several or nothing.

use domain::{Currency, Money, Product, Stock, Variant};
use nlu::goods::asks;
use shop::search::{Found, MatchKind, index_terms, search, seek};
use store::{MemoryRecords, Records};

use crate::catalogue::{ordered, shelf};

/// The kind of match with what it is about: `one a`, `several a b`, `nothing`; then what is offered instead.
fn written(found: &Found) -> String {
    let mut words = vec![match found.kind {
        MatchKind::One => "one",
        MatchKind::Several => "several",
        MatchKind::Nothing => "nothing",
    }];
    words.extend(found.items.iter().map(|hit| hit.item.sku.as_str()));
    if !found.alternatives.is_empty() {
        words.push("|");
        words.extend(found.alternatives.iter().map(|item| item.sku.as_str()));
    }
    words.join(" ")
}

async fn check(records: &mut MemoryRecords, cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        let found = search(records, query, 10).await.unwrap();
        assert_eq!(written(&found), *expected, "{query}");
    }
}

#[tokio::test]
async fn what_can_only_be_one_thing_is_found_however_it_is_written() {
    let mut records = shelf().await;
    check(
        &mut records,
        &[
            ("coca 1,5", "one coca-cola-1500"),
            ("Coca-Cola Zero 500 ml", "one coca-cola-zero-500"),
            ("coca chica", "one coca-cola-500"),
            ("coca mediana", "one coca-cola-1500"),
            ("coca grande", "one coca-cola-2250"),
            ("manteca grande", "one manteca-serenisima-200"),
            ("prepizza grande", "one prepizza"),
            ("yerba playadito 500", "one yerba-playadito-500"),
            ("dulce de leche", "one dulce-leche-serenisima-400"),
            ("tomate", "one tomate-1000"),
            ("papa", "one papa-1000"),
            ("cerveza quilmes lata", "one cerveza-quilmes-473"),
            ("paquete de oreo", "one galletitas-oreo-118"),
            ("agua con gas 500", "one agua-villavicencio-gas-500"),
            ("agua sin gas 500", "one agua-villavicencio-500"),
            ("maple de huevos", "one huevos-30"),
        ],
    )
    .await;
}

#[tokio::test]
async fn slips_of_the_finger_are_mended() {
    let mut records = shelf().await;
    check(
        &mut records,
        &[
            ("cocq 2.25", "one coca-cola-2250"),
            ("detergnte magistal 500", "one detergente-magistral-500"),
            ("chocoilnas", "one galletitas-chocolinas-170"),
            ("galletitas chcolinas", "one galletitas-chocolinas-170"),
            ("lecheentera", "one leche-serenisima-entera-1000"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_may_be_several_things_is_asked_in_a_good_order() {
    let mut records = shelf().await;
    check(
        &mut records,
        &[
            ("coca", "several coca-cola-500 coca-cola-1500 coca-cola-2250"),
            ("coca zero", "several coca-cola-zero-500 coca-cola-zero-1500 coca-cola-zero-2250"),
            (
                "yerba de kilo",
                "several yerba-playadito-1000 yerba-rosamonte-1000 yerba-taragui-1000",
            ),
            ("jamon", "several jamon-cocido-100 jamon-crudo-100"),
            ("leche", "several leche-serenisima-entera-1000 leche-serenisima-descremada-1000"),
            ("manteca mediana", "nothing | manteca-serenisima-100 manteca-serenisima-200"),
        ],
    )
    .await;
    ordered(&mut records, "yerba-taragui-500", 7).await;
    let found = search(&mut records, "yerba medio kilo", 10).await.unwrap();
    assert_eq!(
        written(&found),
        "several yerba-taragui-500 yerba-cbse-500 yerba-playadito-500 yerba-rosamonte-500",
        "what is bought most comes first"
    );
}

#[tokio::test]
async fn no_more_are_shown_than_asked_for_and_then_they_differ_most() {
    let mut records = shelf().await;
    let found = search(&mut records, "yerba", 4).await.unwrap();
    assert_eq!(
        written(&found),
        "several yerba-cbse-500 yerba-playadito-1000 yerba-rosamonte-1000 yerba-taragui-1000"
    );
    ordered(&mut records, "yerba-playadito-500", 3).await;
    let found = search(&mut records, "yerba", 5).await.unwrap();
    assert_eq!(
        written(&found),
        "several yerba-playadito-500 yerba-playadito-1000 yerba-cbse-500 yerba-rosamonte-1000 \
         yerba-taragui-1000"
    );
    for limit in [0, 1, 10, 1000] {
        let found = search(&mut records, "gaseosa", limit).await.unwrap();
        assert_eq!(found.items.len(), limit.min(10), "{limit}");
    }
}

#[tokio::test]
async fn what_the_shop_does_not_have_is_nothing_and_not_something_else() {
    let mut records = shelf().await;
    for query in [
        "fernet",
        "fernet branca",
        "iphone",
        "carbon",
        "pollo",
        "hielo",
        "asado",
        "chorizo",
        "mani",
        "marlboro",
        "puchos",
        "nafta",
        "pila",
        "carne",
        "vela",
        "gin",
        "whisky",
        "cola de carpintero",
        "helado",
        "perejil",
        "sandia",
        "zapallo",
        "pelota",
        "pañales",
        "",
        "de la",
        "2",
        "???",
        "500",
    ] {
        let found = search(&mut records, query, 10).await.unwrap();
        let nothing = found.kind == MatchKind::Nothing && found.items.is_empty();
        assert!(nothing, "{query}: {}", written(&found));
    }
    let long = "coca ".to_owned()
        + &"agua pan leche yerba papa te sal cafe arroz ".repeat(2)
        + "a b c d f";
    assert_eq!(search(&mut records, &long, 10).await.unwrap().kind, MatchKind::Nothing);
}

#[tokio::test]
async fn a_word_or_size_that_nothing_has_is_answered_with_what_there_is() {
    let mut records = shelf().await;
    check(
        &mut records,
        &[
            (
                "coca light",
                "nothing | coca-cola-500 coca-cola-1500 coca-cola-2250 coca-cola-zero-500 \
                 coca-cola-zero-1500 coca-cola-zero-2250",
            ),
            ("coca de 3 litros", "nothing | coca-cola-500 coca-cola-1500 coca-cola-2250"),
            (
                "leche light",
                "nothing | leche-serenisima-entera-1000 leche-serenisima-descremada-1000",
            ),
            (
                "leche 500 g",
                "nothing | leche-serenisima-entera-1000 leche-serenisima-descremada-1000",
            ),
            ("pack de pepsi", "nothing | pepsi-500 pepsi-1500 pepsi-2250"),
        ],
    )
    .await;
}

async fn sell_out(records: &mut MemoryRecords, skus: &[&str]) {
    for sku in skus {
        records.put_stock(&Stock::none(sku)).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_sold_out_is_named_with_what_is_left_of_it_and_then_of_its_kind() {
    let mut records = shelf().await;
    sell_out(&mut records, &["manteca-serenisima-200", "seven-up-1500", "seven-up-2250"]).await;
    check(
        &mut records,
        &[
            ("manteca 100", "one manteca-serenisima-100"),
            ("coca", "several coca-cola-500 coca-cola-1500 coca-cola-2250"),
            ("manteca", "several manteca-serenisima-100"),
        ],
    )
    .await;
    let found = search(&mut records, "manteca 200", 3).await.unwrap();
    assert_eq!(
        written(&found),
        "one manteca-serenisima-200 | manteca-serenisima-100 crema-serenisima-200 \
         dulce-leche-serenisima-400"
    );
    let found = search(&mut records, "manteca 200", 10).await.unwrap();
    let offered: std::collections::HashSet<_> =
        found.alternatives.iter().map(|item| &item.sku).collect();
    assert_eq!(offered.len(), found.alternatives.len(), "each is offered once");
    let found = search(&mut records, "seven up", 2).await.unwrap();
    assert_eq!(
        written(&found),
        "several seven-up-1500 seven-up-2250 | coca-cola-1500 coca-cola-2250"
    );
    let found = search(&mut records, "coca light", 10).await.unwrap();
    assert!(found.alternatives.iter().all(|item| item.available > 0));
}

#[tokio::test]
async fn quantities_become_units_of_what_is_sold() {
    let mut records = shelf().await;
    for (order, expected) in [
        ("2 cocas de 1.5", "one coca-cola-1500 2"),
        ("medio kilo de pan", "one pan-frances-500 1"),
        ("un kilo de pan", "one pan-frances-1000 1"),
        ("3 kilos de papa", "one papa-1000 3"),
        ("400 g de jamon cocido", "one jamon-cocido-100 4"),
        ("queso cremoso 300 g", "one queso-cremoso-100 3"),
        ("2 litros de leche entera", "one leche-serenisima-entera-1000 2"),
        ("una docena de huevos", "one huevos-12 1"),
        ("2 docenas de huevos", "one huevos-12 2"),
        ("18 huevos", "one huevos-6 3"),
        ("2 maples de huevos", "one huevos-30 2"),
        ("7 huevos", "several huevos-6 huevos-12 huevos-30 -"),
        ("kilo y medio de papa", "nothing -"),
        ("2 litros de coca", "nothing -"),
        ("kilo y medio de yerba playadito", "nothing -"),
        ("coca", "several coca-cola-500 coca-cola-1500 coca-cola-2250 -"),
        ("coca 500", "one coca-cola-500 -"),
        ("3 papas", "several papa-1000 3"),
        ("2 tapas de empanada", "one tapas-empanadas-12 2"),
    ] {
        let ask = asks(order).remove(0);
        let found = seek(&mut records, &ask, 10).await.unwrap();
        let units = found.items.first().and_then(|hit| hit.units);
        let units = units.map_or("-".to_owned(), |units| units.to_string());
        let found = written(&Found { alternatives: Vec::new(), ..found });
        assert_eq!(format!("{found} {units}"), expected, "{order}");
    }
}

fn product(id: &str, name: &str, labels: &[&str]) -> Product {
    let currency: Currency = "ARS".parse().unwrap();
    let variant = |(number, label): (usize, &&str)| Variant {
        sku: format!("{id}-{number}"),
        label: (*label).to_owned(),
        price: Money::new(100.into(), currency),
        aliases: Vec::new(),
        active: true,
        data: serde_json::Map::new(),
    };
    Product {
        id: id.to_owned(),
        name: name.to_owned(),
        category: "Varios".to_owned(),
        brand: None,
        description: String::new(),
        aliases: Vec::new(),
        active: true,
        variants: labels.iter().enumerate().map(variant).collect(),
    }
}

async fn put(records: &mut MemoryRecords, product: &Product) {
    records.put_product(product, &index_terms(product)).await.unwrap();
    for variant in &product.variants {
        let stock = Stock { available: 5, ..Stock::none(&variant.sku) };
        records.put_stock(&stock).await.unwrap();
    }
}

#[test]
fn a_variant_has_each_term_once_with_its_sizes_and_shapes() {
    let mut vino = product("vino", "Vino tinto", &["750 ml", "5 L damajuana"]);
    vino.aliases = vec!["tinto".to_owned()];
    vino.variants[0].aliases = vec!["botellita".to_owned()];
    let postings = index_terms(&vino);
    let of = |sku: &str| -> Vec<String> {
        let own = postings.iter().filter(|posting| posting.sku == sku);
        let words = own.filter(|posting| !posting.term.starts_with('~'));
        words.map(|posting| format!("{} {}", posting.term, posting.weight)).collect()
    };
    assert_eq!(
        of("vino-0"),
        ["750 10", "750ml 10", "bario 20", "bino 75", "boteyita 10", "talle:chico 10", "tinto 100"]
    );
    assert_eq!(
        of("vino-1"),
        [
            "5000 10",
            "5000ml 10",
            "bario 20",
            "bino 75",
            "damaguana 10",
            "talle:grande 10",
            "tinto 100"
        ]
    );
    assert!(postings.iter().any(|posting| posting.term == "~bin"));
    let mut keys: Vec<_> = postings.iter().map(|posting| (&posting.sku, &posting.term)).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), postings.len());
}

#[tokio::test]
async fn a_word_that_hundreds_share_does_not_hide_a_rare_one() {
    let mut records = MemoryRecords::default();
    for number in 0..300 {
        put(&mut records, &product(&format!("a{number:03}"), "Tornillo común", &[""])).await;
    }
    put(&mut records, &product("z", "Tornillo Fischer", &["8 mm"])).await;
    put(&mut records, &product("y", "Arandela Fischer", &["8 mm"])).await;
    check(&mut records, &[("tornillo fischer", "one z-0"), ("fischer tornillos", "one z-0")]).await;
    let found = search(&mut records, "tuerca fischer", 10).await.unwrap();
    assert_eq!(found.kind, MatchKind::Nothing);
    let found = search(&mut records, "tornillo", 10).await.unwrap();
    assert_eq!((found.kind, found.items.len()), (MatchKind::Several, 10));
}

#[tokio::test]
async fn words_that_are_all_common_are_found_together() {
    let mut records = MemoryRecords::default();
    for number in 0..250 {
        put(&mut records, &product(&format!("a{number:03}"), "Tornillo común", &[""])).await;
        put(&mut records, &product(&format!("b{number:03}"), "Arandela Fischer", &[""])).await;
    }
    put(&mut records, &product("z", "Tornillo Fischer", &["8 mm"])).await;
    check(&mut records, &[("tornillo fischer", "one z-0")]).await;
}

#[tokio::test]
async fn the_nearest_word_is_the_one_meant() {
    let mut records = MemoryRecords::default();
    put(&mut records, &product("a", "Girasol", &[""])).await;
    put(&mut records, &product("b", "Girsolo", &[""])).await;
    check(&mut records, &[("girsola", "one b-0"), ("girasl", "one a-0")]).await;
}

#[tokio::test]
async fn what_is_no_longer_sold_is_not_found() {
    let mut records = MemoryRecords::default();
    let mut gone = product("queso", "Queso", &["chico", "grande"]);
    gone.variants[1].active = false;
    put(&mut records, &gone).await;
    check(&mut records, &[("queso", "one queso-0"), ("quezo", "one queso-0")]).await;
    gone.active = false;
    put(&mut records, &gone).await;
    check(&mut records, &[("queso", "nothing"), ("quezo", "nothing")]).await;
}
