//! Notes: events that nobody said, and old messages from the business's phone.

use std::sync::Arc;

use domain::{Content, Owner, Role, SESSION_WINDOW_MS, SessionStatus, TimerCondition};
use tokio::task::JoinSet;

use super::forgetting::forget;
use super::live::{kinds, told};
use super::world::{World, one, said, words};
use crate::{Arrival, Echoed, LiveId, SessionWrite, TurnCommit};

pub(super) async fn what_nobody_said_is_on_record_and_is_nobodys_turn(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    let noted =
        world.note(vec![reaction(&world, "ana", "r1"), reaction(&world, "ana", "r2")]).await;
    assert!(noted.iter().all(|one| !one.duplicate && one.conversation == work.conversation.id));
    assert!(world.ready().await.is_empty(), "no lane is due");
    assert_eq!(
        world.lines("ana").await,
        ["user: hola", "system: [reaction ❤️]", "system: [reaction ❤️]",]
    );
    let again = world.note(vec![reaction(&world, "ana", "r1")]).await;
    assert!(one(again).duplicate, "a second copy changes nothing");
    let summary = world.store.summary(world.workspace(), work.conversation.id).await.unwrap();
    let last = summary.session.unwrap().last_line.unwrap();
    assert_eq!(last.text.reveal(), "hola", "who spoke last still waits for an answer");
    assert_eq!(world.lines("ana").await.len(), 3);
}

pub(super) async fn a_note_before_anything_was_said_opens_no_conversation_with_the_bot(
    world: World,
) {
    let noted = one(world.note(vec![reaction(&world, "eva", "r1")]).await);
    assert_eq!(world.lines("eva").await, ["system: [reaction ❤️]"]);
    let session = world.store.session(world.workspace(), noted.conversation).await.unwrap();
    assert_eq!(session, None, "the next message begins a session of its own");
    world.pass_ms(1);
    world.hear("eva", "hola").await;
    let work = world.claim().await;
    assert_eq!(work.conversation.last_customer_message_at, None);
    world.commit(world.turn(&work)).await;
    assert_eq!(world.lines("eva").await, ["system: [reaction ❤️]", "user: hola"]);
}

pub(super) async fn a_note_disturbs_neither_a_turn_nor_a_silence(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let (id, mut timer) = world.timer("silencio", 1_000);
    timer.condition = TimerCondition::Silence;
    world.commit(TurnCommit { arm: vec![(id, timer)], ..world.turn(&work) }).await;
    world.pass_ms(1);
    world.hear("ana", "sigo").await;
    let work = world.claim().await;
    world.note(vec![reaction(&world, "ana", "r1")]).await;
    // The turn was decided before the note came and is committed after it.
    world.commit(world.turn(&work)).await;
    assert_eq!(world.lines("ana").await, ["user: hola", "system: [reaction ❤️]", "user: sigo",]);
    world.pass_ms(500);
    world.note(vec![reaction(&world, "ana", "r2")]).await;
    world.pass_ms(500);
    let work = world.claim().await;
    assert_eq!((work.events.len(), work.newest_message_at), (1, None), "the timer is due");
    let wrote_at = work.conversation.last_customer_message_at.unwrap();
    assert_eq!(world.now().since_ms(wrote_at), 1_000, "when the customer wrote");
    let session = work.session.unwrap();
    assert_eq!(world.now().since_ms(session.last_activity_at), 1_000, "nothing was done since");
}

pub(super) async fn a_note_after_the_end_of_a_session_leaves_the_list_as_it_was(world: World) {
    world.hear("ana", "chau").await;
    let work = world.claim().await;
    let closed = SessionWrite { status: SessionStatus::Closed, ..world.session(&work) };
    world.commit(TurnCommit { session: Some(closed), ..world.turn(&work) }).await;
    let summary = || world.store.summary(world.workspace(), work.conversation.id);
    let before = summary().await.unwrap();
    world.pass_ms(1_000);
    world.note(vec![reaction(&world, "ana", "r1")]).await;
    assert_eq!(summary().await.unwrap().session, before.session);
    assert_eq!(world.lines("ana").await, ["user: chau", "system: [reaction ❤️]"]);
    world.pass_ms(1_000);
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    assert!(work.session.is_none(), "a session that has ended is not taken up");
    world.commit(world.turn(&work)).await;
    assert_eq!(world.lines("ana").await.len(), 3);
}

