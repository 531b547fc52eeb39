//! Models' answers: recorded once, charged once, and added up for the budgets.

use domain::{
    Authority, Caller, ContactId, Cost, ModelCall, SessionId, Spending, StepStatus, Usage,
};
use serde_json::{Value, json};

use super::world::{World, one};
use crate::{AttentionFilter, Charged, Intent, KeptText, LaneWork, LedgerLine, OpenTurn};

pub(super) async fn an_answer_is_recorded_once_with_what_it_cost(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "model", 0);
    let charged = charged(&world, &work, vec![call(1, "overloaded", 0), call(2, "answered", 7)]);
    let output = json!({ "text": "buenas" });
    let answer = async |output, charged| {
        let (store, now) = (&world.store, world.now());
        store.record_answer(&intent, StepStatus::Done, output, charged, now).await.unwrap()
    };
    let step = answer(&output, &charged).await;
    assert_eq!((&step.key, step.tool.as_str(), step.at), (&intent.key, "model", world.now()));
    assert_eq!((step.status, &step.output), (StepStatus::Done, &output));
    let written = ledger(&world, &work).await;
    assert_eq!(written.len(), 2);

    world.pass_ms(1_000);
    let dearer = Charged { calls: vec![call(3, "answered", 900)], ..charged.clone() };
    assert_eq!(answer(&json!({ "text": "otra" }), &dearer).await, step, "the first answer");
    assert_eq!(ledger(&world, &work).await, written, "and it is not paid for twice");

    let again = world.claim_after_crash().await;
    assert_eq!(again.open_turn, Some(intent.turn.clone()));
    assert_eq!(one(again.steps), step);
}

pub(super) async fn an_answer_that_failed_is_recorded_and_charged_too(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let failed = charged(&world, &work, vec![call(1, "refused", 5)]);
    let (intent, why) = (world.intent(&work, "model", 0), json!("no model answered"));
    let (store, now) = (&world.store, world.now());
    let step = store.record_answer(&intent, StepStatus::Failed, &why, &failed, now).await.unwrap();
    assert_eq!((step.status, step.output), (StepStatus::Failed, why));
    assert_eq!(one(ledger(&world, &work).await).call, failed.calls[0]);
}

pub(super) async fn an_answer_nobody_was_charged_for_is_recorded(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let free = charged(&world, &work, vec![]);
    answered(&world, &world.intent(&work, "model", 0), &free).await;
    assert!(ledger(&world, &work).await.is_empty());
    assert_eq!(world.claim_after_crash().await.steps.len(), 1);
}

