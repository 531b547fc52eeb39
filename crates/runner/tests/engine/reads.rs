//! Tools that only read: no commit of their own, and what was acted on is read again as it was.

use serde_json::{Value, json};

use crate::kit::{Act, Asker, Clerk, LEASE_MS, On, Oracle, OutsideScript, Sign, World};

on_both_stores![
    a_turn_that_only_reads_commits_nothing_but_itself,
    what_was_read_before_an_effect_is_read_the_same_after_a_crash,
    what_was_read_before_an_answer_is_read_the_same_when_the_turn_fails,
    what_was_read_after_the_last_effect_is_read_afresh,
    a_read_that_was_refused_stays_so_once_the_turn_has_acted,
];

fn look() -> (&'static str, Value) {
    (Sign::NAME, json!({}))
}

fn number() -> (&'static str, Value) {
    ("turno.tomar", json!({"fila": "caja"}))
}

async fn world_with(on: On, agent: Clerk) -> (World, OutsideScript) {
    let mut world = World::new(on).await.with_agent(agent);
    let notify = OutsideScript::new("avisar", true, &world.faults);
    world.add_tool(notify.clone());
    world.add_local(Sign::new());
    (world, notify)
}

async fn a_turn_that_only_reads_commits_nothing_but_itself(on: On) {
    let (world, _) = world_with(on, Clerk::calling(&[look(), look()])).await;
    Sign::say(&world, Some(7)).await;
    world.hear("ana", "hola").await;
    world.faults.none();
    world.run().await;
    assert_eq!(world.phone.sent(), ["cartel=7 cartel=7"]);
    let hits = world.faults.hits();
    assert!(!hits.iter().any(|hit| hit.starts_with("step")), "{hits:?}");
    let (workspace, id) = (world.channel.workspace, world.id_of("ana").await);
    let lines = world.store.transcript(workspace, id, 9).await.unwrap().lines;
    assert_eq!(lines[1].tools.len(), 2, "but the trail shows what it called");
    world.assert_at_rest().await;
}

async fn what_was_read_before_an_effect_is_read_the_same_after_a_crash(on: On) {
    let calls = [look(), number(), look(), ("avisar", json!({"a": "depósito"})), look()];
    for (at, seen) in [
        ("step.local:before", [2, 2, 2]),
        ("step.local:after", [1, 2, 2]),
        ("step.intent:before", [1, 2, 2]),
        ("step.intent:after", [1, 1, 2]),
        ("tool.call:after", [1, 1, 2]),
        ("step.outcome:before", [1, 1, 2]),
        ("turn.commit:before", [1, 1, 2]),
    ] {
        let (world, _) = world_with(on, Clerk::calling(&calls)).await;
        Sign::say(&world, Some(1)).await;
        world.hear("ana", "hola").await;
        world.faults.crash_at(at);
        assert!(world.faults.until_crash(world.run()).await, "{at}");
        Sign::say(&world, Some(2)).await;
        world.pass_ms(LEASE_MS);
        world.run().await;
        let [first, second, third] = seen;
        let reply =
            format!("cartel={first} turno.tomar=1 cartel={second} avisar=ok cartel={third}");
        assert_eq!(world.phone.sent(), [reply], "{at}");
        world.assert_at_rest().await;
    }
}

async fn what_was_read_before_an_answer_is_read_the_same_when_the_turn_fails(on: On) {
    let acts = [
        Act::Call(Sign::NAME, json!({})),
        Act::Ask("orchestrator", "qué le digo"),
        Act::Call(Sign::NAME, json!({})),
    ];
    let world = World::new(on).await;
    let oracle = Oracle::of(&world);
    let mut world = world.with_models(oracle.models()).with_agent(Asker::doing(&acts).failing(1));
    world.add_local(Sign::new());
    Sign::say(&world, Some(1)).await;
    world.hear("ana", "hola").await;
    world.run().await;
    Sign::say(&world, Some(2)).await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["cartel=1 qué le digo=ok cartel=2"]);
    assert_eq!(oracle.asked().len(), 1);
}

async fn what_was_read_after_the_last_effect_is_read_afresh(on: On) {
    let agent = Clerk::calling(&[look(), number(), look()]).failing(2);
    let (world, _) = world_with(on, agent).await;
    Sign::say(&world, Some(1)).await;
    world.hear("ana", "hola").await;
    world.run().await;
    Sign::say(&world, Some(2)).await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["cartel=1 turno.tomar=1 cartel=2"]);
}

async fn a_read_that_was_refused_stays_so_once_the_turn_has_acted(on: On) {
    let (world, _) = world_with(on, Clerk::calling(&[look(), number()]).failing(1)).await;
    world.hear("ana", "hola").await;
    world.run().await;
    Sign::say(&world, Some(2)).await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["cartel=refused, there is no sign turno.tomar=1"]);

    Sign::say(&world, None).await;
    world.hear("ana", "otra").await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["cartel=refused, there is no sign turno.tomar=2"]);
    world.assert_at_rest().await;
}
