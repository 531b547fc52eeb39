//! Random messages: no panic, spans at the edges of characters, none shared, and time that grows
//! with the text.

use jiff::tz::TimeZone;
use nlu::{City, Country, Extractor, Locale, Normalized, ValueKind};
use proptest::prelude::*;

fn extractor(country: Country) -> Extractor {
    Extractor::new(&Locale {
        country,
        time_zone: TimeZone::UTC,
        cities: vec![City { name: "Bogotá".to_owned(), aliases: Vec::new() }],
        products: Vec::new(),
    })
}

fn holds(text: &str, country: Country) -> Result<(), TestCaseError> {
    let extractor = extractor(country);
    let now = "2026-03-04T13:00:00Z".parse().unwrap();
    let normalized = Normalized::new(text);
    let mut lists = vec![extractor.find(&normalized, now)];
    lists.extend(ValueKind::ALL.map(|kind| extractor.find_kinds(&normalized, now, &[kind])));
    for list in &lists {
        let mut end = 0;
        for found in list {
            prop_assert!(text.get(found.span.clone()).is_some_and(|written| written == found.text));
            prop_assert!(found.span.start >= end && !found.span.is_empty(), "{:?}", list);
            end = found.span.end;
            serde_json::to_string(found).unwrap();
        }
    }
    prop_assert_eq!(&lists[0], &extractor.find(&normalized, now));
    Ok(())
}

/// Words that the readers know, so that random messages reach deep into them.
fn known_words() -> impl Strategy<Value = String> {
    let words = [
        "mil",
        "millones",
        "y",
        "media",
        "medio",
        "con",
        "coma",
        "de",
        "del",
        "la",
        "el",
        "a",
        "las",
        "entre",
        "desde",
        "hasta",
        "lunes",
        "martes",
        "mañana",
        "marzo",
        "dic",
        "próximo",
        "pasado",
        "que",
        "viene",
        "semana",
        "mes",
        "año",
        "3",
        "31",
        "99",
        "2019",
        "0",
        "24",
        "99999999999",
        ":",
        "/",
        "-",
        ".",
        ",",
        "#",
        "$",
        "%",
        "@",
        "+",
        "(",
        ")",
        "pm",
        "am",
        "dos",
        "docena",
        "tercios",
        "primera",
        "última",
        "trimestre",
        "soy",
        "Ana",
        "me",
        "llamo",
        "Av",
        "calle",
        "piso",
        "dni",
        "cuit",
        "tel",
        "kilo",
        "pesos",
        "cada",
        "hace",
        "en",
        "dentro",
        "antes",
        "después",
        "arroba",
        "punto",
        "com",
        "½",
        "º",
        "fin",
        "menos",
        "30",
        "1e9",
        "^",
        "mediados",
        "siglo",
        "hábiles",
        "días",
        "9999",
        "minutos",
        "años",
        "billones",
        "noventa",
    ];
    prop::collection::vec((prop::sample::select(words.to_vec()), prop::bool::ANY), 0..25).prop_map(
        |words| {
            words
                .into_iter()
                .map(|(word, glued)| if glued { word.to_owned() } else { format!("{word} ") })
                .collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn any_text_is_read_without_harm(text in "\\PC{0,120}") {
        holds(&text, Country::AR)?;
    }

    #[test]
    fn any_row_of_known_words_is_read_without_harm(text in known_words()) {
        holds(&text, Country::AR)?;
        holds(&text, Country::US)?;
    }
}

#[test]
fn time_grows_with_the_text_and_no_faster() {
    let extractor = extractor(Country::AR);
    let now = "2026-03-04T13:00:00Z".parse().unwrap();
    let read = |unit: &str, size: usize| {
        let text = unit.repeat(size / unit.len());
        let found = extractor.find(&Normalized::new(&text), now);
        // A value is said in one breath, so no value may take the whole text.
        let long =
            |found: &nlu::Found| found.text.len() > 2_000 && found.value.kind() != ValueKind::Url;
        assert!(!found.iter().any(long), "{unit:?}");
    };
    for unit in ["1", "a@", "mil "] {
        read(unit, 100_000);
    }
    for unit in [
        "1 ",
        "1.",
        "1,1 ",
        "lunes ",
        "de ",
        "entre 1 y ",
        "a las 5 y ",
        "soy ",
        "Av ",
        "@ ",
        "$",
        "x.",
        "-",
        "(",
        "dos mil y ",
        "primera semana de ",
        "próximo ",
        "calle 1 # ",
        "arroba punto ",
        "12/",
        "👍",
        "1 2 3 4 ",
        "dni ",
        "hasta desde ",
        "veinte ",
        "cada ",
        "más de ",
        "Aa ",
        "milesimo ",
        "1 de ",
        "\u{fdfa}",
    ] {
        read(unit, 5_000);
    }
}
