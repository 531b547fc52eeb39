//! Senders: customers with a name of their own and a number, which may change hands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{
    Contact, Conversation, ConversationId, DeliveryStatus, Identity, OrderStatus, Owner, Pii,
};
use tokio::task::JoinSet;

use super::doing::{deed, ordered, write_order};
use super::world::{GO, WINDOW, World, one};
use crate::{Arrival, Clearance, LaneWork, OrderFilter, Renamed, StoreError, TurnCommit};

/// A message: the sender's own name, the number, the second it was written, and the person who
/// writes.
type Said = (&'static str, &'static str, i64, char);

const N1: &str = "5491101";
const N2: &str = "5491102";

struct Case {
    what: &'static str,
    said: &'static [Said],
    /// The address at which each of them is answered in the end.
    reached: &'static [(char, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        what: "a number gets a name of its own",
        said: &[("", N1, 1, 'a'), ("A", N1, 2, 'a'), ("A", "", 3, 'a'), ("", N1, 4, 'a')],
        reached: &[('a', N1)],
    },
    Case {
        what: "a name gets a number",
        said: &[("A", "", 1, 'a'), ("A", N1, 2, 'a'), ("", N1, 3, 'a')],
        reached: &[('a', N1)],
    },
    Case {
        what: "the same name, another number",
        said: &[("A", N1, 1, 'a'), ("A", N2, 2, 'a'), ("", N2, 3, 'a'), ("", N1, 4, 'b')],
        reached: &[('a', N2), ('b', N1)],
    },
    Case {
        what: "the same number, another name",
        said: &[("A", N1, 1, 'a'), ("B", N1, 2, 'b'), ("", N1, 3, 'b'), ("A", "", 4, 'a')],
        reached: &[('a', "A"), ('b', N1)],
    },
    Case {
        what: "known by the number first, then it changes hands",
        said: &[("", N1, 1, 'a'), ("A", N1, 2, 'a'), ("B", N1, 3, 'b'), ("A", "", 4, 'a')],
        reached: &[('a', "A"), ('b', N1)],
    },
    Case {
        what: "the number moves back",
        said: &[
            ("A", N1, 1, 'a'),
            ("B", N1, 2, 'b'),
            ("A", N1, 3, 'a'),
            ("", N1, 4, 'a'),
            ("B", "", 5, 'b'),
        ],
        reached: &[('a', N1), ('b', "B")],
    },
    Case {
        what: "two swap their numbers",
        said: &[
            ("A", N1, 1, 'a'),
            ("B", N2, 1, 'b'),
            ("A", N2, 2, 'a'),
            ("B", N1, 3, 'b'),
            ("", N1, 4, 'b'),
            ("", N2, 4, 'a'),
        ],
        reached: &[('a', N2), ('b', N1)],
    },
    Case {
        what: "somebody whose number was hidden has one that another was known by",
        said: &[("", N1, 1, 'a'), ("B", "", 2, 'b'), ("B", N1, 3, 'b'), ("", N1, 4, 'b')],
        reached: &[('a', ""), ('b', N1)],
    },
    Case {
        what: "a late copy of the last holder's takes nothing back",
        said: &[("A", N1, 1, 'a'), ("B", N1, 3, 'b'), ("A", N1, 2, 'a'), ("", N1, 4, 'b')],
        reached: &[('a', "A"), ('b', N1)],
    },
    Case {
        what: "a late copy of the last holder's takes nothing back from nobody either",
        said: &[
            ("A", N1, 1, 'a'),
            ("B", N1, 3, 'b'),
            ("B", N2, 4, 'b'),
            ("A", N1, 2, 'a'),
            ("", N1, 5, 'c'),
        ],
        reached: &[('a', "A"), ('b', N2), ('c', N1)],
    },
    Case {
        what: "a late copy from the old number changes no number",
        said: &[("A", N1, 1, 'a'), ("A", N2, 3, 'a'), ("A", N1, 2, 'a'), ("", N1, 4, 'b')],
        reached: &[('a', N2), ('b', N1)],
    },
    Case {
        what: "a stranger's late message from before takes no number",
        said: &[("B", N1, 3, 'b'), ("A", N1, 2, 'a'), ("", N1, 4, 'b'), ("A", "", 5, 'a')],
        reached: &[('a', "A"), ('b', N1)],
    },
];

