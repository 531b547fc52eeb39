//! Many conversations under way when a node dies, freezes or loses its database: all go on at once,
//! and none pays for another.

use domain::Owner;

use crate::kit::{Act, Asker, Crowd, Deadly, Gate, LEASE_MS, On, Oracle, Tells, World};

on_both_stores![
    after_a_crash_all_that_was_under_way_goes_on_at_once,
    a_message_that_ends_three_processes_is_set_aside_and_costs_nobody_else_a_reply,
    a_node_that_freezes_goes_on_where_it_was_if_nobody_took_its_lanes,
    a_node_whose_database_is_away_for_longer_than_its_lease_goes_on_where_it_was,
];

const CUSTOMERS: usize = 24;

/// A world whose agent asks one question, over which the model stands in a crowd.
struct Asking {
    world: World,
    oracle: Oracle,
    crowd: Crowd,
    /// Where messages with `veneno` end their process.
    gate: Gate,
}

impl Asking {
    async fn new(on: On) -> Self {
        let (world, crowd) = (World::new(on).await, Crowd::new());
        let oracle = Oracle::of(&world);
        oracle.script(vec![Tells::Stand(crowd.clone()); 10 * CUSTOMERS]);
        let (gate, asker) = (Gate::closed_for(u32::MAX), Asker::doing(&[Act::Ask("a", "qué")]));
        let world = world.with_models(oracle.models());
        let world = world.with_agent(Deadly { gate: gate.clone(), asker });
        Self { world, oracle, crowd, gate }
    }

    /// Everybody writes, each in a conversation of their own.
    async fn everybody_writes(&self) -> Vec<String> {
        let customers: Vec<_> = (0..CUSTOMERS).map(|number| format!("cliente {number}")).collect();
        for from in &customers {
            self.world.hear(from, "hola").await;
        }
        customers
    }

    fn all_answered_once(&self, customers: &[String]) {
        for from in customers {
            assert_eq!(self.world.phone.sent_to(from), ["qué=ok"], "{from}");
        }
    }
}

async fn after_a_crash_all_that_was_under_way_goes_on_at_once(on: On) {
    let asking = Asking::new(on).await;
    let Asking { world, oracle, crowd, .. } = &asking;
    let customers = asking.everybody_writes().await;
    // However often: from the third on they are suspect, and still wait for their models together.
    for crash in 1..=4 {
        let node = world.process().await;
        crowd.stands(CUSTOMERS).await;
        assert_eq!(oracle.asked().len(), crash * CUSTOMERS);
        node.kill();
        crowd.stands(0).await;
        world.pass_ms(LEASE_MS);
    }
    let _node = world.process().await;
    crowd.stands(CUSTOMERS).await;
    crowd.go();
    world.comes_to_rest().await;
    asking.all_answered_once(&customers);
    assert!(world.quarantined().await.is_empty());
}

async fn a_message_that_ends_three_processes_is_set_aside_and_costs_nobody_else_a_reply(on: On) {
    let asking = Asking::new(on).await;
    let Asking { world, crowd, gate, .. } = &asking;
    let mut customers = asking.everybody_writes().await;
    world.hear("eva", "veneno").await;
    let late = "cliente tardío".to_owned();
    world.hear(&late, "hola").await;
    customers.push(late);
    for crash in 1..=3 {
        let node = world.process().await;
        gate.reached().await;
        if crash < 3 {
            crowd.stands(customers.len()).await;
        }
        assert!(world.quarantined().await.is_empty());
        node.kill();
        crowd.stands(0).await;
        world.pass_ms(LEASE_MS);
    }
    let _node = world.process().await;
    crowd.stands(customers.len()).await;
    crowd.go();
    world.comes_to_rest().await;
    asking.all_answered_once(&customers);
    let quarantined = world.quarantined().await;
    let reasons: Vec<_> = quarantined.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(reasons, ["the process ended while handling it"]);
    assert_eq!(world.conversation("eva").await.owner, Owner::Human);
    assert_eq!(world.phone.sent_to("eva").len(), 1, "an apology");
}

async fn a_node_that_freezes_goes_on_where_it_was_if_nobody_took_its_lanes(on: On) {
    let asking = Asking::new(on).await;
    let Asking { world, oracle, crowd, .. } = &asking;
    let mut customers = asking.everybody_writes().await;
    let _node = world.process().await;
    crowd.stands(CUSTOMERS).await;
    world.pass_ms(LEASE_MS * 2);
    // Somebody new, so that the node claims lanes once more.
    world.hear("nueva", "hola").await;
    customers.push("nueva".to_owned());
    crowd.stands(customers.len()).await;
    crowd.go();
    world.comes_to_rest().await;
    asking.all_answered_once(&customers);
    assert_eq!(oracle.asked().len(), customers.len(), "no model was asked again");
}

async fn a_node_whose_database_is_away_for_longer_than_its_lease_goes_on_where_it_was(on: On) {
    let asking = Asking::new(on).await;
    let Asking { world, oracle, crowd, .. } = &asking;
    let customers = asking.everybody_writes().await;
    let _node = world.process().await;
    crowd.stands(CUSTOMERS).await;
    world.faults.none();
    world.faults.is_away(true);
    crowd.go();
    world.faults.passed("step.answer:before").await;
    world.pass_ms(LEASE_MS * 3);
    world.faults.is_away(false);
    world.comes_to_rest().await;
    asking.all_answered_once(&customers);
    assert_eq!(oracle.asked().len(), CUSTOMERS, "no model was asked again");
}
