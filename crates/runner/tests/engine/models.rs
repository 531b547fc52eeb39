//! Models asked by a turn: an answer on record is not asked for again, wherever the turn broke off.

use domain::{Role, SESSION_WINDOW_MS};
use serde_json::json;
use store::LedgerLine;

use crate::kit::{Act, Asker, LEASE_MS, MODEL, On, Oracle, OutsideScript, PRICE, USAGE, World};

on_both_stores![
    an_answer_on_record_is_not_asked_for_again_when_the_turn_fails_later,
    wherever_a_node_dies_only_the_answer_that_was_lost_is_asked_for_again,
    wherever_the_database_is_away_no_answer_on_record_is_asked_for_again,
    a_takeover_and_a_return_in_between_ask_nothing_twice,
    equal_questions_in_one_turn_are_questions_of_their_own,
    each_attempt_is_a_row_of_the_ledger_and_the_sums_are_right,
    a_new_session_has_the_same_id_when_its_first_turn_is_run_again,
    the_session_before_is_told_of_once,
];

/// Understands, takes a number, notifies, answers.
const ACTS: [&str; 2] = ["qué quiere", "qué le digo"];
const REPLY: &str = "qué quiere=ok turno.tomar=1 avisar=ok qué le digo=ok";

fn asker() -> Asker {
    Asker::doing(&[
        Act::Ask("detector", ACTS[0]),
        Act::Call("turno.tomar", json!({"fila": "caja"})),
        Act::Call("avisar", json!({"a": "depósito"})),
        Act::Ask("orchestrator", ACTS[1]),
    ])
}

fn within(world: World, agent: Asker) -> (World, Oracle, OutsideScript) {
    let oracle = Oracle::of(&world);
    let mut world = world.with_models(oracle.models()).with_agent(agent);
    let notify = OutsideScript::new("avisar", true, &world.faults);
    world.add_tool(notify.clone());
    (world, oracle, notify)
}

async fn ledger(world: &World, from: &str) -> Vec<LedgerLine> {
    let id = world.id_of(from).await;
    let mut lines = world.store.ledger(world.channel.workspace, id, 100).await.unwrap();
    lines.reverse();
    lines
}

async fn an_answer_on_record_is_not_asked_for_again_when_the_turn_fails_later(on: On) {
    for agent in [asker().failing(2), asker().panicking(2)] {
        let (world, oracle, notify) = within(World::new(on).await, agent);
        world.hear("ana", "hola").await;
        world.run_for_ms(60_000).await;
        assert_eq!(world.phone.sent(), [REPLY]);
        assert_eq!(oracle.asked(), ACTS);
        assert_eq!(notify.calls().len(), 1);
        assert_eq!(ledger(&world, "ana").await.len(), 2);
        world.assert_at_rest().await;
    }
}

/// Every hit of a turn in which nothing goes wrong, in order.
async fn hits(beside: &World) -> Vec<String> {
    let (world, ..) = within(beside.beside("todo va bien").await, asker());
    world.hear("ana", "hola").await;
    world.faults.none();
    world.run().await;
    assert_eq!(world.phone.sent(), [REPLY]);
    let hits = world.faults.hits();
    assert_eq!(hits.iter().filter(|hit| hit.starts_with("step.answer")).count(), 4, "{hits:?}");
    hits
}

async fn wherever_a_node_dies_only_the_answer_that_was_lost_is_asked_for_again(on: On) {
    let first = World::new(on).await;
    let hits = hits(&first).await;
    for (number, hit) in hits.iter().enumerate() {
        let beside = first.beside(&format!("muere {number}")).await;
        let (world, oracle, notify) = within(beside, asker());
        world.hear("ana", "hola").await;
        world.faults.crash_at_hit(number);
        assert!(world.faults.until_crash(world.run()).await, "{hit}");
        world.pass_ms(LEASE_MS);
        world.run().await;
        let transcript = world.transcript("ana").await;
        assert_eq!(transcript, ["user: hola", &format!("assistant: {REPLY}")], "{hit}");
        // A question is put again only if its answer came and was not recorded.
        let lost = hit == "model.call:after" || hit == "step.answer:before";
        let before = hits[..number].iter().filter(|hit| *hit == "step.answer:after").count();
        let mut expected = ACTS.to_vec();
        if lost {
            expected.insert(before, ACTS[before]);
        }
        assert_eq!(oracle.asked(), expected, "{hit}");
        let keys = notify.keys();
        assert!(!keys.is_empty() && keys.iter().all(|key| *key == keys[0]), "{hit}: {keys:?}");
        let rows = ledger(&world, "ana").await;
        assert_eq!(rows.len(), 2, "{hit}: what is on record is paid for once");
        world.assert_at_rest().await;
    }
}

