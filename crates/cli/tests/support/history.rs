//! Checks what came of what was acknowledged: every message answered once and in order, numbers
//! without gaps or repeats, calls made at most once, reminders once and not early.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::customer::Customer;
use super::desk::{Open, Quarantined};
use super::lines::{NOT_KNOWN, Wanted, notified, numbered, turn};
use super::node::Node;
use super::site::Site;
use super::wait::until;

pub(crate) const APOLOGY: &str =
    "Perdón, tuvimos un problema con tu mensaje. Una persona lo va a revisar y te responde.";

const REMINDER: Duration = Duration::from_secs(1);

/// Longer conversations are not read back line by line.
const READ_BACK: usize = 6;

/// The open work that is left for a person.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) open: Vec<Open>,
    pub(crate) quarantined: Vec<Quarantined>,
}

impl Findings {
    /// Nothing needs a person.
    pub(crate) fn assert_clear(&self) {
        assert!(self.open.is_empty() && self.quarantined.is_empty(), "{self:?}");
    }

    pub(crate) fn sends(&self) -> usize {
        self.open.iter().filter(|open| open.kind != "step").count()
    }
}

/// Waits until all that was acknowledged is accounted for. Said before anything new is: what was
/// left lying must not need a new message to be found.
pub(crate) async fn accounted(site: &Site, customers: &[&Customer<'_>]) {
    let mut looks = 0;
    let look = async || {
        let missing = |open: &[_]| customers.iter().find_map(|one| judge(site, one, open).err());
        let Some(reason) = missing(&[]) else { return Ok(()) };
        // The sink costs nothing to ask; the reconcile list takes a process.
        looks += 1;
        if looks % 10 != 0 {
            return Err(reason);
        }
        missing(&by_number(site).await).map_or(Ok(()), Err)
    };
    until("every message to be accounted for", look).await;
}

/// Waits until all that was acknowledged is accounted for and the nodes rest, then checks it.
pub(crate) async fn check(
    site: &Site,
    nodes: &[&Node<'_>],
    customers: &[&Customer<'_>],
) -> Findings {
    accounted(site, customers).await;
    rest(nodes).await;
    let open = by_number(site).await;
    for customer in customers {
        judge(site, customer, &open).expect("what was accounted for stays so");
    }
    let items = site.reconcile().await;
    turns(site, customers, &open);
    notices(site, customers, &open, &items);
    if customers.len() <= READ_BACK {
        for customer in customers {
            read_back(site, customer).await;
        }
    }
    Findings { open: items, quarantined: site.quarantine().await }
}

/// Waits until nothing is under way, with the nodes up.
pub(crate) async fn rest(nodes: &[&Node<'_>]) {
    for node in nodes {
        node.site().rests().await;
        assert_eq!(node.get("/healthz").await.0, 200, "{}", node.log());
    }
}

/// The texts on the reconcile list, as (the customer's number, the text).
async fn by_number(site: &Site) -> Vec<(String, String)> {
    let items = site.reconcile().await;
    if items.is_empty() {
        return Vec::new();
    }
    let numbers: BTreeMap<String, String> =
        site.conversations().await.into_iter().map(|(number, id)| (id, number)).collect();
    let sends = items.into_iter().filter(|item| item.kind != "step");
    sends.map(|item| (numbers[&item.conversation].clone(), item.what)).collect()
}

fn lines_of<'t>(
    customer: &Customer<'_>,
    texts: impl Iterator<Item = (&'t str, &'t str)>,
) -> Vec<String> {
    let own = texts.filter(|(to, _)| *to == customer.number);
    own.flat_map(|(_, text)| text.lines().map(str::to_owned)).collect()
}

fn sent_to(site: &Site, customer: &Customer<'_>) -> Vec<String> {
    let sent = site.sink.sent();
    lines_of(customer, sent.iter().map(|sent| (sent.to.as_str(), sent.text.as_str())))
}

/// Panics on what must never be; an error says what is still missing.
fn judge(site: &Site, customer: &Customer<'_>, open: &[(String, String)]) -> Result<(), String> {
    let number = &customer.number;
    let sent = sent_to(site, customer);
    let open = lines_of(customer, open.iter().map(|(to, text)| (to.as_str(), text.as_str())));
    let answers = |lines: &[String]| -> Vec<(usize, String)> {
        let numbered = lines.iter().filter_map(|line| numbered(line));
        numbered.map(|(place, rest)| (place, rest.to_owned())).collect()
    };
    let (told, ambiguous) = (answers(&sent), answers(&open));
    for pair in told.windows(2) {
        assert!(pair[0].0 < pair[1].0, "{number}: {:?} was sent after {:?}", pair[1], pair[0]);
    }
    let distinct: BTreeSet<_> = ambiguous.iter().map(|(place, _)| place).collect();
    assert_eq!(distinct.len(), ambiguous.len(), "{number}: twice on the list: {ambiguous:?}");

    let wanted = customer.wanted();
    let mut left: Vec<_> = wanted.iter().enumerate().collect();
    let all: BTreeMap<usize, &str> =
        told.iter().chain(&ambiguous).map(|(place, text)| (*place, text.as_str())).collect();
    for (place, line) in &all {
        let fits = |(index, wanted): &(usize, &&Wanted)| {
            wanted.fits(line) && (!customer.ordered || *index + 1 == *place)
        };
        let Some(found) = left.iter().position(fits) else {
            panic!("{number}: nothing wants the answer {place}. {line}");
        };
        left.remove(found);
    }
    if let Some((index, missing)) = left.first() {
        return Err(format!("{number}: no answer to message {} ({missing:?})", index + 1));
    }
    extras(customer, &sent, &open)
}

/// The texts besides the numbered answers: each that is wanted once, and no other.
fn extras(customer: &Customer<'_>, sent: &[String], open: &[String]) -> Result<(), String> {
    let number = &customer.number;
    for line in sent.iter().chain(open).filter(|line| numbered(line).is_none()) {
        assert!(customer.extras.contains(line), "{number}: nothing wants «{line}»");
    }
    for extra in &customer.extras {
        let count = |lines: &[String]| lines.iter().filter(|line| *line == extra).count();
        let (sent, open) = (count(sent), count(open));
        assert!(sent <= 1 && open <= 1, "{number}: «{extra}» {sent} times, listed {open} times");
        if sent + open == 0 {
            return Err(format!("{number}: «{extra}» has not come"));
        }
    }
    Ok(())
}

/// Numbers of the queue are consecutive; reminders are not early.
fn turns(site: &Site, customers: &[&Customer<'_>], open: &[(String, String)]) {
    let mut given = BTreeMap::new();
    for customer in customers {
        let open = lines_of(customer, open.iter().map(|(to, text)| (to.as_str(), text.as_str())));
        for line in sent_to(site, customer).iter().chain(&open) {
            if let Some((place, rest)) = numbered(line)
                && let Some(turn) = turn(rest)
            {
                let given = given.insert((customer.number.clone(), place), turn);
                assert!(given.is_none_or(|before| before == turn), "two numbers for one message");
            }
        }
        for said in &customer.said {
            let Some(reminder) = said.wanted.as_ref().and_then(Wanted::reminder) else { continue };
            for sent in site.sink.sent().iter().filter(|sent| sent.text == reminder) {
                assert!(sent.at >= said.at + REMINDER, "«{reminder}» came early");
            }
        }
    }
    let mut numbers: Vec<_> = given.into_values().collect();
    numbers.sort_unstable();
    let consecutive: Vec<_> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, consecutive, "the numbers of the queue");
}

/// Calls to the outside: one key each, made once unless they may be repeated, and said truly.
fn notices(site: &Site, customers: &[&Customer<'_>], open: &[(String, String)], items: &[Open]) {
    let notified_texts = site.sink.notified();
    let mut unknown = 0;
    for customer in customers {
        let mut lines = sent_to(site, customer);
        lines.extend(lines_of(customer, open.iter().map(|(to, text)| (&**to, &**text))));
        let answers: BTreeMap<_, _> = lines.iter().filter_map(|line| numbered(line)).collect();
        unknown += answers.values().filter(|line| **line == NOT_KNOWN).count();
        for wanted in customer.wanted() {
            let Wanted::Notice(what) = wanted else { continue };
            let posts: Vec<_> = notified_texts.iter().filter(|post| post.text == *what).collect();
            let keys: BTreeSet<_> = posts.iter().map(|post| &post.key).collect();
            assert!(keys.len() <= 1, "«{what}» went out under several keys: {posts:?}");
            assert!(keys.iter().all(|key| !key.is_empty()), "«{what}» went out without a key");
            let told = answers.values().any(|line| *line == notified(what));
            if site.setting.idempotent {
                assert!(told && !posts.is_empty(), "«{what}»: {posts:?}");
            } else {
                assert!(posts.len() <= 1, "«{what}» went out {} times", posts.len());
                assert!(!told || posts.len() == 1, "«{what}» was told and did not happen");
            }
        }
    }
    let steps = items.iter().filter(|item| item.kind == "step").count();
    assert_eq!(
        unknown, steps,
        "calls without a known outcome are on the reconcile list: {items:?}"
    );
}

/// The record inside: each message once and in order, each answer once, no turns interleaved.
async fn read_back(site: &Site, customer: &Customer<'_>) {
    let fails = customer.said.iter().any(|said| said.text == "rompete");
    if fails || !customer.ordered {
        return;
    }
    let id = site.conversation(&customer.number).await;
    let lines = site.transcript(&id).await;
    let of = |role: &str| -> Vec<&str> {
        let own = lines.iter().filter(|line| line.role == role);
        own.flat_map(|line| line.text.lines()).collect()
    };
    let said: Vec<_> = customer.said.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(of("user"), said, "{}: what the record says came", customer.number);
    let places: Vec<_> =
        of("assistant").iter().filter_map(|line| numbered(line)).map(|(place, _)| place).collect();
    let expected: Vec<_> = (1..=customer.wanted().len()).collect();
    assert_eq!(places, expected, "{}: what the record says was answered", customer.number);
    let explained: usize = lines.iter().map(|line| line.intents).sum();
    // A message that was not understood has no intent.
    let understood = customer.wanted().iter().filter(|wanted| ***wanted != Wanted::Unread).count();
    assert_eq!(explained, understood, "{}: what the traces explain", customer.number);
    let mut turns: Vec<_> = lines.iter().map(|line| &line.turn).collect();
    turns.dedup();
    // Lines outside any turn carry the nil id, and may come several times.
    turns.retain(|turn| turn.bytes().any(|byte| !matches!(byte, b'0' | b'-')));
    let distinct: BTreeSet<_> = turns.iter().collect();
    assert_eq!(distinct.len(), turns.len(), "{}: turns interleave", customer.number);
}
