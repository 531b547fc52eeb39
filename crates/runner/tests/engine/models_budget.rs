//! Budgets: a call that a limit does not allow is refused before it is made, by the worst it may
//! cost.

use domain::{Budget, Cost, SESSION_WINDOW_MS};
use futures::future::join_all;

use crate::kit::{Act, Asker, On, Oracle, PRICE, USAGE, World};

on_both_stores![
    a_turn_stops_asking_when_its_limit_is_reached,
    a_session_stops_asking_and_the_next_one_may_again,
    tokens_of_a_session_are_limited_by_what_the_next_call_may_take,
    a_contact_stops_asking_for_a_day,
    a_workspace_stops_asking_whoever_writes,
    the_operator_may_allow_a_workspace_less_than_its_pack,
    what_is_left_for_known_contacts_is_not_spent_by_new_ones,
    a_day_that_is_added_up_by_the_minute_comes_to_the_same,
    twenty_conversations_at_once_do_not_outspend_their_workspace,
    two_nodes_of_a_workspace_outspend_it_by_no_more_than_they_have_under_way,
];

const QUESTION: &str = "qué";

/// The most one call may cost, by which it is let in.
fn most() -> Cost {
    Cost(i64::from(llm::estimate(&Asker::request(QUESTION))) * 1_000)
}

/// A limit that lets in so many calls and not one more.
fn lets_in(calls: i64) -> Option<Cost> {
    assert!(most() > PRICE, "a call costs less than it may");
    Some(Cost(PRICE.0 * (calls - 1) + most().0))
}

fn asking(times: usize, budget: Budget) -> Asker {
    Asker::doing(&vec![Act::Ask("detector", QUESTION); times]).within(budget)
}

fn within(world: World, agent: Asker) -> (World, Oracle) {
    let oracle = Oracle::of(&world);
    (world.with_models(oracle.models()).with_agent(agent), oracle)
}

async fn hear(world: &World, from: &str) -> String {
    world.hear(from, "hola").await;
    world.run().await;
    world.phone.sent_to(from).pop().expect("a reply")
}

async fn a_turn_stops_asking_when_its_limit_is_reached(on: On) {
    let budget = Budget { turn: lets_in(2), ..Budget::default() };
    let (world, oracle) = within(World::new(on).await, asking(3, budget));
    for turn in 1..=2 {
        let said = hear(&world, "ana").await;
        assert_eq!(said, "qué=ok qué=ok qué=(the budget is spent: the turn)");
        assert_eq!(oracle.asked().len(), 2 * turn);
    }
}

async fn a_session_stops_asking_and_the_next_one_may_again(on: On) {
    let budget = Budget { session: lets_in(3), ..Budget::default() };
    let (world, oracle) = within(World::new(on).await, asking(2, budget));
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=ok");
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=(the budget is spent: the session)");
    assert_eq!(oracle.asked().len(), 3);
    world.pass_ms(SESSION_WINDOW_MS);
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=ok");
}

async fn tokens_of_a_session_are_limited_by_what_the_next_call_may_take(on: On) {
    let estimate = u64::from(llm::estimate(&Asker::request(QUESTION)));
    for (spare, calls) in [(0, 2), (1, 2)] {
        let limit = USAGE.total() + estimate + spare;
        let budget = Budget { session_tokens: Some(limit), ..Budget::default() };
        let (world, oracle) = within(World::new(on).await, asking(3, budget));
        let said = hear(&world, "ana").await;
        assert!(said.ends_with("(the budget is spent: the session's tokens)"), "{said}");
        assert_eq!(oracle.asked().len(), calls);
    }
    let budget = Budget { session_tokens: Some(estimate - 1), ..Budget::default() };
    let (world, oracle) = within(World::new(on).await, asking(1, budget));
    hear(&world, "ana").await;
    assert!(oracle.asked().is_empty(), "the first call might take more than there is");
}

async fn a_contact_stops_asking_for_a_day(on: On) {
    let budget = Budget { contact_day: lets_in(3), ..Budget::default() };
    let (world, _) = within(World::new(on).await, asking(2, budget));
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=ok");
    // To the millisecond: another session, and still the same day.
    world.pass_ms(SESSION_WINDOW_MS);
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=(the budget is spent: the contact)");
    assert_eq!(hear(&world, "beto").await, "qué=ok qué=ok", "another contact has his own");
    world.pass_ms(24 * 60 * 60 * 1_000 + 1);
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=ok");
}