pub(super) async fn a_name_stands_for_whoever_wrote_under_it_last(world: World) {
    for (number, Case { what, said, reached }) in CASES.iter().enumerate() {
        let channel = world.add_channel("tienda", &format!("whatsapp {number}")).await;
        let mut who: BTreeMap<char, ConversationId> = BTreeMap::new();
        for (place, message) in said.iter().enumerate() {
            let arrival = arrival(&world, message);
            let accepted = world.store.accept(&channel, vec![arrival], None, world.now()).await;
            let found = one(accepted.unwrap().accepted).conversation;
            let expected = *who.entry(message.3).or_insert(found);
            assert_eq!(found, expected, "{what}: message {place}");
        }
        let apart: BTreeSet<_> = who.values().collect();
        assert_eq!(apart.len(), who.len(), "{what}: two became one");
        for (letter, address) in *reached {
            let conversation = get(&world, who[letter]).await;
            assert_eq!(conversation.address.reveal(), address, "{what}: {letter}");
            // A contact has the number only while it is theirs.
            let phone = Some(Pii::from(*address)).filter(|_| address.starts_with('5'));
            assert_eq!(conversation.contact.phone, phone, "{what}: {letter}");
        }
    }
}

pub(super) async fn in_one_delivery_names_stand_for_the_same_as_in_many(world: World) {
    let cases: [&[Said]; 4] = [
        &[("A", "", 1, 'a'), ("A", N1, 2, 'a'), ("A", "", 3, 'a')],
        &[("", N1, 1, 'a'), ("A", N1, 2, 'a')],
        &[("A", N1, 1, 'a'), ("A", N2, 2, 'a'), ("", N2, 3, 'a')],
        &[("B", N1, 1, 'b'), ("A", N1, 2, 'a'), ("", N1, 3, 'a')],
    ];
    for (number, said) in cases.into_iter().enumerate() {
        let channel = world.add_channel("tienda", &format!("whatsapp {number}")).await;
        let arrivals = said.iter().map(|message| arrival(&world, message)).collect();
        let accepted =
            world.store.accept(&channel, arrivals, None, world.now()).await.unwrap().accepted;
        let mut who: BTreeMap<char, ConversationId> = BTreeMap::new();
        for (message, found) in said.iter().zip(accepted) {
            let expected = *who.entry(message.3).or_insert(found.conversation);
            assert_eq!(found.conversation, expected, "{said:?}");
        }
        let apart: BTreeSet<_> = who.values().collect();
        assert_eq!(apart.len(), who.len(), "{said:?}");
    }
}

pub(super) async fn a_number_that_changes_hands_brings_nothing_of_its_last_holder(world: World) {
    let ana = heard(&world, "A", N1, 1).await;
    let work = world.claim().await;
    let mut contact = work.conversation.contact.clone();
    contact.data.insert("direccion".into(), "Mitre 450".into());
    write_down(&world, &contact).await;
    let order = ordered(&work, OrderStatus::Confirmed, world.now());
    let intent = world.intent(&work, "pedido", 0);
    world.store.record_local(&intent, write_order(order), world.now()).await.unwrap();
    let again = world.store.release(work.lease, world.now()).await.unwrap().expect("it waits");
    world.commit(world.turn(&again)).await;
    world.store.take(world.workspace(), ana, "marta", world.now()).await.unwrap();

    let beto = heard(&world, "B", N1, 2).await;
    let work = world.claim().await;
    assert_eq!((work.conversation.id, work.session.is_none()), (beto, true));
    let (owner, epoch) = (work.conversation.owner, work.conversation.epoch);
    assert_eq!((owner, epoch), (Owner::Bot, 1), "who took the one has not taken the other");
    assert_ne!(work.conversation.contact.id, contact.id);
    assert_eq!(work.conversation.contact.name, Some("B".into()));
    assert!(work.conversation.contact.data.is_empty());
    let of = async |contact| {
        let filter = OrderFilter { contact: Some(contact), ..OrderFilter::newest(9) };
        world.store.orders(world.workspace(), &filter).await.unwrap().len()
    };
    assert_eq!(of(work.conversation.contact.id).await, 0);

    let old = get(&world, ana).await;
    assert_eq!((old.owner, &old.contact.name), (Owner::Human, &Some("A".into())));
    assert_eq!(old.contact.data, contact.data);
    assert_eq!(of(contact.id).await, 1, "whoever lost the number keeps the rest");
}

