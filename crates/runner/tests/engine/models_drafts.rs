//! Drafts: what a model is saying is shown while it grows, where the channel can, and never stays.

use domain::{ChannelKind, Role};
use llm::FailureKind;

use crate::kit::{Act, Asker, Gate, LEASE_MS, On, Oracle, Tells, World};

on_both_stores![
    a_growing_answer_is_shown_on_the_webchat_and_gone_with_the_reply,
    nothing_is_drafted_where_messages_are_sent,
    a_takeover_ends_the_draft_and_none_is_put_after_it,
    what_a_failed_attempt_said_is_void,
    the_draft_of_a_node_that_died_is_gone_when_another_has_answered,
    a_draft_that_cannot_be_kept_costs_no_reply,
];

fn within(world: World) -> (World, Oracle) {
    let oracle = Oracle::of(&world);
    let agent = Asker::doing(&[Act::Ask("orchestrator", "qué")]);
    (world.with_models(oracle.models()).with_agent(agent), oracle)
}

async fn webchat(on: On) -> (World, Oracle) {
    within(World::new(on).await.with_kind(ChannelKind::Webchat))
}

async fn draft(world: &World) -> Option<String> {
    let id = world.id_of("ana").await;
    world.store.draft(world.channel.workspace, id).await.unwrap()
}

async fn a_growing_answer_is_shown_on_the_webchat_and_gone_with_the_reply(on: On) {
    let (world, oracle) = webchat(on).await;
    let gate = Gate::closed_for(1);
    oracle.script([Tells::Pause("Claro que sí.", gate.clone(), " Con gusto.")]);
    world.hear("ana", "hola").await;
    let put = world.faults.wait_at("draft.put:after");
    let meanwhile = async {
        put.reached().await;
        assert_eq!(draft(&world).await.as_deref(), Some("Claro que sí."));
        assert!(world.said_by(Role::Assistant, "ana").await.is_empty(), "a draft is no line");
        put.open();
        gate.reached().await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(draft(&world).await, None);
    let said = world.said_by(Role::Assistant, "ana").await;
    assert_eq!(said, ["qué=Claro que sí. Con gusto."]);
    world.assert_at_rest().await;
}

async fn nothing_is_drafted_where_messages_are_sent(on: On) {
    let (world, oracle) = within(World::new(on).await);
    let gate = Gate::closed_for(1);
    oracle.script([Tells::Pause("Claro que sí.", gate.clone(), " Con gusto.")]);
    world.hear("ana", "hola").await;
    world.faults.none();
    let meanwhile = async {
        gate.reached().await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(world.phone.sent(), ["qué=Claro que sí. Con gusto."]);
    let hits = world.faults.hits();
    assert!(!hits.iter().any(|hit| hit.starts_with("draft.put")), "{hits:?}");
}

async fn a_takeover_ends_the_draft_and_none_is_put_after_it(on: On) {
    let (world, oracle) = webchat(on).await;
    let gate = Gate::closed_for(1);
    oracle.script([Tells::Pause("Claro que sí.", gate.clone(), " Con gusto.")]);
    world.hear("ana", "hola").await;
    let put = world.faults.wait_at("draft.put:after");
    let meanwhile = async {
        put.reached().await;
        world.take("ana", "marta").await;
        assert_eq!(draft(&world).await, None);
        put.open();
        gate.reached().await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(draft(&world).await, None);
    assert!(world.said_by(Role::Assistant, "ana").await.is_empty(), "the person speaks now");
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(world.said_by(Role::Assistant, "ana").await, ["qué=ok"]);
    assert_eq!(draft(&world).await, None);
}

async fn what_a_failed_attempt_said_is_void(on: On) {
    let (world, oracle) = webchat(on).await;
    let gate = Gate::closed_for(1);
    oracle.script([
        Tells::Half("Espera. ", FailureKind::Truncated),
        Tells::Pause("Claro que sí.", gate.clone(), ""),
    ]);
    world.hear("ana", "hola").await;
    let first = world.faults.wait_at("draft.put:after");
    let meanwhile = async {
        first.reached().await;
        assert_eq!(draft(&world).await.as_deref(), Some("Espera."));
        let put = world.faults.wait_at("draft.put:after");
        first.open();
        put.reached().await;
        assert_eq!(draft(&world).await.as_deref(), Some("Claro que sí."));
        put.open();
        gate.reached().await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(draft(&world).await, None);
    assert_eq!(world.said_by(Role::Assistant, "ana").await, ["qué=Claro que sí."]);
}

async fn the_draft_of_a_node_that_died_is_gone_when_another_has_answered(on: On) {
    for hit in ["draft.put:after", "step.answer:before", "step.answer:after", "turn.commit:before"]
    {
        let (world, oracle) = webchat(on).await;
        let gate = Gate::closed_for(1);
        oracle.script([Tells::Pause("Claro que sí.", gate.clone(), " Con gusto.")]);
        world.hear("ana", "hola").await;
        world.faults.crash_at(hit);
        let opened = async {
            gate.reached().await;
            gate.open();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            crashed = world.faults.until_crash(world.run()) => assert!(crashed, "{hit}"),
            () = opened => {}
        }
        assert!(draft(&world).await.is_some(), "{hit}: it was shown");
        world.pass_ms(LEASE_MS);
        world.run().await;
        assert_eq!(draft(&world).await, None, "{hit}");
        assert_eq!(world.said_by(Role::Assistant, "ana").await.len(), 1, "{hit}");
        world.assert_at_rest().await;
    }
}

async fn a_draft_that_cannot_be_kept_costs_no_reply(on: On) {
    let (world, oracle) = webchat(on).await;
    for number in 0..2 {
        let gate = Gate::closed_for(1);
        oracle.script([Tells::Pause("Claro que sí.", gate.clone(), " Con gusto.")]);
        let meanwhile = async {
            gate.reached().await;
            gate.open();
        };
        world.hear("ana", "hola").await;
        if number == 0 {
            world.faults.none();
        } else {
            let hits = world.faults.hits();
            let put = hits.iter().position(|hit| hit == "draft.put:before").expect("a draft");
            world.faults.unavailable_at_hit(put);
        }
        tokio::join!(world.run(), meanwhile);
        assert_eq!(draft(&world).await, None);
        assert_eq!(world.said_by(Role::Assistant, "ana").await.len(), number + 1);
    }
}
