//! Takeover and what a turn does: from a person's commit on, it orders, calls and arms nothing more.

use domain::Role;
use serde_json::json;
use store::OrderFilter;

use crate::kit::{Act, Asker, Fickle, LEASE_MS, On, Oracle, OutsideScript, World};

on_both_stores![
    wherever_a_takeover_falls_nothing_more_is_done,
    wherever_a_person_takes_over_and_gives_back_all_is_done_once,
    what_a_timer_did_before_a_takeover_is_written_down,
    a_call_that_was_cut_short_is_not_made_again_after_a_takeover,
    an_answer_that_comes_after_a_takeover_is_paid_for_and_not_acted_on,
];

const ORDER: &str = "crm.order.create";
const NOTIFY: &str = "avisar";
const CHARGE: &str = "cobrar";
const QUESTIONS: [&str; 2] = ["qué quiere", "qué más"];

/// The seller's calls as the record tells them, in their order.
const CALLS: [&str; 5] = [ORDER, NOTIFY, "arrepentirse (refused)", ORDER, CHARGE];

fn order(product: &str) -> Act {
    let line = json!({ "producto": product, "cantidad": 1, "precio": 100 });
    Act::Call(ORDER, json!({ "lineas": [line], "moneda": "ARS" }))
}

/// Does in one turn all that a turn can do.
fn seller() -> Asker {
    Asker::doing(&[
        Act::Ask("detector", QUESTIONS[0]),
        order("coca"),
        Act::Call(NOTIFY, json!({ "a": "depósito" })),
        Act::Call(Fickle::NAME, json!({})),
        Act::Ask("orchestrator", QUESTIONS[1]),
        order("pan"),
        Act::Call(CHARGE, json!({ "pesos": 100 })),
        Act::Arm("aviso", 60_000),
    ])
}

struct Counter {
    world: World,
    oracle: Oracle,
    notify: OutsideScript,
    charge: OutsideScript,
}

impl Counter {
    fn within(world: World, agent: Asker) -> Self {
        let oracle = Oracle::of(&world);
        let mut world = world.with_models(oracle.models()).with_agent(agent);
        let notify = OutsideScript::new(NOTIFY, true, &world.faults);
        let charge = OutsideScript::new(CHARGE, false, &world.faults);
        world.add_tool(notify.clone());
        world.add_tool(charge.clone());
        world.add_local(Fickle::new());
        Self { world, oracle, notify, charge }
    }

    /// Every hit of a turn in which nobody takes over, in order.
    async fn hits(beside: &World) -> Vec<String> {
        let Self { world, .. } = Self::within(beside.beside("nadie toma").await, seller());
        world.hear("ana", "hola").await;
        world.faults.none();
        world.run().await;
        assert_eq!(world.phone.sent().len(), 1);
        let hits = world.faults.hits();
        // The turn's timer is nobody's concern any more; nodes work the lanes of all worlds.
        world.take("ana", "marta").await;
        world.run_for_ms(60_000).await;
        let commits = |name: &str| hits.iter().filter(|hit| *hit == name).count();
        let steps = ["step.local:after", "step.intent:after", "step.answer:after"].map(commits);
        assert_eq!(steps, [3, 2, 2], "{hits:?}");
        hits
    }

    async fn orders(&self) -> usize {
        let (workspace, all) = (self.world.channel.workspace, OrderFilter::newest(100));
        self.world.store.orders(workspace, &all).await.unwrap().len()
    }

    fn calls(&self) -> usize {
        self.notify.calls().len() + self.charge.calls().len()
    }

    async fn paid(&self) -> usize {
        let (workspace, id) = (self.world.channel.workspace, self.world.id_of("ana").await);
        self.world.store.ledger(workspace, id, 100).await.unwrap().len()
    }

    async fn timers(&self) -> usize {
        let (workspace, id) = (self.world.channel.workspace, self.world.id_of("ana").await);
        self.world.store.timers(workspace, id).await.unwrap().len()
    }

    /// Orders, calls, timers and messages.
    async fn done(&self) -> [usize; 4] {
        let tried = self.world.phone.tried().len();
        [self.orders().await, self.calls(), self.timers().await, tried]
    }

    /// The calls that the record says were made in a turn that a person ended.
    async fn called(&self) -> Vec<String> {
        let said = self.world.said_by(Role::System, "ana").await;
        let line = said.iter().find_map(|line| line.strip_prefix("called before a person took "));
        let names = line.and_then(|line| line.strip_prefix("over: ")).unwrap_or_default();
        sorted(names.split(", ").filter(|name| !name.is_empty()))
    }
}

/// All that is recorded at one moment is in no order.
fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names
}