pub(super) async fn what_waits_for_a_number_never_goes_to_its_next_holder(world: World) {
    let (work, reply) = waiting(&world, "A").await;
    heard(&world, "B", N1, 2).await;
    let (store, to) = (&world.store, &work.conversation.address);
    assert_eq!(to.reveal(), N1);
    let late = store.intend_send(work.lease, reply, to, WINDOW, world.now()).await;
    assert_eq!(late, Err(StoreError::VersionConflict), "the number is somebody else's");
    let again = store.release(work.lease, world.now()).await.unwrap().expect("it still waits");
    let to = &again.conversation.address;
    assert_eq!(to.reveal(), "A", "the name that is theirs alone");
    let sent = store.intend_send(again.lease, reply, to, WINDOW, world.now()).await;
    assert_eq!(sent, Ok(GO));

    // A late report on the reply is still about this customer.
    let report = domain::DeliveryReport::new(domain::Reference::Ours(reply), DeliveryStatus::Read);
    store.report(world.workspace(), vec![report], world.now()).await.unwrap();
    let id = again.conversation.id;
    assert_eq!(delivery(&world, id).await, (DeliveryStatus::Read, None));
}

pub(super) async fn a_customer_who_lost_their_only_name_is_written_to_no_more(world: World) {
    let (work, reply) = waiting(&world, "").await;
    heard(&world, "B", "", 2).await;
    heard(&world, "B", N1, 3).await;
    let again = world.store.release(work.lease, world.now()).await.unwrap().expect("it waits");
    let to = &again.conversation.address;
    assert_eq!(to.reveal(), "");
    let sent = world.store.intend_send(again.lease, reply, to, WINDOW, world.now()).await;
    assert_eq!(sent, Ok(Clearance::Nowhere));
    assert!(world.store.release(again.lease, world.now()).await.unwrap().is_none());
    let (status, why) = delivery(&world, again.conversation.id).await;
    assert_eq!(status, DeliveryStatus::Withheld);
    assert!(why.unwrap().contains("somebody else"), "and a person is told why");
}

pub(super) async fn however_many_claim_a_number_at_once_it_has_one_holder(world: World) {
    let other = world.another_node().await;
    for round in 0..8 {
        let number = format!("54911{round}");
        let names = ["A", "B", "C"].map(|name| format!("{name}{round}"));
        if round % 2 == 0 {
            world.accept(vec![with(&world, &names[0], &number, 1)]).await;
        }
        let mut racing = JoinSet::new();
        for (place, name) in [0, 1, 2, 1, 2, 0].into_iter().enumerate() {
            let node = Arc::clone(if place % 2 == 0 { &world.store } else { &other });
            let (channel, now) = (world.channel.clone(), world.now());
            let arrival = with(&world, &names[name], &number, 2);
            racing.spawn(async move {
                node.accept(&channel, vec![arrival], None, now).await.unwrap().accepted
            });
        }
        let found: BTreeSet<_> =
            racing.join_all().await.into_iter().map(|found| one(found).conversation).collect();
        assert_eq!(found.len(), 3, "each has a conversation of their own");
        let mut reached = Vec::new();
        for id in found {
            reached.push(get(&world, id).await);
        }
        let holders: Vec<_> =
            reached.iter().filter(|one| *one.address.reveal() == number).collect();
        assert_eq!(holders.len(), 1, "round {round}");
        let found = world.store.find(world.workspace(), &world.channel.id, &number).await.unwrap();
        assert_eq!(found, Some(holders[0].id));
        let phones = reached.iter().filter(|one| one.contact.phone.is_some()).count();
        assert_eq!(phones, 1);
    }
}

