//! The step journal: a step that a turn recorded is found, not done again, when the turn is run
//! again.

use domain::{StepStatus, Timestamp};
use serde_json::json;

use super::doing;
use super::world::{World, one, words};
use crate::{AttentionFilter, Intent, LaneWork, ReconcileKind, Resolution, StoreError, TurnCommit};

pub(super) async fn an_own_effect_happens_once_per_step(world: World) {
    world.hear("ana", "un turno").await;
    let work = world.claim().await;
    let first = world.intent(&work, "turno.tomar", 0);
    let step = take_number(&world, &first).await;
    assert_eq!(step.output, json!({ "number": 1 }));
    assert_eq!(step.status, StepStatus::Done);
    world.pass_ms(1_000);
    assert_eq!(take_number(&world, &first).await, step, "the first answer, with its time");

    let second = Intent { turn: first.turn.clone(), ..world.intent(&work, "turno.tomar", 1) };
    assert_eq!(take_number(&world, &second).await.output, json!({ "number": 2 }));
    assert_eq!(take_number(&world, &first).await.output, json!({ "number": 1 }));
}

pub(super) async fn numbers_are_never_given_twice(world: World) {
    for n in 0..12 {
        world.hear(&format!("cliente {n}"), "un turno").await;
    }
    let other = world.another_node().await;
    let mut racing = tokio::task::JoinSet::new();
    for (n, work) in world.claim_all().await.into_iter().enumerate() {
        let node = std::sync::Arc::clone(if n % 2 == 0 { &world.store } else { &other });
        let (intent, now) = (world.intent(&work, "turno.tomar", 0), world.now());
        racing.spawn(async move {
            node.record_local(&intent, doing::take_number("caja"), now).await.unwrap()
        });
    }
    let mut numbers: Vec<_> = racing.join_all().await.into_iter().map(|step| step.output).collect();
    numbers.sort_by_key(|output| output["number"].as_i64());
    let expected: Vec<_> = (1..=12).map(|n| json!({ "number": n })).collect();
    assert_eq!(numbers, expected);
}

pub(super) async fn an_own_effect_survives_the_crash_of_its_turn(world: World) {
    world.hear("ana", "un turno").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "turno.tomar", 0);
    let step = take_number(&world, &intent).await;
    let again = world.claim_after_crash().await;
    assert_eq!(again.open_turn.as_ref(), Some(&intent.turn));
    assert_eq!(one(again.steps.clone()), step);
    let same = world.intent(&again, "turno.tomar", 0);
    assert_eq!(take_number(&world, &same).await, step);
}

pub(super) async fn a_turn_that_crashed_in_a_call_is_found_as_it_was(world: World) {
    world.hear("ana", "cobra").await;
    world.hear("ana", "ya").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "pago.cobrar", 0);
    let started = world.now();
    world.store.intend(&intent, started).await.unwrap();
    world.hear("ana", "¿hola?").await;

    let again = world.claim_after_crash().await;
    assert_eq!(again.open_turn, Some(intent.turn.clone()));
    assert_eq!(again.events, work.events, "what came later is not mixed in");
    let step = one(again.steps.clone());
    assert_eq!((&step.key, step.status), (&intent.key, StepStatus::Intended));
    assert_eq!((step.tool.as_str(), step.at), ("pago.cobrar", started));

    let next = world.commit(world.turn(&again)).await.expect("the later message");
    assert_eq!(words(&next), ["¿hola?"]);
    assert_eq!(next.open_turn, None, "the commit has closed the turn");
    assert!(next.steps.is_empty());
}

pub(super) async fn an_open_turn_finds_its_events_behind_later_ones_sent_before_them(world: World) {
    let world = world.with_turns_of(2).await;
    world.hear("ana", "uno").await;
    world.hear("ana", "dos").await;
    world.hear("ana", "tres").await;
    let work = world.claim().await;
    assert_eq!(words(&work), ["uno", "dos"]);
    world.store.intend(&world.intent(&work, "pago.cobrar", 0), world.now()).await.unwrap();
    for n in 0..5 {
        let mut late = world.arrival("ana", &format!("late {n}"), "antes");
        late.item.sent_at = Some(world.now().plus_ms(-60_000));
        world.accept(vec![late]).await;
    }
    let again = world.claim_after_crash().await;
    assert_eq!(again.events, work.events);
    let next = world.commit(world.turn(&again)).await.expect("the rest");
    assert_eq!(words(&next), ["antes", "antes"]);
}

pub(super) async fn an_open_turn_keeps_its_timers_and_takes_no_new_ones(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let turn = TurnCommit {
        arm: vec![world.timer("a", 1_000), world.timer("b", 2_000)],
        ..world.turn(&work)
    };
    world.commit(turn).await;
    world.pass_ms(1_000);
    let work = world.claim().await;
    assert_eq!(work.events.len(), 1);
    world.store.intend(&world.intent(&work, "pago.cobrar", 0), world.now()).await.unwrap();
    let again = world.claim_after_crash().await;
    assert_eq!(again.events, work.events);
    let next = world.commit(world.turn(&again)).await.expect("the second timer");
    assert_eq!(next.events.len(), 1);
    assert_ne!(next.events, work.events);
}

