//! The database goes away at every point of a turn, whether or not it took what it was given.

use store::ReconcileKind;

use crate::kit::{LEASE_MS, On, Shop, World};

on_both_stores![wherever_the_database_is_away_the_turn_is_finished_once];

async fn wherever_the_database_is_away_the_turn_is_finished_once(on: On) {
    let first = World::new(on).await;
    let hits = Shop::hits_of_a_turn(&first).await;
    let is_commit = |hit: &str| !hit.starts_with("tool.") && !hit.starts_with("channel.");
    for (number, hit) in hits.iter().enumerate().filter(|(_, hit)| is_commit(hit)) {
        let beside = first.beside(&format!("falla {number}")).await;
        let Shop { world, notify, charge } = Shop::within(beside);
        world.hear("ana", "hola").await;
        world.faults.unavailable_at_hit(number);
        let node = world.node();
        let worked = node.run_until_idle().await;
        assert_eq!(worked.is_err(), hit.starts_with("lane.claim"), "{hit}");
        if hit == "lane.claim:after" {
            // Nobody knows of this claim, so it ends by itself.
            world.pass_ms(LEASE_MS);
        }
        node.run_until_idle().await.expect("worked");
        world.assert_at_rest().await;
        assert_eq!(node.busy(), 0, "{hit}");

        let transcript = world.transcript("ana").await;
        assert_eq!(transcript.len(), 2, "{hit}: {transcript:?}");
        let reply = transcript[1].strip_prefix("assistant: ").expect("a reply");
        assert!(reply.starts_with("turno.tomar=1 avisar=ok cobrar="), "{hit}: {reply}");
        let keys = notify.keys();
        assert!(!keys.is_empty() && keys.iter().all(|key| *key == keys[0]), "{hit}: {keys:?}");
        assert!(charge.calls().len() <= 1 && world.phone.tried().len() <= 1, "{hit}: done twice");
        // Acts that did not certainly happen are on the list, and nothing else is.
        let listed: Vec<_> = world.to_reconcile().await.iter().map(|item| item.kind).collect();
        let charged = reply.ends_with("cobrar=ok");
        assert_eq!(charge.calls().len() == 1, charged, "{hit}");
        assert_eq!(listed.contains(&ReconcileKind::Step), !charged, "{hit}");
        let sent = world.phone.sent().len() == 1;
        assert_eq!(listed.contains(&ReconcileKind::Ambiguous), !sent, "{hit}");
        let lost_an_intent = hit == "step.intent:after" || hit == "outbox.intend:after";
        assert!(lost_an_intent || (charged && sent), "{hit}: {listed:?}");
    }
}
