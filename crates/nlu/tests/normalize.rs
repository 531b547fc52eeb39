//! Normalised text: its form, and the way back to the original, which always holds.

use nlu::Normalized;
use proptest::prelude::*;

#[test]
fn the_folded_text_is_small_unmarked_and_visible() {
    let cases = [
        ("¡Qué ÑANDÚ!", "¡que nandu!"),
        ("e\u{301}", "e"),
        ("ＡＢＣ１２３ ﬁn x²", "abc123 fin x2"),
        ("ho\u{200b}la\u{202e}\u{e0041}\u{fe0f}", "hola"),
        ("a\nb\tc\r\nd\u{a0}e", "a b c  d e"),
        ("a\u{0}b\u{7}", "ab"),
        ("Straße Øre", "strasse ore"),
        ("it’s “ok” – sí…", "it's \"ok\" - si..."),
        ("it´s", "it's"),
        ("👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3} ‼", "👍🏽 ❤ 1 !!"),
        ("juan@x.com +57 300", "juan@x.com +57 300"),
    ];
    for (given, expected) in cases {
        assert_eq!(Normalized::new(given).folded(), expected, "{given:?}");
    }
}

#[test]
fn what_nobody_sees_is_not_read_wherever_it_stands() {
    // Zero-width, bidirectional, soft hyphen, fillers, selectors, tags, and other characters that
    // draw nothing.
    let hidden = [
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{2060}',
        '\u{feff}',
        '\u{200e}',
        '\u{200f}',
        '\u{61c}',
        '\u{202a}',
        '\u{202e}',
        '\u{2066}',
        '\u{2069}',
        '\u{ad}',
        '\u{34f}',
        '\u{115f}',
        '\u{1160}',
        '\u{3164}',
        '\u{ffa0}',
        '\u{17b4}',
        '\u{17b5}',
        '\u{180b}',
        '\u{180e}',
        '\u{180f}',
        '\u{fe00}',
        '\u{fe0f}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e007f}',
        '\u{e0100}',
        '\u{fff9}',
        '\u{13430}',
        '\u{1d159}',
        '\u{1d173}',
        '\u{1b}',
        '\u{9b}',
    ];
    for c in hidden {
        let text = format!("{c}con{c}firmo{c} {c}el{c} pe{c}dido{c}");
        let read = Normalized::new(&text);
        assert_eq!(read.plain(), "confirmo el pedido", "{c:?}");
        assert_eq!(read.folded(), "confirmo el pedido", "{c:?}");
        let word = &read.words()[0];
        assert!(read.original()[word.original.clone()].starts_with('c'), "{c:?}");
    }
}

#[test]
fn chat_spelling_is_written_out_only_where_it_is_safe() {
    let cases = [
        ("Holaaa, q tal?", "hola que tal"),
        ("xq no m respondes", "porque no me respondes"),
        ("x favor t paso el dato d mi casa", "por favor te paso el dato de mi casa"),
        ("Xfaaa kiero info", "por favor quiero info"),
        ("tmb tqm, ntp", "tambien te quiero mucho no te preocupes"),
        ("ola q ase", "hola que ase"),
        ("ola", "hola"),
        ("ola de calor", "ola de calor"),
        ("2 x 3", "2 x 3"),
        ("2x3 = 6", "2x3 6"),
        ("talla x por favor", "talla x por favor"),
        ("talla M", "talla m"),
        ("la m por favor", "la m por favor"),
        ("calle 45 d sur", "calle 45 d sur"),
        ("Juan D Pérez", "juan d perez"),
        ("Juan D. Pérez", "juan d perez"),
        ("x.com", "x com"),
        ("q@k.com", "q k com"),
        ("t/c y @q", "t c y q"),
        ("1 tb y 5 k", "1 tb y 5 k"),
        ("yo tb", "yo tambien"),
        ("mi whats", "mi whatsapp"),
        ("what's up, whats new", "whats up whats new"),
        ("siete u ocho", "siete u ocho"),
        ("can u help pls, thx", "can you help please thanks"),
        ("don’t, I'm", "dont im"),
        ("'hola' rock 'n' roll", "hola rock n roll"),
        ("3001110000 AAA111", "3001110000 aaa111"),
        ("siiii 👍 noooo", "si no"),
        ("🅰 🇦🇷 ok", "ok"),
        ("", ""),
    ];
    for (given, expected) in cases {
        assert_eq!(Normalized::new(given).plain(), expected, "{given:?}");
    }
}

#[test]
fn words_point_at_what_was_written() {
    let text = Normalized::new("¡Holaaa! xfa mi ca\u{301}sa don’t");
    let words: Vec<_> = text
        .words()
        .iter()
        .map(|w| (w.text.as_str(), &text.original()[w.original.clone()]))
        .collect();
    let expected = [
        ("hola", "Holaaa"),
        ("por", "xfa"),
        ("favor", "xfa"),
        ("mi", "mi"),
        ("casa", "ca\u{301}sa"),
        ("dont", "don’t"),
    ];
    assert_eq!(words, expected);
}

