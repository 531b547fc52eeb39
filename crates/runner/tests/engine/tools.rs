//! Tools: what was done is not done again, what nobody knows is for a person to find out.

use domain::{Burst, ChannelKind, NodeId, Role, StepKey, StepStatus, TurnId};
use serde_json::{Value, json};
use store::{Intent, OpenTurn, ReconcileKind, Room};
use uuid::Uuid;

use crate::kit::{Call, Clerk, Does, Listener, On, OutsideScript, World};

on_both_stores![
    a_number_taken_in_a_turn_that_fails_is_kept_for_the_next_attempt,
    equal_calls_in_one_turn_are_calls_of_their_own,
    a_call_that_was_made_is_not_repeated_when_the_turn_fails_later,
    an_unknown_outcome_is_asked_again_under_the_same_key_where_that_is_safe,
    an_unknown_outcome_is_listed_where_asking_again_is_not_safe,
    a_turn_under_way_in_an_upgrade_goes_on_under_the_keys_it_had,
    a_call_that_panics_is_not_repeated_and_is_listed,
    a_call_that_panics_in_the_last_attempt_is_listed_beside_the_quarantine,
    a_call_that_hangs_is_cut_off_and_not_repeated,
    a_refusal_is_told_to_the_agent_and_remembered,
    a_tool_that_is_not_there_is_told_to_the_agent,
    what_a_tool_wrote_down_of_a_contact_is_known_to_the_very_next_turn,
];

fn number() -> (&'static str, Value) {
    ("turno.tomar", json!({"fila": "caja"}))
}

const OUTSIDE: &str = "avisar";

fn outside() -> (&'static str, Value) {
    (OUTSIDE, json!({"a": "depósito"}))
}

async fn world_with(on: On, agent: Clerk, idempotent: bool) -> (World, OutsideScript) {
    let mut world = World::new(on).await.with_agent(agent);
    let tool = OutsideScript::new(OUTSIDE, idempotent, &world.faults);
    world.add_tool(tool.clone());
    (world, tool)
}

async fn assert_one_step_listed(world: &World) {
    let listed = world.to_reconcile().await;
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].kind, listed[0].what.reveal().as_str()), (ReconcileKind::Step, OUTSIDE));
    assert_eq!(listed[0].conversation, world.id_of("ana").await);
}

async fn a_number_taken_in_a_turn_that_fails_is_kept_for_the_next_attempt(on: On) {
    let world = World::new(on).await.with_agent(Clerk::calling(&[number()]).failing(2));
    world.hear("ana", "un turno").await;
    world.run_for_ms(60_000).await;
    world.hear("beto", "un turno").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["turno.tomar=1", "turno.tomar=2"]);
    world.assert_at_rest().await;
}

async fn equal_calls_in_one_turn_are_calls_of_their_own(on: On) {
    let agent = Clerk::calling(&[number(), outside(), number(), outside()]).failing(1);
    let (world, tool) = world_with(on, agent, false).await;
    world.hear("ana", "dos turnos").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["turno.tomar=1 avisar=ok turno.tomar=2 avisar=ok"]);
    let keys = tool.keys();
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1]);
    world.assert_at_rest().await;
}

async fn a_call_that_was_made_is_not_repeated_when_the_turn_fails_later(on: On) {
    for idempotent in [true, false] {
        let (world, tool) =
            world_with(on, Clerk::calling(&[outside()]).failing(2), idempotent).await;
        world.hear("ana", "hola").await;
        world.run_for_ms(60_000).await;
        assert_eq!(world.phone.sent(), ["avisar=ok"]);
        let Call { input, key } = tool.calls().remove(0);
        assert_eq!((tool.calls().len(), input), (1, outside().1));
        assert!(key.contains(OUTSIDE), "{key}");
        world.assert_at_rest().await;
    }
}

async fn an_unknown_outcome_is_asked_again_under_the_same_key_where_that_is_safe(on: On) {
    let (world, tool) = world_with(on, Clerk::calling(&[outside()]), true).await;
    tool.script([Does::Vanish, Does::Vanish]);
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["avisar=ok"]);
    let keys = tool.keys();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]));
    assert!(world.to_reconcile().await.is_empty());

    // But not for ever.
    tool.script([Does::Vanish; 3]);
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], ["avisar=unknown"]);
    assert_eq!(tool.calls().len(), 6);
    assert_one_step_listed(&world).await;
    world.assert_at_rest().await;
}

async fn an_unknown_outcome_is_listed_where_asking_again_is_not_safe(on: On) {
    let (world, tool) = world_with(on, Clerk::calling(&[outside()]).failing(1), false).await;
    tool.script([Does::Vanish]);
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["avisar=unknown"]);
    assert_eq!(tool.calls().len(), 1);
    assert_one_step_listed(&world).await;
    world.assert_at_rest().await;
}

