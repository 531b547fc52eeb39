//! Models that fail or hang: the turn goes on without them, in time, and what they took is paid.

use std::time::Duration;

use llm::FailureKind;
use store::LedgerLine;

use crate::kit::{Act, Asker, On, Oracle, PRICE, Tells, USAGE, World};

on_both_stores![
    a_failure_is_recorded_with_what_it_took_and_not_asked_for_again,
    an_answer_after_failures_is_recorded_with_all_its_attempts,
    a_failure_that_no_attempt_cures_is_one_attempt,
    models_that_hang_leave_time_for_a_reply,
    with_no_model_at_all_the_turn_is_answered_and_nothing_is_written,
];

fn within(world: World, agent: Asker) -> (World, Oracle) {
    let oracle = Oracle::of(&world);
    (world.with_models(oracle.models()).with_agent(agent), oracle)
}

fn one() -> Asker {
    Asker::doing(&[Act::Ask("detector", "qué")])
}

async fn ledger(world: &World) -> Vec<LedgerLine> {
    let id = world.id_of("ana").await;
    let mut lines = world.store.ledger(world.channel.workspace, id, 100).await.unwrap();
    lines.reverse();
    lines
}

/// The attempts on record, with what came of each.
async fn attempts(world: &World) -> Vec<(u32, String)> {
    let lines = ledger(world).await;
    assert!(lines.iter().all(|line| line.call.usage == USAGE && line.call.cost == PRICE));
    lines.into_iter().map(|line| (line.call.attempt, line.call.outcome)).collect()
}

async fn a_failure_is_recorded_with_what_it_took_and_not_asked_for_again(on: On) {
    let (world, oracle) = within(World::new(on).await, one().failing(2));
    oracle.script(vec![Tells::Fail(FailureKind::Server); 3]);
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["qué=(server: as scripted)"]);
    assert_eq!(oracle.asked().len(), 3, "the turn ran three times, the question was put once");
    let failed = |attempt| (attempt, "server".to_owned());
    assert_eq!(attempts(&world).await, [failed(1), failed(2), failed(3)]);
    let line = ledger(&world).await.remove(0);
    let (caller, other) =
        (world.caller("ana", line.session).await, domain::TurnId(uuid::Uuid::nil()));
    let spent = world.store.spending(caller, line.at, other, line.at).await;
    assert_eq!(spent.unwrap().session_tokens, USAGE.total() * 3, "a failure is paid too");
}

async fn an_answer_after_failures_is_recorded_with_all_its_attempts(on: On) {
    let (world, oracle) = within(World::new(on).await, one().failing(1));
    oracle.script([Tells::Fail(FailureKind::Overloaded), Tells::Fail(FailureKind::Truncated)]);
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["qué=ok"]);
    let expected = [(1, "overloaded"), (2, "truncated"), (3, "answered")];
    assert_eq!(attempts(&world).await, expected.map(|(n, word)| (n, word.to_owned())));
    assert_eq!(oracle.asked().len(), 3);
}

async fn a_failure_that_no_attempt_cures_is_one_attempt(on: On) {
    for kind in [FailureKind::Auth, FailureKind::Refused, FailureKind::SpendCap] {
        let (world, oracle) = within(World::new(on).await, one());
        oracle.script([Tells::Fail(kind)]);
        world.hear("ana", "hola").await;
        world.run().await;
        assert_eq!(world.phone.sent(), [format!("qué=({kind}: as scripted)")]);
        assert_eq!(attempts(&world).await, [(1, kind.as_str().to_owned())]);
        assert_eq!(oracle.asked().len(), 1);
    }
}

async fn models_that_hang_leave_time_for_a_reply(on: On) {
    let asks =
        [Act::Ask("detector", "qué"), Act::Ask("orchestrator", "y"), Act::Ask("writer", "z")];
    let (world, oracle) = within(World::new(on).await.with_true_ticks(), Asker::doing(&asks));
    oracle.script(vec![Tells::Hang; 9]);
    world.hear("ana", "hola").await;
    let began = world.now();
    world.run().await;
    let sent = world.phone.sent();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].starts_with("qué=(timeout_total"), "{sent:?}");
    assert!(sent[0].ends_with("z=(no time is left in this turn)"), "{sent:?}");
    let took = world.now().since_ms(began);
    assert!(took <= 45_000, "the customer waited {took} ms");
    let given = oracle.given();
    assert_eq!(given[0], Duration::from_secs(40));
    assert!(given.iter().sum::<Duration>() <= Duration::from_secs(42), "{given:?}");
    world.assert_at_rest().await;
}

async fn with_no_model_at_all_the_turn_is_answered_and_nothing_is_written(on: On) {
    let world = World::new(on).await.with_agent(one());
    world.hear("ana", "hola").await;
    world.faults.none();
    world.run().await;
    assert_eq!(world.phone.sent(), ["qué=(no model is configured)"]);
    assert!(ledger(&world).await.is_empty());
    let hits = world.faults.hits();
    assert!(!hits.iter().any(|hit| hit.starts_with("step.")), "{hits:?}");
}
