//! Takeovers beside a message on its way, and messages from the business's own phone.

use domain::{ConversationId, DeliveryStatus, Owner, Role, SessionStatus, StepStatus};
use serde_json::{Value, json};

use super::doing::{deed, take_number};
use super::handoffs::handed_off;
use super::ledger::{call, charged};
use super::outbox::ended;
use super::world::{GO, LEASE_MS, NODE, World, one};
use crate::{
    Clearance, Echoed, GiveBack, Intent, LaneWork, SendOutcome, StoreError, StoreResult,
    TAKEOVER_WISH_MS, TurnCommit,
};

pub(super) async fn a_takeover_waits_for_a_message_on_its_way(world: World) {
    let (work, reply) = world.reply_in_flight("ana", "buenas").await;
    let before = conversation(&world, &work).await;
    assert_eq!(take(&world, &work, "marta").await, Err(StoreError::OnItsWay));
    assert!(StoreError::OnItsWay.is_transient());
    assert_eq!(conversation(&world, &work).await, before);
    world.record_send(work.lease, ended(reply, DeliveryStatus::Sent)).await;
    take(&world, &work, "marta").await.unwrap();
    let taken = conversation(&world, &work).await;
    assert_eq!((taken.owner, taken.epoch), (Owner::Human, before.epoch + 1));
}

pub(super) async fn once_the_lease_is_over_a_takeover_waits_no_longer(world: World) {
    let (work, _) = world.reply_in_flight("ana", "buenas").await;
    world.pass_ms(LEASE_MS - 1);
    assert_eq!(take(&world, &work, "marta").await, Err(StoreError::OnItsWay));
    world.pass_ms(1);
    take(&world, &work, "marta").await.unwrap();
    // No other node took the lane, and still its old holder cannot come back and send.
    let until = world.now().plus_ms(LEASE_MS);
    let lost = world.store.heartbeat(NODE, vec![work.lease], until).await.unwrap();
    assert_eq!(lost, [work.lease]);
}

pub(super) async fn a_message_that_a_vanished_node_was_sending_holds_up_nobody(world: World) {
    let (_, _) = world.reply_in_flight("ana", "buenas").await;
    let work = world.claim_after_crash().await;
    take(&world, &work, "marta").await.unwrap();
}

pub(super) async fn an_operators_message_on_its_way_holds_up_no_takeover(world: World) {
    let (_, id) = handed_off(&world, "ana").await;
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    let message = world.operators("un segundo");
    let said = world.store.say(world.workspace(), id, "marta", message, false, world.now());
    said.await.unwrap();
    let work = world.claim().await;
    assert_eq!(world.may_send(work.lease, work.outbound.as_ref().unwrap().id).await, GO);
    take(&world, &work, "pedro").await.unwrap();
}

pub(super) async fn while_a_takeover_waits_no_message_of_the_bot_begins(world: World) {
    let (work, second) = with_two(&world).await;
    take(&world, &work, "marta").await.unwrap_err();
    let first = work.outbound.as_ref().unwrap().id;
    let work = world.record_send(work.lease, ended(first, DeliveryStatus::Sent)).await.unwrap();
    assert_eq!(world.may_send(work.lease, second).await, Clearance::HeldBack);
    let left = world.store.release(work.lease, world.now()).await.unwrap();
    assert!(left.is_none(), "it is not due before the wish has lapsed");

    take(&world, &work, "marta").await.unwrap();
    let work = world.claim().await;
    let held = work.outbound.as_ref().expect("looked at again at once");
    assert_eq!(world.may_send(work.lease, held.id).await, Clearance::Withheld);
    assert!(world.store.release(work.lease, world.now()).await.unwrap().is_none());
    assert_eq!(world.store.next_due().await.unwrap(), None);
}

