//! Acts of operators: transcripts, takeover, a message of their own, the return.

use domain::{
    Author, ConversationId, EventKind, NewOutbound, OperatorEvent, Owner, Role, SessionStatus,
};

use super::world::{GO, World, one, said, words};
use crate::{ConversationFilter, GiveBack, SessionWrite, StoreError, StoreResult, TurnCommit};

pub(super) async fn taking_a_conversation_makes_a_human_its_owner(world: World) {
    let id = answered(&world, "ana").await;
    let before = get(&world, id).await;
    assert_eq!((before.owner, before.assignee), (Owner::Bot, None));
    take(&world, id, "marta").await.unwrap();
    let taken = get(&world, id).await;
    assert_eq!((taken.owner, taken.assignee.as_deref()), (Owner::Human, Some("marta")));
    assert_eq!(taken.epoch, before.epoch + 1);

    take(&world, id, "marta").await.unwrap();
    assert_eq!(get(&world, id).await, taken, "taking it twice changes nothing");
    take(&world, id, "pedro").await.unwrap();
    let passed_on = get(&world, id).await;
    assert_eq!(passed_on.assignee.as_deref(), Some("pedro"));
    assert_eq!(passed_on.epoch, taken.epoch + 1);
}

pub(super) async fn a_takeover_is_seen_in_session_and_transcript(world: World) {
    let id = answered(&world, "ana").await;
    take(&world, id, "marta").await.unwrap();
    let lines = lines(&world, id).await;
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[2].contains("marta"));
    world.hear("ana", "¿hay alguien?").await;
    let session = world.claim().await.session.unwrap();
    assert_eq!((session.status, session.version), (SessionStatus::HandedOff, 2));
    let read = world.store.session(world.workspace(), id).await.unwrap();
    assert_eq!(read, Some(session), "and by whoever only looks");
    let none = world.store.session(world.workspace(), world.id()).await.unwrap();
    assert_eq!(none, None);
}

pub(super) async fn an_operator_writes_only_in_a_conversation_of_humans(world: World) {
    let id = answered(&world, "ana").await;
    let refused = say(&world, id, "hola, soy Marta", false).await.unwrap_err();
    assert!(matches!(refused, StoreError::Refused(_)), "{refused:?}");
    assert!(world.ready().await.is_empty());
    assert_eq!(lines(&world, id).await.len(), 2);

    take(&world, id, "marta").await.unwrap();
    say(&world, id, "hola, soy Marta", false).await.unwrap();
    let work = world.claim().await;
    let message = work.outbound.expect("due at once");
    assert_eq!(message.author, Author::Operator);
    assert_eq!(message.text.reveal(), "hola, soy Marta");
    let going = world.may_send(work.lease, message.id).await;
    assert_eq!(going, GO);
    assert_eq!(lines(&world, id).await.last().unwrap(), "hola, soy Marta");
}

pub(super) async fn an_operators_message_is_sent_once_and_its_id_is_no_others(world: World) {
    let (id, other) = (answered(&world, "ana").await, answered(&world, "luis").await);
    for id in [id, other] {
        take(&world, id, "marta").await.unwrap();
    }
    let message = world.operators("voy");
    let say = async |id, message: &NewOutbound| {
        let (workspace, now) = (world.workspace(), world.now());
        world.store.say(workspace, id, "marta", message.clone(), false, now).await
    };
    say(id, &message).await.unwrap();
    say(id, &message).await.unwrap();
    assert_eq!(lines(&world, id).await.len(), 4, "a second copy changes nothing");
    let changed = NewOutbound { text: "vengo".into(), ..message.clone() };
    for (id, message) in [(other, &message), (id, &changed)] {
        let refused = say(id, message).await.unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{refused:?}");
    }
    assert_eq!((lines(&world, id).await.len(), lines(&world, other).await.len()), (4, 3));
}

pub(super) async fn an_operators_message_reaches_a_lane_that_is_held(world: World) {
    let id = answered(&world, "ana").await;
    take(&world, id, "marta").await.unwrap();
    world.hear("ana", "¿hola?").await;
    let work = world.claim().await;
    // The holder may have read the clock before the operator's node did.
    let read_at = world.now();
    world.pass_ms(5);
    say(&world, id, "voy", false).await.unwrap();
    // The operator's line raised the session's version: the turn reads again.
    let again = world.store.release(work.lease, read_at).await.unwrap().expect("kept");
    assert_eq!((words(&again), again.outbound.is_some()), (vec!["¿hola?"], true));
    let next = world.commit(world.turn(&again)).await.expect("the message");
    assert_eq!(next.outbound.unwrap().text.reveal(), "voy");
}

