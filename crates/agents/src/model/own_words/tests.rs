//! The guard by itself: its marks, acts, names, previews and paraphrases.

use jiff::tz::TimeZone;
use nlu::{Country, Extractor, Locale};

use super::*;

const TALK: [SpeechAct; 4] =
    [SpeechAct::Greet, SpeechAct::Thank, SpeechAct::AskProduct, SpeechAct::OfferPerson];

fn extractor() -> Extractor {
    Extractor::new(&Locale {
        country: Country::CO,
        time_zone: TimeZone::UTC,
        cities: Vec::new(),
        products: Vec::new(),
    })
}

fn check(acts: &[SpeechAct], moment: &Moment<'_>, rows: &[(&str, bool)]) {
    let vocabulary = Vocabulary::new(
        ["Leche entera, gratis", "Pan"],
        ["tu dirección"],
        ["Hola, gracias por tu mensaje y por tu paciencia"],
    );
    let extractor = extractor();
    let allowed = Allowed::new(acts, &vocabulary, &extractor, moment);
    for (text, fine) in rows {
        let refused = allowed.refuses(text);
        assert_eq!(refused.is_none(), *fine, "{text}: {refused:?}");
    }
}

#[test]
fn marks_that_join_and_letters_of_other_writings_are_refused() {
    let rows = [
        ("¡Hola! Gracias por escribirnos…", true),
        ("Gracias por escribirnos 😊", true),
        ("Hola.gracias", false),
        ("Hola . gracias", false),
        ("Hola。gracias", false),
        ("Hola․gracias", false),
        ("Hola/gracias", false),
        ("Hola∕gracias", false),
        ("Hola@gracias", false),
        ("Hola:gracias", false),
        ("Gra\u{200b}cias por escribirnos", false),
        ("Ｇracias por escribirnos", false),
        ("Grаcias por escribirnos", false),
        ("«Gracias» por escribirnos", false),
        ("", false),
    ];
    check(&TALK, &Moment::default(), &rows);
}

#[test]
fn only_the_acts_that_are_listed_pass_and_all_of_a_text_must() {
    let rows = [
        ("¡Hola! Gracias por escribirnos.", true),
        ("¡Hola! Te lo dejo más barato.", false),
        ("Lamento la demora.", false),
        ("Claro.", false),
        ("Claro, ¿la leche entera o el pan?", true),
        ("¿La leche gratis o el pan?", false),
    ];
    check(&TALK, &Moment::default(), &rows);
}

#[test]
fn a_closing_question_follows_an_offer_alone() {
    let rows = [
        ("Una persona del equipo te puede ayudar, ¿te parece?", true),
        ("Gracias por escribirnos, ¿te parece?", false),
    ];
    check(&TALK, &Moment::default(), &rows);
}

#[test]
fn data_is_asked_for_only_where_it_is_collected() {
    let asks = [SpeechAct::AskData];
    let rows = |fine| [("¿Me das tu dirección?", fine), ("¿Me das tu clave?", false)];
    check(&asks, &Moment { collects: true, ..Moment::default() }, &rows(true));
    check(&asks, &Moment::default(), &rows(false));
}

#[test]
fn a_prompt_is_not_read_out() {
    let rows = [
        ("Gracias por tu mensaje.", true),
        ("Hola, gracias por tu mensaje y por tu paciencia.", false),
    ];
    check(&TALK, &Moment::default(), &rows);
}

#[test]
fn customers_are_called_by_their_name_and_by_nothing_else() {
    let moment = |name| Moment { names: vec![name], ..Moment::default() };
    check(&TALK, &moment("Ana Gómez"), &[("¡Gracias, Ana!", true), ("¡Gracias, Eva!", false)]);
    check(&TALK, &moment("Pago Gratis"), &[("¡Gracias, Pago Gratis!", false)]);
}

#[test]
fn a_preview_shows_whole_sentences_that_are_allowed() {
    let (vocabulary, extractor) = (Vocabulary::default(), extractor());
    let allowed = Allowed::new(&TALK, &vocabulary, &extractor, &Moment::default());
    let preview = preview(&allowed);
    assert_eq!(preview("Gracias por"), None);
    assert_eq!(preview("¡Hola! Gra"), Some("¡Hola!".to_owned()));
    assert_eq!(preview("¡Hola!"), None, "a mark may be followed by more");
    assert_eq!(preview("Vale mil. Y"), None);
}

#[test]
fn a_paraphrase_says_what_its_template_says() {
    let (vocabulary, extractor) = (Vocabulary::default(), extractor());
    let template = "El frasco vale ⟦1⟧ y no pagas nada hasta recibirlo.";
    let rows = [
        ("Te cuento, el frasco sale en ⟦1⟧, y no pagas nada hasta que lo recibes.", true),
        ("El frasco vale ⟦1⟧ y pagas al recibirlo.", false),
        ("El frasco vale ⟦1⟧ y no pagas nada hasta recibirlo, ¿confirmas?", false),
        ("El frasco vale ⟦1⟧ o dos mil, y no pagas nada hasta recibirlo.", false),
        ("El frasco vale ⟦1⟧, cura, y no pagas nada hasta recibirlo.", false),
        ("El frasco vale ⟦1⟧ en frasco.vale y no pagas nada hasta recibirlo.", false),
    ];
    for (said, fine) in rows {
        let stray = strays(&vocabulary, &extractor, template, said);
        assert_eq!(stray.is_none(), fine, "{said}: {stray:?}");
    }
}

#[test]
fn every_word_of_the_grammars_is_one_that_a_text_can_have() {
    for text in [include_str!("acts/es.txt"), include_str!("acts/en.txt")] {
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let plain = line.chars().all(|c| c.is_ascii() || c == '¿');
            assert!(plain && line == line.to_lowercase(), "{line}");
        }
    }
}
