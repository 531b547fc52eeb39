//! Random messages: no panic, spans at the edges of characters and in order, and time that grows
//! with the text.

use nlu::goods::{hear, shapes, terms};
use proptest::prelude::*;

fn holds(text: &str) -> Result<(), TestCaseError> {
    let heard = hear(text);
    let mut end = 0;
    for ask in &heard.asks {
        prop_assert!(text.get(ask.span.clone()).is_some(), "{:?}", ask);
        prop_assert!(ask.span.start >= end, "{:?}", heard.asks);
        // The size of all goods may be said after them, and then stands in each ask.
        let spread = ask.what.split_whitespace().all(|word| text.contains(word));
        prop_assert!(spread, "{:?}", ask);
        prop_assert!(ask.quantity.is_none_or(|quantity| quantity.value > 0.into()), "{:?}", ask);
        end = ask.span.end;
    }
    for question in &heard.questions {
        prop_assert!(text.get(question.span.clone()).is_some(), "{:?}", question);
    }
    prop_assert_eq!(&heard, &hear(text));
    for term in terms(text) {
        prop_assert!(!term.key().is_empty());
        prop_assert!(shapes(&term.key()).iter().all(|shape| shape.starts_with('~')));
    }
    Ok(())
}

/// Words that the readers know, so that random messages reach deep into them.
fn known_words() -> impl Strategy<Value = String> {
    const WORDS: &str = "2 500 1.5 2,25 medio media cuarto tres cuartos y de del la las x por ( ) , . ? ¿ \
        litro kilo kg l g ml docena docenas par un una uno otra otras dos dame sacá sacala cambiá \
        cambiala en vez lugar no quiero mejor que sean sin gas la todas todos a mas hasta hora cuánto \
        tenés si hay coca fanta naranja 7 up 9 oro té 1/2 ½ ⁄ chica grande lata paquete 000 cero para \
        mañana pago vivo esa u unidades - ' + % $ pesos nada hacelo subilo deja ñandú \
        perdón alcanza con cada todo en paq bolsas cajas hacer pal d me nos ya jajaja el vuelto soy \
        envío pan leches feriados faltaron \n";
    let words: Vec<&str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
    prop::collection::vec((prop::sample::select(words), prop::bool::ANY), 0..25).prop_map(|words| {
        words
            .into_iter()
            .map(|(word, glued)| if glued { word.to_owned() } else { format!("{word} ") })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_heard_without_harm(text in "(\\PC|\n){0,120}") {
        holds(&text)?;
    }

    #[test]
    fn any_row_of_known_words_is_heard_without_harm(text in known_words()) {
        holds(&text)?;
    }
}

/// Quadratic work on any of these would take minutes.
#[test]
fn time_grows_with_the_text_and_no_faster() {
    for unit in [
        "a ",
        "no ",
        "no la ",
        "que ",
        "dame ",
        "dame a ",
        "1 ",
        "1.",
        "coca ",
        "todas ",
        "de ",
        "en vez de ",
        "cambiá ",
        "cambiá a ",
        "y ",
        "si ",
        "cuánto ",
        "¿",
        "?",
        "otra ",
        "x ",
        "sin ",
        "medio ",
        "kilo y ",
        "2 kilos de ",
        "mejor ",
        "sacala ",
        "la fanta no ",
        "vivo ",
        "(",
        "-",
        "\n",
        "docena y ",
        "un par de ",
        "7 up ",
        "x 2 ",
        "👍",
        "por ",
        "para ",
        "mas ",
        "para la ",
        "perdon ",
        "con 1 alcanza ",
        "con ",
        "coca, lata, ",
        "lata, ",
        "todo en lata ",
        "cada ",
        "coca (lata) ",
        "(lata) ",
        "no, mejor una ",
        "hacer coca ",
        "dame a casa ",
        "envio a ",
        "nos ",
        "si el ",
        "faltaron ",
        "2 paq ",
        "ja",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(hear(&text).asks.len() <= 50, "{unit:?}");
        assert!(terms(&text).len() <= 2, "{unit:?}");
    }
    let different: String = (0..20_000).map(|number| format!("a{}b ", spelled(number))).collect();
    assert!(terms(&different).len() <= 200);
}

/// A number in letters.
fn spelled(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect()
}