/// The first to come gets the conversation that the number alone had; nobody joins them there.
pub(super) async fn two_who_come_with_a_known_number_at_once_are_two(world: World) {
    let other = world.another_node().await;
    for round in 0..8 {
        let number = format!("54911{round}");
        world.accept(vec![with(&world, "", &number, 1)]).await;
        let accept = |node: Arc<dyn crate::Store>, name: &str| {
            let arrival = with(&world, &format!("{name}{round}"), &number, 2);
            let (channel, now) = (world.channel.clone(), world.now());
            async move {
                one(node.accept(&channel, vec![arrival], None, now).await.unwrap().accepted)
                    .conversation
            }
        };
        let (first, second) =
            tokio::join!(accept(Arc::clone(&world.store), "A"), accept(Arc::clone(&other), "B"));
        assert_ne!(first, second);
    }
}

pub(super) async fn a_phone_that_somebody_wrote_down_is_left_alone(world: World) {
    let ana = heard(&world, "A", N1, 1).await;
    let contact = get(&world, ana).await.contact;
    let mine = Contact { phone: Some("+54 11 4000".into()), ..contact };
    write_down(&world, &mine).await;
    for (name, number, at) in [("A", N2, 2), ("B", N2, 3)] {
        heard(&world, name, number, at).await;
        let phone = get(&world, ana).await.contact.phone;
        assert_eq!(phone, Some("+54 11 4000".into()), "{name} {number}");
    }
}

pub(super) async fn a_customer_who_is_renamed_keeps_what_is_theirs(world: World) {
    // The names before, the old and the new names, who is found under which afterwards, and the
    // address.
    type Renaming<'c> = (&'c [Said], (&'c str, &'c str), (&'c str, &'c str), &'c [Said], &'c str);
    let both: &[Said] = &[("A", N1, 1, 'a')];
    let cases: [Renaming<'_>; 6] = [
        // The old number is free, the old name finds late messages, the new names are theirs.
        (both, ("A", N1), ("B", N2), &[("B", N2, 7, 'a'), ("A", "", 7, 'a'), ("", N1, 7, 'c')], N2),
        (both, ("", N1), ("", N2), &[("", N2, 7, 'a'), ("B", N2, 7, 'a'), ("", N1, 7, 'c')], N2),
        (both, ("A", ""), ("B", ""), &[("B", "", 7, 'a'), ("", N1, 7, 'c')], "B"),
        (&[("", N1, 1, 'a')], ("", N1), ("", N2), &[("", N2, 7, 'a'), ("", N1, 7, 'c')], N2),
        (&[("", N1, 1, 'a')], ("A", N1), ("B", N2), &[("B", N2, 7, 'a'), ("", N1, 7, 'c')], N2),
        // A copy from before the change changes nothing back.
        (both, ("A", N1), ("B", N2), &[("A", N1, 2, 'a'), ("B", N2, 7, 'a'), ("", N1, 7, 'c')], N2),
    ];
    for (number, (before, from, to, after, address)) in cases.into_iter().enumerate() {
        let channel = world.add_channel("tienda", &format!("whatsapp {number}")).await;
        let accept = async |message: &Said| {
            let arrivals = vec![arrival(&world, message)];
            one(world.store.accept(&channel, arrivals, None, world.now()).await.unwrap().accepted)
                .conversation
        };
        let ana = accept(&before[0]).await;
        assert!(rename(&world, &channel, from, to, 5).await, "{from:?}");
        assert_eq!(get(&world, ana).await.address.reveal(), address, "{from:?} {to:?}");
        for message in after {
            let is_hers = accept(message).await == ana;
            assert_eq!(is_hers, message.3 == 'a', "{from:?} {to:?}: {message:?}");
        }
        assert_eq!(get(&world, ana).await.address.reveal(), address, "{from:?} {to:?}");
    }
}

