//! Sends go out in the provider's shape, under our reference, and every failure has its
//! consequence.

use domain::{Pace, SERVICE_WINDOW_MS};
use serde_json::{Value, json};
use store::ReconcileKind::{self, Ambiguous, OutsideWindow, Undelivered};

use super::desk::Desk;
use super::on_both_channels;
use super::provider::Fault;
use super::wire::{Sent, Wire};

on_both_channels![
    every_kind_of_message_is_sent_in_its_shape,
    in_every_order_of_reports_the_status_never_falls,
    every_failure_comes_to_what_is_known_of_it,
    a_send_whose_answer_was_lost_is_ended_by_its_report_and_never_repeated,
    outside_the_window_the_template_goes_or_a_person_is_asked,
    a_window_that_the_provider_holds_closed_is_closed,
    a_provider_that_counts_never_has_to_say_too_soon,
];

async fn every_kind_of_message_is_sent_in_its_shape(wire: Wire) {
    let desk = Desk::open(wire).await;
    for word in ["hola", "botones", "lista"] {
        desk.says(word).await;
    }
    desk.clock.advance_ms(1_000);
    desk.provider.plan([Fault::Code(131047)]);
    desk.says("plantilla").await;
    desk.work_for_ms(60_000).await;
    let taken = desk.provider.taken();
    let kinds: Vec<_> = taken.iter().map(|one| one.kind.as_str()).collect();
    let expected = match wire {
        Wire::Infobip => ["text", "interactive/buttons", "interactive/list", "template"],
        Wire::Cloud => ["text", "interactive", "interactive", "template"],
    };
    assert_eq!(kinds, expected);
    assert!(taken.iter().all(|one| one.reference.parse::<domain::OutboundId>().is_ok()));
    let (buttons, rows) = match wire {
        Wire::Infobip => (
            &taken[1].body["content"]["action"]["buttons"],
            &taken[2].body["content"]["action"]["sections"][0]["rows"],
        ),
        Wire::Cloud => (
            &taken[1].body["interactive"]["action"]["buttons"],
            &taken[2].body["interactive"]["action"]["sections"][0]["rows"],
        ),
    };
    let count = |list: &Value| list.as_array().map_or(0, Vec::len);
    assert_eq!((count(buttons), count(rows)), (2, 4));
    assert!(desk.lines().await.contains(&"assistant: eco: botones\n[Sí] [No]".to_owned()));
}

