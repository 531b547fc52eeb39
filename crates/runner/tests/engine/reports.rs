//! Delivery reports: the provider's word, early or late, moves a message and never sends it again.

use domain::DeliveryStatus;

use crate::kit::{Answer, On, World};

on_both_stores![
    a_report_ends_a_send_whose_outcome_was_unknown,
    a_report_that_comes_before_the_answer_stands,
    a_report_that_comes_while_the_message_waits_to_be_tried_again_ends_the_attempts,
    a_late_report_of_failure_lists_the_message,
    a_report_of_failure_after_one_of_delivery_is_too_late,
    reports_of_strangers_are_counted_out,
];

/// How many messages count as having reached the customer, by the store's own account.
async fn reached(world: &World) -> usize {
    let id = world.id_of("ana").await;
    world.store.sent_after(world.channel.workspace, id, 0, 100).await.unwrap().len()
}

async fn a_report_ends_a_send_whose_outcome_was_unknown(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Unknown]);
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!((world.to_reconcile().await.len(), reached(&world).await), (1, 0));
    world.report(world.phone.last_reference(), DeliveryStatus::Delivered).await;
    assert_eq!((world.to_reconcile().await.len(), reached(&world).await), (0, 1));
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    world.assert_at_rest().await;
}

async fn a_report_that_comes_before_the_answer_stands(on: On) {
    for answer in [Answer::Accept, Answer::Unknown, Answer::Retry(None)] {
        let world = World::new(on).await;
        world.phone.script([answer]);
        world.hear("ana", "hola").await;
        let gate = world.faults.wait_at("channel.send:after");
        let meanwhile = async {
            gate.reached().await;
            world.report(world.phone.last_reference(), DeliveryStatus::Delivered).await;
            gate.open();
        };
        tokio::join!(world.run(), meanwhile);
        world.run_for_ms(600_000).await;
        assert_eq!(world.phone.tried(), ["#1 hola"], "{answer:?}");
        assert_eq!((world.to_reconcile().await.len(), reached(&world).await), (0, 1), "{answer:?}");
        world.assert_at_rest().await;
    }
}

async fn a_report_that_comes_while_the_message_waits_to_be_tried_again_ends_the_attempts(on: On) {
    let world = World::new(on).await;
    world.phone.script([Answer::Retry(None)]);
    world.hear("ana", "hola").await;
    world.run().await;
    world.report(world.phone.last_reference(), DeliveryStatus::Read).await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
    assert_eq!((world.to_reconcile().await.len(), reached(&world).await), (0, 1));
    world.assert_at_rest().await;
}

async fn a_late_report_of_failure_lists_the_message(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola"]);
    let reference = world.phone.last_reference();
    world.report(reference, DeliveryStatus::Failed).await;
    world.report(reference, DeliveryStatus::Delivered).await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried().len(), 1, "sent again");
    assert_eq!(world.to_reconcile().await.len(), 1, "failed is final until a person says so");
    world.assert_at_rest().await;
}

async fn a_report_of_failure_after_one_of_delivery_is_too_late(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    let reference = world.phone.last_reference();
    for status in [DeliveryStatus::Read, DeliveryStatus::Failed, DeliveryStatus::Sent] {
        world.report(reference, status).await;
        assert_eq!((world.to_reconcile().await.len(), reached(&world).await), (0, 1), "{status:?}");
    }
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried(), ["#1 hola"]);
}

async fn reports_of_strangers_are_counted_out(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    let report = |reference| {
        domain::DeliveryReport::new(domain::Reference::Ours(reference), DeliveryStatus::Delivered)
    };
    let stranger = domain::OutboundId(uuid::Uuid::nil());
    let reports = vec![report(stranger), report(world.phone.last_reference())];
    let taken = world.node().intake().ingest(&world.channel.id, reports).await.unwrap();
    assert_eq!(taken.reports, 1);
    assert_eq!(reached(&world).await, 1);
}
