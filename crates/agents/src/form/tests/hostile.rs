//! Whatever is written, a turn ends in a reply and keeps what it had.

use std::sync::LazyLock;

use domain::SessionState;
use proptest::prelude::*;

use super::kit::{Alone, agent, collected, message, turn};
use crate::FormAgent;

static AGENT: LazyLock<FormAgent> = LazyLock::new(agent);

fn survives(text: &str, fields: usize) {
    let before = collected(fields);
    let state = SessionState { datos_capturados: before.clone(), ..SessionState::default() };
    let outcome = turn(&AGENT, &state, message(text), &mut Alone::default());
    let names: Vec<_> = outcome.state.datos_capturados.keys().collect();
    assert!(before.keys().all(|name| names.contains(&name)), "{text:?} lost a field");
    assert!(!outcome.replies.is_empty(), "{text:?} was not answered");
}

#[test]
fn odd_and_huge_messages_are_answered() {
    let huge = [
        "a".repeat(100_000),
        "no, es ".repeat(15_000),
        "mi correo es ".repeat(8_000),
        "1".repeat(100_000),
        "¿".repeat(50_000),
        "nombre: Ana, ".repeat(8_000),
    ];
    let odd = [
        "\u{202e}ana@sol.co\u{202c}",
        "\u{0}\u{1}\u{7}\u{1b}[31m",
        "*",
        "**",
        "* ",
        "no era sino ",
        "no es es ",
        "İİİİ ext 5 ǅ",
        "se llama ",
        "empresa",
        "mi empresa es",
        "ﬁ\u{301}\u{301}\u{301} soy ñ",
        "👨‍👩‍👧‍👦",
        "\r\n\r\n",
        "soy 𝕬𝖓𝖆",
        "+57(300)1234567 ext. İ",
    ];
    for text in odd.iter().copied().chain(huge.iter().map(String::as_str)) {
        for fields in [0, 3, 6] {
            survives(text, fields);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_message_breaks_a_turn(text in "\\PC{0,80}", fields in 0_usize..7) {
        survives(&text, fields);
    }

    #[test]
    fn no_mix_of_cues_and_values_breaks_a_turn(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "no", "es", "sino", "era", "mi correo", "empresa", "*", ",", "\n", "se llama", "ana@sol.co",
                "3001112233", "Sol", "perdón", "5 millones", "ñ", "İ", "no tengo", "https://", "¿", "soy",
            ]),
            0..12,
        ),
        fields in 0_usize..7,
    ) {
        survives(&parts.join(" "), fields);
    }
}