pub(super) async fn a_wish_that_is_not_repeated_lapses(world: World) {
    let (work, second) = with_two(&world).await;
    take(&world, &work, "marta").await.unwrap_err();
    world.pass_ms(1_000);
    take(&world, &work, "marta").await.unwrap_err();
    let first = work.outbound.as_ref().unwrap().id;
    let work = world.record_send(work.lease, ended(first, DeliveryStatus::Sent)).await.unwrap();
    assert_eq!(world.may_send(work.lease, second).await, Clearance::HeldBack);
    world.store.release(work.lease, world.now()).await.unwrap();
    let lapses_at = world.now().plus_ms(TAKEOVER_WISH_MS);
    assert_eq!(world.store.next_due().await.unwrap(), Some(lapses_at), "since it was repeated");
    world.pass_ms(TAKEOVER_WISH_MS);
    let work = world.claim().await;
    assert_eq!(world.may_send(work.lease, second).await, GO);
}

pub(super) async fn a_wish_ends_with_the_takeover(world: World) {
    let (work, second) = with_two(&world).await;
    take(&world, &work, "marta").await.unwrap_err();
    let first = work.outbound.as_ref().unwrap().id;
    let work = world.record_send(work.lease, ended(first, DeliveryStatus::Sent)).await.unwrap();
    take(&world, &work, "marta").await.unwrap();
    assert_eq!(world.may_send(work.lease, second).await, Clearance::Withheld);
    let (workspace, event) = (world.workspace(), world.id());
    let back = Default::default();
    let back =
        world.store.give_back(workspace, work.conversation.id, "marta", back, event, world.now());
    back.await.unwrap();
    let work = world.store.release(work.lease, world.now()).await.unwrap().expect("the return");
    let turn = TurnCommit { outbound: vec![world.message("volví")], ..world.turn(&work) };
    let work = world.commit(turn).await.expect("the reply");
    assert_eq!(world.may_send(work.lease, work.outbound.as_ref().unwrap().id).await, GO);
}

pub(super) async fn after_a_takeover_a_turn_takes_no_step(world: World) {
    world.hear("ana", "un turno").await;
    let work = world.claim().await;
    let done = world.intent(&work, "turno.tomar", 0);
    let step = world.store.record_local(&done, take_number("caja"), world.now()).await.unwrap();
    take(&world, &work, "marta").await.unwrap();

    let late = Intent { turn: done.turn.clone(), ..world.intent(&work, "pago.cobrar", 0) };
    let intended = world.store.intend(&late, world.now()).await;
    assert_eq!(intended.unwrap_err(), StoreError::VersionConflict);
    let never = || deed!(|_records| panic!("a deed was run after a takeover"));
    for intent in [&late, &done] {
        let acted = world.store.record_local(intent, never(), world.now()).await;
        assert_eq!(acted.unwrap_err(), StoreError::VersionConflict, "{}", intent.tool);
    }
    assert_eq!(one(reread(&world, &work).await.steps), step, "what was done before is on record");

    // After the return the turn goes on from its recorded step.
    give_back(&world, &work).await;
    let again = reread(&world, &work).await;
    let same = world.intent(&again, "turno.tomar", 0);
    assert_eq!(world.store.record_local(&same, never(), world.now()).await, Ok(step));
    world.store.intend(&world.intent(&again, "pago.cobrar", 0), world.now()).await.unwrap();
}

pub(super) async fn a_takeover_and_a_return_end_a_turn_as_well(world: World) {
    world.hear("ana", "un turno").await;
    let work = world.claim().await;
    take(&world, &work, "marta").await.unwrap();
    give_back(&world, &work).await;
    let late = world.intent(&work, "pago.cobrar", 0);
    let intended = world.store.intend(&late, world.now()).await;
    assert_eq!(intended.unwrap_err(), StoreError::VersionConflict, "the turn read another state");
}

