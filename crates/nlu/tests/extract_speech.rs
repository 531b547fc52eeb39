//! Amounts, telephones and names as they are said in a chat: slang, dictation, introductions.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use nlu::{Country, Extractor, FieldType, Locale, Normalized, Value, ValueKind, validate};

fn now() -> Timestamp {
    "2026-03-04T13:00:00Z".parse().unwrap()
}

fn extractor(products: &[&str]) -> Extractor {
    Extractor::new(&Locale {
        country: Country::CO,
        time_zone: TimeZone::UTC,
        cities: Vec::new(),
        products: products.iter().map(|product| (*product).to_owned()).collect(),
    })
}

/// The values found of some kinds, or of all without any, each as `kind:text=value`.
fn found(text: &str, kinds: &[ValueKind]) -> Vec<String> {
    let normalized = Normalized::new(text);
    let found = match kinds {
        [] => extractor(&[]).find(&normalized, now()),
        kinds => extractor(&[]).find_kinds(&normalized, now(), kinds),
    };
    found
        .iter()
        .map(|f| format!("{}:{}={}", f.value.kind().name(), f.text, f.value.canonical()))
        .collect()
}

#[test]
fn an_amount_is_worth_what_is_meant_by_it() {
    for (text, value) in [
        ("$4'500.000", "4500000"),
        ("$4´500.000", "4500000"),
        ("1'000.000", "1000000"),
        ("4'500.000,50", "4500000.5"),
        ("2 palos y medio", "2500000"),
        ("un palo", "1000000"),
        ("palo y medio", "1500000"),
        ("medio palo", "500000"),
        ("dos palos quinientos", "2500000"),
        ("2 palos y pico", "2000000"),
        ("500 lucas", "500000"),
        ("mil lucas", "1000000"),
        ("10M", "10000000"),
        ("10 M", "10000000"),
        ("2,5M", "2500000"),
        ("$10M", "10000000"),
        ("5 mill", "5000000"),
        ("5 mill.", "5000000"),
        ("3 melones", "3000000"),
        ("15k", "15000"),
        ("tres millones quinientos", "3500000"),
        ("cinco millones doscientos", "5200000"),
        ("3 millones 500", "3500000"),
        ("tres millones quinientos pesos", "3500000"),
        ("tres millones quinientos mil", "3500000"),
        ("tres millones quinientos veintitrés", "3000523"),
        ("dos mil quinientos", "2500"),
        ("three million five hundred", "3000500"),
        ("un millón y medio", "1500000"),
        ("millón y pico", "1000000"),
        ("$ 1.200.000 COP", "1200000"),
    ] {
        let valid = validate(FieldType::Number, text, Country::CO).map(|valid| valid.canonical);
        assert_eq!(valid.as_deref(), Ok(value), "{text} as a field");
        let message = format!("pues, como {text}");
        let found = extractor(&[]).find_kinds(
            &Normalized::new(&message),
            now(),
            &[ValueKind::Money, ValueKind::Number],
        );
        let values: Vec<_> = found.iter().map(|found| found.value.canonical()).collect();
        assert_eq!(values, [value], "{text} in a message");
    }
    for text in
        ["mil dólares", "5 m de tela", "lucas", "m", "palos", "1'00.000", "3 melones maduros"]
    {
        assert!(validate(FieldType::Number, text, Country::CO).is_err(), "{text}");
    }
}

#[test]
fn slang_is_told_from_what_is_counted_and_measured() {
    for (text, expected) in [
        ("unas 500 lucas", vec!["money:500 lucas=500000"]),
        ("entre 5 y 8 palos", vec!["money:5=5000000", "money:8 palos=8000000"]),
        ("entre 5 y 8 M de pesos", vec!["money:5=5000000", "money:8 M de pesos=8000000"]),
        ("10M de pesos", vec!["money:10M de pesos=10000000"]),
        ("2 palos de golf", vec!["number:2=2"]),
        ("3 melones maduros", vec!["quantity:3 melones=3"]),
        ("5 m de tela", vec!["quantity:5 m de tela=5"]),
        ("3M", vec![]),
        ("mide 10 m", vec![]),
    ] {
        let found = found(text, &[]);
        assert_eq!(found, expected, "{text}");
    }
    let shop = extractor(&["melón"]).find(&Normalized::new("3 melones"), now());
    assert!(matches!(&shop[0].value, Value::Quantity { amount, .. } if *amount == 3.into()));
}

