//! Random messages and summaries: no panic, the same answer twice, and reasons within the message.

use nlu::{Agreement, agrees, reads_agreement};
use proptest::prelude::*;

use crate::summary;

/// Words the reader knows, so that random messages reach deep into it.
fn known_words() -> impl Strategy<Value = String> {
    const WORDS: &str = "si sí dale ok confirmo confirmá el pedido la leche pan cocas 2 3 dos un una a Mitre 450 2° B \
        $9.400 9.400 1,5 l 1.5 800 mas envio y con de por favor gracias no hay problema todo bien esta que soy Ana \
        nomas nada jaja uy claro 👍 😂 ❤️ 👍🏽 🙏 ? ¿ , . ! : ( ) - + # % 100 100% xfa k q <3 :D :( siii yesyes \
        yes go ahead please it is perfect x2 2b ñ É \n \u{200d} \u{fe0f} º ª ½ ① ﬁ";
    let words: Vec<&str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
    prop::collection::vec((prop::sample::select(words), prop::bool::ANY), 0..25).prop_map(|words| {
        words.iter().flat_map(|(word, apart)| [*word, if *apart { " " } else { "" }]).collect()
    })
}

fn holds(message: &str, shown: &str) -> Result<(), TestCaseError> {
    let read = reads_agreement(message, shown);
    prop_assert_eq!(&read, &reads_agreement(message, shown));
    prop_assert_eq!(agrees(message, shown), read == Agreement::Yes);
    if let Agreement::No { at: Some(at), .. } = read {
        prop_assert!(message.get(at.clone()).is_some(), "{:?}", at);
    }
    // A message that in the end asks or denies is no yes, whatever its beginning.
    for tail in [" pero no", " cancelalo", " mañana", "?"] {
        let turned = format!("{message}{tail}");
        prop_assert!(tail == "?" || !agrees(&turned, shown), "{}", turned);
    }
    Ok(())
}

proptest! {
    #[test]
    fn anything_typed_is_read_without_a_panic(message in "\\PC{0,60}", shown in "\\PC{0,80}") {
        holds(&message, &shown)?;
    }

    #[test]
    fn known_words_in_any_order_are_read_without_a_panic(message in known_words(), shown in known_words()) {
        holds(&message, &shown)?;
        holds(&message, summary("S"))?;
    }
}

#[test]
fn a_message_of_any_length_is_answered_at_once() {
    for piece in ["si ", "no hay problema ", "👍", "2 cocas y ", "9.400,", "a", "\n", "1.000"] {
        assert!(!agrees(&piece.repeat(200_000), summary("S")), "{piece}");
        reads_agreement("si", &piece.repeat(20_000));
    }
}

#[test]
fn a_sign_at_the_end_is_pointed_at_where_it_stands() {
    for message in ["\u{200d}+", "\u{200d}$", "si \u{fe0f}#"] {
        if let Agreement::No { at: Some(at), .. } = reads_agreement(message, "") {
            assert!(message.get(at.clone()).is_some(), "{message:?} {at:?}");
        }
    }
}