pub(super) async fn nobody_is_renamed_into_somebody_else(world: World) {
    let channel = world.channel.clone();
    assert!(!rename(&world, &channel, ("A", N1), ("B", N2), 1).await, "nobody is known");
    let ana = heard(&world, "A", N1, 2).await;
    let beto = heard(&world, "B", "", 2).await;
    assert!(!rename(&world, &channel, ("A", N1), ("B", N2), 3).await, "both are known");
    assert!(!rename(&world, &channel, ("A", N1), ("C", N2), 1).await, "from before all this");
    assert!(!rename(&world, &channel, ("X", N1), ("C", N2), 3).await, "the number is another's");
    for (name, number, who) in [("A", "", ana), ("", N1, ana), ("B", "", beto)] {
        assert_eq!(heard(&world, name, number, 4).await, who, "{name}{number}");
    }
    // A number that somebody else holds is taken from them, because the provider says whose it is.
    heard(&world, "B", N2, 5).await;
    assert!(rename(&world, &channel, ("A", N1), ("C", N2), 6).await);
    assert_eq!(get(&world, ana).await.address.reveal(), N2);
    assert_eq!(get(&world, beto).await.address.reveal(), "B");
}

async fn rename(
    world: &World,
    channel: &domain::Channel,
    (name, number): (&str, &str),
    (new_name, new_number): (&str, &str),
    second: i64,
) -> bool {
    let from = with(world, name, number, 0).item.from;
    let to = with(world, new_name, new_number, 0).item.from;
    let renamed = Renamed { from, to, at: world.now().plus_ms(second * 1_000 - 60_000) };
    world.store.rename(channel, renamed, world.now()).await.unwrap()
}

/// A message as the channel gives it: with both names, or with the only one.
fn with(world: &World, name: &str, number: &str, second: i64) -> Arrival {
    let own = if name.is_empty() { number } else { name };
    let mut arrival = world.arrival(own, &world.id::<uuid::Uuid>().to_string(), "hola");
    let alias = (!name.is_empty() && !number.is_empty()).then(|| number.into());
    let phone = (!number.is_empty()).then(|| number.into());
    arrival.item.from = Identity { alias, phone, name: Some(name.into()), ..Identity::new(own) };
    arrival.item.sent_at = Some(world.now().plus_ms(second * 1_000 - 60_000));
    arrival
}

fn arrival(world: &World, (name, number, second, _): &Said) -> Arrival {
    with(world, name, number, *second)
}

async fn heard(world: &World, name: &str, number: &str, second: i64) -> ConversationId {
    one(world.accept(vec![with(world, name, number, second)]).await).conversation
}

/// A customer with this name and a number, and an answer that still waits for them.
async fn waiting(world: &World, name: &str) -> (LaneWork, domain::OutboundId) {
    heard(world, name, N1, 1).await;
    let work = world.claim().await;
    let reply = world.message("tu pedido sale hoy");
    let id = reply.id;
    let mut turn = TurnCommit { outbound: vec![reply], ..world.turn(&work) };
    let said = super::world::said(turn.turn, domain::Role::Assistant, "tu pedido sale hoy");
    turn.entries.push(domain::TurnEntry { outbound: Some(id), ..said });
    (world.commit(turn).await.expect("the reply is due"), id)
}

/// The delivery of the conversation's only message.
async fn delivery(world: &World, id: ConversationId) -> (DeliveryStatus, Option<String>) {
    let transcript = world.store.transcript(world.workspace(), id, 10).await.unwrap();
    let delivery = one(transcript.lines.into_iter().filter_map(|line| line.delivery).collect());
    (delivery.status, delivery.error)
}

/// An operator writes down a contact.
async fn write_down(world: &World, contact: &Contact) {
    let write = deed!(|records, contact| {
        records.put_contact(&contact).await?;
        Ok(serde_json::Value::Null)
    });
    let (workspace, id) = (world.workspace(), world.id());
    let noted = world.store.perform(workspace, "marta", "contact", "", id, write, world.now());
    noted.await.unwrap();
}

async fn get(world: &World, id: ConversationId) -> Conversation {
    world.store.get(world.workspace(), id).await.unwrap()
}
