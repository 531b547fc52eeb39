//! The lines of a customer, without end: one form after another, each filled and then corrected.
//!
//! Every line makes the form walk four to six nodes and store something, and none wants a person.

/// Lines of one form; the next one begins the form anew.
pub(crate) const LENGTH: u64 = 20;

const OPENING: &str = "Hola, buenas tardes";

const NAMES: [&str; 5] =
    ["Juan Pérez", "Ana María Restrepo", "Julián Castro", "Paola Gómez", "Luz Marina Duque"];

const QUESTIONS: [&str; 5] = [
    "¿Y eso cuánto me va a costar?",
    "¿Para qué quieren mis datos?",
    "¿A qué hora atienden?",
    "¿Para qué es este registro?",
    "¿Con quién hablo, eres un robot?",
];

/// Message `n` of a conversation; values tell of both, so that no two are alike.
pub(crate) fn line(conversation: u64, n: u64) -> String {
    let form = n / LENGTH;
    let pick = |list: [&'static str; 5]| list[((conversation + form) % 5) as usize];
    match n % LENGTH {
        0 => OPENING.to_owned(),
        1 => format!("Mi nombre es {}", pick(NAMES)),
        2 => email(conversation, n),
        3 => format!("mi celular es {}", phone(conversation, n)),
        4 => pick(QUESTIONS).to_owned(),
        5 => company(conversation, n),
        6 => format!("nuestra página es https://c{conversation}m{n}.com.co"),
        7 => format!("unos {} millones", 2 + n % 40),
        line => match line % 3 {
            0 => format!("perdón, mi celular es {}", phone(conversation, n)),
            1 => format!("no, mi correo es {}", email(conversation, n)),
            _ => format!("me equivoqué, la empresa se llama {}", company(conversation, n)),
        },
    }
}

/// Whether a form begins with this line.
pub(crate) fn opens(line: &str) -> bool {
    line == OPENING
}

fn email(conversation: u64, n: u64) -> String {
    format!("c{conversation}m{n}@sol.co")
}

fn phone(conversation: u64, n: u64) -> String {
    format!("31{:08}", (conversation * 10_007 + n) % 100_000_000)
}

fn company(conversation: u64, n: u64) -> String {
    format!("Taller C{conversation} M{n}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alone::Alone;
    use crate::form::Registro;

    #[tokio::test]
    async fn every_line_is_understood_and_walks_four_to_six_nodes() {
        let mut alone = Alone::with(Registro::read().unwrap().agent().unwrap());
        for conversation in [0, 7, 63, 499] {
            alone.begin_anew();
            for n in 0..5 * LENGTH {
                let line = line(conversation, n);
                if opens(&line) {
                    alone.begin_anew();
                }
                alone.hear(std::slice::from_ref(&line));
                let outcome = alone.turn().await.unwrap();
                let [reply] = outcome.replies.as_slice() else { panic!("{line}: {outcome:?}") };
                let trace = outcome.trace.as_ref().unwrap();
                assert!((4..=6).contains(&trace.path.len()), "{line}: {:?}", trace.path);
                assert_eq!(outcome.handoff, None, "{line}");
                let reply = reply.text.reveal();
                let (at, taken) = (n % LENGTH, trace.fields.len());
                assert_eq!(taken, usize::from(!matches!(at, 0 | 4)), "{line}: {reply}");
                let value = line.rsplit(' ').next().unwrap();
                assert!(at < 8 || reply.contains(value), "{line}: {reply}");
                assert_eq!(outcome.mode == "completo", at >= 7, "{line}: {reply}");
                alone.settle(outcome);
            }
        }
    }
}
