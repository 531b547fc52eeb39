//! Pace: a provider that counts never has to say that we are too fast.

use agents::{Agent, AgentError, Context, Outcome, Reply, TurnInput};
use async_trait::async_trait;
use domain::{Pace, Priority, Rate, ReplyOption, SERVICE_WINDOW_MS};
use store::ReconcileKind;

use crate::kit::{Answer, On, World};

on_both_stores![
    a_provider_that_counts_never_has_to_refuse,
    what_waits_for_its_pace_survives_its_node_and_keeps_its_order,
    a_customer_who_writes_meanwhile_is_heard_at_once,
    a_number_sends_no_faster_than_it_may,
    too_soon_for_a_customer_is_tried_again_and_again_and_then_listed,
    a_channel_whose_account_is_refused_waits_whole_and_spends_no_attempt,
    a_number_that_is_too_fast_waits_longer_each_time,
    a_window_found_closed_sends_the_template_or_waits_for_a_person,
    what_may_be_picked_reaches_the_channel_and_the_record,
];

/// Answers with as many messages as the number that the customer sent.
struct Talker;

#[async_trait]
impl Agent for Talker {
    fn name(&self) -> &str {
        "prueba"
    }

    async fn turn(&self, input: &TurnInput, _: &mut dyn Context) -> Result<Outcome, AgentError> {
        let mut outcome = Outcome::unchanged(&input.mode, &input.state);
        for event in &input.events {
            let domain::EventKind::Message(content) = &event.kind else { continue };
            let words = content.words().unwrap_or_default();
            match words.parse::<usize>() {
                Ok(count) => (0..count).for_each(|place| outcome.reply(format!("{words}.{place}"))),
                Err(_) => outcome.replies.push(Reply {
                    text: "¿Cuál?".into(),
                    priority: Priority::Reply,
                    approved: None,
                    options: words.split(' ').map(option).collect(),
                }),
            }
        }
        Ok(outcome)
    }
}

fn option(title: &str) -> ReplyOption {
    ReplyOption { id: title.to_lowercase(), title: title.to_owned(), description: None }
}

async fn talking(on: On, pace: Pace) -> World {
    let mut world = World::new(on).await.with_agent(Talker);
    world.pace = pace;
    world
}

/// The same node all the time: what it knows of the channel is its own.
async fn one_node_for_ms(world: &World, ms: i64) {
    let (node, end) = (world.node(), world.now().plus_ms(ms));
    node.run_until_idle().await.expect("worked");
    while let Some(due) = world.next_due().await.filter(|due| *due <= end) {
        world.clock.advance_to(due);
        node.run_until_idle().await.expect("worked");
    }
}

async fn a_provider_that_counts_never_has_to_refuse(on: On) {
    let world = talking(on, Pace::WHATSAPP).await;
    for (round, count) in [3, 20, 1, 9].into_iter().enumerate() {
        for from in ["ana", "beto"] {
            world.hear(from, &count.to_string()).await;
        }
        world.run_for_ms(20_000 * (round as i64 + 1)).await;
    }
    world.run_for_ms(600_000).await;
    for from in ["ana", "beto"] {
        assert_eq!(world.phone.sent_to(from).len(), 33, "{from}: all of it");
        let at: Vec<_> = world
            .phone
            .attempts()
            .iter()
            .filter(|one| one.to == from)
            .map(|one| one.at_ms)
            .collect();
        // WhatsApp's own rule: a message in six seconds, of which up to 45 may be borrowed; ours is
        // stricter: ten in any minute, and never two within half a second.
        for (place, start) in at.iter().enumerate() {
            let minute = at[place..].iter().take_while(|one| **one < start + 60_000).count();
            assert!(minute <= 10, "{from}: {minute} in the minute from {start}");
            let burst = at[place..].iter().take_while(|one| **one < start + 6_000).count();
            assert!(burst <= 6, "{from}: {burst} in six seconds");
        }
        assert!(at.windows(2).all(|pair| pair[1] - pair[0] >= 500), "{from}: {at:?}");
    }
    world.assert_at_rest().await;
}

async fn what_waits_for_its_pace_survives_its_node_and_keeps_its_order(on: On) {
    let world = talking(on, Pace::WHATSAPP).await;
    world.hear("ana", "8").await;
    // Every run is a new node, which knows nothing but what is stored.
    world.run_for_ms(120_000).await;
    let expected: Vec<_> = (0..8).map(|place| format!("8.{place}")).collect();
    assert_eq!(world.phone.sent(), expected);
    let at = world.phone.attempted_at_ms();
    assert_eq!(at, [0, 500, 1_000, 1_500, 2_000, 6_000, 12_000, 18_000]);
}

async fn a_customer_who_writes_meanwhile_is_heard_at_once(on: On) {
    let world = talking(on, Pace::WHATSAPP).await;
    world.hear("ana", "6").await;
    world.run_for_ms(3_000).await;
    assert_eq!(world.phone.sent().len(), 5, "the sixth waits");
    world.hear("ana", "1").await;
    world.run().await;
    assert!(world.transcript("ana").await.contains(&"assistant: 1.0".to_owned()));
    world.run_for_ms(60_000).await;
    assert_eq!(world.phone.sent()[5..], ["6.5", "1.0"], "and is answered behind it");
}

