//! Handoffs: what the person is told, what the customer is told meanwhile, and that each is once.

use domain::{HandoffStatus, Owner, Role, Trigger};
use serde_json::json;

use crate::kit::{Answer, LEASE_MS, On, Trouble, Troubled, World};

on_both_stores![
    a_turn_that_gives_up_leaves_a_request_for_a_person,
    wherever_its_node_dies_a_handoff_is_one,
    the_first_message_after_a_handoff_is_told_that_somebody_attends,
    an_act_of_an_operators_is_no_message_to_be_told_so,
    an_operator_who_has_written_needs_no_notice,
    an_operator_who_has_only_taken_it_does,
    a_notice_that_has_not_left_is_withheld_by_a_takeover,
    a_customer_whom_nobody_attends_is_told_so_once_and_in_time,
    whoever_attends_in_time_stops_the_notice_that_nobody_does,
    whoever_attends_at_the_last_moment_stops_it_too,
    wherever_its_node_dies_a_notice_is_said_once,
    a_second_handoff_is_told_and_timed_anew,
    the_timer_of_a_handoff_that_is_over_tells_the_next_ones_customer_nothing,
    a_message_that_fails_too_often_is_handed_off_until_it_is_tried_again,
];

const ATTENDING: &str = "ya te atienden";
const UNATTENDED: &str = "nadie todavía";
const GIVE_UP: &str = "/attended 60000";

async fn handed_off(on: On) -> World {
    let world = World::new(on).await;
    world.hear("ana", GIVE_UP).await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 /attended 60000"]);
    world
}

async fn a_turn_that_gives_up_leaves_a_request_for_a_person(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    world.hear("ana", "/handoff").await;
    world.run().await;
    let [request] = &world.handoffs().await[..] else { panic!("one handoff") };
    assert_eq!((request.trigger, request.reason.as_str()), (Trigger::Rule, "asked for"));
    assert_eq!(request.conversation, world.id_of("ana").await);
    assert_eq!((request.status, request.created_at), (HandoffStatus::Pending, world.now()));
    let said = |role: &str, text: &str| json!({ "role": role, "text": text });
    let last = [
        said("user", "hola"),
        said("assistant", "#1 hola"),
        said("user", "/handoff"),
        said("assistant", "#2 /handoff"),
    ];
    assert_eq!(request.context["last_messages"], json!(last));
    world.assert_at_rest().await;
}

async fn wherever_its_node_dies_a_handoff_is_one(on: On) {
    for hit in ["turn.commit:before", "turn.commit:after"] {
        let world = World::new(on).await;
        world.hear("ana", GIVE_UP).await;
        world.faults.crash_at(hit);
        assert!(world.faults.until_crash(world.run()).await);
        world.pass_ms(LEASE_MS);
        world.run().await;
        assert_eq!(world.handoffs().await.len(), 1, "{hit}");
        assert_eq!(world.phone.sent(), ["#1 /attended 60000"], "{hit}");
        world.run_for_ms(600_000).await;
        assert_eq!(world.phone.sent()[1..], [UNATTENDED], "{hit}");
        world.assert_at_rest().await;
    }
}

async fn the_first_message_after_a_handoff_is_told_that_somebody_attends(on: On) {
    let world = handed_off(on).await;
    for text in ["¿hola?", "¿¿hola??"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    assert_eq!(world.phone.sent()[1..], [ATTENDING]);
    let transcript = world.transcript("ana").await;
    let attending = format!("assistant: {ATTENDING}");
    assert_eq!(transcript[2..], ["user: ¿hola?", &attending, "user: ¿¿hola??"]);

    // An agent that gave up without such a text leaves nothing to tell the customer.
    let world = World::new(on).await;
    for text in ["/handoff", "¿hola?"] {
        world.hear("ana", text).await;
        world.run().await;
    }
    assert_eq!(world.phone.sent().len(), 1);
}

async fn an_act_of_an_operators_is_no_message_to_be_told_so(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "hola").await;
    world.run().await;
    world.take("ana", "marta").await;
    // Before its turn comes the conversation is given back: the bot gives up first, and only then
    // learns of the return, which is nobody's to answer any more.
    world.hear("ana", GIVE_UP).await;
    world.give_back("ana", "marta", None).await;
    world.run().await;
    assert_eq!(world.phone.sent(), ["#1 hola", "#2 /attended 60000"]);
    let last = world.transcript("ana").await.pop().unwrap();
    assert!(last.starts_with("system: operator"), "{last}");
}

async fn an_operator_who_has_written_needs_no_notice(on: On) {
    let world = handed_off(on).await;
    world.take("ana", "marta").await;
    world.say("ana", "marta", "hola, soy Marta").await;
    world.hear("ana", "¿hola?").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent()[1..], ["hola, soy Marta"]);
    world.assert_at_rest().await;
}

async fn an_operator_who_has_only_taken_it_does(on: On) {
    let world = handed_off(on).await;
    world.take("ana", "marta").await;
    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert_eq!(world.phone.sent()[1..], [ATTENDING]);
}

async fn a_notice_that_has_not_left_is_withheld_by_a_takeover(on: On) {
    let world = handed_off(on).await;
    world.phone.script([Answer::Retry(None)]);
    world.hear("ana", "¿hola?").await;
    world.run().await;
    assert_eq!(world.phone.tried().len(), 2);
    world.take("ana", "marta").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.tried().len(), 2, "it left while an operator was talking");
    world.assert_at_rest().await;
}