pub(super) async fn the_last_line_of_a_list_is_what_was_last_said(world: World) {
    for (role, line) in [(Role::User, "[image]"), (Role::System, "timer: recordar")] {
        world.hear("ana", "x").await;
        let work = world.claim().await;
        let mut turn = world.turn(&work);
        turn.entries = vec![said(turn.turn, role, line)];
        world.commit(turn).await;
        world.note(vec![reaction(&world, "ana", line)]).await;
        let summary = world.store.summary(world.workspace(), work.conversation.id).await.unwrap();
        let last = summary.session.unwrap().last_line.unwrap();
        assert_eq!((last.role, last.text.reveal().as_str()), (role, line));
        world.pass_ms(1);
    }
}

pub(super) async fn what_is_noted_is_told_and_may_be_taken_back(world: World) {
    let mut poll = reaction(&world, "ana", "p1");
    let detail = Some("mi clave es 1".into());
    poll.item.content = Content::Notice { kind: "poll".to_owned(), detail };
    world.note(vec![poll]).await;
    assert_eq!(world.lines("ana").await, ["system: [poll mi clave es 1]"]);
    assert_eq!(kinds(&told(&world, LiveId::default()).await), ["turn"]);
    forget(&world, &["p1"]).await;
    assert_eq!(world.lines("ana").await, ["system: [deleted]"]);
}

pub(super) async fn notes_on_two_nodes_at_once_are_each_a_line(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    let nodes = [Arc::clone(&world.store), world.another_node().await];
    let mut racing = JoinSet::new();
    for copy in 0..20 {
        let node = Arc::clone(&nodes[copy % 2]);
        let id = format!("r{}", copy / 2);
        let notes = vec![reaction(&world, "ana", &id), reaction(&world, "luis", &format!("l{id}"))];
        let (channel, place, now) = (world.channel.clone(), world.new_session(), world.now());
        racing.spawn(async move { node.note(&channel, notes, place, now).await.unwrap() });
    }
    let new = racing.join_all().await.into_iter().flatten().filter(|one| !one.duplicate).count();
    assert_eq!(new, 20);
    assert_eq!(world.lines("ana").await.len(), 11);
    assert_eq!(world.lines("luis").await.len(), 10);
}

pub(super) async fn what_was_written_from_the_phone_long_ago_takes_nothing_over(world: World) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    let echo = |id: &str, ago_ms: i64| {
        let mut echo = world.phone_echo("ana", id, "ya le llevo");
        echo.sent_at = world.now().plus_ms(-ago_ms);
        world.store.echo(&world.channel, echo, world.now())
    };
    for (id, ago_ms) in [("e1", SESSION_WINDOW_MS + 1), ("e2", 30 * SESSION_WINDOW_MS)] {
        assert_eq!(echo(id, ago_ms).await.unwrap(), Echoed::Old);
        assert_eq!(echo(id, ago_ms).await.unwrap(), Echoed::Duplicate);
    }
    let lines = world.lines("ana").await;
    assert!(lines[1].starts_with("assistant: ya le llevo [sent 20"), "{lines:?}");
    assert_eq!(lines.len(), 3);
    let conversation = world.store.get(world.workspace(), work.conversation.id).await.unwrap();
    assert_eq!((conversation.owner, conversation.epoch), (Owner::Bot, work.conversation.epoch));
    assert_eq!(echo("e3", SESSION_WINDOW_MS).await.unwrap(), Echoed::Noted);
    let conversation = world.store.get(world.workspace(), work.conversation.id).await.unwrap();
    assert_eq!(conversation.owner, Owner::Human);

    let mut unknown = world.phone_echo("nadie", "e4", "hola");
    unknown.sent_at = world.now().plus_ms(-9 * SESSION_WINDOW_MS);
    let echoed = world.store.echo(&world.channel, unknown, world.now()).await;
    assert_eq!(echoed.unwrap(), Echoed::Old);
    // A reply on its way is newer than the echo, so the echo does not wait for it.
    world.reply_in_flight("luis", "ya va").await;
    let mut old = world.phone_echo("luis", "e5", "hola");
    old.sent_at = world.now().plus_ms(-9 * SESSION_WINDOW_MS);
    let echoed = world.store.echo(&world.channel, old, world.now()).await;
    assert_eq!(echoed.unwrap(), Echoed::Old);
    world.hear("nadie", "hola").await;
    assert_eq!(words(&world.claim().await), ["hola"], "the bot has it");
}

fn reaction(world: &World, from: &str, id: &str) -> Arrival {
    let mut arrival = world.arrival(from, id, "");
    arrival.item.content = Content::Reaction { emoji: Some("❤️".to_owned()) };
    arrival
}