async fn a_workspace_stops_asking_whoever_writes(on: On) {
    let budget = Budget { workspace_day: lets_in(3), ..Budget::default() };
    let (world, _) = within(World::new(on).await, asking(2, budget));
    assert_eq!(hear(&world, "ana").await, "qué=ok qué=ok");
    assert_eq!(hear(&world, "beto").await, "qué=ok qué=(the budget is spent: the workspace)");
    let (beside, _) = within(world.beside("otra tienda").await, asking(2, budget));
    assert_eq!(hear(&beside, "ana").await, "qué=ok qué=ok", "another workspace has its own");
}

async fn the_operator_may_allow_a_workspace_less_than_its_pack(on: On) {
    for (pack, operator) in [(lets_in(9), lets_in(1)), (lets_in(1), lets_in(9)), (None, lets_in(1))]
    {
        let budget = Budget { workspace_day: pack, ..Budget::default() };
        let (mut world, oracle) = within(World::new(on).await, asking(2, budget));
        world.settings.workspace_day = operator;
        hear(&world, "ana").await;
        assert_eq!(oracle.asked().len(), 1, "the smaller limit holds");
    }
}

async fn what_is_left_for_known_contacts_is_not_spent_by_new_ones(on: On) {
    let (mut world, _) = within(World::new(on).await, asking(1, Budget::default()));
    world.settings.workspace_day = lets_in(6);
    world.settings.strangers_day = lets_in(2);
    let refused = "qué=(the budget is spent: new contacts)";
    assert_eq!(hear(&world, "ana").await, "qué=ok");
    assert_eq!(hear(&world, "beto").await, "qué=ok");
    assert_eq!(hear(&world, "eva").await, refused);
    assert_eq!(hear(&world, "ana").await, refused, "who wrote for the first time today");
    world.take("ana", "marta").await;
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(hear(&world, "ana").await, "qué=ok", "whom a person has answered");
    assert_eq!(hear(&world, "luis").await, refused);
}

async fn a_day_that_is_added_up_by_the_minute_comes_to_the_same(on: On) {
    let (mut world, _) = within(World::new(on).await, asking(1, Budget::default()));
    world.settings.workspace_day = lets_in(3);
    for _ in 0..3 {
        assert_eq!(hear(&world, "ana").await, "qué=ok");
        world.pass_ms(10 * 60_000);
    }
    let spent = "qué=(the budget is spent: the workspace)";
    assert_eq!(hear(&world, "ana").await, spent);
    // The first call is a day ago, the others are not.
    world.pass_ms(24 * 60 * 60_000 - 25 * 60_000);
    assert_eq!(hear(&world, "ana").await, "qué=ok");
    assert_eq!(hear(&world, "ana").await, spent);
}

async fn spent(world: &World, customers: &[String]) -> i64 {
    let ledger = join_all(customers.iter().map(async |from| {
        let id = world.id_of(from).await;
        let lines = world.store.ledger(world.channel.workspace, id, 100).await.unwrap();
        lines.iter().map(|line| line.call.cost.0).sum::<i64>()
    }));
    ledger.await.into_iter().sum()
}

async fn twenty_conversations_at_once_do_not_outspend_their_workspace(on: On) {
    let customers: Vec<_> = (0..20).map(|number| format!("cliente {number}")).collect();
    for calls in [1, 10, 30] {
        let limit = lets_in(calls);
        let budget = Budget { workspace_day: limit, ..Budget::default() };
        let (world, oracle) = within(World::new(on).await, asking(3, budget));
        for from in &customers {
            world.hear(from, "hola").await;
        }
        world.run_at_once(&[world.node()]).await;
        let limit = limit.unwrap().0;
        let spent = spent(&world, &customers).await;
        assert!(spent <= limit, "{calls}: {spent} of {limit}");
        assert_eq!(oracle.asked().len() as i64 * PRICE.0, spent);
        // Room that is left at the end is not refused for good.
        assert!(spent >= PRICE.0, "{calls}: nobody could ask");
        for from in &customers {
            assert_eq!(world.phone.sent_to(from).len(), 1, "{from} has a reply");
        }
        world.assert_at_rest().await;
    }
}

async fn two_nodes_of_a_workspace_outspend_it_by_no_more_than_they_have_under_way(on: On) {
    let customers: Vec<_> = (0..20).map(|number| format!("cliente {number}")).collect();
    let budget = Budget { workspace_day: lets_in(8), ..Budget::default() };
    let (world, _) = within(World::new(on).await, asking(3, budget));
    for from in &customers {
        world.hear(from, "hola").await;
    }
    world.run_at_once(&[world.node(), world.distant_node().await]).await;
    let spent = spent(&world, &customers).await;
    let limit = lets_in(8).unwrap().0;
    assert!(spent <= 2 * limit, "each node keeps its own calls within the limit: {spent}");
}
