//! Sending: one attempt after another, in order, never twice when nobody knows.

use store::{ReconcileKind, Resolution};

use crate::kit::{Answer, LEASE_MS, On, World};

on_both_stores![
    a_send_is_tried_five_times_with_growing_waits_and_then_listed,
    a_wait_asked_for_by_the_channel_is_honoured,
    a_refused_send_is_not_tried_again,
    what_waits_behind_a_message_that_is_tried_again_keeps_its_place,
    an_operator_overtakes_what_the_bot_has_waiting,
    replies_overtake_reminders,
    a_send_with_an_unknown_end_is_listed_and_not_repeated,
    a_sender_that_panics_leaves_an_unknown_end_and_a_working_node,
    a_node_that_ends_between_intent_and_outcome_leaves_an_unknown_end,
    a_person_who_knows_better_has_it_sent_again,
];

async fn listed(world: &World) -> Vec<(ReconcileKind, String)> {
    let items = world.to_reconcile().await;
    items.iter().map(|item| (item.kind, item.what.reveal().clone())).collect()
}

/// The conversation works on after all that.
async fn assert_answers(world: &World) {
    world.hear("ana", "¿seguís?").await;
    world.run().await;
    assert!(world.phone.sent().last().unwrap().ends_with("¿seguís?"));
    world.assert_at_rest().await;
}

async fn a_send_is_tried_five_times_with_growing_waits_and_then_listed(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(None); 5]);
    world.hear("ana", "hola").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.attempted_at_ms(), [0, 1_000, 3_000, 7_000, 15_000]);
    let attempts = world.phone.attempts();
    assert!(attempts.iter().all(|attempt| attempt.reference == attempts[0].reference));
    assert_eq!(listed(&world).await, [(ReconcileKind::Undelivered, "#1 hola".to_owned())]);
    assert_eq!(world.to_reconcile().await[0].error.as_deref(), Some("busy"));
    assert_answers(&world).await;
}

async fn a_wait_asked_for_by_the_channel_is_honoured(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(Some(7_500)), Answer::Retry(Some(1))]);
    world.hear("ana", "hola").await;
    world.run_for_ms(600_000).await;
    // The second asks for less than the backoff, which stands.
    assert_eq!(world.phone.attempted_at_ms(), [0, 7_500, 9_500]);
    assert_eq!(world.phone.sent(), ["#1 hola"]);
    world.assert_at_rest().await;
}

async fn a_refused_send_is_not_tried_again(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Refuse]);
    world.hear("ana", "hola").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert_eq!(listed(&world).await, [(ReconcileKind::Undelivered, "#1 hola".to_owned())]);
    assert_answers(&world).await;
}

async fn what_waits_behind_a_message_that_is_tried_again_keeps_its_place(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(None), Answer::Retry(None)]);
    world.hear("ana", "uno").await;
    world.run().await;
    // The turn is not held up, but what it says is.
    world.hear("ana", "dos").await;
    world.run().await;
    assert_eq!(world.transcript("ana").await.len(), 4);
    assert_eq!(world.phone.tried(), ["#1 uno"]);
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried(), ["#1 uno", "#1 uno", "#1 uno", "#2 dos"]);
    assert_eq!(world.phone.sent(), ["#1 uno", "#2 dos"]);
    world.assert_at_rest().await;
}

async fn an_operator_overtakes_what_the_bot_has_waiting(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Accept, Answer::Retry(Some(60_000))]);
    world.hear("ana", "/remind").await;
    world.hear("ana", "/handoff").await;
    world.run().await;
    assert_eq!(world.phone.tried(), ["#1 /remind /handoff", "a reminder"]);
    world.say("ana", "marta", "acá Marta").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 /remind /handoff", "acá Marta"]);
    // Written in the very commit that handed over, the reminder is still wanted.
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent()[2..], ["a reminder"]);
    world.assert_at_rest().await;
}

async fn replies_overtake_reminders(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Accept, Answer::Retry(Some(60_000))]);
    world.hear("ana", "/remind").await;
    world.run().await;
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 /remind", "#2 hola"]);
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent()[2..], ["a reminder"]);
}

async fn a_send_with_an_unknown_end_is_listed_and_not_repeated(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Unknown]);
    world.hear("ana", "hola").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert_eq!(listed(&world).await, [(ReconcileKind::Ambiguous, "#1 hola".to_owned())]);
    assert_answers(&world).await;
}

async fn a_sender_that_panics_leaves_an_unknown_end_and_a_working_node(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Panic]);
    world.hear("ana", "hola").await;
    world.hear("beto", "hola").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried().len(), 2);
    assert_eq!(world.phone.sent().len(), 1, "the other conversation's");
    assert_eq!(listed(&world).await, [(ReconcileKind::Ambiguous, "#1 hola".to_owned())]);
    assert_answers(&world).await;
}

async fn a_node_that_ends_between_intent_and_outcome_leaves_an_unknown_end(on: On) {
    for hit in ["outbox.intend:after", "channel.send:after", "outbox.record:before"] {
        let world = World::new(on).await;
        world.hear("ana", "hola").await;
        world.faults.crash_at(hit);
        assert!(world.faults.until_crash(world.run()).await);
        let tried = world.phone.tried().len();
        assert_eq!(tried, usize::from(hit != "outbox.intend:after"));
        world.pass_ms(LEASE_MS);
        let restarted = world.distant_node().await;
        restarted.run_until_idle().await.expect("worked");
        assert_eq!(world.phone.tried().len(), tried, "{hit}: sent again");
        assert_eq!(listed(&world).await, [(ReconcileKind::Ambiguous, "#1 hola".to_owned())]);
        assert_answers(&world).await;
    }
}

async fn a_person_who_knows_better_has_it_sent_again(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Unknown]);
    world.hear("ana", "hola").await;
    world.run().await;
    let item = world.to_reconcile().await.remove(0);
    let workspace = world.channel.workspace;
    let resend =
        world.store.reconcile(workspace, &item.id, Resolution::Resend, "marta", world.now());
    resend.await.expect("put back");
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola"]);
    let attempts = world.phone.attempts();
    assert_eq!(attempts[0].reference, attempts[1].reference, "under the same reference");
    assert!(listed(&world).await.is_empty());
    world.assert_at_rest().await;
}
