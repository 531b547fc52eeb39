//! The shape of the values found: documents, quantities, single kinds, and the JSON of each.

use jiff::Timestamp;
use jiff::tz::{TimeZone, offset};
use nlu::{Country, Extractor, Locale, Normalized, Value, ValueKind};
use serde_json::json;

/// A Wednesday, at ten in the morning in Buenos Aires.
fn now() -> Timestamp {
    "2026-03-04T13:00:00Z".parse().unwrap()
}

fn extractor(country: Country) -> Extractor {
    Extractor::new(&Locale {
        country,
        time_zone: TimeZone::fixed(offset(-3)),
        cities: Vec::new(),
        products: Vec::new(),
    })
}

/// Each case is a message and its values as `kind:text=value`.
fn check(country: Country, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let found = extractor(country).find(&Normalized::new(text), now());
        let got: Vec<_> = found
            .iter()
            .map(|f| format!("{}:{}={}", f.value.kind().name(), f.text, f.value.canonical()))
            .collect();
        assert_eq!(got, *expected, "{text:?}");
    }
}

#[test]
fn documents_are_found_by_their_name_or_by_their_check_digit() {
    let text = "cuit 20-05536168-2, dni 30.123.456, cuil 20055361683 y 30714468088";
    let found = extractor(Country::AR).find(&Normalized::new(text), now());
    let json = serde_json::to_value(&found).unwrap();
    let short: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{} {} {}", f["document"], f["value"], f["valid"]))
        .collect();
    assert_eq!(
        short,
        [
            r#""cuit" "20055361682" true"#,
            r#""dni" "30123456" true"#,
            r#""cuil" "20055361683" false"#,
            r#""cuit" "30714468088" true"#
        ]
    );
    check(
        Country::CO,
        &[
            ("cc 1.020.345.678", &["document:1.020.345.678=1020345678"]),
            ("860.002.134-8", &["document:860.002.134-8=8600021348"]),
        ],
    );
}

#[test]
fn quantities_name_what_is_counted() {
    check(
        Country::AR,
        &[
            ("2 cocas y 3 fantas", &["quantity:2 cocas=2", "quantity:3 fantas=3"]),
            (
                "media docena de empanadas de carne",
                &["quantity:media docena de empanadas de carne=6"],
            ),
            (
                "un kilo de yerba y medio kilo de pan",
                &["quantity:un kilo de yerba=1", "quantity:medio kilo de pan=0.5"],
            ),
            ("kilo y medio de milanesas", &["quantity:kilo y medio de milanesas=1.5"]),
            ("1/2 kg de asado", &["quantity:1/2 kg de asado=0.5"]),
        ],
    );
    let listed = Extractor::new(&Locale {
        country: Country::AR,
        time_zone: TimeZone::UTC,
        cities: Vec::new(),
        products: vec!["coca".to_owned(), "pan lactal".to_owned()],
    });
    let text = "una coca, 2 panes lactales y 3 personas";
    let found: Vec<_> =
        listed.find(&Normalized::new(text), now()).into_iter().map(|f| f.value).collect();
    let quantity = |amount: i64, of: &str| Value::Quantity {
        amount: amount.into(),
        unit: None,
        of: of.to_owned(),
    };
    assert_eq!(
        found,
        [quantity(1, "coca"), quantity(2, "panes lactales"), Value::Number(3.into())]
    );
}

#[test]
fn a_kind_asked_for_by_name_is_not_hidden_by_another() {
    let extractor = extractor(Country::AR);
    let text = Normalized::new("mil cien pesos");
    let number = extractor.find_kinds(&text, now(), &[ValueKind::Number]);
    assert_eq!(number[0].value, Value::Number(1100.into()));
    let one = extractor.find_kinds(&Normalized::new("una"), now(), &[ValueKind::Number]);
    assert_eq!(one[0].value, Value::Number(1.into()));
    assert_eq!(ValueKind::named("money"), Some(ValueKind::Money));
    assert_eq!(ValueKind::named("coins"), None);
}

#[test]
fn a_found_value_is_one_flat_json_object() {
    let text = "cuesta 2 mil pesos, vení el martes";
    let found = extractor(Country::AR).find(&Normalized::new(text), now());
    assert_eq!(
        serde_json::to_value(&found).unwrap(),
        json!([
            {"kind": "money", "text": "2 mil pesos", "start": 7, "end": 18, "value": "2000", "unit": "ARS"},
            {"kind": "date", "text": "martes", "start": 29, "end": 35, "value": "2026-03-10",
             "timex": "XXXX-WXX-2",
             "values": [
                {"timex": "XXXX-WXX-2", "type": "date", "value": "2026-03-03"},
                {"timex": "XXXX-WXX-2", "type": "date", "value": "2026-03-10"}
             ]}
        ])
    );
}

#[test]
fn a_bare_weekday_is_the_last_one_or_the_coming_one() {
    for (text, dates) in
        [("miércoles", ["2026-02-25", "2026-03-04"]), ("jueves", ["2026-02-26", "2026-03-05"])]
    {
        let found = extractor(Country::AR).find(&Normalized::new(text), now());
        let values = &serde_json::to_value(&found).unwrap()[0]["values"];
        assert_eq!([&values[0]["value"], &values[1]["value"]], dates, "{text}");
    }
}