pub(super) async fn an_open_turn_none_of_whose_events_wait_gives_way_to_the_next(world: World) {
    world.hear("ana", "cobra").await;
    let work = world.claim().await;
    let mut stale = world.intent(&work, "pago.cobrar", 0);
    stale.turn.events = vec![world.id()];
    world.store.intend(&stale, world.now()).await.unwrap();
    let work = world.claim_after_crash().await;
    assert_eq!((words(&work), &work.open_turn), (vec!["cobra"], &None));
    assert!(work.steps.is_empty());

    let intent = world.intent(&work, "pago.cobrar", 0);
    world.store.intend(&intent, world.now()).await.unwrap();
    let again = world.claim_after_crash().await;
    assert_eq!(again.open_turn, Some(intent.turn));
    assert_eq!(one(again.steps).key, intent.key);
}

pub(super) async fn an_intent_repeated_changes_nothing(world: World) {
    world.hear("ana", "cobra").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "pago.cobrar", 0);
    let first = world.now();
    world.store.intend(&intent, first).await.unwrap();
    record(&world, &intent, StepStatus::Done).await.unwrap();
    world.pass_ms(10);
    world.store.intend(&intent, world.now()).await.unwrap();
    let step = one(reread(&world, &work).await.steps);
    assert_eq!((step.status, step.at), (StepStatus::Done, first));
}

pub(super) async fn an_outcome_is_recorded_once(world: World) {
    world.hear("ana", "cobra").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "pago.cobrar", 0);
    let unknown = StoreError::NotFound("intended step");
    let early = record(&world, &intent, StepStatus::Done).await;
    assert_eq!(early.unwrap_err(), unknown, "nothing was intended");

    world.store.intend(&intent, world.now()).await.unwrap();
    record(&world, &intent, StepStatus::Failed).await.unwrap();
    let again = record(&world, &intent, StepStatus::Done).await;
    assert_eq!(again.unwrap_err(), unknown);
    let step = one(reread(&world, &work).await.steps);
    assert_eq!(step.status, StepStatus::Failed);
    assert_eq!(step.output, json!({ "status": "failed" }));
}

pub(super) async fn a_call_nobody_knows_the_end_of_waits_for_a_person(world: World) {
    world.hear("ana", "cobra").await;
    let work = world.claim().await;
    let workspace = world.workspace();
    let intents = [0, 1].map(|n| Intent {
        turn: crate::OpenTurn {
            turn: domain::TurnId(uuid::Uuid::from_u128(77)),
            ..world.intent(&work, "pago.cobrar", n).turn
        },
        ..world.intent(&work, "pago.cobrar", n)
    });
    for intent in &intents {
        world.store.intend(intent, world.now()).await.unwrap();
        record(&world, intent, StepStatus::Unknown).await.unwrap();
        world.pass_ms(1);
    }
    let items = world.store.reconcile_items(workspace, &AttentionFilter::first(100)).await.unwrap();
    assert_eq!(items.len(), 2);
    for (item, intent) in items.iter().zip(&intents) {
        assert_eq!(item.kind, ReconcileKind::Step);
        assert_eq!(item.id, format!("{}/{}", intent.turn.turn, intent.key));
        assert_eq!(item.conversation, work.conversation.id);
        assert_eq!(item.what.reveal(), "pago.cobrar");
        assert!(item.error.as_ref().unwrap().contains("unknown"));
    }
    // The same list, page by page.
    let mut read = Vec::new();
    let mut after = None;
    loop {
        let filter = AttentionFilter { after, ..AttentionFilter::first(1) };
        let page = world.store.reconcile_items(workspace, &filter).await.unwrap();
        let Some(item) = page.into_iter().next() else { break };
        after = Some(item.place);
        read.push(item.id);
    }
    assert_eq!(read, [items[0].id.clone(), items[1].id.clone()]);
    let resolve = async |n: usize, resolution| {
        world.store.reconcile(workspace, &items[n].id, resolution, "marta", world.now()).await
    };
    let resent = resolve(0, Resolution::Resend).await.unwrap_err();
    assert!(matches!(resent, StoreError::Refused(_)), "{resent:?}");
    resolve(0, Resolution::Happened).await.unwrap();
    resolve(1, Resolution::Dropped).await.unwrap();
    let again = resolve(0, Resolution::Dropped).await.unwrap_err();
    assert_eq!(again, StoreError::NotFound("reconcile item"));
    assert!(
        world
            .store
            .reconcile_items(workspace, &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
    let steps = reread(&world, &work).await.steps;
    let statuses: Vec<_> = steps.iter().map(|step| step.status).collect();
    assert_eq!(statuses, [StepStatus::Done, StepStatus::Failed]);
}

pub(super) async fn a_failed_attempt_keeps_the_turn_open(world: World) {
    world.hear("ana", "cobra").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "pago.cobrar", 0);
    world.store.intend(&intent, world.now()).await.unwrap();
    let retry_at: Timestamp = world.now().plus_ms(500);
    world.store.fail(work.lease, "no model", retry_at, world.now()).await.unwrap();
    world.hear("ana", "¿hola?").await;
    world.pass_ms(500);
    let again = world.claim().await;
    assert_eq!(again.open_turn, Some(intent.turn));
    assert_eq!(again.events, work.events);
    assert_eq!(again.steps.len(), 1);
}

async fn take_number(world: &World, intent: &Intent) -> domain::Step {
    let number = doing::take_number("caja");
    let step = world.store.record_local(intent, number, world.now()).await;
    step.expect("recorded")
}

async fn record(world: &World, intent: &Intent, status: StepStatus) -> crate::StoreResult<()> {
    let output = json!({ "status": status });
    world.store.record_outcome(intent, status, &output, world.now()).await
}

/// The lane's work as it is now; its events still wait.
async fn reread(world: &World, work: &LaneWork) -> LaneWork {
    let found = world.store.release(work.lease, world.now()).await.unwrap();
    found.expect("the events still wait")
}
