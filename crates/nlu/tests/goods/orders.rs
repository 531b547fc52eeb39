//! Asks: quantity, goods and size, in lists and in sentences.

use nlu::goods::asks;

use super::check;

#[test]
fn quantities_are_read_before_and_after_what_they_count() {
    check(&[
        (
            "2 cocas de litro y medio y una fanta naranja chica",
            &["add 2 'cocas de litro y medio' 1500ml", "add 1 'fanta naranja chica' talle:chico"],
        ),
        ("coca x2", &["add 2 'coca'"]),
        ("x 3 fantas", &["add 3 'fantas'"]),
        ("3x coca", &["add 3 'coca'"]),
        ("2u coca", &["add 2 'coca'"]),
        ("coca (4)", &["add 4 'coca'"]),
        ("2 coca 1 fanta 3 pepsi", &["add 2 'coca'", "add 1 'fanta'", "add 3 'pepsi'"]),
        ("coca 2 fanta 1 pepsi 3", &["add 2 'coca'", "add 1 'fanta'", "add 3 'pepsi'"]),
        ("coca 2, fanta 1", &["add 2 'coca'", "add 1 'fanta'"]),
        ("che negro 2 cocas de 1.5", &["add 'negro'", "add 2 'cocas de 1.5' 1500ml"]),
        ("fideos 2 paquetes", &["add 2 'fideos'"]),
        ("dos cocas tres fantas", &["add 2 'cocas'", "add 3 'fantas'"]),
        ("veinticinco alfajores", &["add 25 'alfajores'"]),
        ("quiero coca", &["add 'coca'"]),
        ("1 coca mas 1 fanta", &["add 1 'coca'", "add 1 'fanta'"]),
        ("una coca otra fanta", &["add 1 'coca'", "add 1 'fanta'"]),
        ("2 coca + 1 fanta / 3 pepsi", &["add 2 'coca'", "add 1 'fanta'", "add 3 'pepsi'"]),
    ]);
}

#[test]
fn pairs_dozens_and_measures_are_quantities() {
    check(&[
        ("dame una docena de huevos", &["add 12 'huevos'"]),
        ("media docena de huevos", &["add 6 'huevos'"]),
        ("2 docenas de facturas", &["add 24 'facturas'"]),
        ("docena y media de huevos", &["add 18 'huevos'"]),
        ("un par de cervezas", &["add 2 'cervezas'"]),
        ("medio kilo de pan", &["add 0.5kg 'pan'"]),
        ("1/2 kg de pan", &["add 0.5kg 'pan'"]),
        ("kilo y medio de papa", &["add 1.5kg 'papa'"]),
        ("250 grs de jamón", &["add 250g 'jamón'"]),
        ("200 de queso", &["add 200g 'queso'"]),
        ("un cuarto de jamón", &["add 0.25kg 'jamón'"]),
        ("tres cuartos de asado", &["add 0.75kg 'asado'"]),
        ("2 litros de leche", &["add 2l 'leche'"]),
        (
            "coca de litro y media docena de huevos",
            &["add 'coca de litro' 1000ml", "add 6 'huevos'"],
        ),
        ("500 cc de crema", &["add 500ml 'crema'"]),
        ("medio pollo", &["add 0.5 'pollo'"]),
        ("dos kilos de papa y uno de cebolla", &["add 2kg 'papa'", "add 1kg 'cebolla'"]),
        (
            "un cuarto de salame, otro de tybo y medio de pan",
            &["add 0.25kg 'salame'", "add 0.25kg 'tybo'", "add 0.5kg 'pan'"],
        ),
        ("200 g de jamón y otro de queso", &["add 200g 'jamón'", "add 200g 'queso'"]),
        ("dos kilos de papa y otro de cebolla", &["add 2kg 'papa'", "add 1kg 'cebolla'"]),
        ("2 kg de papa y 2 cebollas", &["add 2kg 'papa'", "add 2 'cebollas'"]),
        (
            "dos kilos de papa un kilo de cebolla medio kilo de pan",
            &["add 2kg 'papa'", "add 1kg 'cebolla'", "add 0.5kg 'pan'"],
        ),
    ]);
}