async fn a_number_sends_no_faster_than_it_may(on: On) {
    let pace = Pace { pair: None, number: Some(Rate::per_second(5)) };
    let world = talking(on, pace).await;
    for place in 0..30 {
        world.hear(&format!("cliente {place}"), "1").await;
    }
    one_node_for_ms(&world, 60_000).await;
    let at = world.phone.attempted_at_ms();
    assert_eq!(at.len(), 30);
    for start in &at {
        let second = at.iter().filter(|one| (*start..start + 1_000).contains(*one)).count();
        assert!(second <= 10, "{second} in the second from {start}: a burst and its share");
    }
    assert!(*at.last().unwrap() >= 4_900, "{at:?}");
    assert!(*at.last().unwrap() <= 6_500, "{at:?}");
}

async fn too_soon_for_a_customer_is_tried_again_and_again_and_then_listed(on: On) {
    let world = talking(on, Pace::default()).await;
    world.phone.script([Answer::TooSoon; 6]);
    world.hear("ana", "2").await;
    world.run_for_ms(600_000).await;
    let at = world.phone.attempted_at_ms();
    assert_eq!(at[..5], [0, 6_000, 12_000, 18_000, 26_000], "not sooner than it says");
    assert_eq!(world.phone.sent(), ["2.0", "2.1"], "more often than another failure would be");
    world.phone.script([Answer::TooSoon; 20]);
    world.hear("ana", "1").await;
    world.run_for_ms(3_600_000).await;
    let item = world.to_reconcile().await.remove(0);
    assert_eq!((item.kind, item.what.reveal().as_str()), (ReconcileKind::Undelivered, "1.0"));
    world.assert_at_rest().await;
}

async fn a_channel_whose_account_is_refused_waits_whole_and_spends_no_attempt(on: On) {
    let world = talking(on, Pace::default()).await;
    world.phone.script([Answer::NoAccount; 12]);
    for from in ["ana", "beto", "clara"] {
        world.hear(from, "1").await;
    }
    one_node_for_ms(&world, 30 * 60_000).await;
    let at = world.phone.attempted_at_ms();
    let expected: Vec<_> = (0..12).map(|minute| minute * 60_000).collect();
    assert_eq!(at[..12], expected, "one looks each minute, for all");
    assert_eq!(world.phone.sent().len(), 3, "and when it is mended all leave");
    assert!(world.to_reconcile().await.is_empty());
    world.assert_at_rest().await;
}

async fn a_number_that_is_too_fast_waits_longer_each_time(on: On) {
    let world = talking(on, Pace::default()).await;
    world.phone.script([Answer::TooFast; 3]);
    world.hear("ana", "1").await;
    one_node_for_ms(&world, 60_000).await;
    assert_eq!(world.phone.attempted_at_ms(), [0, 2_000, 6_000, 14_000]);
    assert_eq!(world.phone.sent(), ["1.0"]);
}

async fn a_window_found_closed_sends_the_template_or_waits_for_a_person(on: On) {
    let world = World::new(on).await;
    world.hear("ana", "/handoff").await;
    world.run().await;
    world.pass_ms(1_000);
    let approved = domain::Approved {
        name: "aviso".into(),
        language: "es_CO".into(),
        values: vec!["Ana".into()],
    };
    world.phone.script([Answer::WindowClosed]);
    world.say_or("ana", "marta", "su pedido", Some(approved)).await;
    world.say("ana", "marta", "¿sigue ahí?").await;
    world.run_for_ms(60_000).await;
    let tried = world.phone.tried();
    assert_eq!(tried, ["#1 /handoff", "su pedido", "aviso(Ana)"], "the second is not even tried");
    let items = world.to_reconcile().await;
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0].kind, ReconcileKind::OutsideWindow);
    assert_eq!(items[0].what.reveal(), "¿sigue ahí?");
    world.hear("ana", "acá estoy").await;
    world.say("ana", "marta", "¡qué bueno!").await;
    world.run_for_ms(SERVICE_WINDOW_MS / 2).await;
    assert_eq!(world.phone.sent().last().unwrap(), "¡qué bueno!");
}

async fn what_may_be_picked_reaches_the_channel_and_the_record(on: On) {
    let world = talking(on, Pace::default()).await;
    world.hear("ana", "Sí No").await;
    world.hear("beto", "uno dos tres cuatro cinco seis siete ocho nueve diez once").await;
    world.run().await;
    assert_eq!(world.phone.sent_to("ana"), ["¿Cuál? [Sí][No]"]);
    assert_eq!(world.said_by(domain::Role::Assistant, "ana").await, ["¿Cuál?\n[Sí] [No]"]);
    let numbered = &world.phone.sent_to("beto")[0];
    assert!(numbered.starts_with("¿Cuál?\n1. uno\n2. dos") && numbered.ends_with("\n11. once"));
    assert_eq!(world.said_by(domain::Role::Assistant, "beto").await[0], *numbered);

    let page = World::new(on).await.with_agent(Talker).with_kind(domain::ChannelKind::Webchat);
    page.hear("ana", "Sí No").await;
    page.run().await;
    let id = page.id_of("ana").await;
    let sent = page.store.sent_after(page.channel.workspace, id, 0, 100).await.unwrap();
    assert_eq!(sent[0].text.reveal(), "¿Cuál?\n1. Sí\n2. No");
    assert_eq!(sent[0].options, [option("Sí"), option("No")]);
}