pub(super) async fn a_conversation_given_back_tells_the_bot(world: World) {
    let id = answered(&world, "ana").await;
    let refused = give_back(&world, id, None).await.unwrap_err();
    assert!(matches!(refused, StoreError::Refused(_)), "the bot has it: {refused:?}");
    assert!(world.ready().await.is_empty());

    take(&world, id, "marta").await.unwrap();
    let taken = get(&world, id).await;
    give_back(&world, id, Some("ya pagó")).await.unwrap();
    let work = world.claim().await;
    let returned = OperatorEvent::Returned {
        by: "marta".into(),
        note: Some("ya pagó".into()),
        mode: None,
        message: None,
    };
    assert_eq!(one(work.events.clone()).kind, EventKind::Operator(returned));
    let conversation = &work.conversation;
    assert_eq!((conversation.owner, &conversation.assignee), (Owner::Bot, &None));
    assert_eq!(conversation.epoch, taken.epoch + 1);
    assert_eq!(work.session.as_ref().unwrap().status, SessionStatus::Active);
    assert!(world.commit(world.turn(&work)).await.is_none());
    assert_eq!(lines(&world, id).await.len(), 4, "two lines, the takeover, the return");
}

pub(super) async fn a_conversation_that_does_not_exist_is_not_found(world: World) {
    let id = world.id();
    let missing = StoreError::NotFound("conversation");
    assert_eq!(world.store.get(world.workspace(), id).await.unwrap_err(), missing);
    assert_eq!(take(&world, id, "marta").await.unwrap_err(), missing);
    assert_eq!(say(&world, id, "hola", false).await.unwrap_err(), missing);
    assert_eq!(give_back(&world, id, None).await.unwrap_err(), missing);
    assert!(lines(&world, id).await.is_empty());
}

pub(super) async fn a_conversation_is_found_by_the_customers_address(world: World) {
    let id = world.hear("ana", "hola").await;
    let find = async |channel: &str, who: &str| {
        world.store.find(world.workspace(), &channel.into(), who).await.unwrap()
    };
    assert_eq!(find("whatsapp", "ana").await, Some(id));
    assert_eq!(find("whatsapp", "luis").await, None);
    assert_eq!(find("web", "ana").await, None);
}

pub(super) async fn conversations_are_listed_newest_activity_first(world: World) {
    let mut ids = Vec::new();
    for from in ["ana", "luis", "eva"] {
        ids.push(answered(&world, from).await);
        world.pass_ms(1_000);
    }
    answered(&world, "ana").await;
    take(&world, ids[1], "marta").await.unwrap();
    let listed = world
        .store
        .list(world.workspace(), &ConversationFilter::newest(10))
        .await
        .unwrap()
        .conversations;
    let order: Vec<_> = listed.iter().map(|summary| summary.id).collect();
    assert_eq!(order, [ids[0], ids[2], ids[1]]);
    assert_eq!(listed[2].owner, Owner::Human);
    assert_eq!(listed[2].assignee.as_deref(), Some("marta"));
    assert_eq!(listed[0].last_customer_message_at, Some(world.now()));
    assert_eq!(
        world
            .store
            .list(world.workspace(), &ConversationFilter::newest(2))
            .await
            .unwrap()
            .conversations
            .len(),
        2
    );
}

pub(super) async fn a_transcript_shows_the_last_lines_oldest_first(world: World) {
    let id = answered(&world, "ana").await;
    world.pass_ms(1_000);
    answered(&world, "ana").await;
    let all = world.store.transcript(world.workspace(), id, 100).await.unwrap();
    let roles: Vec<_> = all.lines.iter().map(|line| line.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant]);
    assert!(all.lines.is_sorted_by_key(|line| (line.at, line.number)));
    let last = world.store.transcript(world.workspace(), id, 3).await.unwrap();
    assert_eq!(last.lines, all.lines[1..]);
}

pub(super) async fn the_last_lines_of_one_session_come_with_how_many_there_are(world: World) {
    let id = answered(&world, "ana").await;
    answered(&world, "luis").await;
    let all = world.store.transcript(world.workspace(), id, 100).await.unwrap().lines;
    let first = all[0].session;
    world.hear("ana", "hola otra vez").await;
    let work = world.claim().await;
    let turn = world.turn(&work);
    let (entry, next) = (said(turn.turn, Role::User, "hola otra vez"), world.id());
    let session = turn.session.clone().map(|write| SessionWrite {
        id: next,
        read_version: None,
        closes: Some(first),
        ..write
    });
    world.commit(TurnCommit { session, entries: vec![entry], ..turn }).await;
    take(&world, id, "marta").await.unwrap();

    let of = async |session, last| {
        let said = world.store.said(world.workspace(), session, last).await.unwrap();
        (said.lines, said.total)
    };
    assert_eq!(of(first, 10).await, (all.clone(), 2));
    assert_eq!(of(first, 1).await, (all[1..].to_vec(), 2));
    assert_eq!(of(first, 0).await, (vec![], 2));
    let (lines, total) = of(next, 10).await;
    let texts: Vec<_> = lines.iter().map(|line| line.content.reveal().as_str()).collect();
    assert_eq!(texts, ["hola otra vez", "marta took the conversation over"]);
    assert_eq!(total, 2);
    assert_eq!(of(world.id(), 10).await, (vec![], 0), "nobody's session");
}

