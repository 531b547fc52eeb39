//! The terms under which goods are indexed and searched.

use nlu::goods::{shapes, sizes, terms};

#[test]
fn terms_are_the_same_however_goods_are_written() {
    for (one, other) in [
        ("Coca-Cola 1,5 L", "cocacola de litro y medio"),
        ("Coca-Cola Zero", "koka cola sin azúcar"),
        ("coca cero", "coca zero"),
        ("Yerba Playadito 500 g", "yervas plalladito medio kilo"),
        ("Jamón cocido", "jamones cosidos"),
        ("Cerveza Quilmes lata 473 ml", "birras quilmes latas de 473 cc"),
        ("7UP 2,25 L", "seven up 2.25"),
        ("7UP", "seven"),
        ("colgate grande", "colgate gde"),
        ("Bizcochos 9 de Oro", "biscocho nueve de oro"),
        ("dulce de leche", "DDL"),
        ("harina sin TACC", "harinas sin gluten"),
    ] {
        assert_eq!(terms(one), terms(other), "{one} / {other}");
    }
    for (one, other) in [
        ("agua con gas", "agua sin gas"),
        ("azúcar", "sin azúcar"),
        ("coca 1,5 L", "coca 1,5 kg"),
        ("harina 000", "harina 0000"),
    ] {
        assert_ne!(terms(one), terms(other), "{one} / {other}");
    }
}

#[test]
fn terms_are_said_once_and_small_words_not_at_all() {
    let keys: Vec<String> =
        terms("La coca de la coca, con 2 LATAS").iter().map(|t| t.key()).collect();
    assert_eq!(keys, ["coca", "lata"]);
    assert_eq!(
        sizes("pack x 6 de 1,5 L").iter().map(|size| size.key()).collect::<Vec<_>>(),
        ["6u", "1500ml"]
    );
}

#[test]
fn a_word_and_its_misspelling_share_a_shape() {
    assert_eq!(shapes("coca"), ["~coca", "~oca", "~cca", "~coa", "~coc"]);
    for (written, meant) in
        [("coa", "coca"), ("cocqa", "coca"), ("coxa", "coca"), ("occa", "coca"), ("ñandu", "ñadu")]
    {
        let meant = shapes(meant);
        assert!(shapes(written).iter().any(|shape| meant.contains(shape)), "{written}");
    }
}
