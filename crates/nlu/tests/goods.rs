//! What orders ask for, as people type them: tables of message and what must come of it.

use nlu::goods::{Act, Ask, Unit, asked_about, asks, hear, shapes, sizes, terms};

/// An ask as `act quantity unit "what" size <instead of`, leaving out what was not said.
fn written(ask: &Ask) -> String {
    let act = match ask.act {
        Act::Add => "add",
        Act::Remove => "remove",
        Act::Set => "set",
        Act::Replace => "replace",
    };
    let mut parts = vec![act.to_owned()];
    if let Some(quantity) = ask.quantity {
        let unit = match quantity.unit {
            Some(Unit::Kilogram) => "kg",
            Some(Unit::Gram) => "g",
            Some(Unit::Litre) => "l",
            Some(Unit::Millilitre) => "ml",
            None => "",
        };
        parts.push(format!("{}{unit}", quantity.value.normalize()));
    }
    parts.push(format!("'{}'", ask.what));
    parts.extend(ask.size.map(|size| size.key()));
    parts.extend(ask.instead_of.as_ref().map(|old| format!("<{old}")));
    parts.join(" ")
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let heard: Vec<String> = asks(text).iter().map(written).collect();
        assert_eq!(heard, *expected, "{text:?}");
    }
}

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
    ]);
}

#[test]
fn what_is_last_spoken_of_has_no_name() {
    check(&[
        ("mejor que sean 4", &["set 4 ''"]),
        ("que sean 2", &["set 2 ''"]),
        ("agregame otra", &["add 1 ''"]),
        ("sumale dos más", &["add 2 ''"]),
        ("otras 2", &["add 2 ''"]),
        ("hacelo 6", &["set 6 ''"]),
        ("dejalas en 3", &["set 3 ''"]),
        ("subilo a 4", &["set 4 ''"]),
        ("sacala", &["remove ''"]),
        ("2 de esas", &["add 2 ''"]),
    ]);
}

#[test]
fn removals_changes_and_replacements_are_told_apart() {
    check(&[
        ("sacá la fanta y poné 3 cocas", &["remove 'fanta'", "add 3 'cocas'"]),
        ("eliminá la coca y la fanta", &["remove 'coca'", "remove 'fanta'"]),
        ("sacale una coca", &["remove 1 'coca'"]),
        ("sacá todas las fantas", &["remove 'fantas'"]),
        ("sin la fanta", &["remove 'fanta'"]),
        ("2 cocas sin azúcar", &["add 2 'cocas sin azúcar'"]),
        ("una coca, sin la fanta", &["add 1 'coca'", "remove 'fanta'"]),
        ("no quiero fanta", &["remove 'fanta'"]),
        ("ya no quiero la yerba", &["remove 'yerba'"]),
        ("no me mandes el pan", &["remove 'pan'"]),
        ("no la fanta", &["remove 'fanta'"]),
        ("la fanta no", &["remove 'fanta'"]),
        ("la fanta no va", &["remove 'fanta'"]),
        ("la yerba no la quiero", &["remove 'yerba'"]),
        ("la pepsi sacala", &["remove 'pepsi'"]),
        ("2 cocas, no quiero fanta", &["add 2 'cocas'", "remove 'fanta'"]),
        ("nada de sprite", &["remove 'sprite'"]),
        ("dejá solo 1 coca", &["set 1 'coca'"]),
        ("mejor poné 3 cocas", &["set 3 'cocas'"]),
        ("mejor sacá la fanta", &["remove 'fanta'"]),
        ("cambiá la pepsi por coca", &["replace 'coca' <pepsi"]),
        ("cambiá 2 pepsi por coca", &["replace 2 'coca' <pepsi"]),
        ("cambiá 0 pepsi por coca", &["replace 'coca' <pepsi"]),
        ("cambiala por coca", &["replace 'coca' <"]),
        ("te cambio las 2 quilmes por 3 brahma", &["replace 3 'brahma' <quilmes"]),
        ("sacá las 2 cocas", &["remove 2 'cocas'"]),
        ("cambiá la coca a 3", &["set 3 'coca'"]),
        ("en vez de pepsi poné sprite", &["replace 'sprite' <pepsi"]),
        ("poné sprite en vez de pepsi", &["replace 'sprite' <pepsi"]),
        (
            "cambiá la coca por pepsi y agregá una fanta",
            &["replace 'pepsi' <coca", "add 1 'fanta'"],
        ),
        ("cambiá la coca por pepsi y una fanta", &["replace 'pepsi' <coca", "add 1 'fanta'"]),
        ("cambiá la coca", &[]),
    ]);
}

