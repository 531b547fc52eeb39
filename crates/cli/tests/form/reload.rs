//! Packs edited and broken while serving: who gets the new words, and who keeps the old.

use futures::future::join_all;

use crate::applicant::{Applicant, Via};
use crate::ground::{self, PackCopy};
use crate::record::{assert_whole, of, records};
use crate::registration::{MESSAGES, Words};
use crate::support::{Kind, Node, Site, rest, until};

crate::on_both_stores!(
    an_edit_is_for_new_conversations_and_those_under_way_keep_their_words,
    a_kill_while_an_edit_is_kept_leaves_every_conversation_its_words,
    a_broken_pack_is_named_with_its_place_and_the_last_good_version_answers_on,
);

/// Has the questions begin otherwise; returns the words that are then in force.
fn reword(pack: &PackCopy, opening: &str) -> Words {
    let shipped = include_str!("../../../../packs/registro/templates.yaml");
    let templates = shipped.replace(": ¿", &format!(": {opening}, ¿"));
    pack.write("templates.yaml", &templates);
    Words::read(&templates)
}

/// Waits until the node has taken up this many edits.
async fn reloaded(node: &Node<'_>, times: usize) {
    let look = async || match node.log().matches(": reloaded ").count() {
        count if count == times => Ok(()),
        count => Err(format!("{count} of {times}")),
    };
    until("the edits to be taken up", look).await;
}

/// Two customers, one a channel, who give the first datum.
async fn begin<'a>(site: &'a Site, first: usize, words: &Words) -> [Applicant<'a>; 2] {
    let mut pair = [0, 1].map(|next| Applicant::new(site, Via::ALL[next], first + next));
    step(&mut pair, 0, words).await;
    pair
}

/// Each gives the datum of this place and hears the next question in these words.
async fn step(pair: &mut [Applicant<'_>; 2], place: usize, words: &Words) {
    for one in pair {
        one.gives(place).await;
        let expected = one.registration.hears(words)[place].clone();
        assert_eq!(one.hears(place + 1).await, expected, "{}", one.address);
    }
}

/// Both are registered, each in their own words from the first to the last.
async fn assert_done(site: &Site, node: &Node<'_>, pairs: [(&[Applicant<'_>; 2], &Words); 2]) {
    rest(&[node]).await;
    let records = records(site).await;
    for (pair, words) in pairs {
        for one in pair {
            one.assert_heard(words).await;
            assert_whole(one, of(&records, one));
        }
    }
    assert!(site.reconcile().await.is_empty() && site.quarantine().await.is_empty());
    assert_eq!(node.metric("recado_agent_versions_lost_total").await, 0.0);
}

async fn an_edit_is_for_new_conversations_and_those_under_way_keep_their_words(kind: Kind) {
    let site = ground::site(kind).await;
    let pack = PackCopy::of(&site);
    let node = site.start().await;
    let before = Words::shipped();
    let mut old = begin(&site, 0, &before).await;
    let after = reword(&pack, "Versión dos");
    reloaded(&node, 1).await;
    let mut new = begin(&site, 2, &after).await;
    step(&mut old, 1, &before).await;
    reword(&pack, "Versión tres");
    reloaded(&node, 2).await;

    // The next process finds only the last edit; what was kept at the start and what was kept
    // while serving it makes again from the store.
    rest(&[&node]).await;
    node.kill().await;
    let mut node = site.start().await;
    step(&mut old, 2, &before).await;
    step(&mut new, 1, &after).await;
    if kind == Kind::Postgres {
        let second = site.start().await;
        node.stop().await;
        node = second;
    }
    for place in 3..MESSAGES {
        step(&mut old, place, &before).await;
    }
    for place in 2..MESSAGES {
        step(&mut new, place, &after).await;
    }
    assert_done(&site, &node, [(&old, &before), (&new, &after)]).await;
}

async fn a_kill_while_an_edit_is_kept_leaves_every_conversation_its_words(kind: Kind) {
    // The first of a process is kept at its start.
    join_all(["pack.keep:before:2", "pack.keep:after:2"].map(async |crash| {
        let site = ground::site(kind).await;
        let pack = PackCopy::of(&site);
        let node = site.start().await;
        let before = Words::shipped();
        let mut old = begin(&site, 0, &before).await;
        let dying = node.armed(crash).await;
        let after = reword(&pack, "Versión dos");
        dying.died(crash).await;
        let node = site.start().await;
        let mut new = begin(&site, 2, &after).await;
        for place in 1..MESSAGES {
            step(&mut old, place, &before).await;
            step(&mut new, place, &after).await;
        }
        assert_done(&site, &node, [(&old, &before), (&new, &after)]).await;
    }))
    .await;
}

/// An edit that does not read, and the words at which the mistake is found.
struct Mistake {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    at: &'static str,
}

const MISTAKES: [Mistake; 3] = [
    // A bracket that stays open is missed on the next line.
    Mistake {
        file: "templates.yaml",
        from: "pedir_email: ",
        to: "pedir_email: [",
        at: ": ¿A qué número",
    },
    Mistake {
        file: "form.yaml",
        from: "ask: pedir_email",
        to: "ask: pedir_emial",
        at: "pedir_emial",
    },
    Mistake {
        file: "templates.yaml",
        from: "gusto, {{ nombre }}",
        to: "gusto, {{ nombree }}",
        at: "nombree",
    },
];

impl Mistake {
    /// The file, line and column that the log must name.
    fn place(&self, text: &str) -> String {
        let (before, _) = text.split_once(self.at).expect(self.at);
        let line = before.lines().count();
        let column = before.lines().last().unwrap_or_default().chars().count() + 1;
        format!("registro/{}:{line}:{column}: ", self.file)
    }
}

async fn a_broken_pack_is_named_with_its_place_and_the_last_good_version_answers_on(kind: Kind) {
    let site = ground::site(kind).await;
    let pack = PackCopy::of(&site);
    let node = site.start().await;
    let mut words = Words::shipped();
    for (round, mistake) in MISTAKES.iter().enumerate() {
        let good = pack.read(mistake.file);
        let mut under_way = begin(&site, 4 * round, &words).await;
        pack.edit(mistake.file, mistake.from, mistake.to);
        node.logs(&mistake.place(&pack.read(mistake.file))).await;
        let refused = node.log().matches("not reloaded, the last good version answers").count();
        assert_eq!(refused, round + 1, "{}", node.log());
        begin(&site, 4 * round + 2, &words).await;
        step(&mut under_way, 1, &words).await;
        pack.write(mistake.file, &good);
        let next = reword(&pack, &format!("Arreglo {round}"));
        reloaded(&node, round + 1).await;
        step(&mut under_way, 2, &words).await;
        words = next;
    }
    begin(&site, 4 * MISTAKES.len(), &words).await;
    assert!(site.quarantine().await.is_empty(), "nobody noticed anything");
}