#[test]
fn a_size_is_no_quantity() {
    check(&[
        ("coca 2.25", &["add 'coca 2.25' 2250ml"]),
        ("2 coca 2.25", &["add 2 'coca 2.25' 2250ml"]),
        ("coca 500", &["add 'coca 500' 500"]),
        ("2 coca 500 1 fanta 1500", &["add 2 'coca 500' 500", "add 1 'fanta 1500' 1500"]),
        ("coca de 2", &["add 'coca de 2' 2000ml"]),
        ("coca 1.5 x 3", &["add 3 'coca 1.5' 1500ml"]),
        ("yerba x 500 g", &["add 'yerba x 500 g' 500g"]),
        ("yerba x kilo", &["add 'yerba x kilo' 1000g"]),
        ("2 coca de 1 litro y medio", &["add 2 'coca de 1 litro y medio' 1500ml"]),
        ("3 500 de coca", &["add 3 '500 de coca' 500"]),
        ("3 de litro y medio", &["add 3 '' 1500ml"]),
        ("la de dos y cuarto", &["add '' 2250ml"]),
        ("una grande", &["add 1 '' talle:grande"]),
        ("2 coca cero", &["add 2 'coca cero'"]),
        ("harina 000", &["add 'harina 000'"]),
        ("1 7up 1.5", &["add 1 '7up 1.5' 1500ml"]),
        ("9 de oro", &["add '9 de oro'"]),
        ("2 9 de oro", &["add 2 '9 de oro'"]),
        ("2 coca 1 fanta todas de 500", &["add 2 'coca 500' 500", "add 1 'fanta 500' 500"]),
        ("500 pesos de jamón", &["add 'pesos de jamón'"]),
        ("yerba de medio un pan", &["add 'yerba de medio' 500", "add 1 'pan'"]),
        (
            "dos 7up de dos y cuarto y un pan",
            &["add 2 '7up de dos y cuarto' 2250ml", "add 1 'pan'"],
        ),
        (
            "una paso de los toros de litro y medio",
            &["add 1 'paso de los toros de litro y medio' 1500ml"],
        ),
        ("2 cajas de 12 hamburguesas", &["add 2 'hamburguesas' 12u"]),
        ("un paquete de salchichas de 6 y pan", &["add 1 'paquete de salchichas' 6u", "add 'pan'"]),
        ("una caja de té de 25 saquitos", &["add 1 'caja de té' 25u"]),
        ("3 kg de harina común, 2 panes", &["add 3kg 'harina común'", "add 2 'panes'"]),
        ("1 cindor d litro", &["add 1 'cindor d litro' 1000ml"]),
        ("1 colgate gde, 2 gdes", &["add 1 'colgate gde' talle:grande", "add 2 '' talle:grande"]),
        ("una seven y 2 seven up", &["add 1 'seven'", "add 2 'seven up'"]),
        ("2 paquetes de 9 de oro", &["add 2 'paquetes de 9 de oro'"]),
    ]);
}

#[test]
fn what_stands_alone_between_the_marks_of_a_list_is_listed() {
    for (text, listed) in [
        ("espinaca, tapas de tarta y ricota", vec![true, true, true]),
        ("sal\nCarbón\n2 vinos", vec![true, true, true]),
        ("che negro 2 cocas", vec![false, false]),
        ("2 cocas, Marta", vec![true, false]),
        ("coca, ya volvió la luz", vec![true, false]),
    ] {
        let heard: Vec<bool> = asks(text).iter().map(|ask| ask.listed).collect();
        assert_eq!(heard, listed, "{text:?}");
    }
}

#[test]
fn lists_are_read_line_by_line() {
    check(&[
        (
            "pedido:\n- 2 coca 2.25\n* fanta (1)\n• pan",
            &["add 2 'coca 2.25' 2250ml", "add 1 'fanta'", "add 'pan'"],
        ),
        ("1) coca\n2) 3 fantas", &["add 'coca'", "add 3 'fantas'"]),
        ("coca 2\n500 g de pan", &["add 2 'coca'", "add 500g 'pan'"]),
    ]);
}

#[test]
fn an_ask_knows_where_it_was_written() {
    let text = "Hola,\nmandame 2 cocas de 2,25 y un té";
    let spans: Vec<&str> = asks(text).iter().map(|ask| &text[ask.span.clone()]).collect();
    assert_eq!(spans, ["2 cocas de 2,25", "un té"]);
}