pub(super) async fn a_reader_goes_on_after_the_transcript_without_gap_or_repetition(world: World) {
    let id = world.hear("ana", "hola").await;
    let first = read_on_page(&world, &["uno", "dos"]).await;
    assert_eq!(first, id);
    let (workspace, empty) = (world.workspace(), world.id());
    let cursor = world.store.transcript(workspace, id, 100).await.unwrap().cursor;
    assert!(world.store.sent_after(workspace, id, cursor, 100).await.unwrap().is_empty());
    assert_eq!(world.store.transcript(workspace, empty, 9).await.unwrap().cursor, 0);

    world.hear("luis", "hola").await;
    read_on_page(&world, &["a otro"]).await;
    world.hear("ana", "sigue").await;
    read_on_page(&world, &["tres", "cuatro"]).await;
    take(&world, id, "marta").await.unwrap();
    say(&world, id, "cinco", true).await.unwrap();

    let two = world.store.sent_after(workspace, id, cursor, 2).await.unwrap();
    let sent = world.store.sent_after(workspace, id, cursor, 100).await.unwrap();
    assert_eq!(two, sent[..2], "no more than was asked for");
    let texts: Vec<_> = sent.iter().map(|line| line.text.reveal().as_str()).collect();
    assert_eq!(texts, ["tres", "cuatro", "cinco"]);
    assert_eq!(sent[2].author, Author::Operator);
    assert!(sent.is_sorted_by_key(|line| line.cursor));
    let rest = world.store.sent_after(workspace, id, sent[1].cursor, 100).await.unwrap();
    assert_eq!(rest, sent[2..]);
    assert!(world.ready().await.is_empty(), "what is read on the page is not sent");
}

pub(super) async fn readers_are_told_of_new_lines(world: World) {
    let mut watching = world.store.signals().watch_lines();
    let id = world.hear("ana", "hola").await;
    read_on_page(&world, &["uno"]).await;
    assert_eq!(watching.try_recv(), Ok(id));
    take(&world, id, "marta").await.unwrap();
    assert_eq!(watching.try_recv(), Ok(id));
    say(&world, id, "dos", true).await.unwrap();
    assert_eq!(watching.try_recv(), Ok(id));
}

/// A conversation in which a message was answered; nothing is left to be done in it.
async fn answered(world: &World, from: &str) -> ConversationId {
    world.hear(from, "hola").await;
    let work = world.claim().await;
    let turn = world.turn(&work);
    let line = said(turn.turn, Role::Assistant, "buenas");
    let entries = turn.entries.iter().cloned().chain([line]).collect();
    assert!(world.commit(TurnCommit { entries, ..turn }).await.is_none());
    work.conversation.id
}

/// Answers the one lane that is due on a page that reads the store.
async fn read_on_page(world: &World, texts: &[&str]) -> ConversationId {
    let work = world.claim().await;
    let turn = TurnCommit {
        outbound: texts.iter().map(|text| world.message(text)).collect(),
        delivers_by_commit: true,
        ..world.turn(&work)
    };
    assert!(world.commit(turn).await.is_none(), "nothing is left to send");
    work.conversation.id
}

async fn lines(world: &World, id: ConversationId) -> Vec<String> {
    let transcript = world.store.transcript(world.workspace(), id, 100).await.unwrap();
    transcript.lines.into_iter().map(|line| line.content.into_revealed()).collect()
}

async fn get(world: &World, id: ConversationId) -> domain::Conversation {
    world.store.get(world.workspace(), id).await.unwrap()
}

async fn take(world: &World, id: ConversationId, by: &str) -> StoreResult<()> {
    world.store.take(world.workspace(), id, by, world.now()).await
}

async fn give_back(world: &World, id: ConversationId, note: Option<&str>) -> StoreResult<()> {
    let (workspace, event) = (world.workspace(), world.id());
    let back = GiveBack { note: note.map(str::to_owned), ..GiveBack::default() };
    world.store.give_back(workspace, id, "marta", back, event, world.now()).await
}

async fn say(world: &World, id: ConversationId, text: &str, on_page: bool) -> StoreResult<()> {
    let (workspace, message) = (world.workspace(), world.operators(text));
    world.store.say(workspace, id, "marta", message, on_page, world.now()).await
}