fn permutations(items: &[&'static str]) -> Vec<Vec<&'static str>> {
    let Some((first, rest)) = items.split_first() else { return vec![vec![]] };
    let mut all = Vec::new();
    for shorter in permutations(rest) {
        for place in 0..=shorter.len() {
            let mut longer = shorter.clone();
            longer.insert(place, *first);
            all.push(longer);
        }
    }
    all
}

async fn in_every_order_of_reports_the_status_never_falls(wire: Wire) {
    let desk = Desk::open(wire).await;
    let orders = permutations(&["sent", "delivered", "read", "failed"]);
    for order in &orders {
        desk.clock.advance_ms(10_000);
        desk.says("hola").await;
        let reference = desk.provider.taken().last().unwrap().reference.clone();
        for word in order {
            let twice = [wire.report(&reference, word), wire.report(&reference, word)];
            assert_eq!(desk.deliver(&[], &twice).await["reports"], 2, "{order:?}");
        }
        // The send failed if nothing better was known when the failure was reported.
        let failed = order.iter().position(|word| *word == "failed").unwrap();
        let better = order[..failed].iter().any(|word| matches!(*word, "delivered" | "read"));
        let listed = desk.open_items().await.iter().any(|item| item.id == reference);
        assert_eq!(listed, !better, "{order:?}");
    }
}

async fn every_failure_comes_to_what_is_known_of_it(wire: Wire) {
    // The faults of successive attempts, how many of those are made, and how it ends.
    let busy = Fault::Busy;
    let mut cases: Vec<(Vec<Fault>, usize, Option<ReconcileKind>)> = vec![
        (vec![Fault::None], 1, None),
        (vec![busy, busy], 3, None),
        (vec![busy; 5], 5, Some(Undelivered)),
        (vec![Fault::BreakAfterAccept], 1, Some(Ambiguous)),
        (vec![Fault::FailAfterAccept], 1, Some(Ambiguous)),
        (vec![Fault::Code(131026)], 1, Some(Undelivered)),
        (vec![Fault::Code(131047)], 1, Some(OutsideWindow)),
        (vec![Fault::Code(131056), Fault::Code(131056)], 3, None),
    ];
    if wire == Wire::Cloud {
        cases.extend([
            (vec![Fault::Code(190); 7], 8, None),
            (vec![Fault::Code(130429); 7], 8, None),
            (vec![Fault::Code(131016), busy], 3, None),
            (vec![Fault::Code(131000)], 1, Some(Ambiguous)),
            (vec![Fault::Code(987654)], 1, Some(Undelivered)),
        ]);
    }
    for (faults, attempts, end) in cases {
        let desk = Desk::open(wire).await;
        desk.provider.plan(faults.clone());
        desk.says("hola").await;
        desk.work_for_ms(30 * 60_000).await;
        assert_eq!(desk.provider.attempts(), attempts, "{faults:?}");
        let items = desk.open_items().await;
        assert_eq!(items.first().map(|item| item.kind), end, "{faults:?}: {items:?}");
        assert!(items.iter().all(|item| item.error.is_some()), "{items:?}");
        assert_eq!(desk.store.next_due().await.unwrap(), None, "{faults:?}: nothing is left");
    }
}

async fn a_send_whose_answer_was_lost_is_ended_by_its_report_and_never_repeated(wire: Wire) {
    let desk = Desk::open(wire).await;
    desk.provider.plan([Fault::BreakAfterAccept]);
    desk.says("hola").await;
    desk.work_for_ms(60 * 60_000).await;
    assert_eq!(desk.open_items().await[0].kind, Ambiguous);
    let reference = desk.provider.taken()[0].reference.clone();
    desk.deliver(&[], &[wire.report(&reference, "delivered")]).await;
    assert!(desk.open_items().await.is_empty());
    desk.work_for_ms(60 * 60_000).await;
    assert_eq!(desk.provider.taken().len(), 1);
}

async fn outside_the_window_the_template_goes_or_a_person_is_asked(wire: Wire) {
    for (word, kinds, end) in
        [("plantilla", vec!["template"], None), ("hola", vec![], Some(OutsideWindow))]
    {
        let desk = Desk::open(wire).await;
        let said = desk.next(&Sent::Text(word.to_owned()));
        desk.deliver(&[said], &[]).await;
        desk.clock.advance_ms(SERVICE_WINDOW_MS);
        desk.work().await;
        let taken: Vec<_> = desk.provider.taken().into_iter().map(|one| one.kind).collect();
        assert_eq!(taken, kinds, "{word}");
        assert_eq!(desk.open_items().await.first().map(|item| item.kind), end, "{word}");
    }
}

async fn a_window_that_the_provider_holds_closed_is_closed(wire: Wire) {
    let desk = Desk::open(wire).await;
    desk.says("plantilla").await;
    let reference = desk.provider.taken()[0].reference.clone();
    // Taken at first, and then it says that it could not be delivered.
    let closed = match wire {
        Wire::Infobip => json!({"messageId": reference, "status": {"groupName": "UNDELIVERABLE"},
                                "error": {"id": 7010, "name": "EC_NO_SESSION"}}),
        Wire::Cloud => json!({"id": "w", "status": "failed", "biz_opaque_callback_data": reference,
                              "errors": [{"code": 131047, "title": "Re-engagement message"}]}),
    };
    desk.clock.advance_ms(1_000);
    desk.deliver(&[], &[closed.clone(), closed.clone()]).await;
    desk.work().await;
    desk.deliver(&[], &[closed]).await;
    desk.work().await;
    let taken = desk.provider.taken();
    assert_eq!(taken.len(), 2, "the text, and once the template");
    assert_eq!((taken[1].kind.as_str(), &taken[1].to), ("template", &taken[0].to));
    assert!(desk.open_items().await.is_empty());
}

async fn a_provider_that_counts_never_has_to_say_too_soon(wire: Wire) {
    let desk = Desk::paced(wire, Pace::WHATSAPP).await;
    for round in 0..6 {
        for word in 0..7 {
            let said = desk.next(&Sent::Text(format!("{round}.{word}")));
            desk.deliver(&[said], &[]).await;
        }
        desk.work_for_ms(13_000).await;
    }
    desk.work_for_ms(600_000).await;
    assert_eq!(desk.provider.too_soon(), 0);
    let texts: Vec<_> = desk.provider.taken().iter().map(|one| one.body.to_string()).collect();
    assert_eq!(texts.len(), 42, "and everything was sent");
    let mut next = 0;
    for round in 0..6 {
        for word in 0..7 {
            assert!(texts[next].contains(&format!("eco: {round}.{word}")), "in order: {texts:?}");
            next += 1;
        }
    }
}
