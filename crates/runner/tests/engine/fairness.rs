//! A workspace with far more than its share is served, and the others wait no longer for it.

use std::time::Duration;

use domain::ChannelId;

use crate::kit::{Act, Asker, Crowd, Curious, LEASE_MS, LOOK, On, Oracle, Tells, World};

on_both_stores![
    a_workspace_whose_models_are_slow_holds_back_nobody_else,
    whoever_waits_for_a_model_leaves_its_place_to_those_who_need_none,
    a_workspace_whose_channel_is_slow_holds_back_nobody_else,
    what_waited_longer_in_one_workspace_does_not_stand_before_another,
    a_hundred_times_the_load_of_one_workspace_is_at_most_twice_the_wait_of_another,
    a_crash_of_a_full_node_costs_the_other_workspace_no_place,
    an_operators_message_does_not_wait_for_all_that_the_bot_has_to_answer,
];

/// Lanes of one workspace at once.
const WORKERS: usize = 4;

const PATIENCE: Duration = Duration::from_secs(60);

fn quiet() -> ChannelId {
    "tranquila".into()
}

/// A world with a quiet workspace beside the loud one.
async fn world(on: On) -> World {
    let mut world = World::new(on).await.with_neighbour(&quiet().0, &quiet().0).await;
    world.settings.workers = WORKERS;
    world
}

/// So many customers of the loud workspace write, brought to a node that only stores it.
async fn crowd_writes(world: &World, many: usize) {
    let from =
        |number: usize| world.inbound(&format!("ruidosa {number}"), &number.to_string(), "hola");
    world.take_in((0..many).map(from).collect()).await;
}