#[test]
fn politeness_is_no_part_of_what_is_wanted() {
    check(&[
        ("hola buenas, me das 2 cocas porfa", &["add 2 'cocas'"]),
        ("che quería una fanta cuando puedas", &["add 1 'fanta'"]),
        ("una coca y nada más", &["add 1 'coca'"]),
        ("te encargo 12 facturas para mañana a las 9", &["add 12 'facturas'"]),
        ("mandame una prepizza si te queda", &["add 1 'prepizza'"]),
        ("bueno dale entonces 1 kg de tomate", &["add 1kg 'tomate'"]),
        ("quería hacer un pedido, 2 cocas", &["add 2 'cocas'"]),
        ("kiero 2 cocas xfa", &["add 2 'cocas'"]),
        ("mandame 2 cocas pago con tarjeta", &["add 2 'cocas'"]),
        ("soy Juan, mandame 2 cocas a San Martín 450", &["add 2 'cocas'"]),
        ("cocaaa", &["add 'cocaaa'"]),
        ("te", &["add 'te'"]),
        ("té verde", &["add 'té verde'"]),
    ]);
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
fn what_is_no_order_asks_for_nothing() {
    for text in [
        "",
        "   \n\n",
        "hola buenas tardes",
        "gracias!",
        "sí",
        "dale, confirmo",
        "me llamo Juan Pérez",
        "mi dni es 30123456",
        "vivo en San Martín 450, depto 3",
        "pago con efectivo",
        "paso a las 8",
        "cancelá el pedido",
        "borrá todo el carrito",
        "si no hay coca dame pepsi",
        "¿cómo va?",
        "👍👍",
    ] {
        let heard = hear(text);
        assert_eq!(heard.asks.iter().map(written).collect::<Vec<_>>(), [""; 0], "{text:?}");
        assert_eq!(heard.questions, [], "{text:?}");
    }
}

#[test]
fn questions_are_no_asks_and_name_what_they_are_about() {
    for (text, about) in [
        ("¿tenés coca?", Some("coca")),
        ("cuánto sale la coca", Some("coca")),
        ("y la coca cuánto sale?", Some("coca")),
        ("a cuánto está la yerba Playadito?", Some("yerba Playadito")),
        ("qué yerbas tenés?", Some("yerbas")),
        ("queria saber si tenes cafe", Some("cafe")),
        ("me decís el precio de la coca de 2.25", Some("coca de 2.25")),
        ("fernet?", Some("fernet")),
        ("2 cocas?", Some("cocas")),
        ("hasta qué hora abren", None),
        ("hacen envíos?", None),
        ("puedo pagar con tarjeta?", None),
        ("pasame el alias", None),
    ] {
        let heard = hear(text);
        assert!(heard.asks.is_empty() && !heard.questions.is_empty(), "{text:?} {heard:?}");
        assert_eq!(asked_about(text).as_deref(), about, "{text:?}");
    }
}

#[test]
fn an_order_with_a_question_is_taken_apart_where_one_ends() {
    for (text, expected, question) in [
        ("agregá 2 pepsi, ¿hasta qué hora abren?", "add 2 'pepsi'", "hasta qué hora abren"),
        ("agregá 2 pepsi, hasta que hora abren?", "add 2 'pepsi'", "hasta que hora abren"),
        ("agregá 2 pepsi y hacen envíos?", "add 2 'pepsi'", "hacen envíos"),
        ("tenés coca? dame 2", "add 2 ''", "tenés coca"),
        ("cuánto sale la coca y dame 2 fantas", "add 2 'fantas'", "cuánto sale la coca y"),
        ("2 cocas cuánto es", "add 2 'cocas'", "cuánto es"),
        ("me mandás 2 cocas? abren hoy?", "add 2 'cocas'", "abren hoy"),
    ] {
        let heard = hear(text);
        assert_eq!(heard.asks.iter().map(written).collect::<Vec<_>>(), [expected], "{text:?}");
        let asked: Vec<&str> =
            heard.questions.iter().map(|question| &text[question.span.clone()]).collect();
        assert_eq!(asked, [question], "{text:?}");
    }
}

#[test]
fn an_ask_knows_where_it_was_written() {
    let text = "Hola,\nmandame 2 cocas de 2,25 y un té";
    let spans: Vec<&str> = asks(text).iter().map(|ask| &text[ask.span.clone()]).collect();
    assert_eq!(spans, ["2 cocas de 2,25", "un té"]);
}

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