/// The older node recorded one call, and vanished during the other.
async fn a_turn_under_way_in_an_upgrade_goes_on_under_the_keys_it_had(on: On) {
    let calls = [number(), outside(), number()];
    let (world, tool) = world_with(on, Clerk::calling(&calls), true).await;
    world.hear("ana", "hola").await;
    let older = NodeId(Uuid::from_u128(14));
    let claimed = world.store.claim(older, world.now(), 1_000, Room::for_any(1)).await;
    let work = claimed.unwrap().remove(0);
    let events = work.events.iter().map(|event| event.id.0).collect();
    let turn = OpenTurn { turn: TurnId(world.id()), started_at: world.now(), events };
    let intent = |(tool, input): (&str, Value)| Intent {
        lease: work.lease,
        turn: turn.clone(),
        read_epoch: work.conversation.epoch,
        key: StepKey::before_sha256(tool, &input.to_string(), 0),
        tool: tool.to_owned(),
        input: input.to_string().into(),
        texts: Vec::new(),
        reads: Vec::new(),
    };
    let (first, second) = (intent(number()), intent(outside()));
    world.store.intend(&first, world.now()).await.unwrap();
    let (done, output) = (StepStatus::Done, json!({ "number": 41 }));
    world.store.record_outcome(&first, done, &output, world.now()).await.unwrap();
    world.store.intend(&second, world.now()).await.unwrap();

    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["turno.tomar=41 avisar=ok turno.tomar=1"]);
    assert_eq!(tool.keys(), [second.key.idempotency_key(turn.turn)]);
    world.assert_at_rest().await;
}

async fn a_call_that_panics_is_not_repeated_and_is_listed(on: On) {
    let (world, tool) = world_with(on, Clerk::calling(&[number(), outside()]), false).await;
    tool.script([Does::Panic]);
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["turno.tomar=1 avisar=unknown"]);
    assert_eq!(tool.calls().len(), 1);
    assert_one_step_listed(&world).await;
    world.assert_at_rest().await;
}

async fn a_call_that_hangs_is_cut_off_and_not_repeated(on: On) {
    let (world, tool) = world_with(on, Clerk::calling(&[number(), outside()]), false).await;
    tool.script([Does::Hang]);
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent(), ["turno.tomar=1 avisar=unknown"]);
    assert_eq!(tool.calls().len(), 1);
    assert_one_step_listed(&world).await;
    world.assert_at_rest().await;
}

async fn a_refusal_is_told_to_the_agent_and_remembered(on: On) {
    let bad = ("turno.tomar", json!({}));
    let (world, tool) = world_with(on, Clerk::calling(&[bad, outside()]).failing(1), false).await;
    tool.script([Does::Refuse]);
    world.hear("ana", "hola").await;
    world.run_for_ms(60_000).await;
    let sent = world.phone.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].starts_with("turno.tomar=refused, the input does not fit"), "{sent:?}");
    assert!(sent[0].ends_with("avisar=refused, not today"), "{sent:?}");
    assert_eq!(tool.calls().len(), 1, "a refusal is an answer");
    assert!(world.to_reconcile().await.is_empty());
}

async fn a_tool_that_is_not_there_is_told_to_the_agent(on: On) {
    let world = World::new(on).await.with_agent(Clerk::calling(&[outside()]));
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["avisar=there is no tool `avisar`"]);
    world.assert_at_rest().await;
}

async fn a_call_that_panics_in_the_last_attempt_is_listed_beside_the_quarantine(on: On) {
    let (mut world, tool) = world_with(on, Clerk::calling(&[outside()]), false).await;
    world.settings.turn_attempts = 1;
    tool.script([Does::Panic]);
    world.hear("ana", "hola").await;
    world.run().await;
    assert_eq!(world.quarantined().await[0].reason, "panicked: the tool broke");
    assert_eq!((tool.calls().len(), world.phone.sent().len()), (1, 1));
    assert_one_step_listed(&world).await;
    world.assert_at_rest().await;
}

async fn what_a_tool_wrote_down_of_a_contact_is_known_to_the_very_next_turn(on: On) {
    let one_by_one = Burst { max_messages: 1, ..Burst::default() };
    // Where the commit delivers, nothing is read between two turns of a lane.
    let world = World::new(on).await.with_agent(Listener).with_burst(one_by_one);
    let world = world.with_kind(ChannelKind::Webchat);
    for name in ["Ana", "Eva", "Luz"] {
        world.hear("ana", name).await;
    }
    world.run().await;
    let said = world.said_by(Role::Assistant, "ana").await;
    assert_eq!(said, ["Hola, nadie", "Hola, Ana", "Hola, Eva"]);
    world.assert_at_rest().await;
}