/// The first question brings the text; the second one names it.
pub(super) async fn a_text_that_questions_share_is_kept_once_and_read_with_each(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let kept = KeptText { digest: "d1".into(), text: r#""Eres quien vende.""#.into() };
    let asked = |said: &str, system: Value| json!({ "models": ["m"], "request": { "messages": [said], "system": system } });
    let ask = |said: &str, texts| Intent {
        input: asked(said, json!({ "sha256": "d1" })).to_string().into(),
        texts,
        ..other_turn(&world, &work)
    };
    let questions = [ask("hola", vec![kept.clone()]), ask("¿y?", vec![]), ask("sí", vec![kept])];
    let charged = charged(&world, &work, vec![call(1, "answered", 1)]);
    for question in &questions {
        answered(&world, question, &charged).await;
    }
    let turns = questions.each_ref().map(|question| question.turn.turn);
    let details = world.store.turn_details(world.workspace(), &turns).await.unwrap();
    let inputs: Vec<_> = details.into_iter().map(|detail| one(detail.steps).input).collect();
    let expected = ["hola", "¿y?", "sí"].map(|said| asked(said, json!("Eres quien vende.")));
    assert_eq!(inputs, expected);
}

pub(super) async fn the_ledger_shows_the_last_calls_newest_first(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let first = world.intent(&work, "model", 0);
    let on_first = charged(&world, &work, vec![call(1, "timeout", 3), call(2, "answered", 4)]);
    answered(&world, &first, &on_first).await;
    let began = world.now();
    world.pass_ms(1_000);
    let second = Intent { turn: first.turn.clone(), ..world.intent(&work, "model", 1) };
    let on_second = Charged { calls: vec![call(1, "answered", 5)], ..on_first.clone() };
    answered(&world, &second, &on_second).await;

    let line = |intent: &Intent, at, call: &ModelCall| LedgerLine {
        at,
        session: on_first.session,
        turn: intent.turn.turn,
        step: intent.key.clone(),
        call: call.clone(),
    };
    let expected = [
        line(&second, world.now(), &on_second.calls[0]),
        line(&first, began, &on_first.calls[1]),
        line(&first, began, &on_first.calls[0]),
    ];
    assert_eq!(ledger(&world, &work).await, expected);
    let last = world.store.ledger(world.workspace(), work.conversation.id, 2).await.unwrap();
    assert_eq!(last, expected[..2]);
    let none = world.store.ledger(world.workspace(), world.id(), 9).await.unwrap();
    assert!(none.is_empty());
}

/// Two customers; the first of them has two sessions, the older one of another day.
pub(super) async fn what_was_spent_is_added_up_by_session_contact_and_workspace(world: World) {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    world.hear("ana", "hola").await;
    world.hear("luis", "hola").await;
    let mut works = world.claim_all().await;
    works.sort_by_key(|work| work.conversation.id);
    let [ana, luis] = &works[..] else { panic!("two lanes") };
    let contact = ana.conversation.contact.id;
    let spend = async |work: &LaneWork, session, cost| {
        let account = Charged {
            session,
            contact: work.conversation.contact.id,
            calls: vec![call(1, "timeout", cost), call(2, "answered", cost)],
        };
        let intent = other_turn(&world, work);
        answered(&world, &intent, &account).await;
        intent.turn.turn
    };
    let (old, session, his) = (world.id(), world.id(), world.id());
    let none = world.id();
    let began = world.now();
    spend(ana, old, 1).await;
    world.pass_ms(1);
    let since = world.now();
    spend(ana, old, 10).await;
    world.pass_ms(DAY_MS / 2);
    spend(ana, session, 100).await;
    spend(luis, his, 1_000).await;
    let under_way = spend(ana, session, 10_000).await;

    let spending = async |session: SessionId, contact: ContactId, except| {
        let (workspace, conversation) = (world.workspace(), ana.conversation.id);
        let authority = Authority::Turn;
        let caller = Caller { workspace, conversation, contact, session, authority };
        // As a node has it whose clock is ahead of the one that wrote the first call down.
        world.store.spending(caller, began.plus_ms(5_000), except, since).await.unwrap()
    };
    let tokens = 2 * call(1, "", 0).usage.total();
    let expected = Spending { session_tokens: tokens, session: Cost(200), contact_day: Cost(220) };
    let by_all =
        async |except| world.store.spent_by_all(world.workspace(), except, since).await.unwrap();
    assert_eq!(spending(session, contact, under_way).await, expected);
    assert_eq!((by_all(under_way).await, by_all(none).await), (Cost(2_220), Cost(22_220)));
    let with_it =
        Spending { session_tokens: 2 * tokens, session: Cost(20_200), contact_day: Cost(20_220) };
    assert_eq!(spending(session, contact, none).await, with_it);
    let all_of_old = Spending { session_tokens: 2 * tokens, session: Cost(22), ..expected };
    assert_eq!(spending(old, contact, under_way).await, all_of_old, "a session has no day");
    assert_eq!(spending(world.id(), world.id(), none).await, Spending::default());
}

pub(super) async fn a_model_that_was_asked_leaves_nothing_to_reconcile(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let intent = world.intent(&work, "model", 0);
    let free = charged(&world, &work, vec![]);
    let (store, now) = (&world.store, world.now());
    let nothing = json!(null);
    store.record_answer(&intent, StepStatus::Intended, &nothing, &free, now).await.unwrap();
    let work = store.release(work.lease, now).await.unwrap().expect("the turn goes on");
    assert!(world.commit(world.turn(&work)).await.is_none());
    assert!(
        world
            .store
            .reconcile_items(world.workspace(), &AttentionFilter::first(100))
            .await
            .unwrap()
            .is_empty()
    );
}

/// A call whose figures all differ, so that no figure can stand for another.
pub(super) fn call(attempt: u32, outcome: &str, cost: i64) -> ModelCall {
    ModelCall {
        component: "writer".into(),
        provider: "anthropic".into(),
        model: "small".into(),
        attempt,
        outcome: outcome.into(),
        usage: Usage { input: 1, output: 20, cache_read: 300, cache_write: 4_000 },
        cost: Cost(cost),
        ms: 50_000,
    }
}

pub(super) fn charged(world: &World, work: &LaneWork, calls: Vec<ModelCall>) -> Charged {
    Charged { session: world.id(), contact: work.conversation.contact.id, calls }
}

pub(super) async fn answered(world: &World, intent: &Intent, charged: &Charged) {
    let (answer, now) = (json!({ "text": "buenas" }), world.now());
    let recorded = world.store.record_answer(intent, StepStatus::Done, &answer, charged, now).await;
    recorded.expect("recorded");
}

/// A step of a turn that nobody has seen before.
fn other_turn(world: &World, work: &LaneWork) -> Intent {
    let intent = world.intent(work, "model", 0);
    Intent { turn: OpenTurn { turn: world.id(), ..intent.turn.clone() }, ..intent }
}

async fn ledger(world: &World, work: &LaneWork) -> Vec<LedgerLine> {
    let lines = world.store.ledger(world.workspace(), work.conversation.id, 100).await;
    lines.expect("the ledger")
}
