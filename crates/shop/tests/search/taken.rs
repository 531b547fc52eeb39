//! Whole messages on a grocer's shelf, where one ask leans on another.

use shop::search::Found;

use crate::catalogue::shelf;
use crate::take::take;

#[tokio::test]
async fn what_is_only_named_and_unknown_is_talk_beside_an_order() {
    check_taken(&[
        ("che negro 2 cocas de 1.5", &["coca-cola-1500 2"]),
        ("cigarrillos", &["nothing"]),
        ("2 fernet y una coca de 500", &["nothing", "coca-cola-500 1"]),
        ("dame fernet y una coca de 500", &["nothing", "coca-cola-500 1"]),
        ("Rivadavia 4520", &[]),
        ("soy Marcos, el de la vuelta", &[]),
        ("me equivoqué de chat", &[]),
        ("manteca de 100, ya volvió la luz", &["manteca-serenisima-100"]),
    ])
    .await;
}

#[tokio::test]
async fn what_a_list_names_is_asked_for_even_if_nobody_sells_it() {
    check_taken(&[
        ("carbón, prepizza y chimichurri", &["nothing", "prepizza", "nothing"]),
        ("prepizza\ncarbón", &["prepizza", "nothing"]),
        ("prepizza, Norma", &["prepizza"]),
    ])
    .await;
}

#[tokio::test]
async fn what_leaves_out_its_noun_takes_it_from_the_ask_before() {
    check_taken(&[
        (
            "2 leches enteras y otras 2 de descremada",
            &["leche-serenisima-entera-1000 2", "leche-serenisima-descremada-1000 2"],
        ),
        (
            "4 leches, 2 enteras y 2 descremadas",
            &["leche-serenisima-entera-1000 2", "leche-serenisima-descremada-1000 2"],
        ),
        (
            "5 leches, 2 enteras",
            &["leche-serenisima-entera-1000 5", "leche-serenisima-entera-1000 2"],
        ),
        ("1 pan lactal y 2 prepizzas", &["pan-lactal-bimbo 1", "prepizza 2"]),
    ])
    .await;
}

#[tokio::test]
async fn how_goods_are_cut_and_by_how_many_they_come_does_not_hide_them() {
    check_taken(&[
        ("200 de salame cortado bien finito", &["salame-milan-100 2"]),
        ("2 docenas de tapas de empanada", &["tapas-empanadas-12 2"]),
        ("12 paquetes de tapas de empanada", &["tapas-empanadas-12 12"]),
        ("2 cajas de 12 facturas", &["facturas-12 2"]),
        ("yerba amanda de kilo", &["nothing"]),
    ])
    .await;
}

/// Each message with the first thing found for each of its asks, and how many of it.
async fn check_taken(cases: &[(&str, &[&str])]) {
    let mut records = shelf().await;
    for (message, expected) in cases {
        let taken = take(&mut records, message).await;
        let found = |found: &Found| match found.items.first() {
            Some(hit) => match hit.units {
                Some(units) => format!("{} {units}", hit.item.sku),
                None => hit.item.sku.clone(),
            },
            None => "nothing".to_owned(),
        };
        let heard: Vec<_> = taken.lines.iter().map(|(_, line)| found(line)).collect();
        assert_eq!(heard, *expected, "{message}");
    }
}