#[test]
fn spans_lead_back_to_whole_characters_as_written() {
    let folded = [
        ("El NIÑO", "nino", "NIÑO"),
        ("cafe\u{301} solo", "cafe", "cafe\u{301}"),
        ("ma\u{200b}ma ya", "mama", "ma\u{200b}ma"),
        ("di hola\u{200b}", "hola", "hola"),
        ("calle Straße 1", "s", "S"),
        ("ﬁn", "i", "ﬁ"),
        ("ok 👍🏽", "👍🏽", "👍🏽"),
    ];
    for (given, part, expected) in folded {
        let text = Normalized::new(given);
        let at = text.folded().find(part).expect(part);
        let span = text.original_span(at..at + part.len());
        assert_eq!(&given[span], expected, "{given:?}");
    }
    let plain = [
        ("Holaaa, mi CORREO", "hola mi", "Holaaa, mi"),
        ("Holaaa, mi CORREO", "corr", "CORR"),
        ("xfa ya", "favor ya", "xfa ya"),
        ("hola,   mundo", " ", ",   "),
        ("don't go", "don", "don't"),
    ];
    for (given, part, expected) in plain {
        let text = Normalized::new(given);
        let at = text.plain().find(part).expect(part);
        assert_eq!(&given[text.original_span_of_plain(at..at + part.len())], expected, "{given:?}");
    }
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn a_span_beyond_the_text_is_cut_to_it() {
    let text = Normalized::new("sí");
    assert_eq!(text.original_span(0..99), 0..3);
    assert_eq!(text.original_span(50..99), 3..3);
    assert_eq!(text.original_span(2..1), 3..3);
    assert_eq!(text.original_span_of_plain(0..99), 0..3);
    assert_eq!(text.original_span_of_plain(9..9), 3..3);
    assert_eq!(Normalized::new("👍").original_span_of_plain(0..3), 4..4);
    // The gap between two words written out of one.
    assert_eq!(Normalized::new("xfa").original_span_of_plain(3..4), 3..3);
}

fn messages() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "hola",
        "xfa",
        "q",
        "x",
        "tqm",
        "holaaa",
        "siii",
        "don't",
        "ñ",
        "e\u{301}",
        "ﬁ",
        "ß",
        "👍🏽",
        "\u{200d}",
        "\u{fe0f}",
        " ",
        "\n",
        ".",
        "@",
        "2",
        "İ",
        "ǅ",
        "Ⓜ",
        "🅰",
        "ﷺ",
        "各",
        "\u{1e9b}\u{323}",
    ]);
    let mixed = prop::collection::vec(pieces, 0..24).prop_map(|parts| parts.concat());
    prop_oneof![any::<String>(), "\\PC{0,40}", mixed]
}

proptest! {
    #[test]
    fn every_span_lies_on_characters_and_keeps_their_order(given in messages(), a in 0..80_usize, b in 0..80_usize, c in 0..80_usize) {
        let text = Normalized::new(&given);
        for word in text.words() {
            prop_assert!(text.folded().get(word.folded.clone()).is_some());
            prop_assert!(!given[word.original.clone()].is_empty());
            prop_assert!(!word.text.is_empty() && !word.text.contains(' '));
        }
        let mut edges = [a, b, c];
        edges.sort_unstable();
        let [a, b, c] = edges;
        prop_assert!(given.get(text.original_span(a..b)).is_some());
        prop_assert!(text.original_span(a..c).start <= text.original_span(b..c).start);
        prop_assert!(text.original_span(0..b).end <= text.original_span(0..c).end);
        prop_assert!(given.get(text.original_span_of_plain(a..c)).is_some());
    }

    #[test]
    fn folding_twice_changes_nothing_more(given in messages()) {
        let once = Normalized::new(&given).folded().to_owned();
        let twice = Normalized::new(&once);
        prop_assert_eq!(twice.folded(), &once);
    }

    #[test]
    fn plain_text_is_words_and_single_spaces(given in messages()) {
        let text = Normalized::new(&given);
        let joined: Vec<_> = text.words().iter().map(|word| word.text.as_str()).collect();
        prop_assert_eq!(text.plain(), joined.join(" "));
        prop_assert!(!text.plain().contains("  "));
        prop_assert!(!text.plain().contains(char::is_uppercase));
    }

    #[test]
    fn a_whole_word_of_the_plain_text_is_where_it_was_written(given in messages()) {
        let text = Normalized::new(&given);
        let mut at = 0;
        for word in text.words() {
            let span = text.original_span_of_plain(at..at + word.text.len());
            prop_assert_eq!(span, word.original.clone());
            at += word.text.len() + 1;
        }
    }
}
