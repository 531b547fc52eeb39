//! W2 with the form: each message gives a value that only it has and corrects the name, the last one
//! only the name, so that the form repeats the value whether it answers the message alone or
//! together with others.

use super::LINES;

const NAMES: [&str; LINES as usize] =
    ["Ana Rojas", "Berta Luna", "Carla Mesa", "Dora Vélez", "Elsa Pardo"];

pub(super) fn text(round: u32, conversation: u32, message: u32) -> String {
    let (name, value) = (name(message), value(round, conversation, message));
    let label = match message {
        0 => "correo",
        1 => "celular",
        2 => "página",
        3 => "presupuesto",
        _ => return format!("no, mi nombre es {name}"),
    };
    format!("no, mi nombre es {name}, mi {label} es {value}")
}

/// The part of a message that its reply repeats, and no other reply to that customer.
pub(super) fn value(round: u32, conversation: u32, message: u32) -> String {
    match message {
        0 => format!("r{round}c{conversation}@sol.co"),
        1 => format!("300{round}{conversation:06}"),
        2 => format!("https://r{round}c{conversation}.com.co"),
        3 => format!("{}.{:03}.{:03}", round + 1, conversation / 1000, conversation % 1000),
        _ => name(message).to_owned(),
    }
}

fn name(message: u32) -> &'static str {
    NAMES[message as usize]
}

#[cfg(test)]
mod tests {
    use super::super::answered;
    use super::super::tests::ways;
    use super::*;
    use crate::alone::Alone;
    use crate::form::Registro;
    use crate::subject::Subject;

    /// Five messages may be answered in one turn, in five, or in any number between.
    #[tokio::test]
    async fn every_message_is_repeated_once_however_they_are_put_together() {
        let mut alone = Alone::with(Registro::read().unwrap().agent().unwrap());
        let customers = (0..5).flat_map(|round| [0, 9, 417, 999].map(|place| (round, place)));
        for ((round, conversation), way) in
            customers.flat_map(|customer| ways().map(move |way| (customer, way)))
        {
            alone.begin_anew();
            for waiting in way {
                let texts: Vec<_> =
                    waiting.iter().map(|message| text(round, conversation, *message)).collect();
                alone.hear(&texts);
                let outcome = alone.turn().await.unwrap();
                let reply: String =
                    outcome.replies.iter().map(|reply| reply.text.reveal().as_str()).collect();
                let repeated: Vec<u32> =
                    answered(Subject::Registro, round, conversation, &reply).collect();
                assert_eq!(repeated, waiting, "{texts:?}: {reply}");
                assert_eq!(outcome.handoff, None);
                alone.settle(outcome);
            }
        }
    }

    #[tokio::test]
    async fn a_message_taken_twice_or_out_of_turn_is_repeated_all_the_same() {
        let mut alone = Alone::with(Registro::read().unwrap().agent().unwrap());
        for message in [0, 2, 1, 1, 4, 3, 3, 0, 4] {
            alone.hear(&[text(2, 417, message)]);
            let outcome = alone.turn().await.unwrap();
            let reply = outcome.replies[0].text.reveal();
            assert!(reply.contains(&value(2, 417, message)), "{message}: {reply}");
            alone.settle(outcome);
        }
    }
}