async fn wherever_the_database_is_away_no_answer_on_record_is_asked_for_again(on: On) {
    let first = World::new(on).await;
    let hits = hits(&first).await;
    let is_commit = |hit: &str| hit.starts_with("step.") || hit.starts_with("turn.");
    for (number, hit) in hits.iter().enumerate().filter(|(_, hit)| is_commit(hit)) {
        let (world, oracle, _) = within(first.beside(&format!("falla {number}")).await, asker());
        world.hear("ana", "hola").await;
        world.faults.unavailable_at_hit(number);
        let node = world.node();
        node.run_until_idle().await.expect("worked");
        node.run_until_idle().await.expect("worked");
        world.assert_at_rest().await;
        let reply = world.said_by(Role::Assistant, "ana").await;
        assert_eq!(reply.len(), 1, "{hit}");
        assert!(reply[0].ends_with("qué le digo=ok"), "{hit}: {reply:?}");
        assert_eq!(oracle.asked(), ACTS, "{hit}: the answer was kept until it could be recorded");
        assert_eq!(ledger(&world, "ana").await.len(), 2, "{hit}");
    }
}

async fn a_takeover_and_a_return_in_between_ask_nothing_twice(on: On) {
    let (world, oracle, notify) = within(World::new(on).await, asker());
    world.hear("ana", "hola").await;
    let gate = world.faults.wait_at("turn.commit:before");
    let meanwhile = async {
        gate.reached().await;
        world.take("ana", "marta").await;
        world.give_back("ana", "marta", None).await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    world.run().await;
    let sent = world.phone.sent();
    assert_eq!(sent.first().map(String::as_str), Some(REPLY));
    // The return is a turn of its own, with questions of its own.
    assert_eq!(sent.len(), 2);
    assert_eq!(oracle.asked(), [ACTS, ACTS].concat());
    assert_eq!(notify.calls().len(), 2);
    assert_eq!(ledger(&world, "ana").await.len(), 4);
    world.assert_at_rest().await;
}

async fn equal_questions_in_one_turn_are_questions_of_their_own(on: On) {
    let twice = Asker::doing(&[Act::Ask("detector", "qué"), Act::Ask("detector", "qué")]);
    let (world, oracle, _) = within(World::new(on).await, twice.failing(1));
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["qué=ok qué=ok"]);
    assert_eq!(oracle.asked(), ["qué", "qué"]);
    let steps: Vec<_> = ledger(&world, "ana").await.into_iter().map(|line| line.step).collect();
    assert_eq!(steps.len(), 2);
    assert_ne!(steps[0], steps[1]);
}

async fn each_attempt_is_a_row_of_the_ledger_and_the_sums_are_right(on: On) {
    let (world, ..) = within(World::new(on).await, asker());
    for text in ["hola", "otra"] {
        world.hear("ana", text).await;
        world.run().await;
        world.pass_ms(1_000);
    }
    world.hear("beto", "hola").await;
    world.run().await;
    let lines = ledger(&world, "ana").await;
    let told: Vec<_> = lines
        .iter()
        .map(|LedgerLine { call, .. }| {
            assert_eq!((call.provider.as_str(), call.model.as_str()), ("oráculo", MODEL));
            assert_eq!((call.usage, call.cost), (USAGE, PRICE));
            (call.component.as_str(), call.attempt, call.outcome.as_str())
        })
        .collect();
    let turn = [("detector", 1, "answered"), ("orchestrator", 1, "answered")];
    assert_eq!(told, [turn, turn].concat());
    // Before the second turn there was the first, whoever else wrote since.
    let (caller, second) = (world.caller("ana", lines[0].session).await, lines[2].turn);
    let (workspace, since) = (world.channel.workspace, lines[0].at);
    let spent = world.store.spending(caller, since, second, since).await.unwrap();
    assert_eq!(spent.session_tokens, USAGE.total() * 2);
    assert_eq!((spent.session.0, spent.contact_day.0), (PRICE.0 * 2, PRICE.0 * 2));
    let by_all = world.store.spent_by_all(workspace, second, since).await.unwrap();
    assert_eq!(by_all.0, PRICE.0 * 4);
}

async fn a_new_session_has_the_same_id_when_its_first_turn_is_run_again(on: On) {
    let (world, ..) = within(World::new(on).await, asker().failing(2));
    world.hear("ana", "hola").await;
    world.run().await;
    let asked_in = ledger(&world, "ana").await[0].session;
    world.run_for_ms(60_000).await;
    let id = world.id_of("ana").await;
    let session = world.store.session(world.channel.workspace, id).await.unwrap();
    assert_eq!(session.map(|session| session.id), Some(asked_in), "its costs are on its account");
}

async fn the_session_before_is_told_of_once(on: On) {
    let agent = Asker::doing(&[Act::Ask("detector", "qué")]);
    let seen = agent.clone();
    let (world, ..) = within(World::new(on).await, agent);
    for text in ["hola", "otra"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    assert_eq!(seen.previous(), [None, None]);
    world.pass_ms(SESSION_WINDOW_MS);
    for text in ["al otro día", "y luego"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    assert_eq!(seen.previous()[2..], [Some("visto".to_owned()), None]);
}