async fn is_answered(world: &World, from: &str) {
    let answered = async {
        while world.phone.sent_to(from).is_empty() {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(PATIENCE, answered).await.unwrap_or_else(|_| panic!("{from} waits"));
}

async fn a_workspace_whose_models_are_slow_holds_back_nobody_else(on: On) {
    let (world, crowd) = (world(on).await, Crowd::new());
    let oracle = Oracle::of(&world);
    oracle.script(vec![Tells::Stand(crowd.clone()); WORKERS]);
    let world = world.with_models(oracle.models());
    let world = world.with_agent(Asker::doing(&[Act::Ask("a", "qué")]));
    crowd_writes(&world, 40).await;
    let process = world.process().await;
    // A workspace that is alone has all the workers, and no more.
    crowd.stands(WORKERS).await;
    // Whether the message claims its lane itself or the node finds it later.
    world.hear_by(&process.node, &quiet(), "ana", "hola").await;
    world.hear_by(&world.node(), &quiet(), "luis", "hola").await;
    is_answered(&world, "ana").await;
    is_answered(&world, "luis").await;
    crowd.stands(WORKERS).await;
    assert!(world.phone.sent_to("ruidosa 39").is_empty());
    crowd.go();
    world.comes_to_rest().await;
    for number in 0..40 {
        assert_eq!(world.phone.sent_to(&format!("ruidosa {number}")), ["qué=ok"], "{number}");
    }
}

async fn whoever_waits_for_a_model_leaves_its_place_to_those_who_need_none(on: On) {
    let (world, crowd) = (world(on).await, Crowd::new());
    let oracle = Oracle::of(&world);
    oracle.script([Tells::Stand(crowd.clone())]);
    let world = world.with_models(oracle.models_at_once(1));
    let world = world.with_agent(Curious(Asker::doing(&[Act::Ask("a", "qué")])));
    let process = world.process().await;
    let loud = &world.channel.id;
    world.hear_by(&process.node, loud, "primera", "¿hay?").await;
    crowd.stands(1).await;
    for number in 0..WORKERS {
        world.hear_by(&process.node, loud, &format!("cliente {number}"), "¿hay?").await;
    }
    world.hear_by(&process.node, loud, "otra", "buenas").await;
    is_answered(&world, "otra").await;
    // The others are held all the while, so that nobody else answers them.
    let all_held = async {
        while process.node.busy() != 1 + WORKERS {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(PATIENCE, all_held).await.expect("all held");
    assert_eq!(oracle.asked().len(), 1);
    crowd.go();
    world.comes_to_rest().await;
    assert_eq!(world.phone.sent_to("primera"), ["qué=ok"]);
    for number in 0..WORKERS {
        assert_eq!(world.phone.sent_to(&format!("cliente {number}")), ["qué=ok"], "{number}");
    }
}

async fn a_workspace_whose_channel_is_slow_holds_back_nobody_else(on: On) {
    let (world, crowd) = (world(on).await, Crowd::new());
    world.phone.is_slow_to("ruidosa", &crowd);
    let process = world.process().await;
    for number in 0..20 {
        let from = format!("ruidosa {number}");
        world.hear_by(&process.node, &world.channel.id, &from, "hola").await;
    }
    crowd.stands(WORKERS).await;
    for from in ["ana", "luis", "eva"] {
        world.hear_by(&process.node, &quiet(), from, "hola").await;
        is_answered(&world, from).await;
    }
    crowd.stands(WORKERS).await;
    crowd.go();
    world.comes_to_rest().await;
    assert_eq!(world.phone.sent().len(), 23);
}

async fn what_waited_longer_in_one_workspace_does_not_stand_before_another(on: On) {
    let (world, crowd) = (world(on).await, Crowd::new());
    world.phone.is_slow_to("ruidosa", &crowd);
    crowd_writes(&world, 600).await;
    world.pass_ms(1_000);
    world.hear_by(&world.node(), &quiet(), "ana", "hola").await;
    let _process = world.process().await;
    is_answered(&world, "ana").await;
    crowd.stands(WORKERS).await;
    crowd.go();
    world.comes_to_rest().await;
    assert_eq!(world.phone.sent().len(), 601);
}

/// How many replies of others leave between a quiet customer's message and its reply, at most.
async fn waited(world: &World, loud: usize) -> usize {
    if loud > 0 {
        crowd_writes(world, loud).await;
    }
    for number in 0..8 {
        let node = world.node();
        world.hear_by(&node, &quiet(), &format!("tranquila {number}"), "hola").await;
    }
    let _process = world.process().await;
    world.comes_to_rest().await;
    let tried = world.phone.attempts();
    tried.iter().rposition(|attempt| attempt.to.starts_with("tranquila")).expect("a reply") + 1
}

async fn a_hundred_times_the_load_of_one_workspace_is_at_most_twice_the_wait_of_another(on: On) {
    let alone = waited(&world(on).await, 0).await;
    assert_eq!(alone, 8);
    // Half of what leaves until then is the loud one's, and what was under way when it began.
    let beside = waited(&world(on).await, 800).await;
    assert!(beside <= 2 * alone + WORKERS, "the last of 8 replies was number {beside}");
}

async fn a_crash_of_a_full_node_costs_the_other_workspace_no_place(on: On) {
    let (world, crowd) = (world(on).await, Crowd::new());
    world.phone.is_slow_to("ruidosa", &crowd);
    crowd_writes(&world, 40).await;
    let process = world.process().await;
    crowd.stands(WORKERS).await;
    process.kill();
    crowd.stands(0).await;
    world.hear_by(&world.node(), &quiet(), "ana", "hola").await;
    world.pass_ms(LEASE_MS);
    let _process = world.process().await;
    is_answered(&world, "ana").await;
    crowd.go();
    world.comes_to_rest().await;
    // Messages that were being sent when it died are a person's to look into.
    assert_eq!(world.phone.attempts().len(), 41);
    assert_eq!(world.to_reconcile().await.len(), WORKERS);
}

async fn an_operators_message_does_not_wait_for_all_that_the_bot_has_to_answer(on: On) {
    let (world, crowd) = (world(on).await, Crowd::new());
    world.hear("ana", "hola").await;
    world.run().await;
    world.phone.is_slow_to("ruidosa", &crowd);
    crowd_writes(&world, 40).await;
    let _process = world.process().await;
    crowd.stands(WORKERS).await;
    // All others have waited for longer.
    world.pass_ms(1_000);
    world.take("ana", "marta").await;
    world.say("ana", "marta", "soy Marta").await;
    // The message's lane is due at once until the node has found that there is no room for it.
    while world.next_due().await.is_some_and(|due| due <= world.now()) {
        tokio::time::sleep(LOOK).await;
    }
    crowd.go();
    world.comes_to_rest().await;
    let tried = world.phone.tried();
    assert_eq!(tried.len(), 42);
    let before = tried.iter().position(|text| text == "soy Marta").expect("sent");
    // Ana's first answer, what stood there, and what was claimed together with it.
    assert!(before <= 1 + 2 * WORKERS, "{before} before it");
}