async fn wherever_a_takeover_falls_nothing_more_is_done(on: On) {
    let first = World::new(on).await;
    let hits = Counter::hits(&first).await;
    let committed = hits.iter().position(|hit| hit == "turn.commit:after").unwrap();
    for (number, hit) in hits.iter().enumerate() {
        let counter = Counter::within(first.beside(&format!("toma {number}")).await, seller());
        let world = &counter.world;
        world.hear("ana", "hola").await;
        let gate = world.faults.wait_at_hit(number);
        let meanwhile = async {
            gate.reached().await;
            let before = (counter.done().await, counter.oracle.asked().len());
            world.take_at(&gate, "ana", "marta").await;
            before
        };
        let ((), ([orders, _, timers, _], asked)) = tokio::join!(world.run(), meanwhile);
        world.run().await;

        let passed = |name: &str| hits[..=number].iter().filter(|hit| *hit == name).count();
        let (calls, sends) = (passed("step.intent:after"), passed("outbox.intend:after"));
        // Acts intended before the takeover are done, and no others.
        let done = counter.done().await;
        assert_eq!(done, [orders, calls, timers, sends], "{hit}: orders, calls, timers, messages");
        // The second of three deeds is the one that was refused.
        assert_eq!(orders, passed("step.local:after").div_ceil(2), "{hit}");
        assert!(world.to_reconcile().await.is_empty(), "{hit}: what was called is known");
        assert!(counter.oracle.asked().len() <= asked + 1, "{hit}: asked on and on");
        assert_eq!(counter.paid().await, counter.oracle.asked().len(), "{hit}: paid for, unknown");

        let (called, ended) = (passed("step.local:after") + calls, number >= committed);
        let expected = if ended { &[][..] } else { &CALLS[..called] };
        assert_eq!(
            counter.called().await,
            sorted(expected.iter().copied()),
            "{hit}: what a person is told was done"
        );
        assert_eq!(world.said_by(Role::User, "ana").await, ["hola"], "{hit}");

        let asked = counter.oracle.asked();
        world.hear("ana", "sí").await;
        world.run_for_ms(600_000).await;
        let done = counter.done().await;
        assert_eq!(done, [orders, calls, 0, sends], "{hit}: while it is a person's");
        assert_eq!(counter.oracle.asked(), asked, "{hit}");
        world.assert_at_rest().await;
    }
}

async fn wherever_a_person_takes_over_and_gives_back_all_is_done_once(on: On) {
    let first = World::new(on).await;
    let hits = Counter::hits(&first).await;
    let committed = hits.iter().position(|hit| hit == "turn.commit:after").unwrap();
    for (number, hit) in hits[..committed].iter().enumerate() {
        let counter = Counter::within(first.beside(&format!("vuelve {number}")).await, seller());
        let world = &counter.world;
        world.hear("ana", "hola").await;
        let gate = world.faults.wait_at_hit(number);
        let meanwhile = async {
            gate.reached().await;
            world.take("ana", "marta").await;
            world.give_back("ana", "marta", None).await;
            gate.open();
        };
        tokio::join!(world.run(), meanwhile);
        world.run().await;
        // The return is a turn of its own, which does the same.
        assert_eq!(counter.done().await, [4, 4, 1, 2], "{hit}");
        assert_eq!(counter.oracle.asked(), [QUESTIONS, QUESTIONS].concat(), "{hit}");
        assert_eq!(counter.paid().await, 4, "{hit}");
        assert_eq!(counter.called().await, [] as [&str; 0], "{hit}: it was not ended");
    }
}

async fn what_a_timer_did_before_a_takeover_is_written_down(on: On) {
    let counter = Counter::within(World::new(on).await, seller());
    let world = &counter.world;
    world.hear("ana", "hola").await;
    world.run().await;
    world.pass_ms(60_000);
    let gate = world.faults.wait_at("step.intent:after");
    let meanwhile = async {
        gate.reached().await;
        world.take("ana", "marta").await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(counter.done().await, [3, 3, 0, 1]);
    assert_eq!(counter.called().await, sorted(CALLS[..2].iter().copied()));
    let said = world.said_by(Role::System, "ana").await;
    assert!(said.contains(&"timer: aviso".to_owned()), "{said:?}");
    world.assert_at_rest().await;
}

/// The call's intent is on record, so that only a look at the owner can stop the second attempt.
async fn a_call_that_was_cut_short_is_not_made_again_after_a_takeover(on: On) {
    let agent = Asker::doing(&[
        Act::Ask("detector", QUESTIONS[0]),
        Act::Call(NOTIFY, json!({ "a": "depósito" })),
    ]);
    let counter = Counter::within(World::new(on).await, agent);
    let world = &counter.world;
    world.hear("ana", "hola").await;
    world.faults.crash_at("tool.call:after");
    assert!(world.faults.until_crash(world.run()).await);
    assert_eq!(counter.calls(), 1);
    world.pass_ms(LEASE_MS);
    let gate = world.faults.wait_at("step.intent:before");
    let meanwhile = async {
        gate.reached().await;
        world.take("ana", "marta").await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(counter.calls(), 1);
    assert_eq!(counter.called().await, ["avisar (outcome unknown)"]);
    assert_eq!(world.to_reconcile().await.len(), 1, "nobody knows what became of it");
    world.assert_at_rest().await;
}

async fn an_answer_that_comes_after_a_takeover_is_paid_for_and_not_acted_on(on: On) {
    let counter = Counter::within(World::new(on).await, seller());
    let world = &counter.world;
    world.hear("ana", "sí, confirmo").await;
    let gate = world.faults.wait_at("model.call:after");
    let meanwhile = async {
        gate.reached().await;
        world.take("ana", "marta").await;
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(counter.done().await, [0, 0, 0, 0]);
    assert_eq!((counter.oracle.asked().len(), counter.paid().await), (1, 1));
    let transcript = world.transcript("ana").await;
    assert_eq!(transcript, ["user: sí, confirmo"], "recorded, and not answered");
    world.assert_at_rest().await;
}
