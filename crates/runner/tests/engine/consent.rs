//! A yes: to what an earlier turn showed, good once, and nobody's but the customer's.

use domain::{Burst, DeliveryStatus, Owner};
use serde_json::json;

use crate::kit::{Answer, Does, On, OutsideScript, Salesman, World};

on_both_stores![
    a_yes_to_what_was_shown_allows_it_once,
    what_was_written_before_the_summary_is_no_answer_to_it,
    nothing_is_agreed_to_in_the_turn_that_shows_it,
    a_yes_survives_the_failure_of_its_turn_and_is_still_used_once,
    after_a_person_had_the_conversation_a_yes_is_to_the_person,
    a_call_outside_that_needs_a_yes_uses_it_up_before_it_is_made,
    a_yes_to_a_summary_that_did_not_reach_the_customer_is_none,
    a_summary_that_is_reported_lost_takes_the_yes_with_it,
];

async fn world(on: On) -> World {
    let mut world = World::new(on).await.with_agent(Salesman::selling("turno.tomar"));
    world.hold_until_yes("turno.tomar");
    world
}

async fn says(world: &World, text: &str) -> String {
    world.hear("ana", text).await;
    world.run().await;
    world.phone.sent().last().cloned().unwrap_or_default()
}

async fn a_yes_to_what_was_shown_allows_it_once(on: On) {
    let world = world(on).await;
    assert!(says(&world, "sí").await.starts_with("refused: needs_yes"));
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    assert!(says(&world, "sí, pero mañana").await.starts_with("refused: needs_yes"));
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    assert_eq!(says(&world, "sí, confirmo").await, "done 1");
    assert!(says(&world, "sí, confirmo").await.starts_with("refused: needs_yes"));
    world.assert_at_rest().await;
}

async fn what_was_written_before_the_summary_is_no_answer_to_it(on: On) {
    let world = world(on).await.with_burst(Burst { max_messages: 1, ..Burst::default() });
    world.hear("ana", "mostrar").await;
    world.pass_ms(10);
    world.hear("ana", "sí").await;
    world.pass_ms(10);
    world.run().await;
    let sent = world.phone.sent();
    assert_eq!(sent[0], "¿Confirmamos?");
    assert!(sent[1].starts_with("refused: needs_yes"), "it was on its way before: {sent:?}");
    assert_eq!(says(&world, "sí").await, "done 1");
}

async fn nothing_is_agreed_to_in_the_turn_that_shows_it(on: On) {
    let world = world(on).await;
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    let said = says(&world, "mostrar y hacer").await;
    assert!(said.starts_with("refused: needs_yes"), "{said}");
}

async fn a_yes_survives_the_failure_of_its_turn_and_is_still_used_once(on: On) {
    let mut world =
        World::new(on).await.with_agent(Salesman::selling("turno.tomar").failing_after(2));
    world.hold_until_yes("turno.tomar");
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    world.hear("ana", "sí").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["¿Confirmamos?", "done 1"]);
    assert!(says(&world, "sí").await.starts_with("refused: needs_yes"));
    world.assert_at_rest().await;
}

async fn after_a_person_had_the_conversation_a_yes_is_to_the_person(on: On) {
    let world = world(on).await;
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    world.take("ana", "marta").await;
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(world.conversation("ana").await.owner, Owner::Bot);
    let said = says(&world, "sí").await;
    assert!(said.starts_with("refused: needs_yes"), "{said}");
}

async fn a_call_outside_that_needs_a_yes_uses_it_up_before_it_is_made(on: On) {
    let mut world = World::new(on).await.with_agent(Salesman::selling("avisar"));
    let tool = OutsideScript::new("avisar", false, &world.faults);
    tool.script([Does::Vanish]);
    world.add_tool(tool.clone());
    world.hold_until_yes("avisar");
    assert!(says(&world, "sí").await.starts_with("refused: needs_yes"));
    assert_eq!(tool.calls().len(), 0);
    says(&world, "mostrar").await;
    says(&world, "sí").await;
    assert_eq!(tool.calls().len(), 1);
    assert_eq!(tool.calls()[0].input, json!({ "fila": "caja" }));
    assert!(says(&world, "sí").await.starts_with("refused: needs_yes"));
    assert_eq!(tool.calls().len(), 1, "whatever became of it, the yes is used");
}

async fn a_yes_to_a_summary_that_did_not_reach_the_customer_is_none(on: On) {
    let later = Answer::Retry(Some(3_600_000));
    for answer in [Answer::Refuse, Answer::Unknown, Answer::WindowClosed, later] {
        let world = world(on).await;
        world.phone.script([answer]);
        says(&world, "mostrar").await;
        world.pass_ms(10);
        says(&world, "sí").await;
        world.run_for_ms(4_000_000).await;
        let sent = world.phone.sent();
        let last = sent.last().unwrap();
        let no_yes = "refused: needs_yes: `turno.tomar` is done only after the customer's yes";
        assert!(last.starts_with(no_yes), "{answer:?}: {sent:?}");
        says(&world, "mostrar").await;
        assert_eq!(says(&world, "sí").await, "done 1", "{answer:?}: shown, it is agreed to");
    }
}

async fn a_summary_that_is_reported_lost_takes_the_yes_with_it(on: On) {
    let world = world(on).await;
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    world.report(world.phone.last_reference(), DeliveryStatus::Failed).await;
    let said = says(&world, "sí").await;
    assert!(said.starts_with("refused: needs_yes"), "{said}");

    // Even while the yes is being acted on.
    assert_eq!(says(&world, "mostrar").await, "¿Confirmamos?");
    let summary = world.phone.last_reference();
    world.hear("ana", "sí").await;
    let gate = world.faults.wait_at("step.local:before");
    let meanwhile = async {
        gate.reached().await;
        world.report(summary, DeliveryStatus::Failed).await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    let said = world.phone.sent().pop().unwrap();
    assert_eq!(said, "refused: needs_yes: the summary has not reached the customer");
}