async fn a_customer_whom_nobody_attends_is_told_so_once_and_in_time(on: On) {
    let world = handed_off(on).await;
    world.run_for_ms(59_999).await;
    assert_eq!(world.phone.sent().len(), 1, "told early");
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent()[1..], [UNATTENDED]);
    assert_eq!(world.conversation("ana").await.owner, Owner::Human);
    assert_eq!(world.handoffs().await[0].status, HandoffStatus::Pending);
    let last = world.transcript("ana").await.pop().unwrap();
    assert_eq!(last, format!("assistant: {UNATTENDED}"));
    world.assert_at_rest().await;
}

async fn whoever_attends_in_time_stops_the_notice_that_nobody_does(on: On) {
    for act in ["assign", "resolve", "take", "return"] {
        let world = handed_off(on).await;
        let (workspace, handoff, now) =
            (world.channel.workspace, world.handoffs().await, world.now());
        let (store, id) = (&world.store, handoff[0].id);
        match act {
            "assign" => store.assign_handoff(workspace, id, "jefa", "eva", now).await.unwrap(),
            "resolve" => store.resolve_handoff(workspace, id, "eva", "listo", now).await.unwrap(),
            "take" => world.take("ana", "eva").await,
            _ => world.give_back("ana", "eva", None).await,
        }
        world.run_for_ms(600_000).await;
        let sent = world.phone.sent();
        assert!(!sent.contains(&UNATTENDED.to_owned()), "{act}: {sent:?}");
        let fired = world.said_by(Role::System, "ana").await;
        assert!(!fired.iter().any(|line| line.starts_with("timer")), "{act}: {fired:?}");
        world.assert_at_rest().await;
    }
}

async fn whoever_attends_at_the_last_moment_stops_it_too(on: On) {
    let world = handed_off(on).await;
    world.pass_ms(60_000);
    let gate = world.faults.wait_at("turn.commit:before");
    let meanwhile = async {
        gate.reached().await;
        let (workspace, id) = (world.channel.workspace, world.handoffs().await[0].id);
        let assigned = world.store.assign_handoff(workspace, id, "jefa", "eva", world.now()).await;
        assigned.unwrap();
        gate.open();
    };
    tokio::join!(world.run(), meanwhile);
    assert_eq!(world.phone.sent().len(), 1);
    world.assert_at_rest().await;
}

async fn wherever_its_node_dies_a_notice_is_said_once(on: On) {
    for hit in ["turn.commit:before", "turn.commit:after", "outbox.intend:before"] {
        for (words, notice) in [(Some("¿hola?"), ATTENDING), (None, UNATTENDED)] {
            let world = handed_off(on).await;
            match words {
                Some(words) => world.hear("ana", words).await,
                None => world.pass_ms(60_000),
            }
            world.faults.crash_at(hit);
            assert!(world.faults.until_crash(world.run()).await);
            world.pass_ms(LEASE_MS);
            world.run().await;
            assert_eq!(world.phone.sent()[1..], [notice], "{hit}");
        }
    }
}

async fn a_second_handoff_is_told_and_timed_anew(on: On) {
    let world = handed_off(on).await;
    world.hear("ana", "¿hola?").await;
    world.run().await;
    world.give_back("ana", "eva", Some("listo")).await;
    world.pass_ms(30_000);
    world.hear("ana", GIVE_UP).await;
    world.run().await;
    world.hear("ana", "¿hola?").await;
    world.run().await;
    let back = "back from eva: listo";
    let again = "#3 /attended 60000";
    assert_eq!(world.phone.sent()[1..], [ATTENDING, back, again, ATTENDING]);
    world.run_for_ms(59_999).await;
    assert_eq!(world.phone.sent().len(), 5, "the first handoff's timer told the second's customer");
    world.run_for_ms(1).await;
    assert_eq!(world.phone.sent()[5..], [UNATTENDED]);
    let statuses: Vec<_> = world.handoffs().await.iter().map(|one| one.status).collect();
    assert_eq!(statuses, [HandoffStatus::Pending, HandoffStatus::Resolved]);
}

async fn the_timer_of_a_handoff_that_is_over_tells_the_next_ones_customer_nothing(on: On) {
    let world = handed_off(on).await;
    world.give_back("ana", "eva", None).await;
    world.hear("ana", "/handoff").await;
    world.run_for_ms(600_000).await;
    assert_eq!(world.phone.sent()[1..], ["back from eva: -", "#3 /handoff"]);
    assert_eq!(world.handoffs().await[0].status, HandoffStatus::Pending);
    world.assert_at_rest().await;
}

async fn a_message_that_fails_too_often_is_handed_off_until_it_is_tried_again(on: On) {
    let world = World::new(on).await.with_agent(Troubled::new(Trouble::Fail, 3));
    world.hear("ana", "veneno").await;
    world.run_for_ms(60_000).await;
    let [request] = &world.handoffs().await[..] else { panic!("one handoff") };
    assert_eq!(request.trigger, Trigger::Failure);
    assert!(request.reason.contains("no model"), "{}", request.reason);
    let said = request.context["last_messages"].to_string();
    assert!(said.contains("veneno") && said.contains("Perdón"), "{said}");
    world.retry(world.quarantined().await[0].id).await;
    world.run().await;
    assert_eq!(world.handoffs().await[0].status, HandoffStatus::Resolved);
}
