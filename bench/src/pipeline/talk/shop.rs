//! W2 with the shop: four messages put goods into the cart, one asks something in between.
//!
//! Replies name what was put in, and then all that the cart holds: only the first of these answers.

/// Fewer than the shelf holds of any of them.
const MOST: u32 = 7;

pub(super) fn text(conversation: u32, message: u32) -> String {
    let units = units(conversation);
    match message {
        0 => format!("agregá {units} cocas de litro y medio"),
        1 => format!("sumá {units} yerbas playadito de medio kilo"),
        2 => "¿hacen envíos?".to_owned(),
        3 => format!("poneme {units} fantas naranja de 500"),
        _ => format!("agregame {units} pepsi de 2.25"),
    }
}

pub(super) fn answers(conversation: u32, message: u32, reply: &str) -> bool {
    let goods = match message {
        0 => "Coca-Cola 1,5 L",
        1 => "Yerba Playadito 500 g",
        2 => return reply.contains("hacemos delivery"),
        3 => "Fanta Naranja 500 ml",
        _ => "Pepsi 2,25 L",
    };
    let goods = format!("{} {goods}", units(conversation));
    reply.split("agregué ").skip(1).any(|rest| {
        let told = rest.split('\n').next().unwrap_or_default();
        told.contains(&goods)
    })
}

/// Differs between neighbours, so that one's reply is not taken for another's.
fn units(conversation: u32) -> u32 {
    2 + conversation % (MOST - 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use eval::{Rehearsal, Stage};
    use pack::files::Case;
    use tools::Registry;

    use super::super::answered;
    use super::super::tests::ways;
    use super::*;
    use crate::subject::{Subject, shipped};

    #[tokio::test]
    async fn every_message_is_answered_once_however_they_are_put_together() {
        let agent = Subject::Almacen.agent().unwrap();
        let source = shipped("almacen").unwrap();
        let pack = pack::read(&source).map_err(|findings| findings.to_string()).unwrap().pack;
        let stage = Stage::of(&pack, &source).unwrap();
        let case = Case { now: Some("2026-11-17T15:00".to_owned()), ..Case::default() };
        let now = stage.time(&case).unwrap().unwrap();
        for (conversation, way) in
            [0, 3, 999].into_iter().flat_map(|one| ways().map(move |way| (one, way)))
        {
            let records = stage.set(&case, now).unwrap();
            let mut customer =
                Rehearsal::new(Arc::clone(&agent), Registry::builtin(), now).with_records(records);
            for waiting in way {
                let texts: Vec<_> =
                    waiting.iter().map(|message| text(conversation, *message)).collect();
                let reply = customer.say(&texts).await.unwrap().replies.join("\n");
                let told: Vec<u32> = answered(Subject::Almacen, 0, conversation, &reply).collect();
                assert_eq!(told, waiting, "{texts:?}: {reply}");
            }
        }
    }
}