#[test]
fn a_measure_that_counts_nothing_holds_up_nothing_after_it() {
    for (text, products) in [
        ("dame \"kilo y medio\" y 2 panes", &[][..]),
        ("*litro y medio* y 2 panes", &[]),
        ("dame litro y medio, y 2 panes", &["pan"]),
    ] {
        let found = extractor(products).find(&Normalized::new(text), now());
        assert!(found.iter().any(|found| found.text == "2 panes"), "{text}: {found:?}");
    }
}

#[test]
fn a_telephone_is_what_is_dialled() {
    for (text, written) in [
        ("55 1234 5678 de CDMX", "55 1234 5678"),
        ("604 234 5678 ext 104", "604 234 5678"),
        ("604 234 5678, extensión 104", "604 234 5678"),
        ("(601) 745 12 34 int. 12", "(601) 745 12 34"),
    ] {
        for kinds in [&[ValueKind::Phone][..], &ValueKind::ALL] {
            let found = extractor(&[]).find_kinds(&Normalized::new(text), now(), kinds);
            let Some(Value::Phone(phone)) = found.first().map(|found| &found.value) else {
                panic!("no telephone in {text}: {found:?}");
            };
            assert_eq!(phone.written, written, "{text}");
        }
    }
    assert_eq!(found("1'000.000", &[ValueKind::Phone]), [""; 0]);
}

#[test]
fn a_dictated_telephone_is_for_who_asks_for_one() {
    let dictated = [
        "tres diez cuatro cinco seis siete ocho nueve cero",
        "tres uno cero, cuatro cincuenta y seis, setenta y ocho noventa",
        "trescientos diez cuatrocientos cincuenta y seis setenta y ocho noventa",
    ];
    for text in dictated {
        assert_eq!(
            found(text, &[ValueKind::Phone]),
            [format!("phone:{text}=+573104567890")],
            "{text}"
        );
        assert_eq!(found(text, &[]), [""; 0], "{text}");
    }
    for text in ["tres diez", "dos mil quinientos", "a las tres y diez"] {
        assert_eq!(found(text, &[ValueKind::Phone]), [""; 0], "{text}");
    }
}

#[test]
fn a_name_is_the_customers_own_and_not_a_trade_or_a_company() {
    for (text, expected) in [
        ("me yamo jose", &["name:jose=Jose"][..]),
        ("buenas tardes, con Marcela Ospina", &["name:Marcela Ospina=Marcela Ospina"]),
        ("con Marcela", &["name:Marcela=Marcela"]),
        ("buenas parce, con Andrés", &["name:Andrés=Andrés"]),
        ("hola, habla con Marcela", &["name:Marcela=Marcela"]),
        ("Hola soy Camila Torres de Dulces Camila", &["name:Camila Torres=Camila Torres"]),
        ("soy Camila Torres de la empresa Dulces Camila", &["name:Camila Torres=Camila Torres"]),
        ("soy María de Jesús López", &["name:María de Jesús López=María de Jesús López"]),
        ("soy Juan de la Cruz Díaz", &["name:Juan de la Cruz Díaz=Juan de la Cruz Díaz"]),
        (
            "mi nombre es Dolores Fuertes de Barriga",
            &["name:Dolores Fuertes de Barriga=Dolores Fuertes de Barriga"],
        ),
        ("Soy el gerente de Textiles Omega", &[]),
        ("soy Asesor Comercial", &[]),
        ("soy asesor comercial", &[]),
        ("soy de la empresa Omega", &[]),
        ("Soy Independiente", &[]),
        ("se llama Tortas Lucy", &[]),
        ("la empresa se llama Sol", &[]),
        ("trabajo con Seguros Bolívar", &[]),
        ("quiero hablar con Carlos", &[]),
        ("con gusto", &[]),
    ] {
        let names: Vec<_> =
            found(text, &[]).into_iter().filter(|found| found.starts_with("name")).collect();
        assert_eq!(names, expected, "{text}");
    }
}
