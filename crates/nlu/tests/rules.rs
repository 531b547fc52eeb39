//! The rules engine: phrases, patterns, exceptions, overlaps and spans.

use nlu::{Builtin, Normalized, Rules, RulesBuilder};
use proptest::prelude::*;

fn found<'t>(rules: &Rules, text: &'t str) -> Vec<(String, &'t str)> {
    let normalized = Normalized::new(text);
    rules
        .find(&normalized)
        .iter()
        .map(|hit| (hit.set.to_owned(), &text[hit.span.clone()]))
        .collect()
}

fn check(rules: &Rules, cases: &[(&str, &[(&str, &str)])]) {
    for (text, expected) in cases {
        let expected: Vec<_> =
            expected.iter().map(|(set, span)| ((*set).to_owned(), *span)).collect();
        assert_eq!(found(rules, text), expected, "{text:?}");
    }
}

#[test]
fn phrases_match_whole_words_however_they_are_spelled() {
    let rules = RulesBuilder::new()
        .keywords("cancel", ["cancel*", "dar de baja", "baj* mi pedid*"])
        .keywords("pay", ["Págo", "x favor"])
        .keywords("symbols", ["👍", "", "  "])
        .build();
    check(
        &rules,
        &[
            ("Quiero CANCELAR ya", &[("cancel", "CANCELAR")]),
            ("recancelar", &[]),
            ("dar  de... baja", &[("cancel", "dar  de... baja")]),
            ("dar de bajada", &[]),
            ("bajen mi pedidito", &[("cancel", "bajen mi pedidito")]),
            ("bajen mi auto", &[]),
            ("bajen", &[]),
            ("pagó", &[("pay", "pagó")]),
            ("pagos", &[]),
            ("por favor", &[("pay", "por favor")]),
            ("xfa", &[("pay", "xfa")]),
            ("dale 👍🏽", &[("symbols", "👍")]),
            ("", &[]),
        ],
    );
}

#[test]
fn the_longest_match_of_a_set_wins_and_sets_do_not_hide_each_other() {
    let rules = RulesBuilder::new()
        .keywords("a", ["buen", "buen dia", "dia de", "dia de la madre", "hoy"])
        .keywords("b", ["dia"])
        .build();
    check(
        &rules,
        &[
            ("buen día de hoy", &[("a", "buen día"), ("b", "día"), ("a", "hoy")]),
            ("buen", &[("a", "buen")]),
            ("buen día de la madre", &[("a", "día de la madre"), ("b", "día")]),
        ],
    );
}

#[test]
fn patterns_see_punctuation_and_word_patterns_see_meaning() {
    let rules = RulesBuilder::new()
        .pattern("code", r"\bAB-\d{3}\b")
        .and_then(|rules| rules.pattern("accent", "cancelación"))
        .and_then(|rules| rules.words_pattern("why", "^porque no"))
        .and_then(|rules| rules.except("why", "porque no puedo"))
        .expect("the patterns compile")
        .build();
    check(
        &rules,
        &[
            ("¿mi ab-123?", &[("code", "ab-123")]),
            ("ñab-123", &[]),
            ("CANCELACIÓN 🚨", &[("accent", "CANCELACIÓN")]),
            ("xq nooo", &[("why", "xq nooo")]),
            ("xq no puedo", &[]),
        ],
    );
}

#[test]
fn an_exception_silences_only_what_it_covers() {
    let rules = RulesBuilder::new()
        .keywords("person", ["asesor"])
        .keywords("other", ["soy asesor"])
        .except("person", "soy asesor")
        .expect("it compiles")
        .build();
    check(
        &rules,
        &[("soy asesor, quiero un asesor", &[("other", "soy asesor"), ("person", "asesor")])],
    );
    let text = Normalized::new("soy asesor, quiero un asesor");
    assert_eq!(rules.find(&text).first("person").map(|hit| hit.span.clone()), Some(22..28));
}

#[test]
fn a_pattern_that_cannot_serve_says_which_and_why() {
    let cases = [
        ("a(b", "unclosed group"),
        (r"\pL{200}", "bytes allowed"),
        ("x*", "empty text"),
        (r"(a)\1", "backreferences"),
    ];
    for (pattern, why) in cases {
        let error = RulesBuilder::new().pattern("mine", pattern).expect_err(pattern);
        assert_eq!((error.set.as_str(), error.pattern.as_str()), ("mine", pattern));
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_pack_adds_to_a_built_in_set_under_its_name() {
    let rules =
        RulesBuilder::new().builtin(Builtin::Greeting).keywords("greeting", ["epale"]).build();
    for text in ["épale", "hola"] {
        assert!(rules.find(&Normalized::new(text)).any("greeting"), "{text}");
    }
    assert_eq!(rules.sets().collect::<Vec<_>>(), ["greeting"]);
    let text = Normalized::new("épale pues");
    let hits = rules.find(&text);
    assert_eq!(hits.first("greeting").map(|hit| hit.rule), Some("epale"));
    assert_eq!((hits.len(), hits.of("greeting").count(), hits.any("farewell")), (1, 1, false));
}

fn every_builtin() -> &'static Rules {
    static RULES: std::sync::LazyLock<Rules> = std::sync::LazyLock::new(|| {
        Builtin::ALL.into_iter().fold(RulesBuilder::new(), RulesBuilder::builtin).build()
    });
    &RULES
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_written_hits_lie_inside_it_in_order(given in any::<String>(), tail in "[a-zñ¿?! ]{0,40}") {
        let given = given + &tail;
        let text = Normalized::new(&given);
        let hits = every_builtin().find(&text);
        for hit in &hits {
            prop_assert!(given.get(hit.span.clone()).is_some_and(|part| !part.is_empty()));
        }
        prop_assert!(hits.iter().map(|hit| hit.span.start).is_sorted());
        for set in every_builtin().sets() {
            let spans: Vec<_> = hits.of(set).map(|hit| hit.span.clone()).collect();
            prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{set}: {spans:?}");
        }
    }
}