pub(super) async fn what_happened_by_the_takeover_is_recorded_all_the_same(world: World) {
    world.hear("ana", "cobra").await;
    let work = world.claim().await;
    let pay = world.intent(&work, "pago.cobrar", 0);
    world.store.intend(&pay, world.now()).await.unwrap();
    take(&world, &work, "marta").await.unwrap();

    let receipt = json!({ "receipt": 7 });
    let outcome = world.store.record_outcome(&pay, StepStatus::Done, &receipt, world.now()).await;
    assert_eq!(outcome, Err(StoreError::VersionConflict), "and the turn must stop");
    let step = one(reread(&world, &work).await.steps);
    assert_eq!((step.status, step.output), (StepStatus::Done, receipt));

    let asked = Intent { turn: pay.turn.clone(), ..world.intent(&work, "model", 0) };
    let paid = charged(&world, &work, vec![call(1, "answered", 5)]);
    for _ in 0..2 {
        let answer =
            world.store.record_answer(&asked, StepStatus::Done, &Value::Null, &paid, world.now());
        assert_eq!(answer.await, Err(StoreError::VersionConflict));
    }
    let ledger = world.store.ledger(world.workspace(), work.conversation.id, 9).await.unwrap();
    assert_eq!(one(ledger).call, paid.calls[0], "it was paid for once");
    assert_eq!(reread(&world, &work).await.steps.len(), 2);
}

pub(super) async fn what_was_written_on_the_phone_is_a_persons_from_then_on(world: World) {
    let (work, reply) = world.reply_waiting("ana", "buenas").await;
    let before = conversation(&world, &work).await;
    assert_eq!(echo(&world, "ana", "wamid.1", "hola, soy Marta").await, Ok(Echoed::Noted));
    let taken = conversation(&world, &work).await;
    assert_eq!((taken.owner, taken.assignee.as_deref()), (Owner::Human, Some("phone")));
    assert_eq!(taken.epoch, before.epoch + 1);
    let session = world.store.session(world.workspace(), work.conversation.id).await.unwrap();
    assert_eq!(session.unwrap().status, SessionStatus::HandedOff);
    let line = lines(&world, work.conversation.id).await.pop().unwrap();
    assert_eq!(line, (Role::Assistant, "hola, soy Marta".to_owned()));
    assert_eq!(world.may_send(work.lease, reply).await, Clearance::Withheld);
    assert!(
        world.store.release(work.lease, world.now()).await.unwrap().is_none(),
        "nothing to send"
    );
}

pub(super) async fn a_second_copy_of_an_echo_changes_nothing(world: World) {
    let id = world.hear("ana", "hola").await;
    let work = world.claim().await;
    world.commit(world.turn(&work)).await;
    assert_eq!(echo(&world, "ana", "wamid.1", "hola").await, Ok(Echoed::Noted));
    let back = world.store.give_back(
        world.workspace(),
        id,
        "marta",
        Default::default(),
        world.id(),
        world.now(),
    );
    back.await.unwrap();
    let (before, said) = (conversation(&world, &work).await, lines(&world, id).await);
    assert_eq!(echo(&world, "ana", "wamid.1", "hola").await, Ok(Echoed::Duplicate));
    assert_eq!(conversation(&world, &work).await, before);
    assert_eq!(lines(&world, id).await, said);
}

pub(super) async fn an_echo_to_a_stranger_begins_a_conversation_of_a_persons(world: World) {
    assert_eq!(echo(&world, "eva", "wamid.1", "te aviso que llegó").await, Ok(Echoed::Noted));
    let found = world.store.find(world.workspace(), &world.channel.id, "eva").await.unwrap();
    let id = found.expect("a conversation");
    let conversation = world.store.get(world.workspace(), id).await.unwrap();
    assert_eq!(
        (conversation.owner, conversation.assignee.as_deref()),
        (Owner::Human, Some("phone"))
    );
    assert_eq!(lines(&world, id).await, [(Role::Assistant, "te aviso que llegó".to_owned())]);
    assert_eq!(world.store.next_due().await.unwrap(), None, "there is nothing to do");
    assert_eq!(echo(&world, "eva", "wamid.2", "¿pasás hoy?").await, Ok(Echoed::Noted));
    assert_eq!(lines(&world, id).await.len(), 2);
    assert_eq!(world.hear("eva", "sí").await, id);
    assert_eq!(world.claim().await.session.unwrap().status, SessionStatus::HandedOff);
}

