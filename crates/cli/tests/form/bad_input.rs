//! Things no form asks for, in the middle of one: they are answered or refused, and it goes on.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::applicant::{Applicant, Via};
use crate::ground;
use crate::record::{assert_whole, of, records};
use crate::registration::{MESSAGES, Words};
use crate::support::{Kind, Site, message, rest};

crate::on_both_stores!(what_no_form_asks_for_loses_nothing_and_the_form_goes_on,);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thrown {
    /// A body that is no JSON.
    Garbage,
    /// A text of 100 kB, which the webchat refuses.
    Novel,
    Control,
    Emoji,
    /// Infobip only: the page sends text alone.
    Audio,
    /// Infobip only: an item without a type that can be read.
    Unreadable,
}

use Thrown::{Audio, Control, Emoji, Garbage, Novel, Unreadable};

/// The mistakes before each datum. A company may be called anything short, so little text is wrong
/// there; and a third failure at one field would offer a person.
const THROWN: [&[Thrown]; MESSAGES] = [
    &[Garbage, Emoji, Audio, Control],
    &[Novel, Control, Unreadable],
    &[Audio, Emoji, Garbage, Novel],
    &[Garbage, Audio, Novel],
    &[Control, Emoji],
    &[Emoji, Novel, Audio],
];

impl Thrown {
    fn text(self) -> String {
        match self {
            Novel => "lorem ipsum ".repeat(8_600),
            Control => "\u{1}\u{7}\u{1b}[31m\u{0}\u{202e}".to_owned(),
            Emoji => "🎉👩‍👩‍👧‍👦❤️".to_owned(),
            Garbage | Audio | Unreadable => unreachable!("{self:?} is no text"),
        }
    }

    fn is_for(self, via: Via) -> bool {
        via == Via::Infobip || !matches!(self, Audio | Unreadable)
    }

    fn is_answered(self, via: Via) -> bool {
        match self {
            Garbage | Unreadable => false,
            Novel => via == Via::Infobip,
            Control | Emoji | Audio => true,
        }
    }
}

async fn what_no_form_asks_for_loses_nothing_and_the_form_goes_on(kind: Kind) {
    let site = ground::site(kind).await;
    let node = site.start().await;
    let mut customers = Via::ALL.map(|via| Applicant::new(&site, via, via as usize));
    let answered = join_all(customers.iter_mut().map(|customer| insist(&site, customer))).await;
    rest(&[&node]).await;
    let records = records(&site).await;
    assert_eq!(records.len(), customers.len());
    for (customer, answered) in customers.iter().zip(answered) {
        assert_whole(customer, of(&records, customer));
        let heard = customer.heard().await.expect("the node is up");
        assert_eq!(heard.len(), answered, "{heard:#?}");
    }
    let unreadable = THROWN.iter().copied().flatten().filter(|one| **one == Unreadable).count();
    let kinds: Vec<_> = site.quarantine().await.into_iter().map(|one| one.kind).collect();
    assert_eq!(kinds, vec!["unreadable"; unreadable]);
    assert!(site.reconcile().await.is_empty());
    assert_eq!(node.get("/healthz").await.0, 200);
}

/// Throws everything, and gives each datum after it; returns how many answers there must be.
async fn insist(site: &Site, ana: &mut Applicant<'_>) -> usize {
    let (words, via) = (Words::shipped(), ana.via);
    let mut heard = 0;
    for (place, thrown) in THROWN.iter().enumerate() {
        for one in thrown.iter().filter(|one| one.is_for(via)) {
            throw(site, ana, *one).await;
            if one.is_answered(via) {
                heard += 1;
                let reply = ana.hears(heard).await;
                let asks = reply.ends_with(&words.question(place));
                assert!(asks, "{via:?}, {one:?} before datum {place}: «{reply}»");
            }
        }
        ana.gives(place).await;
        heard += 1;
        let reply = ana.hears(heard).await;
        let last = place + 1 == MESSAGES;
        let expected = if last {
            ana.registration.hears(&words)[place].clone()
        } else {
            words.question(place + 1)
        };
        assert!(reply.ends_with(&expected), "{via:?}, datum {place}: «{reply}»");
    }
    heard
}

async fn throw(site: &Site, ana: &mut Applicant<'_>, what: Thrown) {
    match (what, ana.via) {
        (Garbage, Via::Web) => {
            let status = ana.post("{\"id\": \"visi".to_owned()).await;
            assert_eq!(status, Some(400), "{what:?}");
        }
        (Garbage, Via::Infobip) => {
            let door = site.doors.borrow()[0].clone();
            let status = site.post(&door, "tienda", &json!([1, 2])).await;
            assert_eq!(status, Some(400), "{what:?}");
        }
        (Novel, Via::Web) => {
            let id = ana.next_id();
            let body = json!({ "id": id, "text": what.text() });
            assert_eq!(ana.post(body.to_string()).await, Some(413), "{what:?}");
        }
        (Audio, _) => deliver(site, ana, json!({ "type": "AUDIO", "url": "https://a/voz" })).await,
        (Unreadable, _) => deliver(site, ana, json!({ "type": 7 })).await,
        (Novel | Control | Emoji, _) => ana.says(&what.text()).await,
    }
}

/// A message of another kind, as Infobip delivers it.
async fn deliver(site: &Site, ana: &mut Applicant<'_>, content: Value) {
    let id = ana.next_id();
    let mut item = message(&ana.address, &id, "");
    item["message"] = content;
    site.deliver(&json!({ "results": [item] })).await;
}