pub(super) async fn an_echo_of_our_own_message_changes_nothing(world: World) {
    let (work, reply) = world.reply_in_flight("ana", "buenas").await;
    // Before the reply's reference is known, nobody can tell whose message the echo is.
    assert_eq!(echo(&world, "ana", "wamid.7", "buenas").await, Err(StoreError::OnItsWay));
    let sent =
        SendOutcome { provider_ref: Some("wamid.7".into()), ..ended(reply, DeliveryStatus::Sent) };
    world.record_send(work.lease, sent).await;
    let before = conversation(&world, &work).await;
    let said = lines(&world, work.conversation.id).await;
    assert_eq!(echo(&world, "ana", "wamid.7", "buenas").await, Ok(Echoed::Ours));
    assert_eq!(conversation(&world, &work).await, before);
    assert_eq!(lines(&world, work.conversation.id).await, said);

    // After an echo of our own message the bot is not held back.
    let (work, reply) = world.reply_waiting("ana", "sigo").await;
    assert_eq!(world.may_send(work.lease, reply).await, GO);
    assert_eq!(echo(&world, "ana", "wamid.8", "soy Marta").await, Err(StoreError::OnItsWay));
}

pub(super) async fn an_echo_leaves_a_taken_conversation_with_whoever_has_it(world: World) {
    let (_, id) = handed_off(&world, "ana").await;
    world.store.take(world.workspace(), id, "marta", world.now()).await.unwrap();
    let before = world.store.get(world.workspace(), id).await.unwrap();
    assert_eq!(echo(&world, "ana", "wamid.1", "desde el teléfono").await, Ok(Echoed::Noted));
    assert_eq!(world.store.get(world.workspace(), id).await.unwrap(), before);
    assert_eq!(lines(&world, id).await.pop().unwrap().1, "desde el teléfono");
}

pub(super) async fn an_echo_attends_to_a_handoff(world: World) {
    let (handoff, id) = handed_off(&world, "ana").await;
    assert_eq!(echo(&world, "ana", "wamid.1", "hola").await, Ok(Echoed::Noted));
    let handoff = world.store.handoff(world.workspace(), handoff).await.unwrap();
    assert_eq!(handoff.assigned_to.as_deref(), Some("phone"));
    let open = world.store.open_handoff(world.workspace(), id).await.unwrap().unwrap();
    assert_eq!(open.attending, None, "the customer has heard from a person");
}

/// A lane whose first reply is on its way, and the id of its second.
async fn with_two(world: &World) -> (LaneWork, domain::OutboundId) {
    world.hear("ana", "hola").await;
    let work = world.claim().await;
    let second = world.message("dos");
    let id = second.id;
    let outbound = vec![world.message("uno"), second];
    let work = world.commit(TurnCommit { outbound, ..world.turn(&work) }).await.unwrap();
    assert_eq!(world.may_send(work.lease, work.outbound.as_ref().unwrap().id).await, GO);
    (work, id)
}

async fn take(world: &World, work: &LaneWork, by: &str) -> StoreResult<()> {
    world.store.take(world.workspace(), work.conversation.id, by, world.now()).await
}

async fn give_back(world: &World, work: &LaneWork) {
    let (workspace, id, event) = (world.workspace(), work.conversation.id, world.id());
    let back = GiveBack::default();
    world.store.give_back(workspace, id, "marta", back, event, world.now()).await.unwrap();
}

/// The lane's work as it is now; its events still wait.
async fn reread(world: &World, work: &LaneWork) -> LaneWork {
    let found = world.store.release(work.lease, world.now()).await.unwrap();
    found.expect("the events still wait")
}

async fn conversation(world: &World, work: &LaneWork) -> domain::Conversation {
    world.store.get(world.workspace(), work.conversation.id).await.unwrap()
}

async fn lines(world: &World, id: ConversationId) -> Vec<(Role, String)> {
    let transcript = world.store.transcript(world.workspace(), id, 100).await.unwrap();
    transcript.lines.into_iter().map(|line| (line.role, line.content.into_revealed())).collect()
}

async fn echo(world: &World, to: &str, external_id: &str, text: &str) -> StoreResult<Echoed> {
    let echo = world.phone_echo(to, external_id, text);
    world.store.echo(&world.channel, echo, world.now()).await
}
